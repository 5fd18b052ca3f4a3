package incoming_test

import (
	"fmt"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/model/incoming"
)

// Kestrel's start and stop of a request have its id.
func ExampleLog() {
	trace := tracetest.New(wire.V4)
	fields := clr.KestrelRequestStartFields{ConnectionID: "C", RequestID: "C:1", HttpVersion: "HTTP/1.1", Path: "/cart/7", Method: "GET"}
	payload := fields.Append(nil, 0, 8)
	trace.Add(tracetest.Event{At: 10, Thread: 5, Provider: clr.KestrelProvider, ID: 3, Payload: []any{payload}}) // RequestStart
	trace.Add(tracetest.Event{At: 40, Thread: 6, Provider: clr.KestrelProvider, ID: 4, Payload: []any{payload}}) // RequestStop

	var log incoming.Log
	r := codec.NewBytesReader(trace.Bytes(), codec.Options{})
	for ev, err := range r.Events() {
		if err != nil {
			return
		}
		if record := incoming.HandlerOf(ev.Metadata()); record != nil {
			record(&log, ev, incoming.Writer{Thread: ev.ThreadIndex})
		}
	}
	for _, r := range log.Requests(incoming.Facts{}).List {
		fmt.Println(r.ID, r.Method, r.Path, "from", r.Begin, "to", r.End, "on threads", r.Threads)
	}
	// Output: C:1 GET /cart/7 from 10 to 40 on threads [5 6]
}
