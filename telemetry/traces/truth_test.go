package traces_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/telemetry"
	"github.com/nettrace-go/nettrace/telemetry/traces"
)

// attribute returns the value of an attribute, nil without one.
func attribute(s *traces.Span, key string) any {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value
		}
	}
	return nil
}

// TestTruth: each request of a recorded program is one span of a server with the truth's ids, method, path, status, route and
// times, and each outgoing one is the parent that the truth names.
func TestTruth(t *testing.T) {
	for _, c := range []struct {
		name   string
		routes bool // are in the activities
	}{{"aspnet10-spans", false}, {"aspnet11-spans", true}} {
		t.Run(c.name, func(t *testing.T) {
			type request struct {
				Type, Method, Path, Route, TraceID, SpanID, ParentSpanID string
				Status                                                   int64
				Aborted                                                  bool
				Exception                                                *string
				Begin, End                                               uint64
				RecordingBegun, RecordingEnded                           uint64
			}
			truth := map[string]request{}
			var begun, ended uint64
			for line := range bytes.Lines(shared.File(t, "aspnet/"+c.name+".truth.ndjson.zst")) {
				var r request
				expect.NoError(t, json.Unmarshal(line, &r))
				switch r.Type {
				case "about":
					begun, ended = r.RecordingBegun, r.RecordingEnded
				case "request":
					truth[r.SpanID] = r
				}
			}
			r := codec.NewBytesReader(shared.File(t, "aspnet/"+c.name+".v4.nettrace.zst"), codec.Options{Order: codec.ByTime})
			head, err := r.Trace()
			expect.NoError(t, err)
			at := func(ticks uint64) time.Time { return head.SyncTime.Add(head.Since(ticks)) }
			d := traces.NewDecoder(traces.Options{}, head.SyncTime)
			found, outgoing, own, unfinished := map[string]*traces.Span{}, map[telemetry.SpanID]*traces.Span{}, 0, 0
			keep := func(s *traces.Span) {
				switch {
				case s.Source == "Microsoft.AspNetCore":
					if found[s.SpanID.String()] != nil {
						t.Errorf("two spans have the id %v", s.SpanID)
					}
					found[s.SpanID.String()] = s
				case s.Source == "System.Net.Http":
					outgoing[s.SpanID] = s
				case s.Source == "Shop.Work":
					own++
				}
				if s.Unfinished {
					unfinished++
				}
			}
			for ev, err := range r.Events() {
				expect.NoError(t, err)
				d.Decode(ev, keep)
			}
			d.Open(at(ended), keep)
			expect.Equal(t, "statistics", d.Stats(), traces.Stats{})
			inside, statuses, parents := 0, 0, 0
			for id, want := range truth {
				s := found[id]
				if s == nil {
					if want.Begin > begun && want.End < ended {
						t.Errorf("%s %s has no span", want.Method, want.Path)
					}
					continue
				}
				inside++
				expect.Equal(t, "trace", s.TraceID.String(), want.TraceID)
				expect.Equal(t, "parent", s.ParentID.String(), want.ParentSpanID)
				expect.Equal(t, "kind", s.Kind, traces.Server)
				expect.Equal(t, "method", attribute(s, "http.request.method"), any(want.Method))
				path, _ := attribute(s, "url.path").(string)
				path, err := url.PathUnescape(path)
				expect.NoError(t, err)
				expect.Equal(t, "path", path, want.Path)
				expect.Equal(t, "query", attribute(s, "url.query"), nil)
				expect.Equal(t, "client", attribute(s, "client.address"), nil)
				if s.Unfinished {
					continue
				}
				const late = 20 * time.Millisecond // the clock of the activity is another one
				if s.Start.After(at(want.Begin).Add(late)) || s.End.Before(at(want.End).Add(-late)) {
					t.Errorf("%s %s is from %v to %v, want %v to %v", want.Method, want.Path, s.Start, s.End, at(want.Begin), at(want.End))
				}
				if !want.Aborted {
					statuses++
					expect.Equal(t, "status of "+want.Path, attribute(s, "http.response.status_code"), any(want.Status))
					failed := want.Status >= 500 || c.routes && want.Exception != nil // after the answer began: .NET 11 says it
					expect.Equal(t, "error of "+want.Path, s.Status == traces.Error, failed)
				}
				name := want.Method
				if c.routes && want.Route != "" {
					name += " " + want.Route
					route, _ := attribute(s, "http.route").(string)
					expect.Equal(t, "route", strings.TrimPrefix(route, "/"), strings.TrimPrefix(want.Route, "/"))
				}
				expect.Equal(t, "name", s.Name, name)
				if out := outgoing[s.ParentID]; out != nil {
					parents++
					expect.Equal(t, "trace of the outgoing request", out.TraceID, s.TraceID)
					expect.Equal(t, "kind of the outgoing request", out.Kind, traces.Client)
				}
			}
			t.Logf("%d requests in the truth, %d spans of them, %d statuses, %d sent by the program itself, %d spans of its own, %d unfinished",
				len(truth), inside, statuses, parents, own, unfinished)
			expect.AtLeast(t, "spans", inside, 250)
			expect.AtLeast(t, "outgoing requests", parents, 18)
		})
	}
}
