package columns_test

import (
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestRequestTables: the parts and the waits are of requests in the table requests, in the order of time.
func TestRequestTables(t *testing.T) {
	trace := open(t, shared.File(t, "aspnet/aspnet10-switch.v4.nettrace.zst"))
	served, sent := map[any]bool{}, int64(0)
	all := load(t, trace, "requests", "request_id", "sent_by")
	for row := range all.Rows {
		served[text(all, "request_id", row)] = true
	}
	for row := range all.Rows {
		if from := text(all, "sent_by", row); from != nil {
			if sent++; !served[from] {
				t.Errorf("row %d was sent by %v, which is no request", row, from)
			}
		}
	}
	expect.Equal(t, "requests with a sender", sent, 7)
	for _, c := range []struct {
		table string
		least int
	}{{"request_parts", 250}, {"request_waits", 2}} {
		of, last := load(t, trace, c.table, "request_id", "at_ns"), int64(0)
		expect.AtLeast(t, c.table, of.Rows, c.least)
		for row := range of.Rows {
			at := of.Vector("at_ns").Int(row)
			if id := text(of, "request_id", row); !served[id] || at < last {
				t.Errorf("%s: row %d of request %v at %d, after %d", c.table, row, id, at, last)
			}
			last = at
		}
	}
}

// TestSamplesOfRequests: the samples and the exceptions that are work for a request have its id, by the request's
// row those of its route, as the profile tells.
func TestSamplesOfRequests(t *testing.T) {
	data := shared.File(t, "aspnet/aspnet11-asyncprofiler.v4.nettrace.zst")
	trace := open(t, data)
	plain := load(t, trace, "samples", "value") // without requests
	requests := load(t, trace, "requests", "request_id", "method", "route", "trace_id")
	route, traceID := map[any]string{}, map[any]any{}
	for row := range requests.Rows {
		id := text(requests, "request_id", row)
		route[id], traceID[id] = fmt.Sprint(text(requests, "method", row), " ", text(requests, "route", row)), text(requests, "trace_id", row)
	}
	all := load(t, trace, "samples", "type", "request_id", "route", "trace_id", "owner")
	expect.Equal(t, "samples", all.Rows, plain.Rows)
	owners := map[any]int{}
	for row := range all.Rows {
		if text(all, "type", row) != "wall" {
			continue
		}
		id := text(all, "request_id", row)
		owners[text(all, "owner", row)]++
		if id == nil {
			continue
		}
		if text(all, "route", row) != route[id] || text(all, "trace_id", row) != traceID[id] {
			t.Errorf("sample %d of request %v: route %v, trace %v, want %v, %v", row, id, text(all, "route", row), text(all, "trace_id", row), route[id], traceID[id])
		}
	}
	expect.Equal(t, "samples by owner", fmt.Sprint(owners), "map[<nil>:24564 activity:3 async-profiler:495]")
	thrown, of := load(t, trace, "exceptions", "request_id"), 0
	for row := range thrown.Rows {
		if text(thrown, "request_id", row) != nil {
			of++
		}
	}
	expect.AtLeast(t, "exceptions of requests", of, 1)
}
