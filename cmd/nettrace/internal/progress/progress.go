// Package progress shows on a terminal how much of a long work is done.
package progress

import (
	"io"
	"sync"
	"time"
)

const (
	showAfter = time.Second            // work that takes less shows no bar
	showEvery = 100 * time.Millisecond // between two states of a bar
)

// Terminal shows bars on its last line. Several goroutines may use it. A nil Terminal shows
// nothing.
type Terminal struct {
	W   io.Writer        // the terminal
	Now func() time.Time // the clock

	mu   sync.Mutex
	line string // of the bar that is shown, or empty
}

// Write removes the bar and writes a message. The next advance shows the bar again.
func (t *Terminal) Write(message []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.replace("")
	return t.W.Write(message)
}

// Above removes the bar and calls print, which may write to the same terminal, but not
// with Write. It returns the error of print.
func (t *Terminal) Above(print func() error) error {
	if t == nil {
		return print()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.replace("")
	return print()
}

// Bar is the progress of one work: a line that is replaced while the work goes on. Several
// goroutines may use it. A nil Bar shows nothing.
type Bar struct {
	on      *Terminal
	things  string // what is counted; empty: bytes
	started time.Time

	// The mutex of the terminal guards what follows.
	total int64 // 0: unknown
	done  int64
	begin int64  // of the current pass: done at its start
	held  bool   // readers of WatchAt do not move the bar
	note  string // is shown after the numbers
	over  bool   // Stop was called
	shown time.Time
}

// Bytes returns the bar of a work of total bytes, 0 if that is unknown.
func (t *Terminal) Bytes(total int64) *Bar { return t.Count(total, "") }

// Count returns the bar of a work of total things.
func (t *Terminal) Count(total int64, things string) *Bar {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return &Bar{on: t, things: things, started: t.Now(), total: max(0, total)}
}

// Extend adds n to the total.
func (g *Bar) Extend(n int64) {
	if g == nil {
		return
	}
	g.on.mu.Lock()
	defer g.on.mu.Unlock()
	g.total += max(0, n)
}

// Repeat adds n to the total, for bytes that are read a second time. The bar stays where it
// is, unlike with Extend: a stream that is not used may have read ahead.
func (g *Bar) Repeat(n int64) {
	if g == nil {
		return
	}
	g.on.mu.Lock()
	defer g.on.mu.Unlock()
	share := float64(g.done) / float64(max(1, g.total))
	g.total += max(0, n)
	g.done = int64(share * float64(g.total))
}

// Hold keeps the bar where it is, until Pass, although readers of WatchAt read: they look
// for the places to read.
func (g *Bar) Hold() {
	if g == nil {
		return
	}
	g.on.mu.Lock()
	defer g.on.mu.Unlock()
	g.held = true
}

// Pass begins a pass over the input, at the given place of the bar. The bar stays where it is
// if that is farther: a stream that is not used has read ahead.
func (g *Bar) Pass(place int64) {
	if g == nil {
		return
	}
	g.on.mu.Lock()
	defer g.on.mu.Unlock()
	g.held, g.begin, g.done = false, place, max(g.done, place)
}

// Advance adds n to the work that is done. The note, if not empty, replaces the earlier one.
func (g *Bar) Advance(n int64, note string) {
	if g == nil {
		return
	}
	g.on.mu.Lock()
	defer g.on.mu.Unlock()
	if note != "" {
		g.note = note
	}
	g.reach(g.done + n)
}

// reach sets the work that is done and shows the bar when it is time. The caller holds the
// mutex.
func (g *Bar) reach(done int64) {
	g.done = done
	now := g.on.Now()
	if g.over || now.Sub(g.started) < showAfter || now.Sub(g.shown) < showEvery {
		return
	}
	g.shown = now
	g.on.replace(g.text())
}

// Stop removes the bar for good: another goroutine may still read ahead.
func (g *Bar) Stop() {
	if g == nil {
		return
	}
	g.on.mu.Lock()
	defer g.on.mu.Unlock()
	g.over = true
	g.on.replace("")
}
