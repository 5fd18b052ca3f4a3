package edit

import (
	"errors"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// sink is the last stage: it writes. A block that the framing cannot express is
// split, a row that has no room is left out.
type sink struct {
	w       *codec.BlockWriter
	changes *changes
}

func (s *sink) end() error { return s.w.Close() }

func (s *sink) block(b *codec.BlockRows) error {
	err := s.w.WriteBlock(b)
	if !errors.Is(err, codec.ErrLimit) && !errors.Is(err, codec.ErrFormat) {
		return err
	}
	switch b.Kind {
	case wire.Event:
		return split(b, b.Events, err, s.events)
	case wire.Stack:
		return split(b, b.Stacks, err, s.stacks)
	case wire.LabelList:
		return split(b, b.LabelLists, err, s.labelLists)
	case wire.Thread:
		return split(b, b.Threads, err, s.threads)
	case wire.Metadata:
		if len(b.Metadata) == 1 && len(b.Metadata[0].Metadata.Fields) > 0 {
			return s.withoutFields(b)
		}
		return split(b, b.Metadata, err, s.metadata)
	}
	return err
}

// split writes the two halves of a block, or nothing when it has one row.
func split[T any](b *codec.BlockRows, rows []T, err error, half func(part codec.BlockRows, first int, rows []T) error) error {
	n := len(rows)
	if n == 0 {
		return err
	}
	if n == 1 {
		return half(*b, 0, nil)
	}
	err = half(*b, 0, rows[:n/2])
	if err == nil {
		err = half(*b, n/2, rows[n/2:])
	}
	return err
}

func (s *sink) events(part codec.BlockRows, _ int, rows []codec.EventRow) error {
	part.Events = rows
	part.SetBounds()
	return s.part(&part, len(rows))
}

func (s *sink) stacks(part codec.BlockRows, first int, rows []codec.StackBytes) error {
	part.FirstID, part.Stacks = part.FirstID+uint32(first), rows
	return s.part(&part, len(rows))
}

func (s *sink) labelLists(part codec.BlockRows, first int, rows []codec.LabelListBytes) error {
	part.FirstID, part.LabelLists = part.FirstID+uint32(first), rows
	return s.part(&part, len(rows))
}

func (s *sink) threads(part codec.BlockRows, _ int, rows []codec.ThreadBytes) error {
	part.Threads = rows
	return s.part(&part, len(rows))
}

func (s *sink) metadata(part codec.BlockRows, _ int, rows []codec.MetadataBytes) error {
	part.Metadata = rows
	return s.part(&part, len(rows))
}

// part writes a half, or counts a row that has no room.
func (s *sink) part(b *codec.BlockRows, rows int) error {
	if rows == 0 {
		s.changes.add("rows without room left out, "+b.Kind.String(), 1)
		return nil
	}
	return s.block(b)
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
