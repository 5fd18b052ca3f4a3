package alloc_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/alloc"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// TestRequestOfAllocations: a row has the request that allocated all of it.
func TestRequestOfAllocations(t *testing.T) {
	m := tracetest.New(wire.V4)
	request := func(at, thread uint64, id uint32, name string, activity byte) {
		fields := clr.KestrelRequestStartFields{ConnectionID: "C", RequestID: name, Path: "/", Method: "GET"}
		m.Add(tracetest.Event{At: at, Thread: thread, Provider: clr.KestrelProvider, ID: id, Payload: []any{fields.Append(nil, 0, 8)}, Activity: wire.GUID{activity}})
	}
	allocate := func(at uint64, typ rune, activity byte) {
		e := tickOf(at, typ, 0, 1000, 10)
		e.Activity = wire.GUID{activity}
		m.Add(e)
	}
	allocate(5, 'E', 0) // before the first request
	request(10, 1, 3, "C:1", 1)
	request(11, 2, 3, "C:2", 2)
	for at := uint64(20); at < 40; at += 10 {
		allocate(at, 'A', 1) // of one request
		allocate(at+1, 'B', 2)
		allocate(at+2, 'C', byte(at/10-1)) // of both
		allocate(at+3, 'E', 1)
	}
	allocate(44, 'B', 9) // of none
	request(50, 1, 4, "C:1", 1)
	request(51, 2, 4, "C:2", 2)
	for _, limits := range []analysis.Limits{{}, {Rows: 3}} {
		got := map[string]string{}
		for _, row := range made(t, m, limits)[0].Rows.([]alloc.Row) {
			got[row.Type] = row.Request
		}
		want := map[string]string{"A": "C:1", "B": "", "C": "", "E": ""}
		if limits.Rows > 0 { // the moments are not all known
			want["A"] = ""
		}
		for typ, request := range got {
			expect.Equal(t, "request of "+typ, request, want[typ])
		}
	}
}
