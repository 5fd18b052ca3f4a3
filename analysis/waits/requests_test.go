package waits_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestRequestOfWaits: a wait in a request is that of the truth, whose program sleeps in a part of it.
func TestRequestOfWaits(t *testing.T) {
	owned := 0
	for _, name := range []string{"aspnet10-async", "aspnet10-switch", "aspnet11-switch", "aspnet11-asyncprofiler", "aspnet11-attach"} {
		type sleep struct {
			id         string
			thread     int64
			begin, end int64
		}
		var sleeps []sleep
		for line := range bytes.Lines(shared.File(t, "aspnet/"+name+".truth.ndjson.zst")) {
			var r struct {
				RequestID string
				Waits     []struct {
					Kind       string
					Thread     int64
					Begin, End int64
				}
			}
			expect.NoError(t, json.Unmarshal(line, &r))
			for _, w := range r.Waits {
				if w.Kind == "sleep" {
					sleeps = append(sleeps, sleep{r.RequestID, w.Thread, w.Begin, w.End})
				}
			}
		}
		trace := shared.File(t, "aspnet/"+name+".v4.nettrace.zst")
		rows, _, _ := reportOf(t, trace)
		header, err := codec.NewBytesReader(trace, codec.Options{}).Trace()
		expect.NoError(t, err)
		sync := int64(header.SyncTicks) // a tick is a nanosecond
		for _, row := range rows {
			w := row.Longest
			of := ""
			for _, s := range sleeps {
				if at := sync + w.StartNs; row.Cause == "sleep" && s.thread == w.ThreadID && s.begin <= at && at < s.end {
					of = s.id
				}
			}
			if w.Request != "" && w.Request != of || row.Request != "" && row.Request != w.Request {
				t.Errorf("%s: %s of %s: row of request %q, longest of %q, want %q", name, row.Cause, row.Method, row.Request, w.Request, of)
			}
			if row.Request != "" {
				owned++
			}
		}
	}
	if owned < 2 {
		t.Errorf("%d rows with a request", owned)
	}
}
