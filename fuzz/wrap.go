package fuzz

import (
	"encoding/binary"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// version is the form of a stream with a block under test.
type version struct {
	wire.Format
	pointer int // size of an address, as in the Trace block
}

var (
	v3     = version{wire.V3, 8}
	v4     = version{wire.V4, 8}
	v4on32 = version{wire.V4, 4}
	v6     = version{wire.V6, 8}
	v6on32 = version{wire.V6, 4}
)

// The rows in the tables of a wrapped stream: 1 to known, and one far row that is
// in the sparse part of a table.
const (
	known   = 4
	farID   = 1 << 20
	farther = 1 << 40 // of threads
)

// tableIDs are those of metadata.
var tableIDs = []uint32{1, 2, 3, known, farID}

// stream builds a trace piece by piece.
type stream struct {
	version
	b []byte
}

// newStream begins a trace with a sound Trace block.
func newStream(v version) *stream { return newStreamTrace(v, v.traceBody()) }

// newStreamTrace begins a trace whose Trace block has the given body.
func newStreamTrace(v version, body []byte) *stream {
	s := &stream{version: v}
	if v.HasSpecification() {
		s.b = append(s.b, "Nettrace"...)
	}
	if !v.HasObjects() {
		s.b = append32(s.b, 0, 6, 0)
	} else {
		s.b = append32(s.b, 20)
		s.b = append(s.b, "!FastSerialization.1"...)
	}
	s.add(wire.KindTrace, body)
	return s
}

// traceBody is a Trace block with ordinary values.
func (v version) traceBody() []byte {
	var b []byte
	for _, part := range []uint16{2026, 11, 6, 21, 2, 0, 14, 171} {
		b = binary.LittleEndian.AppendUint16(b, part)
	}
	b = append64(b, 1000, 1000000000)
	b = append32(b, uint32(v.pointer))
	if v.HasTraceProperties() {
		b = append32(b, 1)
		return append(append(b, text("ProcessId")...), text("77")...)
	}
	return append32(b, 77, 2, 1000000)
}

// objectNames maps the blocks of v3 to v5 to their type names.
var objectNames = map[wire.Kind]string{
	wire.KindTrace: "Trace", wire.KindEvent: "EventBlock", wire.KindMetadata: "MetadataBlock",
	wire.KindStack: "StackBlock", wire.KindSequencePoint: "SPBlock",
}

// add appends a block and returns the offset of its body.
func (s *stream) add(kind wire.Kind, body []byte) int64 {
	if !s.HasObjects() {
		s.b = append32(s.b, uint32(len(body))|uint32(kind)<<24)
		s.b = append(s.b, body...)
		return int64(len(s.b) - len(body))
	}
	if kind == wire.KindTrace {
		s.object(objectNames[kind], s.Major)
	} else {
		s.object(objectNames[kind], 2)
		s.b = append32(s.b, uint32(len(body)))
		for len(s.b)%4 != 0 {
			s.b = append(s.b, 0)
		}
	}
	at := int64(len(s.b))
	s.b = append(append(s.b, body...), wire.TagEnd)
	return at
}

// object appends the tags and the type of an object.
func (s *stream) object(name string, number uint32) {
	begin := byte(wire.TagBeginPrivate)
	if !s.HasSpecification() {
		begin = wire.TagBegin
	}
	s.b = append(s.b, begin, begin, wire.TagNull)
	s.b = append32(s.b, number, number, uint32(len(name)))
	s.b = append(append(s.b, name...), wire.TagEnd)
}

// raw appends bytes that need not be a block.
func (s *stream) raw(b []byte) *stream {
	s.b = append(s.b, b...)
	return s
}

// end appends the end mark and returns the stream, clipped to its length so
// that reading past it fails.
func (s *stream) end() []byte {
	if !s.HasObjects() {
		s.b = append32(s.b, 0)
	} else {
		s.b = append(s.b, wire.TagNull)
	}
	return clip(s.b)
}

func clip(b []byte) []byte { return b[:len(b):len(b)] }

// tables appends blocks with rows to refer to.
func (s *stream) tables() *stream {
	ids := tableIDs
	if !s.HasMetadataBlocks() {
		var rows []byte
		for _, id := range ids {
			rows = append(rows, rowV3(0, definition(id, 1), nil)...)
		}
		s.add(wire.KindEvent, rows)
		return s
	}
	s.add(wire.KindMetadata, s.metadata(ids))
	s.add(wire.KindStack, s.stacks(1, known))
	s.add(wire.KindStack, s.stacks(farID, 1))
	if s.HasThreadTable() {
		s.add(wire.KindThread, threads(1, 2, 3, known, farther))
		s.add(wire.KindLabelList, labelLists(1))
		s.add(wire.KindLabelList, labelLists(farID))
	}
	return s
}

// metadata is a metadata block that defines the ids.
func (s *stream) metadata(ids []uint32) []byte {
	if s.HasMetadataHeaders() {
		b := eventHeader(wire.BlockCompressed)
		for _, id := range ids {
			d := definition(id, 1)
			b = append(b, wire.RowPayloadSize, 0)
			b = append(varuint(b, uint64(len(d))), d...)
		}
		return b
	}
	b := []byte{0, 0}
	for _, id := range ids {
		row := append(varuint(nil, uint64(id)), text("Provider")...)
		row = append(varuint(row, uint64(id&0xFF)), text("Event")...)
		row = append(row, 1, 0, 3, 0, 1, 'a', byte(wire.Int32)) // one field
		row = append(row, 4, 0, byte(wire.MetadataLevel), 4, byte(wire.MetadataVersion), 1)
		b = append(append(b, byte(len(row)), 0), row...)
	}
	return b
}

// definition is the payload of a metadata row of v3 to v5, with a number of
// fields.
func definition(id uint32, fields int) []byte {
	b := append32(nil, id)
	b = append(b, wide("Provider")...)
	b = append32(b, id&0xFF)
	b = append(b, wide("Event")...)
	b = append64(b, 1)
	b = append32(b, 1, 4, uint32(fields))
	for range fields {
		b = append(append32(b, uint32(wire.Int32)), wide("a")...)
	}
	return b
}

// stacks is a stack block: of stacks with 0, 1, 2... addresses.
func (s *stream) stacks(first, count uint32) []byte {
	b := append32(nil, first, count)
	for i := range count {
		b = append32(b, i*uint32(s.pointer))
		for range i * uint32(s.pointer) {
			b = append(b, byte(0x40+i))
		}
	}
	return b
}

// threads is a thread block.
func threads(indexes ...uint64) []byte {
	var b []byte
	for _, index := range indexes {
		row := varuint(nil, index)
		row = varuint(append(row, byte(wire.ThreadOSThreadID)), 1000+index&0xFF)
		row = varuint(append(row, byte(wire.ThreadOSProcessID)), 77)
		row = append(append(row, byte(wire.ThreadName)), text("thread")...)
		b = append(append(b, byte(len(row)), 0), row...)
	}
	return b
}

// labelLists is a label list block with [known] lists.
func labelLists(first uint32) []byte {
	b := append32(nil, first, known)
	b = append(b, byte(wire.LabelOpcode)|wire.LastLabel, 9)
	b = append(append(b, byte(wire.LabelActivityID)), "0123456789abcdef"...)
	b = append(append(b, byte(wire.LabelRelatedActivityID)|wire.LastLabel), "fedcba9876543210"...)
	b = append(b, byte(wire.LabelLevel), 3, byte(wire.LabelVersion)|wire.LastLabel, 7)
	b = append(append(append(b, byte(wire.LabelKeyString)), text("key")...), text("value")...)
	return append(append(append(b, byte(wire.LabelKeyNumber)|wire.LastLabel), text("n")...), 5)
}

// events is an event block whose rows refer to small ids, to the far rows and
// to the ids given.
func (s *stream) events(ids ...uint64) []byte {
	return s.referring(append([]uint64{1, 2, known, known + 1, farID, farther}, ids...))
}

// referring is an event block with a row for each id.
func (s *stream) referring(ids []uint64) []byte {
	var b []byte
	if s.HasEventBlockHeaders() {
		b = eventHeader(wire.BlockCompressed)
	}
	for i, id := range ids {
		payload := []byte{byte(i), 1, 2, 3}
		if !s.HasEventBlockHeaders() {
			b = append(b, rowV3(uint32(id)|1, payload, make([]byte, 2*s.pointer))...)
			continue
		}
		flags := byte(wire.RowMetadataID | wire.RowSequence | wire.RowThread | wire.RowStackID | wire.RowPayloadSize)
		if s.HasLabelLists() {
			flags |= wire.RowLabelList
		}
		b = varuint(append(b, flags), id&0xFFFFFFFF)
		b = varuint(append(b, 0), id) // sequence and capture thread
		b = varuint(append(b, 1), id) // processor and thread
		b = varuint(b, id&0xFFFFFFFF) // stack
		b = append(b, 1)              // time
		if s.HasLabelLists() {
			b = varuint(b, id&0xFFFFFFFF)
		}
		b = append(append(b, byte(len(payload))), payload...)
	}
	return b
}

// idsIn guesses which ids a body defines: numbers at places where the first
// row of some block has its own.
func idsIn(body []byte) []uint64 {
	var ids []uint64
	if len(body) >= 4 {
		ids = append(ids, uint64(binary.LittleEndian.Uint32(body)))
	}
	for _, at := range []int{0, 2, 4} {
		if at < len(body) {
			if v, n := binary.Uvarint(body[at:]); n > 0 {
				ids = append(ids, v)
			}
		}
	}
	return ids
}

// eventHeader is the header of an event block of v4 to v6.
func eventHeader(flags uint16) []byte {
	b := binary.LittleEndian.AppendUint16(nil, 20)
	b = binary.LittleEndian.AppendUint16(b, flags)
	return append64(b, 0, 1<<40)
}

// rowV3 is an event row of v3; id 0 defines metadata.
func rowV3(id uint32, payload, stack []byte) []byte {
	size := 56 + len(payload) + 4 + len(stack)
	padded := (size + 3) &^ 3
	b := append32(nil, uint32(padded)-4, id, 5)
	b = append64(b, 2000)
	b = append(b, "activity.activity.related.related"[:32]...)
	b = append(append32(b, uint32(len(payload))), payload...)
	b = append(append32(b, uint32(len(stack))), stack...)
	return append(b, make([]byte, padded-size)...)
}

// rowPlainV4 is an uncompressed row of v4.
func rowPlainV4(id, sequence, stack uint32, thread uint64, payload []byte) []byte {
	b := append32(nil, uint32(76+len(payload)), id, sequence)
	b = append64(b, thread, thread)
	b = append64(append32(b, 1, stack), 2000)
	b = append(b, "activity.activity.related.related"[:32]...)
	return append(append32(b, uint32(len(payload))), payload...)
}

// rowPlainV6 is an uncompressed row of v6.
func rowPlainV6(id, sequence, stack, labels uint32, thread uint64, payload []byte) []byte {
	b := append32(nil, uint32(48+len(payload)), id, sequence)
	b = append64(b, thread, thread)
	b = append64(append32(b, 1, stack), 2000)
	return append(append32(b, labels, uint32(len(payload))), payload...)
}

func append32(b []byte, values ...uint32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func append64(b []byte, values ...uint64) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

func varuint(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }

// text is a string of v6.
func text(s string) []byte { return append(varuint(nil, uint64(len(s))), s...) }

// wide is a zero-terminated string of v3 to v5.
func wide(s string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return append(b, 0, 0)
}
