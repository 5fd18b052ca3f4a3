package gen

import (
	"encoding/binary"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// last means the last row that has a field.
const last = -2

// part returns the position of the block with a role.
func (s *template) part(role string) int {
	i := slices.Index(s.roles, role)
	if i < 0 {
		panic("gen: no block is " + role)
	}
	return i
}

// fields returns the current fields of a block.
func (s *template) fields(i int) fields {
	p := &s.bad[i]
	return fieldsOf(p.kind, p.body, s.format)
}

// find returns a field of a row of a block, or of the block's header: the nth of
// its name, from 0.
func (s *template) find(role string, row int, name string, nth int) (int, fields, layout.Field) {
	i := s.part(role)
	l := s.fields(i)
	if row == last {
		for _, f := range l {
			if is(&f, name) {
				row = f.Row
			}
		}
	}
	for _, f := range l {
		if is(&f, name) && (f.Row == row || f.Row == header) {
			if nth == 0 {
				return i, l, f
			}
			nth--
		}
	}
	panic("gen: no field " + name + " in " + role)
}

// faultAt makes a position in a block the place of the fault.
func (s *template) faultAt(i int, l fields, row, pos int) {
	s.fault = place{i, pos}
	s.row = l.start(row)
}

// splice replaces n bytes of a block at pos, and adjusts the sizes of the
// containers.
func (s *template) splice(i int, l fields, pos, n int, with []byte, containers ...string) {
	p := &s.bad[i]
	if delta := len(with) - n; delta != 0 {
		l.resize(p.body, pos, delta, containers...)
	}
	p.body = slices.Concat(p.body[:pos], with, p.body[pos+n:])
}

// set writes other bytes in place of a field: the fault.
func set(role string, row int, name string, with ...byte) func(*template) {
	return setNth(role, row, name, 0, with...)
}

func setNth(role string, row int, name string, nth int, with ...byte) func(*template) {
	return func(s *template) {
		i, l, f := s.find(role, row, name, nth)
		s.faultAt(i, l, f.Row, f.Pos)
		s.splice(i, l, f.Pos, f.Size, with)
	}
}

// change changes the bytes of a field without its size.
func change(role string, row int, name string, how func([]byte)) func(*template) {
	return func(s *template) {
		i, l, f := s.find(role, row, name, 0)
		s.faultAt(i, l, f.Row, f.Pos)
		how(s.bad[i].body[f.Pos : f.Pos+f.Size])
	}
}

// lengthen encodes the value of a varuint in n bytes.
func lengthen(role string, row int, name string, n int) func(*template) {
	return func(s *template) {
		i, l, f := s.find(role, row, name, 0)
		long := slices.Clone(s.bad[i].body[f.Pos : f.Pos+f.Size])
		for len(long) < n {
			long[len(long)-1] |= 0x80
			long = append(long, 0)
		}
		s.faultAt(i, l, f.Row, f.Pos)
		s.splice(i, l, f.Pos, f.Size, long)
	}
}

// u32 is a number of 4 bytes.
func u32(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }

// u64 is a number of 8 bytes.
func u64(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

// varuint encodes a number in the fewest bytes.
func varuint(n uint64) []byte { return wire.AppendVarUint(nil, n) }

// add32 adds to a number of 4 bytes.
func add32(delta int32) func([]byte) {
	return func(b []byte) {
		binary.LittleEndian.PutUint32(b, binary.LittleEndian.Uint32(b)+uint32(delta))
	}
}

// add64 adds to a number of 8 bytes.
func add64(delta int64) func([]byte) {
	return func(b []byte) {
		binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)+uint64(delta))
	}
}

// cut removes the end of a container, from keep bytes after the start of a field
// on. The fault is at the field.
func cut(role string, row int, name string, keep int, container string) func(*template) {
	return cutNth(role, row, name, 0, keep, container)
}

func cutNth(role string, row int, name string, nth, keep int, container string) func(*template) {
	return func(s *template) {
		i, l, f := s.find(role, row, name, nth)
		from, end := f.Pos+keep, len(s.bad[i].body)
		for _, c := range l.counting(f.Pos, container) {
			end = c.To
		}
		s.faultAt(i, l, f.Row, f.Pos)
		s.splice(i, l, from, end-from, nil)
	}
}

// grow puts bytes at the end of a container of a row, which grow with it; the
// containers in it that end there do not.
func grow(role string, row int, container string, with []byte, outer ...string) func(*template) {
	return func(s *template) {
		i, l, f := s.find(role, row, container, 0)
		s.faultAt(i, l, f.Row, f.To)
		l.resize(s.bad[i].body, f.To-1, len(with), append(outer, container)...)
		s.bad[i].body = slices.Insert(s.bad[i].body, f.To, with...)
	}
}

// atEnd moves the fault to the end of its block, where something is missing.
func atEnd(inject func(*template)) func(*template) {
	return func(s *template) {
		inject(s)
		s.fault.pos = len(s.bad[s.fault.part].body)
	}
}

// at moves the fault to another field, which the change made wrong.
func at(role string, row int, name string, inject func(*template)) func(*template) {
	return func(s *template) {
		i, l, f := s.find(role, row, name, 0)
		inject(s)
		s.faultAt(i, l, f.Row, f.Pos)
	}
}

// insert puts a block before the one with a role. The fault is the block.
func insert(role string, kind wire.Kind, body []byte) func(*template) {
	return func(s *template) {
		i := s.part(role)
		s.bad = slices.Insert(s.bad, i, part{kind: kind, body: body})
		s.fault, s.row = place{i, -1}, -1
	}
}

// rows changes the rows of an event block and adjusts its header.
func rows(role string, row int, name string, how func([]codec.EventRow) []codec.EventRow) func(*template) {
	return func(s *template) {
		i := s.part(role)
		block := s.trace.Blocks[i]
		block.Events = how(slices.Clone(block.Events))
		for j := range block.Events {
			ticks := block.Events[j].Timestamp
			if j == 0 {
				block.MinTimestamp, block.MaxTimestamp = ticks, ticks
			}
			block.MinTimestamp, block.MaxTimestamp = min(block.MinTimestamp, ticks), max(block.MaxTimestamp, ticks)
		}
		s.bad[i].body = partsOf(&Trace{Format: s.format, Blocks: []codec.BlockRows{s.trace.Blocks[0], block}})[1].body
		_, l, f := s.find(role, row, name, 0)
		s.faultAt(i, l, f.Row, f.Pos)
	}
}

// patch writes bytes at a position of the stream.
func patch(pos int, with ...byte) func(*template) {
	return edit(pos, func(b []byte) []byte {
		copy(b[pos:], with)
		return b
	})
}

// edit changes the complete stream; the fault is at pos, -1 for its end.
func edit(pos int, how func([]byte) []byte) func(*template) {
	return func(s *template) {
		s.fault, s.row = place{-1, pos}, pos
		s.stream = how
	}
}

// object changes the head of the object of a block (v4, v5) at a position.
func object(role string, pos int, with ...byte) func(*template) {
	return func(s *template) {
		_, starts := s.frame(s.bad)
		patch(int(starts[s.part(role)].block)+pos, with...)(s)
	}
}
