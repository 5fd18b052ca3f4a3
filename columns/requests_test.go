package columns_test

import (
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
