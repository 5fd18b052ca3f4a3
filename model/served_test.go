package model_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/model/incoming"
)

// servedAsker asks for the tracker of requests.
type servedAsker struct {
	recorder
	served *model.Served
}

func (p *servedAsker) Begin(t *model.Trace) { p.served = t.Served() }

// TestServed: the tracker has the requests of each process, and whose work a moment is.
func TestServed(t *testing.T) {
	m := tracetest.New(wire.V4)
	fields := clr.KestrelRequestStartFields{ConnectionID: "C", RequestID: "C:1", Path: "/", Method: "GET"}
	activity := wire.GUID{3}
	m.Add(tracetest.Event{At: 10, Thread: 5, Provider: clr.KestrelProvider, ID: 3, Payload: []any{fields.Append(nil, 0, 8)}, Activity: activity})
	m.Add(tracetest.Event{At: 40, Thread: 6, Provider: clr.KestrelProvider, ID: 4, Payload: []any{fields.Append(nil, 0, 8)}, Activity: activity})
	p := &servedAsker{}
	readWith(t, m.Bytes(), model.Limits{}, p)
	expect.Slices(t, "processes", p.served.Processes(), []uint64{tracetest.Process})
	expect.Len(t, "requests", p.served.Requests(tracetest.Process).List, 1)
	thread := model.Thread{Process: tracetest.Process, ID: 7}
	expect.Equal(t, "owner", p.served.Owner(model.Owned{Thread: thread, Ticks: 20, Activity: activity}), incoming.Owner{Request: 0, Rule: incoming.ByActivity})
	expect.Equal(t, "after it", p.served.Owner(model.Owned{Thread: thread, Ticks: 50, Activity: activity}).Request, -1)
}
