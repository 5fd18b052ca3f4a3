package progress

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// clock is the clock of a test.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// screen returns a terminal that writes into a buffer, with its own clock.
func screen() (*Terminal, *bytes.Buffer, *clock) {
	out, c := new(bytes.Buffer), &clock{now: time.Unix(0, 0)}
	return &Terminal{W: out, Now: c.Now}, out, c
}

// TestNoTerminal checks that without a terminal nothing is shown and reads are direct.
func TestNoTerminal(t *testing.T) {
	var none *Terminal
	bar := none.Bytes(100)
	expect.Equal(t, "bar", bar, nil)
	bar.Advance(1, "note")
	bar.Extend(1)
	bar.Hold()
	bar.Pass(1)
	bar.Stop()
	src := strings.NewReader("x")
	expect.Equal(t, "reader", bar.Watch(src), io.Reader(src))
	expect.Equal(t, "reader at offsets", bar.WatchAt(src), io.ReaderAt(src))
	want := errors.New("write error")
	expect.Equal(t, "error of print", none.Above(func() error { return want }), want)
}

// TestBar shows a bar at given times.
func TestBar(t *testing.T) {
	terminal, out, c := screen()
	bar := terminal.Bytes(4 << 20)
	for _, step := range []struct {
		name string
		wait time.Duration
		do   func()
		want string // what is written
	}{
		{"before a second", showAfter - 1, func() { bar.Advance(1<<20, "") }, ""},
		{"after a second", 1, func() { bar.Advance(1<<20, "") }, "\r2.0 of 4.0 MiB [==========          ]  50%"},
		{"soon again", showEvery - 1, func() { bar.Advance(1<<19, "") }, ""},
		{"later", 1, func() { bar.Advance(1<<19, "") }, "\r3.0 of 4.0 MiB [===============     ]  75%"},
		{"a message", 0, func() { _, _ = io.WriteString(terminal, "text\n") }, "\r" + strings.Repeat(" ", 42) + "\rtext\n"},
		{"the total grows", showEvery, func() { bar.Extend(4 << 20); bar.Advance(0, "") }, "\r3.0 of 8.0 MiB [=======             ]  38%"},
		{"the end", 0, bar.Stop, "\r" + strings.Repeat(" ", 42) + "\r"},
		{"after the end", time.Minute, func() { bar.Advance(1<<20, "") }, ""},
	} {
		t.Run(step.name, func(t *testing.T) {
			out.Reset()
			c.now = c.now.Add(step.wait)
			step.do()
			expect.Equal(t, "written", out.String(), step.want)
		})
	}
}

// TestLines shows the lines of several kinds of work.
func TestLines(t *testing.T) {
	terminal, _, _ := screen()
	counted := terminal.Count(634, "cases")
	counted.Advance(317, "3 failures")
	unknown := terminal.Bytes(-1)
	unknown.Advance(5<<19, "")
	over := terminal.Bytes(1 << 20)
	over.Advance(1<<21, "")
	for _, c := range []struct {
		name string
		bar  *Bar
		want string
	}{
		{"count", counted, "317 of 634 cases, 3 failures [==========          ]  50%"},
		{"unknown total", unknown, "2.5 MiB"},
		{"more than the total", over, "2.0 of 1.0 MiB [====================] 100%"},
	} {
		t.Run(c.name, func(t *testing.T) { expect.Equal(t, "line", c.bar.text(), c.want) })
	}
}

// TestWatch checks that reading advances the bar.
func TestWatch(t *testing.T) {
	terminal, _, _ := screen()
	bar := terminal.Bytes(1000)
	_, err := io.Copy(io.Discard, bar.Watch(strings.NewReader(strings.Repeat("x", 600))))
	expect.NoError(t, err)
	expect.Equal(t, "bytes after reading", bar.done, 600)
	_, err = bar.WatchAt(strings.NewReader(strings.Repeat("x", 1000))).ReadAt(make([]byte, 100), 700)
	expect.NoError(t, err)
	expect.Equal(t, "bytes after reading at an offset", bar.done, 800)
}

// TestPasses: a file of 1000 bytes is searched, and read twice. The bar never moves back.
func TestPasses(t *testing.T) {
	terminal, _, _ := screen()
	bar := terminal.Bytes(1000)
	src := bar.WatchAt(strings.NewReader(strings.Repeat("x", 1000)))
	for _, step := range []struct {
		name         string
		do           func()
		offset, size int64
		done, total  int64
	}{
		{"search", bar.Hold, 900, 100, 0, 1000},
		{"search again", func() {}, 0, 100, 0, 1000},
		{"first pass", func() { bar.Pass(0) }, 300, 100, 400, 1000},
		{"an earlier place", func() {}, 100, 100, 400, 1000},
		{"repeated", func() { bar.Repeat(1000) }, 0, 50, 800, 2000},
		{"second pass", func() { bar.Pass(1000) }, 0, 50, 1050, 2000},
		{"its end", func() {}, 900, 100, 2000, 2000},
	} {
		t.Run(step.name, func(t *testing.T) {
			step.do()
			_, err := src.ReadAt(make([]byte, step.size), step.offset)
			expect.NoError(t, err)
			expect.Equal(t, "done", bar.done, step.done)
			expect.Equal(t, "total", bar.total, step.total)
		})
	}
}
