package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// rewriter makes one trace of streams that number their tables independently.
type rewriter struct {
	w       *codec.BlockWriter
	rows    codec.BlockRows
	numbers numbers
	last    uint64 // ticks of the newest event or sequence point
	begun   bool   // the Trace block was written
	region  bool   // there are events or stacks after the last sequence point
	types   uint32 // the largest id of a type of event
	defined defined
	rundown map[uint32]bool
	named   *coverage
	part    Part
}

// stream writes the blocks of a stream, without its end mark.
func (o *rewriter) stream(r *codec.BlockReader) error {
	o.rundown = map[uint32]bool{}
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if b.Kind == wire.KindEndOfStream || b.Kind == wire.KindTrace && o.begun {
			continue
		}
		o.begun = true
		r.Rows(&o.rows)
		if int64(len(b.Body)) < b.Size {
			o.rows.SetBounds()
			if !o.rows.HasRows() {
				continue
			}
		}
		if err := o.block(r, &o.rows); err != nil {
			return err
		}
	}
	return nil
}

// block writes a block. r has the stacks of its region.
func (o *rewriter) block(r *codec.BlockReader, b *codec.BlockRows) error {
	switch b.Kind {
	case wire.KindMetadata:
		for i := range b.Metadata {
			o.define(&b.Metadata[i])
		}
	case wire.KindEvent:
		o.region = true
		o.events(r, b)
	case wire.KindStack:
		o.region = true
	case wire.KindSequencePoint:
		o.region = false
		o.numbers.point(b.SequencePoint.Threads)
		o.last = max(o.last, b.SequencePoint.Timestamp)
		o.named.region()
	}
	return o.w.WriteBlock(b)
}

// define notes a type of event.
func (o *rewriter) define(row *codec.MetadataBytes) {
	m := row.Metadata
	o.types = max(o.types, m.ID)
	o.rundown[m.ID] = isRundown(m.Provider)
	o.named.define(m)
	o.defined.add(m)
}

// events renumbers the rows of an event block.
func (o *rewriter) events(r *codec.BlockReader, b *codec.BlockRows) {
	id, rundown := uint32(0), false
	for i := range b.Events {
		row := &b.Events[i]
		if row.MetadataID != id {
			id = row.MetadataID
			rundown = o.rundown[id]
		}
		row.Sequence = o.numbers.next(row.CaptureThreadIndex, row.Sequence)
		o.count(row.Timestamp, rundown)
		o.named.event(row)
		if row.StackID != 0 {
			o.named.stack(row.StackID, r.Stack(row.StackID))
		}
	}
}

func (o *rewriter) count(ticks uint64, rundown bool) {
	o.last = max(o.last, ticks)
	if rundown {
		o.part.RundownEvents++
		return
	}
	if o.part.Events == 0 {
		o.part.First = ticks
	}
	o.part.First, o.part.Last = min(o.part.First, ticks), max(o.part.Last, ticks)
	o.part.Events++
}

// namesOf returns the events of another session of the same process, for the end of the trace.
// failed gets the error of that stream, also that events of it were lost.
func (o *rewriter) namesOf(trace *codec.Trace, names io.Reader, failed *error) iter.Seq[Addition] {
	r := codec.NewReader(names, readKept)
	other, err := r.Trace()
	switch {
	case err != nil:
		*failed = err
		return nil
	case !trace.Format.WithTags().HasTags():
		*failed = errNoPlace
		return nil
	case other.Format != trace.Format, other.PointerSize != trace.PointerSize, other.TickFrequency != trace.TickFrequency:
		*failed = errors.New("record: the stream of the names is of another process")
		return nil
	}
	return func(yield func(Addition) bool) {
		for e, err := range r.Events() {
			if err != nil {
				*failed = err
				return
			}
			if m := e.Metadata(); m != nil && !yield(Addition{Metadata: m, Payload: bytes.Clone(e.Payload())}) {
				return
			}
		}
		if lost := r.Lost(); lost > 0 {
			*failed = fmt.Errorf("record: the runtime dropped %d events of the names", lost)
		}
	}
}

// endRegion writes a sequence point, unless the last one is followed by no events.
func (o *rewriter) endRegion() error {
	if !o.region {
		return nil
	}
	o.region = false
	o.named.region()
	point := o.numbers.pointAfter(o.last)
	o.last = point.SequencePoint.Timestamp
	return o.w.WriteBlock(&point)
}

// add writes the events of Snapshot.Append and those of names.
func (o *rewriter) add(trace *codec.Trace, list iter.Seq[Addition]) error {
	a, err := newAppender(o.w, trace, position{o.types, o.last, o.defined})
	if err != nil {
		return err
	}
	wanted := func(yield func(Addition) bool) {
		for one := range list {
			if (one.Until == 0 || one.Until >= o.part.First) && !yield(one) {
				return
			}
		}
	}
	err = a.all(wanted, func(m *codec.Metadata, row *codec.EventRow) {
		defined := *m
		defined.ID = row.MetadataID
		o.named.define(&defined)
		o.named.event(row)
		o.numbers.next(row.CaptureThreadIndex, row.Sequence)
		o.region = true
		o.part.RundownEvents++
	})
	o.types = a.from.types
	return err
}
