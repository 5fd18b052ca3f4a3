package ndjson

import (
	"io"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
)

const (
	flushAt = 64 << 10 // bytes in the buffer that are written out
	keepCap = 1 << 20  // a larger buffer is released
)

// Options select the contents of the lines. The zero value prints the headers
// of events, without stacks, payloads and fields.
type Options struct {
	Payload bool // "payload" in event lines
	Fields  bool // "fields" and "fieldsError" in event lines
	Stacks  bool // "stack" in event lines
	Rows    bool // row lines, and "metadata" and "sorted" in event lines
}

// Writer appends lines to a buffer, and writes it out when it is full, on Flush
// and on End. It is for one goroutine, and for one trace at a time: Trace
// begins the next one. After an error of the underlying writer every call
// returns that error.
type Writer struct {
	dst io.Writer
	opt Options
	buf []byte
	err error

	keep    bool   // lines are not written out
	indexed bool   // threads are rows of a table (v6)
	netperf bool   // rows have no sequence number and no capture thread (v3)
	process []byte // the trace's process id in decimal, empty if it has none

	heads [headCount]head
	block int64 // offset of the block with the written rows
	told  int   // metadata rows of it written so far

	events, lost uint64
}

// NewWriter returns a Writer that writes to dst.
func NewWriter(dst io.Writer, opt Options) *Writer {
	return &Writer{dst: dst, opt: opt}
}

// mustBeMade panics for the zero Writer.
func (w *Writer) mustBeMade() {
	if w.dst == nil {
		panic("ndjson: a zero Writer has no destination: use NewWriter")
	}
}

// Trace writes the trace line. It omits an invalid sync time.
func (w *Writer) Trace(t *codec.Trace) error {
	w.indexed, w.netperf = t.Format.HasThreadTable(), !t.Format.HasSequenceNumbers()
	w.process = w.process[:0]
	if id, ok := t.ProcessID(); ok {
		w.process = strconv.AppendUint(w.process, id, 10)
	}
	w.block, w.told, w.events, w.lost = 0, 0, 0, 0
	clear(w.heads[:])
	w.buf = w.appendTrace(w.buf, t)
	return w.line()
}

func (w *Writer) appendTrace(b []byte, t *codec.Trace) []byte {
	b = append(b, `{"type":"trace","format":`...)
	b = AppendString(b, t.Format.String())
	b = append(b, `,"pointerSize":`...)
	b = strconv.AppendInt(b, int64(t.PointerSize), 10)
	if !t.SyncTime.IsZero() {
		b = append(b, `,"syncTime":"`...)
		b = t.SyncTime.AppendFormat(b, SyncTimeLayout)
		b = append(b, '"')
	}
	b = append(b, `,"syncTicks":`...)
	b = appendLong(b, t.SyncTicks)
	b = append(b, `,"tickFrequency":`...)
	b = appendLong(b, t.TickFrequency)
	b = append(b, `,"properties":`...)
	b = AppendProperties(b, t.Properties)
	return append(b, '}')
}

// SyncTimeLayout is the layout of sync times, for time.Format.
const SyncTimeLayout = "2006-01-02T15:04:05.000Z"

// AppendProperties appends pairs as an object. The second occurrence of a key
// gets the suffix "#2".
func AppendProperties(b []byte, pairs []codec.KeyValue) []byte {
	var keys unique
	b = append(b, '{')
	for i, p := range pairs {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(b, keys.Name(p.Key))
		b = append(b, ':')
		b = AppendString(b, p.Value)
	}
	return append(b, '}')
}

// Lost writes a lost line. "captureThread" is omitted if the thread's id is
// unknown; v6 adds "captureThreadIndex"; "before" is omitted if a RemoveThread
// entry reported the loss.
func (w *Writer) Lost(l codec.Lost) error {
	w.lost += l.Count
	b := append(w.buf, `{"type":"lost"`...)
	switch {
	case !w.indexed:
		b = w.appendLongKey(b, `,"captureThread":`, l.CaptureThread)
	case l.Thread != nil && l.Thread.HasThreadID:
		b = appendDecimalKey(b, `,"captureThread":`, l.Thread.ThreadID)
	}
	if w.indexed {
		b = appendDecimalKey(b, `,"captureThreadIndex":`, l.CaptureThread)
	}
	b = appendDecimalKey(b, `,"count":`, l.Count)
	if l.HasBefore {
		b = w.appendLongKey(b, `,"before":`, l.Before)
	}
	w.buf = append(b, '}')
	return w.line()
}

// Lines writes complete lines that another Writer has written: so many event
// lines, and lost lines with so many lost events. It does not keep b.
func (w *Writer) Lines(b []byte, events, lost uint64) error {
	w.events += events
	w.lost += lost
	if err := w.Flush(); err != nil || len(b) == 0 {
		return err
	}
	_, w.err = w.dst.Write(b)
	return w.err
}

// Keep makes the Writer append its lines to buf from now on, and write nothing
// out: see Kept. It drops lines that were not written out.
func (w *Writer) Keep(buf []byte) { w.buf, w.keep = buf, true }

// Kept returns the lines since Keep. They are valid until the next line.
func (w *Writer) Kept() []byte { return w.buf }

// End writes the end line, with the numbers of event lines and of lost events
// since Trace, and flushes the buffer.
func (w *Writer) End(truncated bool) error {
	b := append(w.buf, `{"type":"end","events":`...)
	b = strconv.AppendUint(b, w.events, 10)
	b = appendDecimalKey(b, `,"lost":`, w.lost)
	b = append(b, `,"truncated":`...)
	b = strconv.AppendBool(b, truncated)
	w.buf = append(b, '}', '\n')
	return w.Flush()
}

// Flush writes the buffer to the underlying writer.
func (w *Writer) Flush() error {
	if w.keep {
		return w.err
	}
	if w.err == nil && len(w.buf) > 0 {
		w.mustBeMade()
		_, w.err = w.dst.Write(w.buf)
	}
	w.buf = w.buf[:0]
	if cap(w.buf) > keepCap {
		w.buf = nil
	}
	return w.err
}

// line ends a line.
func (w *Writer) line() error {
	w.buf = append(w.buf, '\n')
	if len(w.buf) >= flushAt {
		return w.Flush()
	}
	return w.err
}

// appendLongKey appends a time or a thread, which the specification declares as a long
// before version 6: signed. In version 6 it is a ulong.
func (w *Writer) appendLongKey(b []byte, key string, v uint64) []byte {
	return w.appendLong(append(b, key...), v)
}

func (w *Writer) appendLong(b []byte, v uint64) []byte {
	if w.indexed {
		return AppendDecimal(b, v)
	}
	return appendLong(b, v)
}

// appendLong appends a signed number of 64 bits.
func appendLong(b []byte, v uint64) []byte {
	return append(strconv.AppendInt(append(b, '"'), int64(v), 10), '"')
}

func appendDecimalKey(b []byte, key string, v uint64) []byte {
	return AppendDecimal(append(b, key...), v)
}
