package collect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/eventpipe/record"
)

const (
	defaultKeep = 24
	// minKeep is the smallest bound of files: the old one is still being written
	// when the new one begins.
	minKeep = 2
)

// rotation has the flags about recordings in several files.
type rotation struct {
	rotate string
	keep   int

	turn record.RingOptions // of rotate: time and size of a file
	left time.Duration      // of --duration when a file begins; 0: no bound
}

// rotates reports whether the recording has several files.
func (r *rotation) rotates() bool { return r.rotate != "" }

// checkRotation parses the flags --rotate and --keep.
func (o *options) checkRotation(changed func(flag string) bool) (err error) {
	switch {
	case !o.rotates() && changed("keep"):
		return errors.New("--keep has no effect without --rotate")
	case !o.rotates():
		return nil
	case o.ring != "" || o.output == output.Stdout || o.children || o.keepRaw || o.maxSize != "" || o.conversion != nil:
		return errors.New("--rotate is for plain recordings: no --ring, --children, --keep-raw, --max-size, --format and -o -")
	case o.keep != 0 && o.keep < minKeep:
		return fmt.Errorf("--keep: %d is less than %d: the old file is still being written when the new one begins", o.keep, minKeep)
	}
	if o.turn, err = attach.ParseRing(o.rotate); err != nil {
		return exit.Named("--rotate", err)
	}
	if o.turn.Time > 0 && o.turn.Time < time.Second {
		return fmt.Errorf("--rotate: %v is less than 1s", o.turn.Time)
	}
	return nil
}

var errRotated = errors.New("the next file has begun")

// turn is the recording into one of several files.
type turn struct {
	*plain
	due      chan struct{} // closed when the next file is to begin
	done     chan struct{} // closed at the end of the stream
	complete bool          // the file is, when done is closed
}

// rotating is a recording into several files.
type rotating struct {
	*collecting
	a     *attach.Process
	files []string // oldest first
	turns int      // that have begun
	begun time.Time
}

// rotate records a process into several files.
func (c *collecting) rotate(a *attach.Process) (complete bool, err error) {
	c.running.Add(1)
	defer c.running.Add(-1)
	r := &rotating{collecting: c, a: a}
	now, err := r.next()
	if err != nil {
		return false, err
	}
	r.begun = time.Now()
	if c.o.limit > 0 {
		timer := time.AfterFunc(c.o.limit, func() { c.cease(errTimeOver) })
		defer timer.Stop()
	}
	complete = true
	for {
		select {
		case <-now.due:
		case <-now.done:
			return now.complete && complete, nil
		}
		next := r.nextOrEnd(now)
		if next != nil {
			now.cease(errRotated)
		}
		<-now.done
		complete = now.complete && complete
		if next == nil {
			return complete, nil
		}
		now = next
	}
}

// retryRotation is the time to the next try to begin a file. endPatience is the
// time to the end of the old file if the process has ended.
const (
	retryRotation = 10 * time.Second
	endPatience   = time.Second
)

// nextOrEnd begins the next file. While it cannot, the recording goes on in the
// old one; it returns nil at the end of the recording.
func (r *rotating) nextOrEnd(old *turn) *turn {
	for wait := endPatience; ; wait = retryRotation {
		next, err := r.next()
		if err == nil {
			return next
		}
		select {
		case <-old.done:
			return nil
		case <-time.After(wait):
		}
		if wait == endPatience && r.stop.Err() == nil {
			r.p.Complain("warning: %s: the next file cannot begin: %v; the recording goes on in %s", r.a.Title, err, old.file.title())
		}
	}
}

// next begins the next file, after room was made for it.
func (r *rotating) next() (_ *turn, err error) {
	o := *r.o
	o.limit, o.left = 0, r.left() // the limit is that of all files
	o.resume = o.resume && r.turns == 0
	c := &collecting{p: r.p, o: &o, giveUp: r.giveUp, abort: r.abort}
	c.stop, c.cease = context.WithCancelCause(r.stop)
	defer func() {
		if err != nil {
			c.cease(err)
		}
	}()
	if err := context.Cause(r.stop); err != nil && r.turns > 0 {
		return nil, err // no file is deleted for one that does not begin
	}
	if err := r.makeRoom(); err != nil {
		return nil, err
	}
	one := &recording{collecting: c, a: r.a}
	name, err := freeName(one.stampedName())
	if err != nil {
		return nil, err
	}
	t := &turn{due: make(chan struct{}), done: make(chan struct{})}
	one.due = sync.OnceFunc(func() { close(t.due) })
	if t.plain, err = c.begin(one, name); err != nil {
		return nil, err
	}
	r.turns++
	r.files = append(r.files, name)
	go func() {
		defer close(t.done)
		t.complete = t.finish()
		if cause := t.lastCause(); cause != nil {
			r.cease(cause)
		}
	}()
	return t, nil
}

// lastCause returns the reason for which a file is the last one, or nil. The
// output can become full after the next file has begun.
func (t *turn) lastCause() error {
	cause := context.Cause(t.stop)
	switch {
	case t.full:
		return errOutputFull
	case errors.Is(cause, errEventFound):
		return cause
	}
	return nil
}

// left returns the rest of --duration, 0 for no bound.
func (r *rotating) left() time.Duration {
	if r.o.limit == 0 || r.turns == 0 {
		return r.o.limit
	}
	return max(time.Until(r.begun.Add(r.o.limit)).Round(time.Second), time.Second)
}

// makeRoom deletes the oldest files.
func (r *rotating) makeRoom() error {
	for r.o.keep > 0 && len(r.files) >= r.o.keep {
		if err := os.Remove(r.files[0]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot delete the oldest file: %w", err)
		}
		r.files = r.files[1:]
	}
	return nil
}

// watchDue calls due when the file has the time or the size of --rotate.
func (r *recording) watchDue(opt *record.Options) (release func()) {
	if r.due == nil {
		return func() {}
	}
	if size := r.o.turn.Size; size > 0 {
		opt.OnBlock = func() {
			if r.rec.Stats().Bytes >= size {
				r.due()
			}
		}
	}
	if r.o.turn.Time == 0 {
		return func() {}
	}
	timer := time.AfterFunc(r.o.turn.Time, r.due)
	return func() { timer.Stop() }
}
