package rows_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/conformance/rows"
)

// Write a trace from lines, and read its event.
func ExampleWrite() {
	lines, err := rows.Parse([]byte(`
		{"type":"trace","format":"6.0","pointerSize":8,"syncTime":"2026-01-02T03:04:05.000Z","syncTicks":"0","tickFrequency":"1000000000"}
		{"type":"metadata","id":1,"provider":"MyCompany-Orders","eventId":7,"name":"Shipped","fields":[{"name":"Count","type":"Int32"}]}
		{"type":"thread","index":"1","process":"4711","thread":"42"}
		{"type":"event","time":"1000","threadIndex":"1","captureThreadIndex":"1","sequence":1,"payload":"03000000","metadata":1}
	`))
	if err != nil {
		log.Fatal(err)
	}
	var trace bytes.Buffer
	if err := rows.Write(&trace, lines); err != nil {
		log.Fatal(err)
	}
	r := codec.NewReader(&trace, codec.Options{})
	for event, err := range r.Events() {
		if err != nil {
			log.Fatal(err)
		}
		count, _ := event.Field("Count")
		fmt.Println(event.Provider(), event.Name(), count)
	}
	// Output: MyCompany-Orders Shipped 3
}
