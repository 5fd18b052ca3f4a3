package view

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/live"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/tracedoc"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/view/server"
)

const (
	// updateEvery is the shortest time between two documents.
	updateEvery = 500 * time.Millisecond
	// idleShare is the time without work after each document, as a multiple of the time that
	// the document took: at most a quarter of a processor makes documents.
	idleShare = 3
	// pollEvery is the time between two looks at what has arrived.
	pollEvery = 50 * time.Millisecond
	// unusedEnd is the time without a request of a page after which a recording ends that a
	// page began.
	unusedEnd = 2 * time.Minute
	// unusedText is unusedEnd in words.
	unusedText = "2 minutes"
)

// recording is a live.Recording.
type recording interface {
	Run(ctx context.Context) (reason string)
	Changes() int64
	NamesExpected() bool
	Problem() string
	Snapshot() ([]byte, record.Part, error)
}

// liveDocument is the document of a running process: what a ring keeps of its events. The
// complete document is made again when a page is open and events have arrived.
type liveDocument struct {
	p        *run.Program
	a        *attach.Process
	kept     record.RingOptions
	how      tracedoc.Reading // of the samples
	recorded recording
	asked    atomic.Pointer[time.Time] // when a page asked for the document last

	mu    sync.Mutex
	state server.State
	trace []byte // of which data was made
	data  []byte
	seen  int64         // Changes of the recording in data
	made  time.Time     // when data was made
	cost  time.Duration // of making it
}

// start starts the session of a process that was attached to. Its errors have an exit
// code.
func (f liveFlags) start(ctx context.Context, p *run.Program, a *attach.Process) (*liveDocument, error) {
	config, err := f.config(a)
	if err != nil {
		return nil, err
	}
	recorded, err := live.Start(ctx, p, a, live.Options{Session: config, Kept: f.kept, Names: true})
	if err != nil {
		return nil, err
	}
	l := &liveDocument{p: p, a: a, kept: f.kept, how: f.how, recorded: recorded, state: server.State{Live: true}}
	l.use()
	return l, nil
}

// errUnused ends a recording that no page shows.
var errUnused = errors.New("no page has asked for it for " + unusedText)

// use notes that a page asks for the document.
func (l *liveDocument) use() {
	now := time.Now()
	l.asked.Store(&now)
}

// untilUnused returns when no page has asked for the document for a time, or when the
// context ends.
func (l *liveDocument) untilUnused(ctx context.Context, patience time.Duration) {
	for {
		rest := patience - time.Since(*l.asked.Load())
		if rest <= 0 {
			return
		}
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return
		}
	}
}

// runWhileUsed is run for a document that ends when no page has asked for it for a time.
func (l *liveDocument) runWhileUsed(ctx context.Context) {
	used, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() {
		l.untilUnused(used, unusedEnd)
		end(errUnused)
	}()
	l.run(used)
}

// ended returns why the recording has ended, "" if it runs.
func (l *liveDocument) ended() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.Ended
}

// run keeps the stream until it ends, which the context or the end of the process causes.
func (l *liveDocument) run(ctx context.Context) {
	reason, unused := l.recorded.Run(ctx), errors.Is(context.Cause(ctx), errUnused)
	if unused {
		reason = errUnused.Error()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.Live, l.state.Paused, l.state.Ended = false, false, reason
	if ctx.Err() == nil || unused {
		l.p.Complain("%s: %s; the page keeps its events until Ctrl-C", l.a.Title, reason)
	}
}

// title names the process and what is kept of its events.
func (l *liveDocument) title() string {
	text := l.a.Title + ", the last "
	switch {
	case l.kept.Time == 0:
		return text + display.Bytes(l.kept.Size)
	case l.kept.Size == 0:
		return text + l.kept.Time.String()
	}
	return text + l.kept.Time.String() + " in at most " + display.Bytes(l.kept.Size)
}

// Data returns the last document, and waits for the first one. It returns an error if that
// cannot be made.
func (l *liveDocument) Data(ctx context.Context, _ url.Values) ([]byte, error) {
	var data []byte
	state, err := poll(ctx, pollEvery, func() (server.State, bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.use()
		l.update(ctx)
		data = l.data
		return l.state, data != nil || l.state.Ended != "" || l.state.Note != ""
	})
	switch {
	case err != nil || data != nil:
		return data, err
	case state.Note != "":
		return nil, fmt.Errorf("%s: %s", l.a.Title, state.Note)
	}
	return nil, fmt.Errorf("%s: no events came: %s", l.a.Title, state.Ended)
}

// Wait makes documents until the state differs from the last one.
func (l *liveDocument) Wait(ctx context.Context, last server.State) (server.State, error) {
	return poll(ctx, pollEvery, func() (server.State, bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.use()
		l.update(ctx)
		return l.state, l.state != last && l.data != nil
	})
}

// Pause keeps the document until the page continues or the process ends.
func (l *liveDocument) Pause(paused bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.Paused = paused && l.state.Ended == ""
}

// Save writes the events of the document, or of a new one if it is not paused.
func (l *liveDocument) Save(ctx context.Context) (name string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.state.Paused && l.seen != l.recorded.Changes() {
		if err := l.make(ctx); err != nil {
			return "", err
		}
	}
	if l.data == nil {
		return "", errors.New("no events have come yet")
	}
	name = l.a.TraceName(time.Now()) + ".nettrace"
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", err
	}
	_, err = out.Write(l.trace)
	if err = errors.Join(err, out.Close()); err != nil {
		return "", errors.Join(err, os.Remove(name))
	}
	l.p.Complain("%s: %s of %s", name, display.Bytes(int64(len(l.trace))), l.a.Title)
	return name, nil
}

// update makes the document again if that is due.
func (l *liveDocument) update(ctx context.Context) {
	wait := max(updateEvery, idleShare*l.cost)
	switch {
	case l.state.Paused, l.seen == l.recorded.Changes(), l.data == nil && l.recorded.NamesExpected():
	case l.state.Ended != "", time.Since(l.made) >= wait:
		_ = l.make(ctx) // the state has the error
	}
}

// make makes the document of what the ring keeps. It keeps the former one and its trace if
// that fails.
func (l *liveDocument) make(ctx context.Context) error {
	begun := time.Now()
	seen := l.recorded.Changes()
	trace, _, err := l.recorded.Snapshot()
	if errors.Is(err, record.ErrNoStream) {
		l.seen = seen
		return nil
	}
	var data []byte
	if err == nil {
		data, err = l.encode(ctx, trace)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx) // the page was closed: the next one makes it
	}
	l.seen, l.made, l.cost = seen, time.Now(), time.Since(begun)
	l.state.Version++
	l.state.Note = ""
	if err != nil {
		l.state.Note = err.Error()
		return err
	}
	l.trace, l.data = trace, data
	l.state.Note = l.recorded.Problem()
	return nil
}

// encode returns the document of a trace.
func (l *liveDocument) encode(ctx context.Context, trace []byte) ([]byte, error) {
	source, err := tracedoc.FromBytes(ctx, l.a.Title, trace, l.how)
	if err != nil {
		return nil, err
	}
	source.Live = l.title()
	return source.Encode()
}
