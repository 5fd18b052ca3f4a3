package locks_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestRequestOfLocks: the request of a contention is the one whose thread waits for the lock, by the truth.
func TestRequestOfLocks(t *testing.T) {
	owned, sole := 0, 0
	for _, name := range []string{"aspnet10-async", "aspnet10-switch", "aspnet11-switch", "aspnet10-requests", "aspnet10-attach", "aspnet11-attach", "aspnet10-load", "aspnet11-load"} {
		type wait struct {
			id         string
			begin, end int64
		}
		waits := map[int64][]wait{} // by thread
		during := map[string]wait{} // the request itself
		for line := range bytes.Lines(shared.File(t, "aspnet/"+name+".truth.ndjson.zst")) {
			var r struct {
				RequestID  string
				Begin, End int64
				Waits      []struct {
					Kind       string
					Thread     int64
					Begin, End int64
				}
			}
			expect.NoError(t, json.Unmarshal(line, &r))
			during[r.RequestID] = wait{r.RequestID, r.Begin, r.End}
			for _, w := range r.Waits {
				if w.Kind == "lock" {
					waits[w.Thread] = append(waits[w.Thread], wait{r.RequestID, w.Begin, w.End})
				}
			}
		}
		trace := shared.File(t, "aspnet/"+name+".v4.nettrace.zst")
		rows, _, _ := reportOf(t, trace)
		header, err := codec.NewBytesReader(trace, codec.Options{}).Trace()
		expect.NoError(t, err)
		sync := int64(header.SyncTicks) // a tick is a nanosecond
		for _, row := range rows {
			c := row.Longest
			of, at := "", sync+c.StartNs
			for _, w := range waits[c.ThreadID] {
				if w.begin <= at && at < w.end {
					of = w.id
				}
			}
			if c.Request != "" {
				if w := during[c.Request]; of == "" && w.begin <= at && at < w.end { // a lock of the class library, which the program does not see
					of = c.Request
				}
				if owned++; c.Request != of {
					t.Errorf("%s: contention in %s: request %q, want %q", name, row.Method, c.Request, of)
				}
			}
			if row.Request == "" {
				continue
			}
			if sole++; row.Request != c.Request {
				t.Errorf("%s: row of %s: request %q, of its longest %q", name, row.Method, row.Request, c.Request)
			}
		}
	}
	if t.Logf("%d longest contentions have a request, %d rows are one request's", owned, sole); sole == 0 {
		t.Error("no row with a request")
	}
}
