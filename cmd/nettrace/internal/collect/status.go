package collect

import (
	"fmt"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/eventpipe/record"
)

const statusEvery = 500 * time.Millisecond

// printBegun prints that the recording has begun, for users and scripts that
// wait for it. It is the first line of every recording.
func (r *recording) printBegun(where string) {
	end := "until Ctrl-C or its end"
	if r.o.dump {
		end = "until the heap dump is complete"
	}
	if limit := max(r.o.limit, r.o.left); limit > 0 {
		end = fmt.Sprintf("for %v", limit)
	}
	r.p.Complain("recording %s %s %s", r.a.Title, where, end)
	if r.early != "" {
		r.p.Complain("%s", r.early)
	}
	if r.late != "" {
		r.p.Complain("%s", r.late)
	}
}

// showStatus keeps a line on the terminal up to date until end is called. It
// prints no line if there is no terminal, or if a command writes to it.
func (r *recording) showStatus() (end func()) {
	if !r.showsStatus() {
		return func() {}
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(statusEvery)
		defer tick.Stop()
		s := status{started: r.started, at: r.started}
		for {
			select {
			case now := <-tick.C:
				line := s.line(r.rec.Stats(), r.stopped.Load(), now)
				if width := terminal.Width(r.p.Stderr); width > 0 { // a broken line could not be replaced
					line = terminal.Shorten(line, width-1)
				}
				fmt.Fprintf(r.p.Stderr, "\r\x1b[K%s", line)
			case <-quit:
				fmt.Fprint(r.p.Stderr, "\r\x1b[K")
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}

// progressEvery is the time between two lines about a stopped session that still sends.
const progressEvery = 5 * time.Second

// showProgress prints what came since the stop, until end is called, where no line on the
// terminal shows it.
func (r *recording) showProgress(stopped record.Stats) (end func()) {
	if r.showsStatus() {
		return func() {}
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				now := r.rec.Stats()
				r.mu.Lock()
				r.p.Complain("%s: since the stop: %s, %s events", r.a.Title, display.Bytes(now.Bytes-stopped.Bytes), display.Grouped(now.Events-stopped.Events))
				r.mu.Unlock()
			case <-quit:
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}

// showsStatus reports whether a line on the terminal has the state of the recording.
func (r *recording) showsStatus() bool {
	return terminal.IsTerminal(r.p.Stderr) && r.a.Child == nil && !r.o.children
}

// status makes the lines of showStatus.
type status struct {
	started, at time.Time
	events      int64 // up to at
}

// line returns the line for the counts so far; stopped has the counts at the
// start of the rundown, nil before.
func (s *status) line(now record.Stats, stopped *record.Stats, at time.Time) string {
	rate := float64(now.Events-s.events) / max(at.Sub(s.at).Seconds(), 1e-3)
	s.at, s.events = at, now.Events
	text := fmt.Sprintf("%s  %s  %s events  %s/s  %s lost", at.Sub(s.started).Truncate(time.Second),
		display.Bytes(now.Bytes), display.Grouped(now.Events), display.Grouped(int64(rate)), display.GroupedUnsigned(now.Lost))
	if stopped == nil {
		return text + "  (Ctrl-C stops)"
	}
	return text + fmt.Sprintf("  stopping: %s, %s events of the rest and the rundown (Ctrl-C does without)",
		display.Bytes(now.Bytes-stopped.Bytes), display.Grouped(now.Events-stopped.Events))
}
