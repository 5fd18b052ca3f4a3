package stack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"sync/atomic"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/profile"
)

// sampleTime is the max time of a sample: on a busy machine the process is late.
const sampleTime = 30 * time.Second

// rundownPatience is the max time in which the process must send more of the rundown: a
// large process collects the names of its methods for a while.
const rundownPatience = 30 * time.Second

// lengths returns those of the sessions of a sampler.
func lengths() []time.Duration {
	return []time.Duration{10 * time.Millisecond, 50 * time.Millisecond, 250 * time.Millisecond, time.Second}
}

// provider is that of the sample profiler.
const provider = "Microsoft-DotNETCore-SampleProfiler"

// rundown has the keywords of the names of methods and modules.
const rundown = 0x138

// The reasons why there is no sample.
var (
	errNoFrames  = errors.New("no thread has managed frames")
	errSuspended = errors.New("it is suspended at its start and sends no events before it is resumed (nettrace collect resumes it)")
	errHangs     = errors.New("its runtime began the session and then sent nothing: it cannot stop its threads, or it hangs")
	errEnded     = errors.New(exit.StreamEnded)
)

// sampler makes samples of a process.
type sampler struct {
	process  *attach.Process
	patience time.Duration   // max time in which it must send more of a stream
	lengths  []time.Duration // of the sessions: the next one if no thread was sampled in one
}

// within makes a sample in at most a time, also of a process that sends without end.
func (m *sampler) within(ctx context.Context, limit time.Duration) (*sample, error) {
	if limit <= 0 {
		return m.take(ctx)
	}
	late := fmt.Errorf("it sent no complete sample within %v (--timeout)", limit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	s, err := m.take(ctx)
	if err != nil && context.Cause(ctx) == late {
		return nil, late
	}
	return s, err
}

// take makes a sample.
func (m *sampler) take(ctx context.Context) (*sample, error) {
	for _, length := range m.lengths {
		prof, names, err := m.record(ctx, length)
		if why := eventpipe.Halted(m.process.PID); errors.Is(err, errHangs) && why != "" {
			return nil, errors.New("it does not answer: " + why)
		}
		if err != nil {
			return nil, err
		}
		if s := sampleOf(prof, names); s != nil {
			s.process = m.process
			return s, nil
		}
	}
	return nil, errNoFrames
}

// record records the stacks of the process in a session of a length, and the names of its
// threads.
func (m *sampler) record(ctx context.Context, length time.Duration) (*profile.Profile, map[uint64]string, error) {
	client := m.process.Client
	config := eventpipe.SessionConfig{
		Providers: []eventpipe.Provider{{Name: provider, Level: 4}}, RundownKeyword: rundown,
	}
	threads := threadNames{process: m.process}
	threads.read()
	session, err := client.StartSession(ctx, config)
	if errors.As(err, new(*eventpipe.UnsupportedError)) { // before .NET 9
		config.RundownKeyword = 0
		session, err = client.StartSession(ctx, config)
	}
	if err != nil {
		return nil, nil, err
	}
	threads.read()
	stopping, cancel := context.WithCancel(ctx)
	stopped := make(chan struct{})
	src := &bounded{session: session, patience: m.patience}
	go func() {
		defer close(stopped)
		select {
		case <-time.After(length):
		case <-stopping.Done():
		}
		src.stopped.Store(true)
		src.ended = session.Stop(stopping) == nil // reading has the error
	}()
	defer context.AfterFunc(ctx, func() { session.Close() })() // a read may wait for long
	defer func() {
		session.Close()
		cancel()
		<-stopped
	}()
	prof, err := profile.FromReader(ctx, codec.NewReader(src, codec.Options{}), profile.Options{Types: []profile.Type{profile.Wall}})
	threads.read()
	if src.bytes == 0 && src.stopped.Load() && !errors.Is(err, os.ErrDeadlineExceeded) {
		<-stopped // explain needs the answer
	}
	return prof, threads.names, src.explain(err)
}

// threadNames has the names of threads that were read at several times: threads end and
// begin around a session, and get their names in it.
type threadNames struct {
	process *attach.Process
	names   map[uint64]string // nil if they are not known
}

// read adds the names of the threads that run now.
func (t *threadNames) read() {
	now := t.process.ThreadNames()
	if t.names == nil {
		t.names = now
		return
	}
	maps.Copy(t.names, now)
}

// bounded reads a session of a process that must not be silent for long. The process sends
// the events of the session before the rundown: from then on it has more time.
type bounded struct {
	session  *eventpipe.Session
	patience time.Duration // up to the first bytes after the stop
	stopped  atomic.Bool
	ended    bool  // it has answered that it ended the session
	sends    bool  // it has sent something since the stop
	bytes    int64 // so far
}

// Read reads from the session.
func (b *bounded) Read(p []byte) (int, error) {
	patience := b.patience
	if b.sends {
		patience = rundownPatience
	}
	if err := b.session.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	n, err := b.session.Read(p)
	b.bytes += int64(n)
	b.sends = b.sends || n > 0 && b.stopped.Load()
	return n, err
}

// explain returns the reason for an error of reading. A suspended process that is asked to
// stop the session answers and ends the stream without a byte.
func (b *bounded) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errHangs
	case b.bytes == 0 && b.stopped.Load() && b.ended:
		return errSuspended
	case errors.Is(err, codec.ErrTruncated), b.bytes == 0:
		return errEnded
	}
	return err
}
