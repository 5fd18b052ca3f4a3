package edit

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Repair makes a complete stream from a truncated or malformed one of version
// 4, 5 or 6, or one with known faults of its writer. It returns its changes. It
// keeps every complete row, and the ids, sequence numbers and block boundaries
// of the intact parts:
//
//   - it adds the end mark, and leaves out bytes after a fault of the framing and
//     rows after a fault in a block
//   - it splits a v6 block whose size exceeded 24 bits
//   - after a fault between or in the objects of v4 and v5 it continues with the
//     next object
//   - it sets the times of event blocks to those of their rows, and removes empty
//     ones
//   - it corrects the day of the week in the Trace block
//   - a last sequence point without a time (a fault of record-trace) gets the time
//     of the newest event
//   - it corrects two other faults of record-trace: numeric labels get the zig-zag
//     encoding, and counted strings are declared as strings
//
// If defects of the source remain, the last Change is their number. Repair ignores
// Options.OnError and uses Skip. The error is one of writing, of src itself, or a
// missing Trace block.
func Repair(ctx context.Context, dst io.Writer, src io.Reader, opt codec.Options) ([]Change, error) {
	opt.OnError, opt.Strict, opt.Order = codec.Skip, false, codec.FileOrder
	var c changes
	framing := newFraming(src, &opt.Limits, &c)
	s, err := open(codec.NewBlockReader(framing, opt))
	if err != nil {
		return nil, err
	}
	format := s.trace.Format.WithTags()
	if format.Minor != 0 {
		c.add("minor version made 0", 1)
		format.Minor = 0
	}
	if !codec.CanWrite(format) {
		return nil, ErrNotWritten
	}
	r := &repair{changes: &c, newest: s.trace.SyncTicks}
	r.next = &sink{w: codec.NewBlockWriter(dst, codec.BlockWriterOptions{Format: format, Preserve: true}), changes: &c}
	if err := s.feed(ctx, r); err != nil {
		return c.list, err
	}
	err = r.ending(s, framing)
	c.add("faults that remain, which nettrace check shows", remaining(s.r))
	return c.list, err
}

// remaining returns the number of defects of the source that repair does not correct.
func remaining(r *codec.BlockReader) (n int) {
	for _, d := range r.Defects() {
		switch d.Rule {
		case rule.EVB008: // times of event blocks
		default:
			n += int(d.Count)
		}
	}
	return n
}

// repair is the stage that corrects blocks.
type repair struct {
	next    stage
	changes *changes
	newest  uint64 // ticks
	counted bool   // record-trace wrote the stream: see recordTraceRow
}

func (r *repair) end() error { return r.next.end() }

func (r *repair) block(b *codec.BlockRows) error {
	switch b.Kind {
	case wire.KindTrace:
		r.weekday(b)
	case wire.KindEvent:
		if len(b.Events) == 0 {
			r.changes.add("empty event blocks left out", 1)
			return nil
		}
		r.times(b)
	case wire.KindMetadata:
		r.metadata(b)
	case wire.KindLabelList:
		r.labels(b)
	case wire.KindSequencePoint:
		if p := &b.SequencePoint; p.Timestamp == 1<<64-1 {
			p.Timestamp = r.newest
			r.changes.add("times of sequence points added", 1)
		} else {
			r.newest = max(r.newest, p.Timestamp)
		}
	}
	return r.next.block(b)
}

// weekday corrects the day of the week of the sync time.
//
// Spec: "Trace block", SyncTimeUTC.
func (r *repair) weekday(b *codec.BlockRows) {
	const at = 4 // after year and month
	if b.Body == nil || len(b.Body) < wire.SystemTimeSize || b.Trace.SyncTime.IsZero() {
		return
	}
	day := uint16(b.Trace.SyncTime.Weekday())
	if binary.LittleEndian.Uint16(b.Body[at:]) == day {
		return
	}
	b.Body = slices.Clone(b.Body)
	binary.LittleEndian.PutUint16(b.Body[at:], day)
	r.changes.add("days of the week corrected", 1)
}

// times makes the times in a header exact.
//
// Spec: "Event block", Header.
func (r *repair) times(b *codec.BlockRows) {
	low, high := b.MinTimestamp, b.MaxTimestamp
	b.SetBounds()
	if b.MinTimestamp != low || b.MaxTimestamp != high {
		r.changes.add("times of event blocks corrected", 1)
	}
	r.newest = max(r.newest, b.MaxTimestamp)
}

// metadata declares the strings of record-trace with their real type: readers
// take the wrong declaration as a sign that labels are not zig-zag.
func (r *repair) metadata(b *codec.BlockRows) {
	for i := range b.Metadata {
		m := b.Metadata[i].Metadata
		r.counted = r.counted || m.Provider == "Universal.System" && slices.ContainsFunc(m.Fields, bareCodeUnit)
	}
	for i := range b.Metadata {
		row := &b.Metadata[i]
		if m := plainStrings(row.Metadata); r.counted && m != row.Metadata {
			row.Metadata, row.Bytes = m, nil
			r.changes.add("strings declared as counted", 1)
		}
	}
}

// labels writes the numbers of label lists as the specification requires.
//
// Spec: "LabelList block", "Primitives", varint.
func (r *repair) labels(b *codec.BlockRows) {
	for i := range b.LabelLists {
		if row := &b.LabelLists[i]; r.counted && row.Bytes != nil {
			row.Bytes = nil
			r.changes.add("label lists with numbers in zig-zag form", 1)
		}
	}
}

// ending counts the changes at the end of the source: the missing end mark, and
// the bytes left out.
func (r *repair) ending(s *source, framing *framing) error {
	if bad, first := s.r.BadBlocks(); bad > 0 {
		r.changes.add("bad blocks, of which the rows before the fault are kept; the first: "+first.Error(), bad)
	}
	err := s.r.Err()
	var fault *codec.Error
	switch {
	case err == nil:
		n, err := s.r.TrailingBytes()
		r.changes.add("bytes after the end mark left out", int(n))
		return err
	case !errors.As(err, &fault):
		return err // of src
	}
	r.changes.add("end marks added", 1)
	if errors.Is(err, codec.ErrTruncated) {
		return nil
	}
	ahead := framing.given - s.r.Offset()
	rest, err := io.Copy(io.Discard, framing)
	r.changes.add("bytes left out after a fault: "+fault.Error(), int(ahead+rest))
	return err
}
