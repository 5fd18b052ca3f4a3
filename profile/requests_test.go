package profile_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"sort"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/model/incoming"
	"github.com/nettrace-go/nettrace/profile"
)

// servedPart is a part of the work for a request, as the program wrote it down.
type servedPart struct {
	Method             string
	Thread, Begin, End uint64
	id                 string
}

// servedParts returns the parts of all requests of a recording.
func servedParts(t *testing.T, name string) []servedPart {
	t.Helper()
	var list []servedPart
	for line := range bytes.Lines(shared.File(t, "aspnet/"+name+".truth.ndjson.zst")) {
		var r struct {
			RequestID string
			Parts     []servedPart
		}
		expect.NoError(t, json.Unmarshal(line, &r))
		for _, p := range r.Parts {
			p.id = r.RequestID
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b servedPart) int { return int(int64(a.Begin - b.Begin)) })
	return list
}

// TestRequest: the samples in the parts of requests are those of the request, or none is named. The
// figures are those of the reference's rules; it has samples of the program's methods only.
func TestRequest(t *testing.T) {
	for _, c := range []struct {
		name                    string
		rule                    incoming.Rule
		right, ambiguous, total int
		byThread                bool // the synchronous parts are owned by their threads
	}{
		{"aspnet10-requests", incoming.ByThread, 519, 0, 824, false},
		{"aspnet11-requests", incoming.ByThread, 465, 0, 739, false},
		{"aspnet10-async", incoming.ByTasks, 673, 0, 673, false},
		{"aspnet11-async", incoming.ByThread, 251, 0, 373, false},
		{"aspnet11-async-machines", incoming.ByTasks, 424, 0, 424, true},
		{"aspnet10-switch", incoming.ByActivity, 740, 13, 753, false},
		{"aspnet11-switch", incoming.ByActivity, 460, 10, 470, false},
		{"aspnet11-asyncprofiler", incoming.ByAsyncProfiler, 408, 0, 408, false},
		{"aspnet11-asyncprofiler-machines", incoming.ByAsyncProfiler, 594, 0, 594, false},
		{"aspnet10-attach", incoming.ByThread, 610, 0, 1187, false},
		{"aspnet11-attach", incoming.ByActivity, 1733, 0, 1734, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			parts := servedParts(t, c.name)
			p, err := profile.FromReader(t.Context(), codec.NewBytesReader(shared.File(t, "aspnet/"+c.name+".v4.nettrace.zst"), codec.Options{}), profile.Options{
				Requests: true, Types: []profile.Type{profile.Event}, Provider: clr.SamplerProvider,
			})
			expect.NoError(t, err)
			right, ambiguous, total := 0, 0, 0
			for s := range p.Samples(profile.Event) {
				thread := p.Threads()[s.Thread].ID
				n := sort.Search(len(parts), func(i int) bool { return parts[i].Begin > s.Ticks })
				i := slices.IndexFunc(parts[:n], func(p servedPart) bool { return p.Thread == thread && s.Ticks <= p.End })
				if i < 0 {
					continue
				}
				total++
				r, rule := p.Request(&s)
				switch {
				case rule == incoming.Ambiguous:
					ambiguous++
				case r == nil:
				case r.ID != parts[i].id || rule != c.rule && !(c.byThread && rule == incoming.ByThread):
					t.Errorf("sample of thread %d at %d in %s: request %s by %s, want %s", thread, s.Ticks, parts[i].Method, r.ID, rule, parts[i].id)
				default:
					right++
				}
			}
			expect.Equal(t, "samples in parts", total, c.total)
			expect.Equal(t, "ambiguous", ambiguous, c.ambiguous)
			expect.Equal(t, "right", right, c.right)
		})
	}
}

// TestRequestFilter: the samples of the requests and those outside of them are all samples, and a filter selects those of
// one request.
func TestRequestFilter(t *testing.T) {
	trace := shared.File(t, "aspnet/aspnet11-asyncprofiler.v4.nettrace.zst")
	read := func(opt profile.Options) *profile.Profile {
		opt.Types = []profile.Type{profile.Wall}
		p, err := profile.FromReader(t.Context(), codec.NewBytesReader(trace, codec.Options{}), opt)
		expect.NoError(t, err)
		return p
	}
	all := read(profile.Options{Requests: true})
	ids, sum, without := map[string]int64{}, int64(0), int64(0)
	for s := range all.Samples(profile.Wall) {
		sum += s.Value
		if r, _ := all.Request(&s); r != nil {
			ids[r.TraceID] += s.Value
		} else {
			without += s.Value
		}
	}
	total := without
	for id, want := range ids {
		total += want
		if len(id) > 0 && want < 20e6 {
			continue
		}
		got := int64(0)
		one := read(profile.Options{Filter: profile.Filter{Request: &profile.RequestFilter{TraceID: id}}})
		for s := range one.Totals(profile.Wall) {
			got += s.Value
			r, _ := one.Request(&s.Sample)
			labels := one.Labels(&s.Sample)
			for key, want := range map[string]string{"trace_id": id, "http_method": r.Method, "profile_id": r.SpanID, "span_name": r.Method + " " + r.Pattern()} {
				if !slices.ContainsFunc(labels, func(l profile.Label) bool { return l.Key == key && l.Text == want }) && want != "" {
					t.Fatalf("labels of %s: %v, want %s: %s", id, labels, key, want)
				}
			}
		}
		expect.Equal(t, "samples of "+id, got, want)
	}
	expect.AtLeast(t, "requests with samples", len(ids), 50)
	expect.Equal(t, "sum", total, sum)
}

// TestSpanFilter: the samples within times of threads are those that begin in one, each once.
func TestSpanFilter(t *testing.T) {
	trace := shared.File(t, "apps/dotnet-build-net10-server.v4.nettrace.zst")
	read := func(in *profile.SpanFilter) *profile.Profile {
		p, err := profile.FromReader(t.Context(), codec.NewBytesReader(trace, codec.Options{}), profile.Options{
			Types: []profile.Type{profile.Wall}, Filter: profile.Filter{Request: &profile.RequestFilter{In: in}},
		})
		expect.NoError(t, err)
		return p
	}
	all := read(nil)
	process, thread := all.Threads()[0].ProcessID, uint64(0)
	var ticks []uint64
	for s := range all.Samples(profile.Wall) {
		if of := all.Threads()[s.Thread].ID; thread == 0 || of == thread {
			thread, ticks = of, append(ticks, s.Ticks)
		}
	}
	slices.Sort(ticks)
	in := &profile.SpanFilter{}
	for _, at := range [][2]int{{5, 9}, {7, 20}, {30, 31}, {40, 40}} { // the first two overlap, the last is empty
		in.Times = append(in.Times, profile.ThreadTime{Process: process, Thread: thread, From: ticks[at[0]], Until: ticks[at[1]]})
	}
	in.Times = append(in.Times, profile.ThreadTime{Process: process + 1, Thread: thread, From: ticks[0], Until: ticks[50]})
	one := read(in)
	var got []uint64
	for s := range one.Samples(profile.Wall) {
		got = append(got, s.Ticks)
	}
	slices.Sort(got)
	expect.Equal(t, "samples", slices.Equal(got, append(slices.Clone(ticks[5:20]), ticks[30])), true)
	total := int64(0)
	for s := range one.Totals(profile.Wall) {
		total += s.Samples
	}
	expect.Equal(t, "samples of the totals", total, 16)
}
