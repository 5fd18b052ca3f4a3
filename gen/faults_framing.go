package gen

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Versions in which faults are possible.
const (
	in45  = rule.V4 | rule.V5
	in456 = in45 | rule.V6
	in5   = rule.V5
	in56  = rule.V5 | rule.V6
	in6   = rule.V6
)

// headerFaults are faults in the first bytes of a stream.
var headerFaults = []Fault{
	{Name: "magic-letter", Rule: rule.HDR001, Reader: rule.HDR001, Versions: in456, inject: patch(0, 'n')},
	{Name: "header-cut", Rule: rule.HDR002, Reader: rule.HDR002, Versions: in456,
		inject: edit(-1, func(b []byte) []byte { return b[:15] })},
	{Name: "serialization-name", Rule: rule.HDR004, Reader: rule.HDR004, Versions: in45,
		inject: edit(8, func(b []byte) []byte { b[13] = 'f'; return b })},
	{Name: "reserved-set", Rule: rule.HDR005, Reader: rule.HDR005, Versions: in6, inject: patch(8, 1)},
	{Name: "major-high", Rule: rule.HDR006, Reader: rule.HDR006, Versions: in6, inject: patch(12, 7)},
	{Name: "major-low", Rule: rule.HDR006, Reader: rule.HDR006, Versions: in6, inject: patch(12, 5)},
	{Name: "minor-set", Rule: rule.HDR007, Versions: in6, inject: patch(16, 1)},
	{Name: "byte-order-mark", Rule: rule.HDR008, Reader: rule.HDR008, Versions: in456,
		inject: edit(0, func(b []byte) []byte { return slices.Concat([]byte{0xEF, 0xBB, 0xBF}, b) })},
}

// framingFaults are faults in the blocks of v6 as such.
var framingFaults = []Fault{
	{Name: "header-of-block-cut", Rule: rule.BLK001, Reader: rule.BLK001, Versions: in6, inject: func(s *template) {
		whole, _ := s.frame(s.bad)
		edit(len(whole)-4, func(b []byte) []byte { return b[:len(b)-2] })(s)
	}},
	{Name: "block-past-stream", Rule: rule.BLK002, Versions: in6, inject: object(roleFinalPoint, 2, 9)},
	{Name: "unknown-kind", Rule: rule.BLK003, Versions: in6, inject: insert(roleLastPoint, 99, []byte{1, 2, 3})},
	{Name: "trace-not-first", Rule: rule.BLK005, Reader: rule.BLK005, Versions: in6, inject: traceSecond},
	{Name: "second-trace", Rule: rule.BLK006, Reader: rule.BLK006, Versions: in6, inject: traceTwice},
	{Name: "empty-metadata-block", Rule: rule.BLK007, Versions: in6, inject: insert(roleLastPoint, wire.KindMetadata, nil)},
	{Name: "empty-stack-block", Rule: rule.BLK007, Versions: in6, inject: insert(roleLastPoint, wire.KindStack, nil)},
	{Name: "empty-label-block", Rule: rule.BLK007, Versions: in6, inject: insert(roleLastPoint, wire.KindLabelList, nil)},
	{Name: "empty-event-block", Rule: rule.BLK007, Versions: in6, inject: insert(roleLastPoint, wire.KindEvent, nil)},
	{Name: "empty-point", Rule: rule.BLK007, Versions: in6, inject: insert(roleLastPoint, wire.KindSequencePoint, nil)},
	{Name: "empty-thread-block", Rule: rule.BLK007, Versions: in6, inject: insert(roleLastPoint, wire.KindThread, nil)},
	{Name: "empty-remove-block", Rule: rule.BLK007, Versions: in6, inject: insert(roleLastPoint, wire.KindRemoveThread, nil)},
}

// traceSecond makes the Trace block the second one.
func traceSecond(s *template) {
	s.bad[0], s.bad[1] = s.bad[1], s.bad[0]
	s.fault = place{0, -1}
}

// traceTwice writes the Trace block twice.
func traceTwice(s *template) {
	i := s.part(roleLastPoint)
	s.bad = slices.Insert(s.bad, i, s.bad[0])
	s.fault = place{i, -1}
}

// traceFaults are faults in the Trace block.
var traceFaults = []Fault{
	{Name: "trace-short", Rule: rule.TRC001, Reader: rule.TRC001, Versions: in6, inject: func(s *template) {
		s.bad[0].body = s.bad[0].body[:39]
		s.fault = place{0, 39}
	}},
	{Name: "trace-slack", Rule: rule.TRC001, Versions: in6, inject: func(s *template) {
		s.fault = place{0, len(s.bad[0].body)}
		s.bad[0].body = append(s.bad[0].body, 0, 0)
	}},
	{Name: "month-13", Rule: rule.TRC002, Reader: rule.TRC002, Versions: in456,
		inject: change(roleTrace, header, "SyncTimeUTC", func(b []byte) { b[2] = 13 })},
	{Name: "weekday", Rule: rule.TRC003, Versions: in456,
		inject: change(roleTrace, header, "DayOfWeek", func(b []byte) { b[0] = (b[0] + 6) % 7 })},
	{Name: "year-2001", Rule: rule.TRC004, Versions: in456, inject: change(roleTrace, header, "SyncTimeUTC", func(b []byte) {
		binary.LittleEndian.PutUint16(b, 2001)
		binary.LittleEndian.PutUint16(b[4:], 3) // 21 November 2001 was a Wednesday
	})},
	{Name: "frequency-zero", Rule: rule.TRC005, Reader: rule.TRC005, Versions: in456,
		inject: set(roleTrace, header, "TickFrequency", u64(0)...)},
	{Name: "frequency-low", Rule: rule.TRC006, Versions: in456, inject: set(roleTrace, header, "TickFrequency", u64(10)...)},
	{Name: "ticks-negative", Rule: rule.TRC007, Versions: in456,
		inject: change(roleTrace, header, "SyncTimeTicks", func(b []byte) { b[7] |= 0x80 })},
	{Name: "pointer-size-5", Rule: rule.TRC008, Reader: rule.TRC008, Versions: in456,
		inject: set(roleTrace, header, "PointerSize", u32(5)...)},
	{Name: "process-zero", Rule: rule.TRC009, Versions: in45, inject: set(roleTrace, header, "ProcessId", u32(0)...)},
	{Name: "processors-zero", Rule: rule.TRC009, Versions: in45, inject: set(roleTrace, header, "NumberOfProcessors", u32(0)...)},
	{Name: "property-count-negative", Rule: rule.TRC010, Reader: rule.TRC010, Versions: in6,
		inject: set(roleTrace, header, "KeyValueCount", u32(1<<32-1)...)},
	{Name: "property-missing", Rule: rule.TRC010, Reader: rule.TRC010, Versions: in6,
		inject: atEnd(change(roleTrace, header, "KeyValueCount", add32(1)))},
	{Name: "property-not-utf8", Rule: rule.TRC011, Versions: in6, inject: at(roleTrace, last, "Value",
		change(roleTrace, last, "Value text", func(b []byte) { b[0] = 0xFF }))},
	{Name: "property-twice", Rule: rule.TRC012, Versions: in6, inject: set(roleTrace, last, "Key", 5, 'a', 'l', 'p', 'h', 'a')},
	{Name: "process-not-a-number", Rule: rule.TRC013, Versions: in6, inject: at(roleTrace, 0, "Value",
		change(roleTrace, 0, "Value text", func(b []byte) { b[0] = 'x' }))},
	{Name: "process-key-misspelt", Rule: rule.TRC014, Versions: in6, inject: at(roleTrace, 0, "Key",
		change(roleTrace, 0, "Key text", func(b []byte) { b[0] = 'p' }))},
}

// endOfStreamFaults are faults in the last bytes of a stream.
var endOfStreamFaults = []Fault{
	{Name: "no-end-block", Rule: rule.EOS001, Reader: rule.EOS001, Versions: in6,
		inject: edit(-1, func(b []byte) []byte { return b[:len(b)-4] })},
	{Name: "end-block-with-data", Rule: rule.EOS002, Versions: in6, inject: func(s *template) {
		whole, _ := s.frame(s.bad)
		edit(len(whole)-4, func(b []byte) []byte { b[len(b)-4] = 2; return append(b, 0, 0) })(s)
	}},
	{Name: "bytes-behind-end-block", Rule: rule.EOS003, Versions: in6, inject: trailing},
	{Name: "no-null-tag", Rule: rule.EOS004, Reader: rule.EOS004, Versions: in45,
		inject: edit(-1, func(b []byte) []byte { return b[:len(b)-1] })},
	{Name: "bytes-behind-null-tag", Rule: rule.EOS005, Versions: in45, inject: trailing},
	{Name: "cut-in-block", Rule: rule.EOS006, Reader: rule.EOS006, Versions: in456,
		inject: edit(-1, func(b []byte) []byte { return b[:len(b)-12] })},
}

// trailing adds bytes after the end mark.
func trailing(s *template) {
	whole, _ := s.frame(s.bad)
	edit(len(whole), func(b []byte) []byte { return append(b, 'x', 'y') })(s)
}

// objectFaults are faults in the objects of v4 and v5.
var objectFaults = []Fault{
	{Name: "type-tag", Rule: rule.OBJ001, Reader: rule.OBJ001, Versions: in45, inject: object(roleStacks, 1, 4)},
	{Name: "type-of-type-tag", Rule: rule.OBJ001, Versions: in45, inject: object(roleStacks, 2, 5)},
	{Name: "object-tag", Rule: rule.OBJ002, Reader: rule.OBJ002, Versions: in45, inject: object(roleStacks, 0, 4)},
	{Name: "trace-object-not-first", Rule: rule.OBJ003, Reader: rule.OBJ003, Versions: in45, inject: traceSecond},
	{Name: "trace-reader-6", Rule: rule.OBJ004, Reader: rule.OBJ004, Versions: in45, inject: object(roleTrace, 7, 6)},
	{Name: "block-reader-3", Rule: rule.OBJ005, Reader: rule.OBJ005, Versions: in45, inject: object(roleStacks, 7, 3)},
	{Name: "block-reader-1", Rule: rule.OBJ005, Versions: in45, inject: object(roleSpareStacks, 7, 1)},
	{Name: "unknown-object", Rule: rule.OBJ006, Versions: in45, inject: object(roleSpareStacks, 15, 's')},
	{Name: "type-name-empty", Rule: rule.OBJ007, Reader: rule.OBJ007, Versions: in45, inject: object(roleStacks, 11, 0)},
	{Name: "type-name-long", Rule: rule.OBJ007, Reader: rule.OBJ007, Versions: in45, inject: object(roleStacks, 11, 10, 1)},
	{Name: "object-size-negative", Rule: rule.OBJ008, Reader: rule.OBJ008, Versions: in45,
		inject: objectSize(roleStacks, 1<<32-1)},
	{Name: "object-past-stream", Rule: rule.OBJ008, Versions: in45, inject: objectSize(roleFinalPoint, 1000)},
	{Name: "padding-too-long", Rule: rule.OBJ009, Versions: in45, inject: func(s *template) {
		_, starts := s.frame(s.bad)
		at := int(starts[s.part(roleFinalPoint)].body)
		edit(at, func(b []byte) []byte { return slices.Insert(b, at, 0) })(s)
	}},
	{Name: "padding-not-zero", Rule: rule.OBJ010, Versions: in45, inject: padding},
	{Name: "end-tag", Rule: rule.OBJ011, Reader: rule.OBJ011, Versions: in45, inject: func(s *template) {
		i := s.part(roleStacks)
		_, starts := s.frame(s.bad)
		patch(int(starts[i].body)+len(s.bad[i].body), 7)(s)
	}},
	{Name: "second-trace-object", Rule: rule.OBJ012, Reader: rule.OBJ012, Versions: in45, inject: traceTwice},
}

// objectSize writes another size of an object.
func objectSize(role string, size uint32) func(*template) {
	return func(s *template) {
		const fixed = 3 + 3*4 + 1 // tags, numbers, the end of the type
		object(role, fixed+len(s.bad[s.part(role)].typeName), u32(size)...)(s)
	}
}

// padding writes a byte other than zero before an aligned body.
func padding(s *template) {
	whole, starts := s.frame(s.bad)
	for i := 1; i < len(starts); i++ {
		head := int(starts[i].block) + 3 + 3*4 + 1 + len(s.bad[i].typeName) + 4
		if body := int(starts[i].body); body > head && bytes.Equal(whole[head:body], make([]byte, body-head)) {
			patch(head, 1)(s)
			return
		}
	}
	panic("gen: no block is padded")
}
