// Package live keeps the last part of the events of a running process in memory, and
// returns it as a trace at any time.
package live

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/record"
)

// BufferMB is the size of the buffer for events in the process.
const BufferMB = 256

// Recording is a session of a running process, and what a ring keeps of its events.
// Several goroutines may use it.
type Recording struct {
	session *eventpipe.Session
	ring    *record.Ring
	names   *names
	later   *compiled    // names of what is loaded meanwhile, nil for none
	changes atomic.Int64 // blocks, names and the end that have arrived
	events  atomic.Int64 // that the stream had, after its end
	ended   atomic.Bool
}

// Options describe a recording.
type Options struct {
	Session eventpipe.SessionConfig
	Kept    record.RingOptions
	Names   bool // request the names of methods while the session runs
}

// Start starts the session of a process that was attached to. Its errors have an exit code.
// The caller calls Run.
func Start(ctx context.Context, p *run.Program, a *attach.Process, o Options) (*Recording, error) {
	r := &Recording{ring: record.NewRing(o.Kept), names: &names{of: a}}
	var err error
	if o.Names {
		if r.later, err = startCompiled(ctx, a); err != nil {
			p.Complain("warning: %s: the session for names: %v; methods that are compiled meanwhile can be without a name for some seconds", a.Title, err)
		}
	}
	if r.session, err = a.Open(ctx, p, o.Session); err != nil {
		r.endNames()
		return nil, err
	}
	if o.Names {
		r.names.request(r.changed)
	}
	return r, nil
}

// endNames ends the session for names, if there is one.
func (r *Recording) endNames() {
	if r.later != nil {
		r.later.end()
	}
}

// changed notes that something has arrived.
func (r *Recording) changed() { r.changes.Add(1) }

// Run keeps the stream until it ends, which ctx or the end of the process causes. It
// returns why it ended.
func (r *Recording) Run(ctx context.Context) (reason string) {
	release := attach.StopAtEnd(ctx, r.session)
	report, err := record.New(record.Options{OnBlock: r.changed}).Run(context.Background(), r.session, r.ring)
	release()
	r.session.Close()
	r.endNames()
	r.events.Store(report.Events)
	r.ended.Store(true)
	r.changed()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return context.Cause(ctx).Error()
	case ctx.Err() != nil:
		return "nettrace was interrupted"
	case err != nil:
		return err.Error()
	case !report.Ended:
		return exit.StreamEnded
	}
	return "the process has ended"
}

// Dropped returns how many events of the ended stream a snapshot without names left out,
// because they exceed the ring.
func (r *Recording) Dropped(part record.Part) int64 {
	return max(r.events.Load()-part.Events-part.RundownEvents, 0)
}

// Changes returns a number that grows when events or names arrive, and at the end.
func (r *Recording) Changes() int64 { return r.changes.Load() }

// NamesExpected reports whether the names of methods for the first trace are about to
// arrive.
func (r *Recording) NamesExpected() bool { return r.names.firstExpected() }

// Problem returns why names of methods are missing, "" if they are not.
func (r *Recording) Problem() string { return r.names.problem() }

// Snapshot returns what is kept as a trace. The error is record.ErrNoStream if nothing has
// arrived. If names of methods are missing it requests them for a later trace.
func (r *Recording) Snapshot() ([]byte, record.Part, error) {
	snapshot, err := r.ring.Snapshot()
	if err != nil {
		return nil, record.Part{}, err
	}
	var trace bytes.Buffer
	file, err := record.NewStream(&trace, record.Uncompressed)
	if err != nil {
		return nil, record.Part{}, err
	}
	if r.later != nil {
		snapshot.Append(r.later.names.All())
	}
	part, err := snapshot.WriteFile(file, r.names.reader())
	err = errors.Join(err, file.Close())
	if err == nil && !r.ended.Load() && r.names.missing(part.Unnamed) {
		r.names.request(r.changed)
	}
	return trace.Bytes(), part, err
}
