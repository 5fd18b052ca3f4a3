package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/eventpipe/record"
)

// life is the time in which an agent has sessions in a process.
type life struct {
	*agent
	process eventpipe.Process
	client  *eventpipe.Client
	info    *eventpipe.ProcessInfo
	names   *record.Names
	naming  *stream // nil without kinds of profiles
	events  *events // nil if nothing needs its session

	from      time.Time // beginning of the window; zero before it is attached
	sampledTo time.Time // end of the last window with samples, or the beginning
	windows   int
	number    int64 // of the lives
	nameless  bool  // dropped names were reported

	sampleSize int // bytes of the last session of samples
}

func newLife(a *agent, p eventpipe.Process) *life {
	client := p.Client()
	client.Timeouts.Answer, client.Timeouts.Stop = answerTime, patience
	return &life{agent: a, process: p, client: client, names: record.NewNames(a.opt.NameBytes), number: a.begun.Add(1)}
}

// answerTime is the max time for an answer: the process of a busy machine is late, and each
// one has goroutines of its own.
const answerTime = time.Minute

// patience bounds the silence of a session that was stopped.
const patience = 10 * time.Second

// run starts the sessions, and makes windows until the sessions or ctx end. The
// last window is shorter.
func (l *life) run(ctx context.Context) (err error) {
	if l.info, err = l.client.ProcessInfo(ctx); errors.As(err, new(*eventpipe.UnsupportedError)) {
		l.info, err = &eventpipe.ProcessInfo{Version: "3"}, nil
	}
	var broken *eventpipe.ProtocolError
	unknown := errors.As(err, &broken) && broken.NoAnswer
	switch {
	case unknown: // sessions may work: what follows fails if the process has ended
		l.info, err = &eventpipe.ProcessInfo{}, nil
	case err != nil:
		return err
	}
	if err := l.start(ctx); err != nil {
		l.end()
		return err
	}
	if unknown {
		l.problem(&l.process, fmt.Errorf("it does not say what it is (%w): its version is unknown", broken))
	}
	l.mu.Lock()
	l.handler.Attached(&l.process, l.info)
	l.mu.Unlock()
	l.from = time.Now()
	l.sampledTo = l.from
	for ctx.Err() == nil && !l.hasEnded() {
		l.window(ctx)
	}
	if ctx.Err() == nil {
		err = l.endError()
	}
	l.end()
	l.cut(time.Now())
	return err
}

// errEnded is the error of sessions that ended by themselves: their process has
// ended, or its runtime has ended them.
var errEnded = errors.New("a session has ended early")

// endError is errEnded with the first error of a session that stays open.
func (l *life) endError() error {
	if l.naming != nil && l.naming.hasEnded() && l.naming.err != nil {
		return fmt.Errorf("%w: the session for names: %w", errEnded, l.naming.err)
	}
	if l.events != nil && l.events.stream.hasEnded() && l.events.stream.err != nil {
		return fmt.Errorf("%w: the session of events: %w", errEnded, l.events.stream.err)
	}
	return errEnded
}

// hasEnded reports whether a session that stays open has ended.
func (l *life) hasEnded() bool {
	return l.naming != nil && l.naming.hasEnded() || l.events != nil && l.events.stream.hasEnded()
}

// eventsEnded is closed when the session of events has ended, nil without one.
func (l *life) eventsEnded() <-chan struct{} {
	if l.events == nil {
		return nil
	}
	return l.events.stream.ended
}

// namingEnded is closed when the session for names has ended, nil without one.
func (l *life) namingEnded() <-chan struct{} {
	if l.naming == nil {
		return nil
	}
	return l.naming.ended
}

// start starts the session for names and the session of events, and reads the names of
// loaded methods. Counters alone need no names.
func (l *life) start(ctx context.Context) (err error) {
	named := len(l.opt.Kinds) > 0
	if named {
		session, err := l.client.StartFirst(ctx, provider.Names())
		if err != nil {
			return fmt.Errorf("the session for names: %w", err)
		}
		l.naming = read(session, func(src io.Reader) error {
			_, err := l.names.Read(src)
			return err
		})
	}
	if l.events, err = startEvents(ctx, l); err != nil {
		return fmt.Errorf("the session of events: %w", err)
	}
	if !named {
		return nil
	}
	return l.rundown(ctx)
}

// rundown reads the names of the methods that are loaded.
func (l *life) rundown(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err := l.client.Rundown(bounded, provider.EarlyRundown(), func(src io.Reader) error {
		_, err := l.names.Read(src)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // suspended at its start: nothing is loaded
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("the early rundown: %w", err)
	}
	return nil
}

// end ends the sessions, at the same time: for a process that does not answer each takes patience.
func (l *life) end() {
	var ending sync.WaitGroup
	if l.naming != nil {
		ending.Go(l.naming.end)
	}
	if l.events != nil {
		ending.Go(l.events.stream.end)
	}
	ending.Wait()
}

// window makes one window.
func (l *life) window(ctx context.Context) {
	to := l.from.Add(l.opt.Every)
	wanted := l.opt.sampledKinds()
	l.windows++
	if len(wanted) > 0 && l.governor.allows(l.windows) {
		l.sampleLater(ctx, wanted, to)
	}
	if l.pauseUntil(ctx, to) { // otherwise run cuts the last window
		l.cut(l.endOf(to, time.Now()))
	}
}

// endOf returns the end of a window that should end at to: now, if the work took
// long or the clock was set. The beginnings then follow the clock too.
func (l *life) endOf(to, now time.Time) time.Time {
	const tolerance = time.Second
	if now.Round(0).Sub(to.Round(0)).Abs() <= tolerance { // of the clock: Round removes the monotonic time
		return to
	}
	l.from, l.sampledTo = now.Add(-now.Sub(l.from)), now.Add(-now.Sub(l.sampledTo))
	return now
}

// sampleLater takes samples in the window that ends at to: at other times than in other
// processes, because the samples of all at the same time would take much memory. In the first
// window of a process it takes them at once, unless it does so in another process.
func (l *life) sampleLater(ctx context.Context, wanted []Kind, to time.Time) {
	begin := l.from.Add(l.offset())
	if l.windows == 1 && l.first.TryLock() {
		defer l.first.Unlock()
		begin = l.from
	}
	if !l.pauseUntil(ctx, begin) {
		return
	}
	if err := l.sample(ctx, wanted, to); err != nil && ctx.Err() == nil && !l.hasEnded() && !isGone(err) {
		l.problem(&l.process, err) // the next window can have samples
	}
}

// offset is the time in a window at which sampling begins.
func (l *life) offset() time.Duration {
	const golden = 0.618033988749895 // spreads any number of processes
	_, part := math.Modf(float64(l.number) * golden)
	return time.Duration(part * float64(l.opt.Every-l.opt.Sample))
}

// pauseUntil waits until a time, and reports whether the sessions go on.
func (l *life) pauseUntil(ctx context.Context, at time.Time) bool {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-l.namingEnded():
	case <-l.eventsEnded():
	}
	return false
}

// goesOn reports whether the process still runs: when it ends, its sessions end at nearly
// the same time.
func (l *life) goesOn(ctx context.Context) bool { return l.pauseUntil(ctx, time.Now().Add(settle)) }

// cut makes the profiles of the events of a window.
func (l *life) cut(to time.Time) {
	if l.events != nil {
		if err := l.events.cut(l, to); err != nil {
			l.problem(&l.process, err)
		}
	}
	l.from = to
	if n := l.names.Stats().Dropped; n > 0 && !l.nameless {
		l.nameless = true
		l.problem(&l.process, fmt.Errorf("some methods have no names: the names have more than %d bytes", l.opt.NameBytes))
	}
}

// send gives a window with samples to the handler.
func (l *life) send(w *Window) {
	if w.Pprof == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.handler.Window(w)
}

// major is the major version of the runtime.
func (l *life) major() int {
	text, _, _ := strings.Cut(l.info.Version, ".")
	n, _ := strconv.Atoi(text)
	return n
}

// readEvery is the time between two readings of a session.
const readEvery = 400 * time.Millisecond

// stream is a session that a goroutine reads to its end.
type stream struct {
	session *eventpipe.Session
	ended   chan struct{}
	err     error // of reading; good after ended
}

// read reads a session. It closes the session after an error, such as that of a
// malformed stream.
func read(session *eventpipe.Session, f func(io.Reader) error) *stream {
	s := &stream{session: session, ended: make(chan struct{})}
	failed := session.ReadEvery(readEvery)
	go func() {
		defer close(s.ended)
		if s.err = failed; s.err == nil {
			s.err = f(session)
		}
		if s.err != nil {
			session.Close()
			return
		}
		_, _ = io.Copy(io.Discard, session) // up to the end of the connection, for which Finish waits
	}()
	return s
}

func (s *stream) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// end stops the session and waits until it is read.
func (s *stream) end() {
	if !s.hasEnded() {
		ctx, cancel := context.WithTimeout(context.Background(), answerTime)
		_ = s.session.Finish(ctx) // Close ends it if the process does not answer
		cancel()
	}
	s.session.Close()
	<-s.ended
}
