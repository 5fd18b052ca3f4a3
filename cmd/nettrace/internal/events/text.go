package events

import (
	"io"
	"strconv"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/eventtext"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec"
)

const (
	timeWidth   = 16 // columns of the text lines
	threadWidth = 8
)

// eventText prints events as lines for users.
type eventText struct {
	dst       io.Writer
	screen    terminal.Screen
	stacks    bool
	payload   bool
	fields    bool
	trace     *codec.Trace
	types     [256]eventType
	buf, word []byte
	err       error
}

// Trace sets the clock. It prints no line.
func (w *eventText) Trace(t *codec.Trace) error {
	w.trace = t
	return w.err
}

// Rows prints nothing: there are no row lines in text.
func (w *eventText) Rows(*codec.Block) error { return w.err }

// Event prints a line, and one for each frame with --stacks.
func (w *eventText) Event(e *codec.Event) error {
	start := len(w.buf)
	b := w.appendStart(w.buf, e.Timestamp)
	w.word = eventtext.AppendThread(w.word[:0], e)
	b = append(display.AppendRight(b, w.word, threadWidth), ' ', ' ')
	label := len(b)
	t := w.typeOf(e)
	b = append(b, t.label...)
	details := len(b)
	b = eventtext.AppendDetails(b, e)
	b = w.appendPayload(b, e, t)
	if w.screen.Width > 0 || w.screen.Colors {
		line := b[start:]
		b = append(b[:start], w.fit(string(line), label-start, details-start, levelColor(e.Level()))...)
	}
	if w.stacks {
		for _, address := range e.Stack() {
			b = append(b, "\n                            0x"...)
			b = strconv.AppendUint(b, address, 16)
		}
	}
	w.buf = append(b, '\n')
	return w.flushFull()
}

// Lost prints a line for a loss.
func (w *eventText) Lost(l codec.Lost) error {
	b := w.buf
	if l.HasBefore {
		b = w.appendStart(b, l.Before)
	} else {
		b = append(display.AppendSpaces(b, timeWidth), ' ')
	}
	w.word = strconv.AppendUint(w.word[:0], l.CaptureThread, 10)
	switch {
	case l.Thread != nil && l.Thread.HasThreadID:
		w.word = strconv.AppendUint(w.word[:0], l.Thread.ThreadID, 10)
	case w.trace != nil && w.trace.Format.HasThreadTable():
		w.word = append([]byte("#"), w.word...)
	}
	b = append(display.AppendRight(b, w.word, threadWidth), "  "...)
	text := "-- " + display.CountedUnsigned(l.Count, "event") + " lost"
	w.buf = append(append(b, w.screen.Paint(terminal.Yellow, text)...), '\n')
	return w.flushFull()
}

// Defect prints nothing: stderr has the first defect and the number of them.
func (w *eventText) Defect(*codec.Error) error { return w.err }

// End flushes the buffer. It prints no line.
func (w *eventText) End(bool) error { return w.Flush() }

// Flush writes the content of the buffer.
func (w *eventText) Flush() error {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.dst.Write(w.buf)
	}
	w.buf = w.buf[:0]
	return w.err
}

func (w *eventText) flushFull() error {
	if len(w.buf) >= display.FlushSize {
		return w.Flush()
	}
	return w.err
}

func (w *eventText) appendStart(b []byte, ticks uint64) []byte {
	w.word = display.AppendTime(w.word[:0], w.trace, ticks)
	return append(display.AppendRight(b, w.word, timeWidth), ' ')
}
