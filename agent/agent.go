package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nettrace-go/nettrace/analysis/trigger"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// Options configure an agent. Zero values of times and sizes select the defaults.
type Options struct {
	// Selectors choose the processes: each that one of them matches. At least one is required.
	Selectors []eventpipe.Selector
	// Kinds are the kinds of profiles. Default: all; an empty list that is not
	// nil selects none.
	Kinds []Kind
	// Every is the length of a window. Default: 10 s.
	Every time.Duration
	// Sample is the time of each window in which stacks are sampled. Default: a
	// fifth of Every.
	Sample time.Duration
	// Scaled multiplies the values of samples to stand for the whole window: for receivers that
	// divide them by its duration. Counts stay those of the samples. Default: off.
	Scaled bool
	// MaxCPU is the share of one processor that this process uses before it
	// samples less often. 0 means no bound.
	MaxCPU float64
	// Counters are the counters that Handler.Counter gets. Default: none.
	Counters counters.Selection
	// Rules are the rules that Handler.Fired gets. A rule fires once in a
	// minute.
	Rules []*trigger.Rule
	// OnTrace, if set, is called with each trace of which profiles are made, before
	// the Handler gets them. Several goroutines call it, one at a time.
	OnTrace func(*Trace)
	// SampleBytes bounds the stream of a session of samples, of which an agent
	// keeps one for each process. Sampling ends early when it is full. Default:
	// 16 MiB.
	SampleBytes int
	// EventBytes bounds the events in memory of each process. Default: 8 MiB.
	EventBytes int64
	// NameBytes bounds the names of methods in memory of each process. Default:
	// 32 MiB.
	NameBytes int64
}

func (o Options) withDefaults() Options {
	if o.Kinds == nil {
		o.Kinds = AllKinds()
	}
	o.Every = or(o.Every, 10*time.Second)
	o.Sample = min(or(o.Sample, o.Every/5), o.Every)
	o.SampleBytes = or(o.SampleBytes, 16<<20)
	o.EventBytes = or(o.EventBytes, 8<<20)
	o.NameBytes = or(o.NameBytes, 32<<20)
	return o
}

func or[T int | int64 | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// Handler receives what an agent finds. The agent calls one method at a time. A
// method that blocks holds up the sessions of all processes.
type Handler interface {
	// Attached is called when the sessions of a process have started.
	Attached(p *eventpipe.Process, info *eventpipe.ProcessInfo)
	// Detached is called when the sessions have ended. Attached follows if the
	// agent attaches again, otherwise Ended.
	Detached(p *eventpipe.Process)
	// Window is called for each profile that has samples.
	Window(w *Window)
	// Counter is called for each value and message of Options.Counters.
	Counter(p *eventpipe.Process, m *counters.Message)
	// Fired is called when one of Options.Rules became true.
	Fired(p *eventpipe.Process, f trigger.Firing)
	// Problem is called for an error of a process. The agent goes on: it attaches
	// again if the sessions have ended.
	Problem(p *eventpipe.Process, err error)
	// Ended is called when a process has ended, or at the end of Run, if Attached or
	// Problem was called before.
	Ended(p *eventpipe.Process)
}

// Run attaches to processes until ctx ends, then ends all sessions and returns
// nil. The error is ErrNoSelectors, that of a selector, or of the system's list of processes, or
// eventpipe.ErrProcessEnded if each selector has one process, by PID or as a Process, and
// all have ended.
func Run(ctx context.Context, opt Options, h Handler) error {
	if len(opt.Selectors) == 0 {
		return ErrNoSelectors
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a := &agent{opt: opt.withDefaults(), handler: h, pause: minPause, lives: map[string]chan struct{}{}, governor: newGovernor(opt.MaxCPU)}
	var watching sync.WaitGroup
	for _, s := range a.opt.Selectors {
		watching.Go(func() {
			if err := a.follow(ctx, eventpipe.Watch(ctx, s)); err != nil {
				cancel(&watchError{err})
			}
		})
	}
	var governing sync.WaitGroup
	governing.Go(func() { a.governor.run(ctx, a.opt.Every) })
	watching.Wait()
	cancel(eventpipe.ErrProcessEnded) // if nothing else has ended it
	governing.Wait()
	var failed *watchError
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &failed):
		return failed.err
	case cause == eventpipe.ErrProcessEnded:
		return cause
	}
	return nil
}

// ErrNoSelectors: Options.Selectors is empty, which chooses no process. A zero Selector chooses all.
var ErrNoSelectors = errors.New("agent: no Selectors")

// watchError is the cause of the end of Run.
type watchError struct{ err error }

func (e *watchError) Error() string { return e.err.Error() }

// agent is one call of Run.
type agent struct {
	opt      Options
	handler  Handler
	governor *governor
	begun    atomic.Int64 // number of lives so far
	pause    time.Duration
	first    sync.Mutex // one process at a time is sampled at once when it is new
	building sync.Mutex // profiles are made one after the other, which bounds memory

	mu    sync.Mutex               // guards calls of the handler, and lives
	lives map[string]chan struct{} // by address: closed when the agent has left the process
}

// follow attaches to the processes that a selector chooses. At the end of the changes,
// and after an error, it leaves them and returns when all have been left.
func (a *agent) follow(ctx context.Context, changes iter.Seq2[eventpipe.Change, error]) error {
	ends := map[string]context.CancelFunc{}
	var running sync.WaitGroup
	defer running.Wait()
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	for change, err := range changes {
		if err != nil {
			return err
		}
		p := change.Process
		if change.Gone {
			if end := ends[p.Address]; end != nil {
				end()
				delete(ends, p.Address)
			}
			continue
		}
		life, end := context.WithCancel(ctx)
		ends[p.Address] = end
		running.Go(func() {
			defer end()
			if a.claim(life, p.Address) {
				a.keep(life, p)
			}
		})
	}
	return nil
}

// claim waits until the agent has left the process: another selector has chosen it, or
// it was missing in one list of processes and its sessions are being ended. It reports
// false when ctx ends before.
func (a *agent) claim(ctx context.Context, address string) bool {
	for ctx.Err() == nil {
		a.mu.Lock()
		left := a.lives[address]
		if left == nil {
			a.lives[address] = make(chan struct{})
		}
		a.mu.Unlock()
		if left == nil {
			return true
		}
		select {
		case <-left:
		case <-ctx.Done():
		}
	}
	return false
}

// The pauses before an agent attaches again to a process whose sessions ended. In
// the first one, Watch notices that the process has ended.
const minPause, maxPause = 2 * time.Second, time.Minute

// keep keeps sessions in a process until ctx ends.
func (a *agent) keep(ctx context.Context, p eventpipe.Process) {
	reported := false // to the handler
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		close(a.lives[p.Address])
		delete(a.lives, p.Address)
		if reported {
			a.handler.Ended(&p)
		}
	}()
	for pause := a.pause; ; pause = min(2*pause, maxPause) {
		begun := time.Now()
		l := newLife(a, p)
		err := l.run(ctx)
		if !l.from.IsZero() { // it was attached
			a.mu.Lock()
			a.handler.Detached(&p)
			a.mu.Unlock()
			reported = true
		}
		if time.Since(begun) > maxPause {
			pause = a.pause
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		if err != nil && !isGone(err) {
			a.problem(&p, err)
			reported = true
		}
	}
}

// isGone reports whether an error is that of a process that has ended: Watch
// notices it within a second.
func isGone(err error) bool {
	var u *eventpipe.UnreachableError
	return errors.As(err, &u) && u.Reason == eventpipe.NoSocket
}

// ProcessError is an error of one process.
type ProcessError struct {
	Process eventpipe.Process // that has the error
	Err     error             // its reason
}

// Error has the name and the PID of the process.
func (e *ProcessError) Error() string {
	return fmt.Sprintf("agent: %s (PID %d): %v", e.Process.Name, e.Process.PID, e.Err)
}

// Unwrap returns Err.
func (e *ProcessError) Unwrap() error { return e.Err }

func (a *agent) problem(p *eventpipe.Process, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.handler.Problem(p, &ProcessError{*p, err})
}

// Windows yields the profiles of all processes until ctx ends. An error is a
// *ProcessError, after which others follow, or the last value, that of Run. The windows of
// Options.Counters and Options.Rules have no receiver: use [Run].
func Windows(ctx context.Context, opt Options) iter.Seq2[*Window, error] {
	return func(yield func(*Window, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		c := &collector{left: make(chan struct{}), found: make(chan found)}
		var err error
		done := make(chan struct{})
		go func() {
			defer close(done)
			err = Run(ctx, opt, c)
		}()
		defer func() {
			cancel()
			close(c.left)
			<-done
		}()
		for {
			select {
			case f := <-c.found:
				if !yield(f.window, f.err) {
					return
				}
			case <-done:
				if err != nil {
					yield(nil, err)
				}
				return
			}
		}
	}
}

// collector is the Handler of Windows.
type collector struct {
	left  chan struct{} // closed when nobody receives any more
	found chan found
}

type found struct {
	window *Window
	err    error
}

func (c *collector) add(f found) {
	select {
	case c.found <- f:
	case <-c.left:
	}
}

func (c *collector) Attached(*eventpipe.Process, *eventpipe.ProcessInfo) {}
func (c *collector) Detached(*eventpipe.Process)                         {}
func (c *collector) Window(w *Window)                                    { c.add(found{window: w}) }
func (c *collector) Counter(*eventpipe.Process, *counters.Message)       {}
func (c *collector) Fired(*eventpipe.Process, trigger.Firing)            {}
func (c *collector) Problem(_ *eventpipe.Process, err error)             { c.add(found{err: err}) }
func (c *collector) Ended(*eventpipe.Process)                            {}

// sampledKinds and eventKinds split the kinds of the options.
func (o *Options) sampledKinds() []Kind { return o.kindsWhere(true) }
func (o *Options) eventKinds() []Kind   { return o.kindsWhere(false) }

func (o *Options) kindsWhere(sampled bool) []Kind {
	return slices.DeleteFunc(slices.Clone(o.Kinds), func(k Kind) bool { return kinds[k].sampled != sampled })
}
