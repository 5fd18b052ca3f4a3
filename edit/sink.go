package edit

import (
	"errors"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// sink is the last stage: it writes. A block that the format cannot express is
// split, a row that it cannot express is left out.
type sink struct {
	w       *codec.BlockWriter
	changes *changes
}

func (s *sink) end() error { return s.w.Close() }

func (s *sink) block(b *codec.BlockRows) error {
	err := s.w.WriteBlock(b)
	if !errors.Is(err, codec.ErrLimit) && !errors.Is(err, codec.ErrNotExpressible) {
		return err
	}
	switch b.Kind {
	case wire.KindEvent:
		return split(s, b, b.Events, err, func(part *codec.BlockRows, _ int, rows []codec.EventRow) {
			part.Events = rows
			part.SetBounds()
		})
	case wire.KindStack:
		return split(s, b, b.Stacks, err, func(part *codec.BlockRows, first int, rows []codec.StackBytes) {
			part.FirstID, part.Stacks = part.FirstID+uint32(first), rows
		})
	case wire.KindLabelList:
		return split(s, b, b.LabelLists, err, func(part *codec.BlockRows, first int, rows []codec.LabelListBytes) {
			part.FirstID, part.LabelLists = part.FirstID+uint32(first), rows
		})
	case wire.KindThread:
		return split(s, b, b.Threads, err, func(part *codec.BlockRows, _ int, rows []codec.ThreadBytes) { part.Threads = rows })
	case wire.KindRemoveThread:
		return split(s, b, b.Removed, err, func(part *codec.BlockRows, _ int, rows []codec.ThreadSequence) { part.Removed = rows })
	case wire.KindMetadata:
		if len(b.Metadata) == 1 && len(b.Metadata[0].Metadata.Fields) > 0 {
			return s.withoutFields(b)
		}
		return split(s, b, b.Metadata, err, func(part *codec.BlockRows, _ int, rows []codec.MetadataBytes) { part.Metadata = rows })
	case wire.KindSequencePoint:
		return s.withoutThreads(b, err)
	}
	return err
}

// split writes the two halves of a block. A block with one row is left out.
func split[T any](s *sink, b *codec.BlockRows, rows []T, err error, set func(part *codec.BlockRows, first int, rows []T)) error {
	switch n := len(rows); n {
	case 0:
		return err
	case 1:
		s.omit(b, err)
		return nil
	default:
		part := *b
		set(&part, 0, rows[:n/2])
		if err := s.block(&part); err != nil {
			return err
		}
		part = *b
		set(&part, n/2, rows[n/2:])
		return s.block(&part)
	}
}

// omit counts a block of one row that is left out.
func (s *sink) omit(b *codec.BlockRows, reason error) {
	offset := b.Offset
	if b.Kind == wire.KindEvent {
		offset = b.Events[0].Offset
	}
	s.changes.omit("rows that do not fit left out, "+b.Kind.String(), reason, offset)
}

// withoutFields writes the one metadata row of a block without its fields.
func (s *sink) withoutFields(b *codec.BlockRows) error {
	m := *b.Metadata[0].Metadata
	s.changes.add("fields of metadata left out", len(m.Fields))
	m.Fields = nil
	part := *b
	part.Metadata = []codec.MetadataBytes{{Metadata: &m, Header: b.Metadata[0].Header}}
	return s.block(&part)
}

// withoutThreads writes a sequence point without its list. Stacks and label
// lists end there all the same; losses that only the list shows are missing.
func (s *sink) withoutThreads(b *codec.BlockRows, reason error) error {
	if len(b.SequencePoint.Threads) == 0 {
		return reason
	}
	s.changes.omit("lists of threads of sequence points left out", reason, b.Offset)
	part := *b
	part.SequencePoint.Threads = nil
	return s.block(&part)
}
