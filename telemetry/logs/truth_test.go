package logs_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/telemetry"
	"github.com/nettrace-go/nettrace/telemetry/logs"
)

// TestTruth: each request of a recorded program has one record that it begins, one that it is finished and, with
// a route, one of its endpoint, with the ids that the program wrote down.
func TestTruth(t *testing.T) {
	type request struct {
		Type, Method, Path, Route, TraceID, SpanID string
		Status                                     int64
		Begin, End                                 uint64
		RecordingBegun, RecordingEnded             uint64
	}
	truth := map[string]request{}
	var begun, ended uint64
	for line := range bytes.Lines(shared.File(t, "aspnet/aspnet10-logging.truth.ndjson.zst")) {
		var r request
		expect.NoError(t, json.Unmarshal(line, &r))
		switch {
		case r.Type == "about":
			begun, ended = r.RecordingBegun, r.RecordingEnded
		case r.Type == "request" && r.Begin > begun && r.End < ended:
			truth[r.SpanID] = r
		}
	}
	expect.AtLeast(t, "requests", len(truth), 90)
	d := logs.NewDecoder(logs.Options{Bodies: true})
	started, finished, routed := map[string]int{}, map[string]int{}, map[string]int{}
	check := func(r *logs.Record) {
		of, ok := truth[r.SpanID.String()]
		if !ok {
			return
		}
		expect.Equal(t, "trace", r.TraceID.String(), of.TraceID)
		expect.Equal(t, "level", r.Severity, logs.Information)
		switch {
		case r.Category == "Microsoft.AspNetCore.Hosting.Diagnostics" && r.EventID == 1:
			started[of.SpanID]++
			expect.Equal(t, "path", telemetry.Text(r.Attributes, "Path"), of.Path)
		case r.Category == "Microsoft.AspNetCore.Hosting.Diagnostics" && r.EventID == 2:
			finished[of.SpanID]++
			expect.Equal(t, "template", r.Template,
				"Request finished {Protocol} {Method} {Scheme}://{Host}{PathBase}{Path}{QueryString} - {StatusCode} {ContentLength} {ContentType} {ElapsedMilliseconds}ms")
		case r.EventName == "ExecutingEndpoint":
			routed[of.SpanID]++
			if !strings.HasPrefix(of.Route, "orders/") { // an action of MVC has a name of its own
				expect.Contains(t, "endpoint", r.Body, "Executing endpoint '", of.Route)
			}
		}
	}
	for ev, err := range codec.NewBytesReader(shared.File(t, "aspnet/aspnet10-logging.v4.nettrace.zst"), codec.Options{Order: codec.ByTime}).Events() {
		expect.NoError(t, err)
		d.Decode(ev, check)
	}
	d.Flush(check)
	expect.Equal(t, "statistics", d.Stats(), logs.Stats{})
	for id, of := range truth {
		expect.Equal(t, "begins of "+of.Path, started[id], 1)
		expect.Equal(t, "ends of "+of.Path, finished[id], 1)
		if want := min(1, len(of.Route)); routed[id] != want {
			t.Errorf("%s: %d records of an endpoint, want %d", of.Path, routed[id], want)
		}
	}
}
