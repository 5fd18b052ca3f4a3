package rows

import (
	"errors"
	"fmt"
	"io"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// ErrUnsupported means that a writer cannot express a line.
var ErrUnsupported = errors.New("not expressible")

// Write writes lines with a codec.Writer with default options, which assigns its
// own ids, blocks and sequence points.
func Write(dst io.Writer, lines []Line) error {
	if len(lines) == 0 || lines[0].Trace == nil {
		return errors.New("no trace line")
	}
	head := *lines[0].Trace
	head.Format = head.Format.WithTags() // with tags where there are opcodes or arrays
	if !codec.CanWrite(head.Format) {
		return fmt.Errorf("%w: version %v", ErrUnsupported, head.Format)
	}
	w := &writing{
		out:      codec.NewWriter(dst, codec.WriterOptions{Format: head.Format, Trace: head}),
		format:   head.Format,
		metadata: map[uint32]uint32{}, threads: map[uint64]uint64{}, last: map[uint64]uint32{},
	}
	for i := range lines[1:] {
		if err := w.line(&lines[1+i]); err != nil {
			return fmt.Errorf("line %d: %w", i+2, err)
		}
	}
	return w.out.Close()
}

// writing maps the ids of the lines to written ids.
type writing struct {
	out      *codec.Writer
	format   wire.Format
	metadata map[uint32]uint32
	threads  map[uint64]uint64 // v6
	last     map[uint64]uint32 // numbers of capture threads, as the lines name these
}

func (w *writing) line(l *Line) error {
	switch {
	case l.Metadata != nil:
		id, err := w.out.DefineMetadata(l.Metadata)
		w.metadata[l.Metadata.ID] = id
		return expressible(err)
	case l.Thread != nil:
		index, err := w.out.AddThread(l.Thread)
		w.threads[l.Thread.Index] = index
		delete(w.last, l.Thread.Index)
		return expressible(err)
	case l.Event != nil:
		return w.event(*l.Event)
	case l.Removed != nil:
		return w.remove(l.Removed)
	case l.Point != nil:
		return w.point(l.Point)
	case l.Flush:
		return w.out.Flush()
	}
	return fmt.Errorf("%w: a second trace line", ErrUnsupported)
}

// expressible separates errors for lines that the Writer cannot express from
// other errors.
func expressible(err error) error {
	if errors.Is(err, codec.ErrNotExpressible) || errors.Is(err, codec.ErrLimit) || errors.Is(err, codec.ErrOrder) {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return err
}

func (w *writing) event(r codec.Record) error {
	w.last[r.CaptureThread] = r.Sequence
	r.MetadataID = w.metadata[r.MetadataID]
	r.Sorted = false // the flags of a row depend on the following lines
	if w.format.HasThreadTable() {
		r.Thread, r.CaptureThread = w.threads[r.Thread], w.threads[r.CaptureThread]
	}
	return expressible(w.out.Write(&r))
}

// lose counts the events of a thread up to a number as lost.
func (w *writing) lose(e codec.ThreadSequence) error {
	thread := e.Thread
	if w.format.HasThreadTable() {
		thread = w.threads[thread]
	}
	n := e.Sequence - w.last[e.Thread]
	if n == 0 || n >= 1<<31 { // the smallest lower bound
		return nil
	}
	w.last[e.Thread] = e.Sequence
	return expressible(w.out.Drop(thread, n))
}

func (w *writing) remove(e *codec.ThreadSequence) error {
	if err := w.lose(*e); err != nil {
		return err
	}
	index := w.threads[e.Thread]
	delete(w.last, e.Thread)
	delete(w.threads, e.Thread)
	return expressible(w.out.RemoveThread(index))
}

// point ends a region. What the flags of the line flush is defined again after
// it, with unused ids.
func (w *writing) point(p *codec.SequencePoint) error {
	listed := map[uint64]bool{}
	for _, e := range p.Threads {
		listed[e.Thread] = true
		if err := w.lose(e); err != nil {
			return err
		}
	}
	if !w.format.HasRemovedThreads() {
		if err := w.end(listed); err != nil {
			return err
		}
	}
	if p.Flags&wire.SequenceThreads != 0 {
		clear(w.last)
	}
	return expressible(w.out.SequencePoint(p.Timestamp))
}

// end ends the threads that a sequence point of v4 or v5 leaves out.
func (w *writing) end(listed map[uint64]bool) error {
	for thread := range w.last {
		if listed[thread] {
			continue
		}
		delete(w.last, thread)
		if err := w.out.RemoveThread(thread); err != nil {
			return expressible(err)
		}
	}
	return nil
}
