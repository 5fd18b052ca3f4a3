package top

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/live"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/profile"
)

// request is what the page shows next.
type request struct {
	o      options
	paused bool // the events stay those of the last result
}

// result is what the page shows.
type result struct {
	o       options  // of the request
	data    *topData // nil if there is nothing to show
	problem string   // why; with data, what is missing
	ended   string   // why the recording ended, "" if it runs
}

// waiting is the problem before the first events.
const waiting = "waiting for the first events"

const (
	// idleShare is the time without work after each result, as a multiple of the time that
	// it took: at most a quarter of a processor makes results.
	idleShare = 3
	// firstPoll is the time between two looks at what has arrived before the first result.
	firstPoll = 50 * time.Millisecond
)

// refresher makes the results for the page of a process. It records what the type of the
// request needs, and begins another session for another type.
type refresher struct {
	p    *run.Program
	a    *attach.Process
	show func(result)
	// spawn calls a function in another goroutine.
	spawn func(func())

	requests chan request
	now      request
	session  liveType
	recorded *live.Recording
	stop     context.CancelFunc
	ended    chan string // why recorded ended
	sessions sync.WaitGroup

	trace []byte
	seen  int64 // Changes of recorded in trace

	shown  bool  // a result had data
	failed error // of the last session that did not start
}

// ask requests another result. It never blocks; the last request counts.
func (r *refresher) ask(now request) {
	for {
		select {
		case r.requests <- now:
			return
		case <-r.requests:
		}
	}
}

// run makes results until ctx is done or the process has ended.
func (r *refresher) run(ctx context.Context) {
	defer r.sessions.Wait()
	defer func() { r.leave() }()
	due := time.NewTimer(time.Hour)
	defer due.Stop()
	due.Stop() // the first request has what is to be recorded
	for {
		changed, ended := false, ""
		select {
		case <-ctx.Done():
			return
		case r.now = <-r.requests:
			changed = true
		case ended = <-r.ended:
		case <-due.C:
		}
		begun := time.Now()
		if err := r.record(ctx); err != nil {
			if ctx.Err() != nil {
				return
			}
			r.failed = err
			r.show(result{o: r.now.o, problem: exit.Text(err)})
			due.Reset(max(r.now.o.live.every, time.Second)) // for another attempt
			continue
		}
		if r.update(ended != "") || changed {
			one := resultOf(ctx, r.a, r.now.o, r.trace)
			if one.data != nil {
				one.problem = r.recorded.Problem()
				r.shown = true
			}
			one.ended = ended
			r.show(one)
		} else if ended != "" {
			r.show(result{ended: ended})
		}
		wait := max(r.now.o.live.every, idleShare*time.Since(begun))
		if r.trace == nil {
			wait = firstPoll
		}
		due.Reset(wait)
	}
}

// record starts the session of the request, unless it runs.
func (r *refresher) record(ctx context.Context) error {
	t := r.now.o.liveType()
	if r.recorded != nil && r.session.records(&t) {
		return nil
	}
	r.leave()
	session := r.now.o.session()
	session.NoRundown = true // a second session requests the names
	recorded, err := live.Start(ctx, r.p, r.a, live.Options{Session: session, Kept: r.now.o.live.kept, Names: true})
	if err != nil {
		return err
	}
	runs, stop := context.WithCancel(ctx)
	ended := make(chan string, 1)
	r.recorded, r.session, r.stop, r.ended, r.trace, r.seen = recorded, t, stop, ended, nil, 0
	r.sessions.Add(1)
	r.spawn(func() {
		defer r.sessions.Done()
		reason := recorded.Run(runs)
		if runs.Err() == nil {
			ended <- reason
		}
	})
	return nil
}

// leave ends the session.
func (r *refresher) leave() {
	if r.recorded != nil {
		r.stop()
		r.recorded, r.ended = nil, nil
	}
}

// records reports whether the session of a type has the samples of another one.
func (t *liveType) records(other *liveType) bool {
	return t.profile == other.profile && t.keywords == other.keywords && t.level >= other.level && (t.name == typeEvent) == (other.name == typeEvent)
}

// update takes the events that have arrived, and reports whether there are any.
func (r *refresher) update(ended bool) bool {
	changes := r.recorded.Changes()
	if r.now.paused && r.trace != nil || changes == r.seen || r.trace == nil && !ended && r.recorded.NamesExpected() {
		return false
	}
	r.seen = changes
	trace, _, err := r.recorded.Snapshot()
	if errors.Is(err, record.ErrNoStream) {
		return false
	}
	r.trace = trace
	return true
}

// resultOf adds up the samples of a trace, nil for none so far.
func resultOf(ctx context.Context, a *attach.Process, o options, trace []byte) result {
	one := result{o: o, problem: waiting}
	if trace == nil {
		return one
	}
	l, err := one.o.load(ctx, a, trace)
	if err != nil {
		one.problem = exit.Text(err)
		return one
	}
	one.data, err = one.o.dataOf(l)
	switch {
	case err == nil:
		one.problem = ""
	case one.data != nil: // the method of --callers or --callees has no sample
		one.data, one.problem = nil, err.Error()
	default:
		one.problem = nothing(&one.o, l)
	}
	return one
}

// nothing returns why there are no samples of the type now.
func nothing(o *options, l *samples.Loaded) string {
	kind := profile.TypesByName(o.liveType().name)[0]
	if why := l.Why(kind); why == profile.NoEvents || why == profile.HasSamples {
		return "no samples of this type yet"
	}
	return "no samples: " + l.ReasonText(kind)
}
