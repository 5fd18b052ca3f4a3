package counters_test

import (
	"compress/gzip"
	"fmt"
	"log"
	"os"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// Read the values of one counter of a trace.
func ExampleDecoder() {
	file, err := os.Open("../../testdata/net10-counters.v4.gz")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	data, err := gzip.NewReader(file)
	if err != nil {
		log.Fatal(err)
	}
	var d counters.Decoder
	for e, err := range codec.NewReader(data, codec.Options{}).Events() {
		if err != nil {
			log.Fatal(err)
		}
		m, err := d.Decode(e)
		if err != nil {
			log.Print(err) // the next event may be right
		}
		if m.Kind == counters.Measurement && m.Value.Name == "working-set" {
			fmt.Println(m.Value.Provider, m.Value.Name, m.Value.Shown().Float64)
		}
	}
	// Output:
	// System.Runtime working-set 35.971072
	// System.Runtime working-set 43.2128
	// System.Runtime working-set 43.78624
	// System.Runtime working-set 45.719552
}
