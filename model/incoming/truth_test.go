package incoming_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/async"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/model/incoming"
	"github.com/nettrace-go/nettrace/model/logical"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

// recordings are the recordings of ASP.NET Core whose program wrote down its requests.
var recordings = []string{
	"aspnet10-requests", "aspnet11-requests", "aspnet10-async", "aspnet11-async", "aspnet11-async-machines", "aspnet10-switch", "aspnet11-switch",
	"aspnet11-asyncprofiler", "aspnet11-asyncprofiler-machines", "aspnet10-spans", "aspnet11-spans", "aspnet10-attach", "aspnet11-attach",
	"aspnet10-load", "aspnet11-load", "aspnet10-logging", "aspnet10-start", "aspnet11-start",
}

// trueRequest is a request as the program wrote it down.
type trueRequest struct {
	Type, Method, Path, HTTP, Route            string
	Status                                     int64
	Aborted                                    bool
	Connection, RequestID                      string
	TraceID, SpanID, ParentSpanID              string
	Begin, End                                 uint64
	RecordingBegun, RecordingEnded, RecorderAt uint64
	Parts                                      []struct {
		Method     string
		Thread     uint64
		Begin, End uint64
	}
	Waits []struct {
		Kind                          string
		Thread, EndThread, Begin, End uint64
	}
	Spans []struct{ Name, SpanID string }
}

// truthOf returns the requests of a recording, and the times between which it surely was on.
func truthOf(t *testing.T, name string) (list []trueRequest, begun, ended uint64) {
	t.Helper()
	for line := range bytes.Lines(shared.File(t, "aspnet/"+name+".truth.ndjson.zst")) {
		var r trueRequest
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %s", err, line)
		}
		switch r.Type {
		case "about":
			begun, ended = r.RecordingBegun, r.RecordingEnded
		case "request":
			list = append(list, r)
		}
	}
	return list, begun, ended
}

// sample is a sample of a thread.
type sample struct{ thread, ticks uint64 }

// read reads a recording.
func read(t *testing.T, name string) (*incoming.Requests, []sample) {
	t.Helper()
	return readWithout(t, name)
}

// readWithout reads a recording as if it did not have the events of some providers.
func readWithout(t *testing.T, name string, providers ...string) (*incoming.Requests, []sample) {
	t.Helper()
	var log incoming.Log
	var chains logical.Log
	var samples []sample
	facts := incoming.Facts{}
	r := codec.NewBytesReader(shared.File(t, "aspnet/"+name+".v4.nettrace.zst"), codec.Options{})
	for ev, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		m := ev.Metadata()
		if slices.Contains(providers, m.Provider) {
			continue
		}
		switch {
		case runtimes.IsInformation(m):
			facts.Version = runtimes.ReadVersion(ev)
		case m.Provider == async.Provider && m.EventID == async.EventID:
			chains.Add(logical.Buffer{Ticks: ev.Timestamp, Payload: ev.Payload(), Writer: ev.ThreadIndex})
		case clr.KindOf(m) == clr.KindThreadSample:
			samples = append(samples, sample{ev.ThreadIndex, ev.Timestamp})
		}
		if do := incoming.HandlerOf(m); do != nil {
			do(&log, ev, incoming.Writer{Thread: ev.ThreadIndex})
		}
	}
	facts.Changes = chains.Changes(false)
	return log.Requests(facts), samples
}

// TestTruth: each request of the program is one request with the truth's fields.
func TestTruth(t *testing.T) {
	for _, name := range recordings {
		t.Run(name, func(t *testing.T) {
			requests, _ := read(t, name)
			truth, begun, ended := truthOf(t, name)
			byID := map[string]*trueRequest{}
			for i := range truth {
				byID[truth[i].RequestID] = &truth[i]
			}
			found := map[string]bool{}
			var statuses, ids, parents, routes, pairs, wrong int
			bad := func(r *incoming.Request, what string, got, want any) {
				if wrong++; wrong < 10 {
					t.Errorf("request %s %s: %s %v, want %v", r.ID, r.Path, what, got, want)
				}
			}
			for _, r := range requests.List {
				of := byID[r.ID]
				if of == nil || found[r.ID] {
					bad(r, "in the truth", of != nil, "once")
					continue
				}
				found[r.ID] = true
				if r.Began && r.Ended {
					pairs++
					if from, to := r.Begin, r.End; from > of.Begin || to < of.End {
						bad(r, "times", []uint64{from, to}, []uint64{of.Begin, of.End})
					}
				}
				for _, f := range []struct {
					what, got, want string
				}{
					{"method", r.Method, of.Method}, {"path", r.Path, of.Path}, {"protocol", r.Protocol, of.HTTP}, {"connection", r.Connection, of.Connection},
				} {
					if f.got != f.want {
						bad(r, f.what, f.got, f.want)
					}
				}
				count := func(n *int, what, got, want string) {
					if got == "" || of.SpanID == "" {
						return
					}
					if *n++; got != want {
						bad(r, what, got, want)
					}
				}
				count(&ids, "trace id", r.TraceID, of.TraceID)
				count(&ids, "span id", r.SpanID, of.SpanID)
				count(&parents, "parent", r.ParentSpanID, of.ParentSpanID)
				count(&routes, "route", strings.TrimPrefix(r.Route, "/"), strings.TrimPrefix(of.Route, "/"))
				if r.HasStatus {
					if statuses++; r.Status != of.Status && !(of.Aborted && r.Status == 499) {
						bad(r, "status", r.Status, of.Status)
					}
				}
			}
			inside := 0
			for i := range truth {
				if r := &truth[i]; r.Begin > begun && r.End < ended {
					if inside++; !found[r.RequestID] {
						t.Errorf("request %s %s is missing", r.RequestID, r.Path)
					}
				}
			}
			t.Logf("%d requests in the truth, %d within the recording; %d found, %d with begin and end; statuses %d, ids %d, parents %d, routes %d; %d ambiguous stops",
				len(truth), inside, len(found), pairs, statuses, ids, parents, routes, requests.AmbiguousStops)
		})
	}
}

// TestOwners: no sample in a part of the truth has another request.
func TestOwners(t *testing.T) {
	for _, name := range recordings {
		requests, samples := read(t, name)
		if len(samples) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			truth, _, _ := truthOf(t, name)
			type part struct {
				thread, begin, end uint64
				id, method         string
			}
			var parts []part
			for _, r := range truth {
				for _, p := range r.Parts {
					parts = append(parts, part{p.Thread, p.Begin, p.End, r.RequestID, p.Method})
				}
			}
			slices.SortFunc(parts, func(a, b part) int { return int(int64(a.begin - b.begin)) })
			rules := map[string]int{}
			total, wrong := 0, 0
			for _, s := range samples {
				n := sort.Search(len(parts), func(i int) bool { return parts[i].begin > s.ticks })
				for _, p := range parts[max(0, n-200):n] {
					if p.thread != s.thread || p.end < s.ticks {
						continue
					}
					total++
					o := requests.Owner(incoming.Moment{Thread: s.thread, Ticks: s.ticks})
					rules[o.Rule.String()]++
					if o.Request >= 0 && requests.List[o.Request].ID != p.id {
						if wrong++; wrong < 10 {
							t.Errorf("sample of thread %d at %d in %s: request %s by %s, want %s", s.thread, s.ticks, p.method, requests.List[o.Request].ID, o.Rule, p.id)
						}
					}
					break
				}
			}
			t.Logf("%d samples in parts: %v, %d wrong", total, rules, wrong)
		})
	}
}

// TestParts: each part of the truth is in a part of its request. Without SetActivityId and the async
// profiler, the synchronous ones have no end.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		name   string
		within int // parts of the truth within one of their request; 1,000ths
	}{
		{"aspnet10-async", 470}, {"aspnet10-switch", 970}, {"aspnet11-switch", 950}, {"aspnet11-asyncprofiler", 1000}, {"aspnet11-asyncprofiler-machines", 1000}, {"aspnet10-spans", 840}, {"aspnet11-attach", 900},
	} {
		t.Run(c.name, func(t *testing.T) {
			requests, _ := read(t, c.name)
			truth, begun, ended := truthOf(t, c.name)
			parts, owner := requests.Parts(), map[string]int{}
			byThread := map[uint64][]incoming.Part{}
			whose := map[incoming.Part]int{}
			for i, r := range requests.List {
				owner[r.ID] = i
				for _, p := range parts[i] {
					byThread[p.Thread] = append(byThread[p.Thread], p)
					whose[p] = i
				}
			}
			within, total, wrong := 0, 0, 0
			for _, r := range truth {
				of, ok := owner[r.RequestID]
				for _, p := range r.Parts {
					if !ok || p.Begin < begun || p.End > ended {
						continue
					}
					total++
					for _, got := range byThread[p.Thread] {
						switch {
						case got.End <= p.Begin || got.Begin >= p.End:
						case whose[got] != of:
							if wrong++; wrong < 5 {
								t.Errorf("part of %s on %d from %d to %d: %v is one of %s", r.RequestID, p.Thread, p.Begin, p.End, got, requests.List[whose[got]].ID)
							}
						case got.Begin <= p.Begin && p.End <= got.End:
							within++
						}
					}
				}
			}
			t.Logf("%d of %d parts within one of their request, %d in one of another", within, total, wrong)
			if within*1000 < c.within*total {
				t.Errorf("%d of %d parts are within one of their request", within, total)
			}
		})
	}
}

// TestFewerSources: whatever the session recorded, a pair is one that all sources together have.
func TestFewerSources(t *testing.T) {
	for _, c := range []struct {
		source    incoming.Source
		providers []string // that are not there
	}{
		{incoming.Kestrel, []string{clr.HostingProvider, clr.DiagnosticsProvider}},
		{incoming.Hosting, []string{clr.KestrelProvider, clr.DiagnosticsProvider}},
		{incoming.Bridge, []string{clr.KestrelProvider, clr.HostingProvider}},
		{incoming.Hosting, []string{clr.KestrelProvider}},
	} {
		for _, name := range recordings {
			all, _ := read(t, name)
			stops := map[uint64]uint64{} // by start
			for _, r := range all.List {
				if s := r.Times[c.source]; s.Began && s.Ended {
					stops[s.Begin] = s.End
				}
			}
			fewer, _ := readWithout(t, name, c.providers...)
			pairs, ambiguous, other := 0, 0, 0
			for _, r := range fewer.List {
				switch s := r.Times[c.source]; {
				case r.Ambiguous:
					ambiguous++
				case !s.Began || !s.Ended:
					other++
				case stops[s.Begin] != s.End:
					t.Errorf("%s without %q: a pair from %d to %d, want it to %d", name, c.providers, s.Begin, s.End, stops[s.Begin])
				default:
					pairs++
				}
			}
			t.Logf("%s without %q: %d of %d pairs, %d ambiguous, %d others", name, c.providers, pairs, len(stops), ambiguous, other)
		}
	}
}

// TestSpan: the innermost open span of the program is that of the truth, and none outside of spans.
func TestSpan(t *testing.T) {
	for name, want := range map[string]int{"aspnet10-spans": 26, "aspnet11-spans": 34} {
		requests, _ := read(t, name)
		truth, _, _ := truthOf(t, name)
		inside, outside := 0, 0
		for _, r := range truth {
			check := func(thread, ticks uint64, id string, count *int) {
				m := incoming.Moment{Thread: thread, Ticks: ticks}
				owner, got := requests.Owner(m), ""
				if owner.Request < 0 {
					return
				}
				if s := requests.Span(m, owner.Request); s != nil {
					got = s.SpanID
				}
				if got != id {
					t.Errorf("%s: thread %d at %d in request %s: span %q, want %q", name, thread, ticks, r.RequestID, got, id)
				}
				*count++
			}
			for _, p := range r.Parts {
				check(p.Thread, (p.Begin+p.End)/2, "", &outside)
			}
			for _, w := range r.Waits {
				if w.Kind == "downstream" && len(r.Spans) == 1 {
					check(w.Thread, w.Begin, r.Spans[0].SpanID, &inside)
					check(w.EndThread, w.End, r.Spans[0].SpanID, &inside)
				}
			}
		}
		expect.Equal(t, name+" moments in spans", inside, want)
		expect.AtLeast(t, name+" moments outside of spans", outside, 400)
	}
}
