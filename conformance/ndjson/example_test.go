package ndjson_test

import (
	"bytes"
	"log"
	"os"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
	"github.com/nettrace-go/nettrace/internal/corpora"
)

// Print the Trace block and the first event of a trace as lines of JSON.
func ExampleWriter() {
	data, err := corpora.Open("net10-counters.v4")
	if err != nil {
		log.Fatal(err)
	}
	r := codec.NewReader(bytes.NewReader(data), codec.Options{})
	w := ndjson.NewWriter(os.Stdout, ndjson.Options{})
	trace, err := r.Trace()
	if err != nil {
		log.Fatal(err)
	}
	e, ok := r.Next()
	if !ok {
		log.Fatal(r.Err())
	}
	for _, err := range []error{w.Trace(trace), w.Event(e), w.Flush()} {
		if err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// {"type":"trace","format":"4","pointerSize":8,"syncTime":"2026-11-21T08:59:37.457Z","syncTicks":"1081539725651","tickFrequency":"1000000000","properties":{"ProcessId":"13966","HardwareThreadCount":"2","ExpectedCPUSamplingRate":"1000000"}}
	// {"type":"event","provider":"System.Runtime","id":1,"version":0,"name":"LogAppContextSwitch","level":4,"opcode":0,"keywords":"0xf00000000001","time":"1081586607597","thread":"13966","captureThread":"13966","process":"13966","sequence":1}
}
