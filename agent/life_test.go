//go:build unix

package agent

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nettrace-go/nettrace/analysis/trigger"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// log keeps what an agent finds, and calls onWindow for each window.
type log struct {
	onWindow  func(*Window)
	onProblem func(n int)

	onAttached func()

	mu       sync.Mutex
	attached int
	detached int
	ended    int
	counted  int
	fired    int
	problems []error
}

func (g *log) Detached(*eventpipe.Process)                   { g.detached++ }
func (g *log) Ended(*eventpipe.Process)                      { g.ended++ }
func (g *log) Counter(*eventpipe.Process, *counters.Message) { g.counted++ }
func (g *log) Fired(*eventpipe.Process, trigger.Firing)      { g.fired++ }
func (g *log) Window(w *Window)                              { g.onWindow(w) }

func (g *log) Attached(*eventpipe.Process, *eventpipe.ProcessInfo) {
	if g.attached++; g.onAttached != nil {
		g.onAttached()
	}
}

func (g *log) Problem(_ *eventpipe.Process, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.problems = append(g.problems, err)
	if g.onProblem != nil {
		g.onProblem(len(g.problems))
	}
}

// newAgent returns an agent with short windows.
func newAgent(h Handler, opt Options) *agent {
	opt.Every, opt.Sample = 20*time.Millisecond, 10*time.Millisecond
	return &agent{opt: opt.withDefaults(), handler: h, lives: map[string]chan struct{}{}, governor: newGovernor(0), pause: time.Millisecond}
}

// sums returns the values of the leaves of a type.
func sums(t *testing.T, data []byte, of profile.Type) map[string]int64 {
	t.Helper()
	p, err := profile.FromReader(t.Context(), codec.NewReader(bytes.NewReader(data), codec.Options{}), profile.Options{})
	expect.NoError(t, err)
	list := map[string]int64{}
	for s := range p.Samples(of) {
		list[leaf(p, s)] += s.Value
	}
	return list
}

func leaf(p *profile.Profile, s profile.Sample) string {
	if stack := p.Stack(s.Stack); len(stack) > 0 {
		return p.Function(p.Frame(stack[0]).Function).Name
	}
	return ""
}

// TestLife: the windows of a process have the same sums by function as a profile of
// the recorded trace, and all sessions are stopped.
func TestLife(t *testing.T) {
	data := shared.Trace(t, "net10-deep.v4")
	fake := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	events := map[string]int64{} // of exceptions in all windows
	wantEvents, wantWall := sums(t, data, profile.Exception), sums(t, data, profile.Wall)
	wall := 0
	h := &log{}
	h.onWindow = func(w *Window) {
		expect.NoError(t, w.Pprof.CheckValid())
		got := map[string]int64{}
		for _, s := range w.Pprof.Sample {
			got[s.Location[0].Line[0].Function.Name] += s.Value[0]
			expect.Equal(t, "labels", len(s.Label)+len(s.NumLabel), 0)
		}
		switch w.Kind {
		case Wall:
			wall++
			expectSums(t, got, wantWall)
		case Exceptions:
			for name, n := range got {
				events[name] += n
			}
		}
		if wall > 0 && len(events) == len(wantEvents) {
			cancel()
		}
	}
	rule, err := trigger.Parse("ExceptionThrown")
	expect.NoError(t, err)
	a := newAgent(h, Options{Kinds: []Kind{Wall, Exceptions}, Rules: []*trigger.Rule{rule}})
	expect.NoError(t, newLife(a, eventpipe.Process{Name: "fake", Address: fake.Address()}).run(ctx))
	expect.AtLeast(t, "windows with samples", wall, 1)
	expectSums(t, events, wantEvents)
	expect.Equal(t, "attached", h.attached, 1)
	expect.Equal(t, "firings of the rule", h.fired, 1)
	expect.Len(t, "problems", h.problems, 0)
	started, stopped := 0, 0
	for _, r := range fake.Requests() {
		switch {
		case r.Command == eventpipe.StopTracing:
			stopped++
		case r.Command.String() != eventpipe.GetProcessInfo3.String():
			started++
		}
	}
	expect.Equal(t, "sessions that were stopped", stopped, started)
}

func expectSums(t *testing.T, got, want map[string]int64) {
	t.Helper()
	for name, n := range want {
		if n != 0 {
			expect.Equal(t, "sum of "+name, got[name], n)
		}
	}
	for name := range got {
		expect.NotZero(t, "wanted sum of "+name, want[name])
	}
}

// TestLifeRefused: an error of a session names it.
func TestLifeRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		faults map[eventpipe.Command]eventpipetest.Fault
		want   string
	}{
		{"query", map[eventpipe.Command]eventpipetest.Fault{eventpipe.GetProcessInfo3: eventpipetest.Refuse(eventpipe.Fail, "")}, "ProcessInfo"},
		{"names", map[eventpipe.Command]eventpipetest.Fault{eventpipe.CollectTracing5: eventpipetest.Refuse(eventpipe.Fail, "")}, "the session for names"},
		{"rundown", map[eventpipe.Command]eventpipetest.Fault{eventpipe.CollectTracing4: eventpipetest.Refuse(eventpipe.Fail, "")}, "the early rundown"},
		{"events", map[eventpipe.Command]eventpipetest.Fault{eventpipe.CollectTracing2: eventpipetest.Refuse(eventpipe.Fail, "")}, "the session of events"},
	} {
		t.Run(c.name, func(t *testing.T) {
			release := 10
			if c.name == "events" {
				release = 9 // that has no filters, so that only this session uses the command
			}
			fake := eventpipetest.Start(t, eventpipetest.Config{Release: release, Faults: c.faults, Trace: eventpipetest.Trace{Data: shared.Trace(t, "net10-empty.v4")}})
			a := newAgent(&log{}, Options{})
			err := newLife(a, eventpipe.Process{Address: fake.Address()}).run(t.Context())
			if err == nil {
				t.Fatal("error: got none")
			}
			expect.Contains(t, "error", err.Error(), c.want)
		})
	}
}

// TestUnknownProcess: a process that closes the connection instead of an answer to the query is
// recorded, with a problem.
func TestUnknownProcess(t *testing.T) {
	fake := eventpipetest.Start(t, eventpipetest.Config{
		Faults: map[eventpipe.Command]eventpipetest.Fault{eventpipe.GetProcessInfo3: eventpipetest.HangUp()}, Trace: eventpipetest.Trace{Data: shared.Trace(t, "net10-empty.v4")},
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h := &log{onProblem: func(int) { cancel() }}
	a := newAgent(h, Options{Kinds: []Kind{Exceptions}})
	expect.NoError(t, newLife(a, eventpipe.Process{Address: fake.Address()}).run(ctx))
	expect.Equal(t, "attached", h.attached, 1)
	expect.Len(t, "problems", h.problems, 1)
	expect.Contains(t, "problem", h.problems[0].Error(), "its version is unknown")
}

// TestSamplesFull: a session with too many samples ends early, and the rest is a
// problem.
func TestSamplesFull(t *testing.T) {
	data := shared.Trace(t, "net10-deep.v4")
	fake := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h := &log{onWindow: func(*Window) { cancel() }}
	a := newAgent(h, Options{Kinds: []Kind{Wall}, SampleBytes: len(data) / 2})
	a.opt.Sample = time.Hour // ends when it is full
	expect.NoError(t, newLife(a, eventpipe.Process{Address: fake.Address()}).run(ctx))
	if len(h.problems) == 0 {
		t.Fatal("problems: got none")
	}
	expect.Contains(t, "problem", h.problems[0].Error(), "the rest is left out")
}

// TestKeep: an agent attaches again to a process whose sessions end, and reports
// why, until the process has ended.
func TestKeep(t *testing.T) {
	data := shared.Trace(t, "net10-empty.v4")
	fake := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data, TruncateAfter: len(data) / 2}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h := &log{onProblem: func(n int) {
		if n == 2 {
			cancel()
		}
	}}
	a := newAgent(h, Options{Kinds: []Kind{Exceptions}})
	p := eventpipe.Process{Name: "fake", Address: fake.Address()}
	expect.Equal(t, "first claim", a.claim(ctx, p.Address), true)
	a.keep(ctx, p)
	expect.Len(t, "problems", h.problems, 2)
	expect.AtLeast(t, "attached", h.attached, 2)
	expect.Equal(t, "detached", h.detached, h.attached)
	expect.Equal(t, "ended", h.ended, 1)
	expect.Equal(t, "claim after the end", a.claim(t.Context(), p.Address), true)
	expect.Equal(t, "claim with an ended context", a.claim(ctx, p.Address), false)
}

// TestEndedAfterProblem: the handler gets the end of a process too that was never attached
// to, if it got a problem of it.
func TestEndedAfterProblem(t *testing.T) {
	fake := eventpipetest.Start(t, eventpipetest.Config{Faults: map[eventpipe.Command]eventpipetest.Fault{eventpipe.GetProcessInfo3: eventpipetest.Refuse(eventpipe.Fail, "")}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h := &log{onProblem: func(int) { cancel() }}
	a := newAgent(h, Options{})
	p := eventpipe.Process{Name: "fake", Address: fake.Address()}
	expect.Equal(t, "claim", a.claim(ctx, p.Address), true)
	a.keep(ctx, p)
	expect.Equal(t, "attached", h.attached, 0)
	expect.Len(t, "problems", h.problems, 1)
	expect.Equal(t, "ended", h.ended, 1)
}

// TestMissingOnce: the agent attaches again to a process that is missing in one list of
// processes, also when the next list comes before it has left the process.
func TestMissingOnce(t *testing.T) {
	fake := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: shared.Trace(t, "net10-empty.v4")}})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	attached := make(chan struct{}, 2)
	h := &log{onAttached: func() { attached <- struct{}{} }}
	a := newAgent(h, Options{Kinds: []Kind{Exceptions}})
	p := eventpipe.Process{Name: "fake", Address: fake.Address()}
	err := a.follow(ctx, func(yield func(eventpipe.Change, error) bool) {
		for range 2 {
			yield(eventpipe.Change{Process: p}, nil)
			select {
			case <-attached:
			case <-ctx.Done():
			}
			a.building.Lock() // the last window is made later
			yield(eventpipe.Change{Process: p, Gone: true}, nil)
			yield(eventpipe.Change{Process: p}, nil)
			a.building.Unlock()
			select {
			case <-attached:
			case <-ctx.Done():
			}
			yield(eventpipe.Change{Process: p, Gone: true}, nil)
		}
	})
	expect.NoError(t, err)
	expect.NoError(t, ctx.Err())
	expect.Equal(t, "attached", h.attached, 4)
	expect.Equal(t, "ended", h.ended, 4)
}

// TestFollowFails: an error of the list of processes ends the agent's sessions, and is
// returned.
func TestFollowFails(t *testing.T) {
	fake := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: shared.Trace(t, "net10-empty.v4")}})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	attached, failure := make(chan struct{}), errors.New("too many open files")
	h := &log{onAttached: sync.OnceFunc(func() { close(attached) })}
	err := newAgent(h, Options{Kinds: []Kind{Exceptions}}).follow(ctx, func(yield func(eventpipe.Change, error) bool) {
		if yield(eventpipe.Change{Process: eventpipe.Process{Name: "fake", Address: fake.Address()}}, nil) {
			select {
			case <-attached:
			case <-ctx.Done():
			}
			yield(eventpipe.Change{}, failure)
		}
	})
	expect.ErrorIs(t, err, failure)
	expect.NoError(t, ctx.Err())
	expect.Equal(t, "ended", h.ended, 1)
}

// TestMalformed: a malformed stream ends the sessions with its error, so that the
// agent attaches again.
func TestMalformed(t *testing.T) {
	data := slices.Clone(shared.Trace(t, "net10-deep.v4"))
	for i := len(data) / 2; i < len(data); i++ {
		data[i] = 0xFF
	}
	fake := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}})
	a := newAgent(&log{}, Options{})
	session, err := fake.Client().StartSession(t.Context(), samplerSession)
	expect.NoError(t, err)
	l := newLife(a, eventpipe.Process{Address: fake.Address()})
	l.naming = read(session, func(src io.Reader) error {
		_, err := l.names.Read(src)
		return err
	})
	l.events, err = startEvents(t.Context(), &life{agent: a, client: l.client, info: &eventpipe.ProcessInfo{Version: "10"}})
	expect.NoError(t, err)
	for _, s := range []*stream{l.naming, l.events.stream} {
		select {
		case <-s.ended:
		case <-time.After(10 * time.Second):
			t.Fatal("the session did not end")
		}
	}
	var malformed *codec.Error
	expect.Equal(t, "error is that of the stream", errors.As(l.endError(), &malformed), true)
	expect.Contains(t, "error", l.endError().Error(), errEnded.Error(), "the session for names: ")
	l.end()
}

// TestMalformedSamples: a malformed stream of samples is a problem of its window, and the
// next one has samples again. No session stays open.
func TestMalformedSamples(t *testing.T) {
	data := shared.Trace(t, "net10-deep.v4")
	damaged := slices.Clone(data)
	for i := len(data) / 2; i < len(data); i++ {
		damaged[i] = 0xFF
	}
	for _, c := range []struct {
		name  string
		trace eventpipetest.Trace
		want  string
	}{
		{"damaged", eventpipetest.Trace{Data: damaged}, "codec: "},
		{"truncated", eventpipetest.Trace{Data: data, TruncateAfter: len(data) / 2}, "truncated"},
		{"not a trace", eventpipetest.Trace{Data: bytes.Repeat([]byte("hostile "), 1000)}, "not a NetTrace"},
		{"nothing", eventpipetest.Trace{}, "the runtime sends nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()                   // they wait for their windows
			const windows, sessions = 6, 2 // the runtime can note the end of a session later than the agent
			malformed := eventpipetest.Start(t, eventpipetest.Config{Trace: c.trace, MaxSessions: sessions})
			good := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}})
			sent := 0
			h := &log{onWindow: func(*Window) { sent++ }}
			l := newLife(newAgent(h, Options{Kinds: []Kind{Wall}}), eventpipe.Process{Address: malformed.Address()})
			l.info, l.naming = &eventpipe.ProcessInfo{}, &stream{ended: make(chan struct{})}
			l.from, l.sampledTo = time.Now(), time.Now()
			for range windows {
				l.window(t.Context())
			}
			expect.Len(t, "problems", h.problems, windows)
			for _, err := range h.problems {
				expect.Contains(t, "problem", err.Error(), "the samples of a window: ", c.want)
			}
			expect.Len(t, "sessions", malformed.Sessions(), windows)
			sent = 0
			l.client = good.Client()
			l.window(t.Context())
			expect.Equal(t, "profiles of the next window", sent, 1)
			expect.Len(t, "problems of the next window", h.problems, windows)
		})
	}
}

// TestSamplesOfEnd: the truncated samples of a process that ends are no problem.
func TestSamplesOfEnd(t *testing.T) {
	data := shared.Trace(t, "net10-deep.v4")
	fake := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data, TruncateAfter: len(data) / 2}})
	h := &log{onWindow: func(*Window) {}}
	l := newLife(newAgent(h, Options{Kinds: []Kind{Wall}}), eventpipe.Process{Address: fake.Address()})
	l.info, l.naming = &eventpipe.ProcessInfo{}, &stream{ended: make(chan struct{})}
	l.from, l.sampledTo = time.Now(), time.Now()
	h.onWindow = func(*Window) { close(l.naming.ended) } // later than that of samples
	l.window(t.Context())
	expect.Len(t, "problems", h.problems, 0)
}

// TestLate: windows that begin late end in time while the lag is small, and follow
// the clock when it is large.
func TestLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(&log{}, Options{Kinds: []Kind{}})
		a.opt.Every, a.opt.Sample = 10*time.Second, 10*time.Second
		l := newLife(a, eventpipe.Process{})
		l.naming = &stream{ended: make(chan struct{})}
		begun := time.Now()
		l.from, l.sampledTo = begun, begun
		for n := range 100 {
			time.Sleep(230 * time.Millisecond) // the work of a window
			to := l.from.Add(l.opt.Every)
			expect.Equal(t, "time for sampling", l.sampling(to), 9770*time.Millisecond)
			l.window(t.Context())
			expect.Equal(t, "end of the window", l.from.Sub(begun), time.Duration(n+1)*10*time.Second)
			expect.Equal(t, "end by the clock", time.Since(l.from), 0)
		}
		time.Sleep(13 * time.Second)
		expect.Equal(t, "time for sampling in a late window", l.sampling(l.from.Add(l.opt.Every)), 5*time.Second)
		l.window(t.Context())
		expect.Equal(t, "end of the late window", l.from, time.Now())
	})
}

// TestClockSet: after the clock was set, a window ends at the time of the clock.
func TestClockSet(t *testing.T) {
	l := newLife(newAgent(&log{}, Options{}), eventpipe.Process{})
	to := time.Now()
	l.from, l.sampledTo = to.Add(-10*time.Second), to.Add(-4*time.Second)
	expect.Equal(t, "end", l.endOf(to, to.Add(900*time.Millisecond)), to)
	for _, step := range []time.Duration{time.Hour, -time.Hour} {
		now := to.Add(step).Round(0)
		expect.Equal(t, "end", l.endOf(to, now), now)
	}
}

// TestIncomplete: events and names that are missing in profiles are problems, names
// once.
func TestIncomplete(t *testing.T) {
	data := shared.Trace(t, "net10-deep.v4")
	h := &log{onWindow: func(*Window) {}}
	l := newLife(newAgent(h, Options{Kinds: []Kind{Exceptions}, EventBytes: 1000, NameBytes: 1000}), eventpipe.Process{})
	l.info, l.naming = &eventpipe.ProcessInfo{}, &stream{ended: make(chan struct{})}
	_, err := l.names.Read(bytes.NewReader(data))
	expect.NoError(t, err)
	ring := record.NewRing(record.RingOptions{Size: l.opt.EventBytes})
	l.events = &events{ring: ring, kinds: []Kind{Exceptions}, stream: &stream{ended: make(chan struct{})}}
	close(l.events.stream.ended)
	lost := uint64(7)
	l.events.stats = func() record.Stats { return record.Stats{Lost: lost} }
	_, err = record.New(record.Options{OnEvent: func(e *codec.Event) { l.events.newest.Store(max(l.events.newest.Load(), e.Timestamp)) }}).Run(t.Context(), bytes.NewReader(data), ring)
	expect.NoError(t, err)
	l.cut(time.Now())
	var got []string
	for _, err := range h.problems {
		got = append(got, err.Error())
	}
	for _, want := range []string{"the events have more than 1000 bytes", "the runtime dropped 7 events", "the names have more than 1000 bytes"} {
		expect.Contains(t, "problems", strings.Join(got, "\n"), want)
	}
	h.problems = nil
	l.cut(time.Now())
	expect.Len(t, "problems of a window without events", h.problems, 0)
	l.events.newest.Add(1)
	l.cut(time.Now())
	expect.Len(t, "problems of a complete window", h.problems, 0)
}

// TestSamplesLost: samples that the runtime dropped are a problem.
func TestSamplesLost(t *testing.T) {
	for _, c := range []struct {
		trace string
		want  string
	}{
		{"azmcp-net10-dropped.v4", "the runtime dropped 36149 events"},
		{"net10-deep.v4", ""},
	} {
		t.Run(c.trace, func(t *testing.T) {
			h := &log{onWindow: func(*Window) {}}
			l := newLife(newAgent(h, Options{Kinds: []Kind{Wall}}), eventpipe.Process{})
			l.info = &eventpipe.ProcessInfo{}
			none := func(func(record.Addition) bool) {}
			expect.NoError(t, l.sampled(shared.Trace(t, c.trace), none, part{kinds: []Kind{Wall}, sampled: time.Second}))
			var got string
			for _, err := range h.problems {
				got += err.Error()
			}
			expect.Contains(t, "problems", got, c.want)
			expect.Equal(t, "is a problem", len(h.problems) > 0, c.want != "")
		})
	}
}

// TestSamplesRefused: a session of samples that does not start is a problem, and the
// other sessions go on.
func TestSamplesRefused(t *testing.T) {
	fake := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: shared.Trace(t, "net10-empty.v4")}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h := &log{onWindow: func(*Window) {}, onProblem: func(n int) {
		if n == 3 {
			cancel()
		}
	}}
	l := newLife(newAgent(h, Options{Kinds: []Kind{Wall}}), eventpipe.Process{Address: fake.Address()})
	fake.SetFault(eventpipe.CollectTracing2, eventpipetest.Refuse(eventpipe.Fail, "")) // only that session uses it
	expect.NoError(t, l.run(ctx))
	expect.Equal(t, "attached", h.attached, 1)
	expect.Len(t, "problems", h.problems, 3)
	expect.Contains(t, "problem", h.problems[0].Error(), "the session of samples")
}

// TestOffset: in several processes sampling begins at different times.
func TestOffset(t *testing.T) {
	a := newAgent(&log{}, Options{})
	a.opt.Every, a.opt.Sample = 10*time.Second, 2*time.Second
	var at []time.Duration
	for range 8 {
		at = append(at, newLife(a, eventpipe.Process{}).offset())
	}
	slices.Sort(at)
	expect.AtLeast(t, "first offset", at[0], 0)
	expect.AtMost(t, "last offset", at[7], 8*time.Second)
	for i := range 7 {
		expect.AtLeast(t, "distance of offsets", at[i+1]-at[i], 300*time.Millisecond)
	}
}

// TestFirstSamples: of the processes that are found at the same time one is sampled at
// once. A process that is found later is.
func TestFirstSamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(&log{}, Options{})
		a.opt.Every, a.opt.Sample = 10*time.Second, 2*time.Second
		begin := func(p string) (after time.Duration) {
			l := newLife(a, eventpipe.Process{Address: p})
			l.naming = &stream{ended: make(chan struct{})}
			l.from, l.windows = time.Now(), 1
			l.sampleLater(t.Context(), []Kind{Wall}, l.from.Add(a.opt.Every)) // fails at once, which is no problem
			return time.Since(l.from)
		}
		var together sync.WaitGroup
		var atOnce atomic.Int64
		a.first.Lock() // of a process that is being sampled
		for range 4 {
			together.Go(func() {
				if begin("none") == 0 {
					atOnce.Add(1)
				}
			})
		}
		together.Wait()
		expect.Equal(t, "processes that are sampled at once beside another one", atOnce.Load(), 0)
		a.first.Unlock()
		for range 4 {
			expect.Equal(t, "time before the first samples", begin("none"), 0)
		}
	})
}

// TestGone: a process that has ended is no problem.
func TestGone(t *testing.T) {
	expect.Equal(t, "gone", isGone(&eventpipe.UnreachableError{Reason: eventpipe.NoSocket}), true)
	expect.Equal(t, "not answering", isGone(&eventpipe.UnreachableError{Reason: eventpipe.NotAnswering}), false)
	expect.Equal(t, "other", isGone(errors.New("other")), false)
}

// TestID: equal windows have equal ids, others have others.
func TestID(t *testing.T) {
	w := Window{Process: eventpipe.Process{PID: 1, Address: "a"}, Info: &eventpipe.ProcessInfo{}, Start: time.Unix(10, 0)}
	ids := []string{w.ID("host"), w.ID("other")}
	expect.Equal(t, "a second id", w.ID("host"), ids[0])
	expect.Equal(t, "version and variant", ids[0][14:15]+"-"+ids[0][8:9], "8--")
	for _, change := range []func(){
		func() { w.Process.PID++ }, func() { w.Process.Address = "b" }, func() { w.Kind++ },
		func() { w.Start = w.Start.Add(1) }, func() { w.Info = &eventpipe.ProcessInfo{Cookie: [16]byte{1}} },
	} {
		change()
		ids = append(ids, w.ID("host"))
	}
	slices.Sort(ids)
	expect.Len(t, "different ids", slices.Compact(ids), 7)
}

// TestGovernor: samples become rarer above the bound, and more frequent below.
func TestGovernor(t *testing.T) {
	g := newGovernor(0.3)
	count := func() (n int) {
		for window := 1; window <= maxSpacing; window++ {
			if g.allows(window) {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		share float64
		want  int
	}{{0.2, 64}, {0.4, 32}, {0.5, 16}, {0.2, 16}, {0.05, 32}, {0.05, 64}, {0.05, 64}} {
		g.adjust(c.share)
		expect.Equal(t, "windows with samples of 64", count(), c.want)
	}
	for range 20 {
		g.adjust(1)
	}
	expect.Equal(t, "windows with samples of 64 at the end", count(), 1)
}

// TestKinds: names of kinds, and the keywords that record them.
func TestKinds(t *testing.T) {
	for _, k := range AllKinds() {
		got, ok := ParseKind(k.String())
		expect.Equal(t, "known", ok, true)
		expect.Equal(t, "kind", got, k)
	}
	_, ok := ParseKind("heap")
	expect.Equal(t, "heap is known", ok, false)
	for _, c := range []struct {
		kind  Kind
		major int
		want  uint64
	}{
		{Wall, 10, 0}, {Memory, 10, 0x80000000000}, {Memory, 9, 0x80000000001}, {Mutex, 10, 0x4000}, {Block, 10, 0x40000000000}, {Exceptions, 10, 0x8000},
	} {
		t.Run(c.kind.String(), func(t *testing.T) {
			p, ok := eventProvider([]Kind{c.kind}, c.major)
			expect.Equal(t, "keywords", p.Keywords, c.want)
			expect.Equal(t, "has events", ok, c.want != 0)
		})
	}
}
