package gen

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// stackFaults are faults in stacks and references to them.
var stackFaults = []Fault{
	{Name: "stack-missing", Rule: rule.STK001, Reader: rule.STK001, Versions: in456, inject: atEnd(change(roleSpareStacks, header, "Count", add32(1)))},
	{Name: "stack-slack", Rule: rule.STK001, Reader: rule.STK001, Versions: in456,
		inject: at(roleSpareStacks, last, "StackSize", change(roleSpareStacks, header, "Count", add32(-1)))},
	{Name: "stack-past-block", Rule: rule.STK002, Reader: rule.STK002, Versions: in456,
		inject: at(roleSpareStacks, last, "Stack", change(roleSpareStacks, last, "StackSize", add32(8)))},
	{Name: "stack-size-negative", Rule: rule.STK002, Reader: rule.STK002, Versions: in456,
		inject: at(roleSpareStacks, last, "Stack", set(roleSpareStacks, last, "StackSize", u32(1<<32-8)...))},
	{Name: "stack-not-whole", Rule: rule.STK003, Reader: rule.STK003, Versions: in456,
		inject: at(roleSpareStacks, last, "StackSize", cutLast(roleSpareStacks, "Stack", 3))},
	{Name: "stack-id-zero", Rule: rule.STK004, Versions: in456, inject: func(s *template) {
		i := s.part(roleSpareStacks)
		set(roleSpareStacks, header, "FirstId", u32(0)...)(s)
		binary.LittleEndian.PutUint32(s.bad[i].body[4:], 1) // the second one would be defined twice
		_, l, f := s.find(roleSpareStacks, 0, "Stack", 0)
		s.bad[i].body = s.bad[i].body[:f.Pos+f.Size]
		s.faultAt(i, l, header, 0)
	}},
	{Name: "stack-id-twice", Rule: rule.STK005, Reader: rule.STK005, Versions: in456, inject: at(roleSpareStacks, 0, "StackSize",
		set(roleSpareStacks, header, "FirstId", u32(1)...))},
	{Name: "stack-ids-overflow", Rule: rule.STK006, Reader: rule.STK006, Versions: in456,
		inject: set(roleSpareStacks, header, "FirstId", u32(math.MaxUint32)...)},
	{Name: "unknown-stack", Rule: rule.STK007, Reader: rule.STK007, Versions: in456, inject: set(roleRows, 2, "StackId", 77)},
	{Name: "stack-too-late", Rule: rule.STK008, Reader: rule.STK007, Versions: in456, inject: set(roleValues, 1, "StackId", 2)},
	{Name: "stack-of-region-before", Rule: rule.STK009, Reader: rule.STK007, Versions: in456, inject: func(s *template) {
		set(roleSpareStacks, header, "FirstId", u32(8)...)(s) // so that 2 is not defined later
		s.good[s.fault.part].body = slices.Clone(s.bad[s.fault.part].body)
		set(roleValues, 1, "StackId", 2)(s)
	}},
	{Name: "no-stacks", Rule: rule.STK011, Versions: in456, inject: func(s *template) {
		i := s.part(roleLastPoint)
		insert(roleLastPoint, wire.KindStack, slices.Concat(u32(9), u32(0)))(s)
		s.bad[i].typeName, s.bad[i].version, s.bad[i].minReader = s.bad[s.part(roleStacks)].typeName, 2, 2
		s.fault.pos = 4
	}},
	{Name: "frame-zero", Rule: rule.STK013, Versions: in456,
		inject: change(roleSpareStacks, last, "Stack", func(b []byte) { clear(b[:8]) })},
}

// cutLast leaves out the last n bytes of a field, which is all of its container.
func cutLast(role, name string, n int) func(*template) {
	return func(s *template) {
		i, l, f := s.find(role, last, name, 0)
		s.faultAt(i, l, f.Row, f.Pos)
		s.splice(i, l, f.Pos+f.Size-n, n, nil)
	}
}

// threadFaults are faults in thread rows and references to them.
var threadFaults = []Fault{
	{Name: "thread-row-past-block", Rule: rule.THR001, Reader: rule.THR001, Versions: in6,
		inject: at(roleSpareThreads, last, "Index", set(roleSpareThreads, last, "RowSize", 0xFF, 0x7F))},
	{Name: "thread-row-empty", Rule: rule.THR001, Reader: rule.THR001, Versions: in6, inject: cut(roleSpareThreads, last, "Index", 0, "RowSize")},
	{Name: "thread-property-unknown", Rule: rule.THR002, Reader: rule.THR002, Versions: in6, inject: set(roleSpareThreads, last, "Kind", 9)},
	{Name: "thread-row-cut", Rule: rule.THR003, Reader: rule.THR003, Versions: in6,
		inject: cutNth(roleSpareThreads, last, "Value", 1, 1, "RowSize")},
	{Name: "thread-index-twice", Rule: rule.THR004, Reader: rule.THR004, Versions: in6, inject: set(roleSpareThreads, last, "Index", 1)},
	{Name: "thread-property-twice", Rule: rule.THR005, Versions: in6,
		inject: setNth(roleSpareThreads, last, "Kind", 2, byte(wire.ThreadOSProcessID))},
	{Name: "thread-key-twice", Rule: rule.THR005, Versions: in6, inject: setNth(roleSpareThreads, last, "Key", 1, 4, 'p', 'o', 'o', 'l')},
	{Name: "thread-ids-twice", Rule: rule.THR007, Versions: in6, inject: setNth(roleSpareThreads, last, "Id", 1, 71)},
	{Name: "thread-name-not-utf8", Rule: rule.THR008, Versions: in6, inject: at(roleSpareThreads, last, "Name",
		change(roleSpareThreads, last, "Name text", func(b []byte) { b[0] = 0xFF }))},
	{Name: "unknown-thread", Rule: rule.THR009, Reader: rule.THR009, Versions: in6, inject: set(roleRows, 2, "ThreadIndex", 77)},
	{Name: "unknown-capture-thread", Rule: rule.THR010, Reader: rule.THR010, Versions: in6, inject: func(s *template) {
		set(roleRows, 0, "CaptureThreadIndex", 77)(s)
	}},
	{Name: "thread-after-flush", Rule: rule.THR011, Versions: in6,
		inject: at(roleValues, 0, "ThreadIndex", set(rolePoint, header, "Flags", u32(wire.SequenceThreads)...))},
}

// removeThreadFaults are faults in removals of threads.
var removeThreadFaults = []Fault{
	{Name: "removal-cut", Rule: rule.RMT001, Reader: rule.RMT001, Versions: in6, inject: func(s *template) {
		i, l, f := s.find(roleRemove, last, "SequenceNumber", 0)
		s.faultAt(i, l, f.Row, f.Pos)
		s.bad[i].body = s.bad[i].body[:f.Pos]
	}},
	{Name: "removal-of-unknown", Rule: rule.RMT002, Reader: rule.RMT002, Versions: in6, inject: set(roleRemove, 0, "Index", 77)},
	{Name: "removal-twice", Rule: rule.RMT003, Reader: rule.RMT003, Versions: in6, inject: func(s *template) {
		i := s.part(roleRemove)
		b := s.bad[i].body
		s.fault, s.row = place{i, len(b)}, len(b)
		s.bad[i].body = slices.Concat(b, b)
	}},
	{Name: "removal-number-low", Rule: rule.RMT004, Versions: in6, inject: set(roleRemove, 0, "SequenceNumber", 1)},
	{Name: "removal-number-high", Rule: rule.RMT005, Versions: in6, inject: set(roleRemove, 0, "SequenceNumber", 9)},
	{Name: "event-of-removed-thread", Rule: rule.RMT006, Reader: rule.THR009, Versions: in6, inject: set(roleValues, 1, "ThreadIndex", 3)},
	{Name: "removed-index-again", Rule: rule.RMT007, Versions: in6, inject: set(roleSpareThreads, last, "Index", 3)},
}

// labelListFaults are faults in labels and references to them.
var labelListFaults = []Fault{
	{Name: "label-index-zero", Rule: rule.LBL001, Reader: rule.LBL001, Versions: in6, inject: func(s *template) {
		i := s.part(roleSpareLabels)
		_, _, f := s.find(roleSpareLabels, 1, "Kind", 0)
		set(roleSpareLabels, header, "firstIndex", u32(0)...)(s)
		s.bad[i].body[4] = 1 // the second one would be defined twice
		s.bad[i].body = s.bad[i].body[:f.Pos]
	}},
	{Name: "label-list-missing", Rule: rule.LBL002, Reader: rule.LBL002, Versions: in6, inject: atEnd(change(roleSpareLabels, header, "count", add32(1)))},
	{Name: "label-list-slack", Rule: rule.LBL002, Reader: rule.LBL002, Versions: in6,
		inject: at(roleSpareLabels, last, "Kind", change(roleSpareLabels, header, "count", add32(-1)))},
	{Name: "label-unknown", Rule: rule.LBL003, Reader: rule.LBL003, Versions: in6, inject: set(roleSpareLabels, last, "Kind", 0x80|99)},
	{Name: "label-list-open", Rule: rule.LBL004, Reader: rule.LBL004, Versions: in6,
		inject: atEnd(set(roleSpareLabels, last, "Kind", byte(wire.LabelOpcode)))},
	{Name: "label-index-twice", Rule: rule.LBL005, Reader: rule.LBL005, Versions: in6,
		inject: at(roleSpareLabels, 0, "Kind", set(roleSpareLabels, header, "firstIndex", u32(1)...))},
	{Name: "label-indexes-overflow", Rule: rule.LBL005, Reader: rule.LBL005, Versions: in6,
		inject: set(roleSpareLabels, header, "firstIndex", u32(math.MaxUint32)...)},
	{Name: "unknown-label-list", Rule: rule.LBL006, Reader: rule.LBL006, Versions: in6, inject: set(roleRows, 2, "LabelListId", 77)},
	{Name: "label-list-too-late", Rule: rule.LBL006, Reader: rule.LBL006, Versions: in6, inject: set(roleValues, 1, "LabelListId", 2)},
	{Name: "label-not-utf8", Rule: rule.LBL007, Versions: in6, inject: at(roleSpareLabels, 0, "Value",
		change(roleSpareLabels, 0, "Value text", func(b []byte) { b[0] = 0xFF }))},
	{Name: "label-key-empty", Rule: rule.LBL007, Versions: in6, inject: set(roleSpareLabels, 0, "Key", 0)},
	{Name: "label-number-too-long", Rule: rule.LBL008, Reader: rule.LBL008, Versions: in6,
		inject: setNth(roleSpareLabels, 0, "Value", 2, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1)},
	{Name: "label-kind-twice", Rule: rule.LBL009, Versions: in6, inject: setNth(roleSpareLabels, 0, "Kind", 1, byte(wire.LabelActivityID))},
	{Name: "label-key-twice", Rule: rule.LBL009, Versions: in6, inject: setNth(roleSpareLabels, 0, "Key", 1, 4, 'u', 's', 'e', 'r')},
	{Name: "label-level-6", Rule: rule.LBL010, Versions: in6, inject: set(roleSpareLabels, 0, "Level", 6)},
	{Name: "span-zero", Rule: rule.LBL011, Versions: in6, inject: set(roleSpareLabels, 0, "SpanId", u64(0)...)},
	{Name: "trace-id-zero", Rule: rule.LBL011, Versions: in6, inject: set(roleSpareLabels, 0, "TraceId", make([]byte, 16)...)},
	{Name: "activity-zero", Rule: rule.LBL012, Versions: in6, inject: set(roleSpareLabels, 0, "ActivityId", make([]byte, 16)...)},
	{Name: "no-label-lists", Rule: rule.LBL017, Versions: in6, inject: func(s *template) {
		insert(roleLastPoint, wire.KindLabelList, slices.Concat(u32(9), u32(0)))(s)
		s.fault.pos = 4
	}},
	{Name: "label-level-as-key", Rule: rule.LBL013, Versions: in6, inject: setNth(roleSpareLabels, 0, "Key", 2, 5, 'L', 'e', 'v', 'e', 'l')},
}

// sequencePointFaults are faults in sequence points.
var sequencePointFaults = []Fault{
	{Name: "point-thread-missing", Rule: rule.SQP001, Reader: rule.SQP001, Versions: in456,
		inject: atEnd(change(roleFinalPoint, header, "ThreadCount", add32(1)))},
	{Name: "point-slack", Rule: rule.SQP001, Reader: rule.SQP001, Versions: in456,
		inject: at(roleFinalPoint, last, "ThreadIndex", change(roleFinalPoint, header, "ThreadCount", add32(-1)))},
	{Name: "point-before-point", Rule: rule.SQP002, Versions: in456, inject: change(roleFinalPoint, header, "TimeStamp", add64(-1500))},
	{Name: "event-behind-point", Rule: rule.SQP003, Versions: in456, inject: change(rolePoint, header, "TimeStamp", add64(templatePlain+300-templatePoint))},
	{Name: "event-before-point", Rule: rule.SQP004, Versions: in456, inject: at(roleValues, 0, "TimeStamp",
		change(rolePoint, header, "TimeStamp", add64(templateSecond+1-templatePoint)))},
	{Name: "point-far-ahead", Rule: rule.SQP005, Versions: in456,
		inject: change(roleFinalPoint, header, "TimeStamp", add64(3*24*60*60*1e9))},
	{Name: "point-flag", Rule: rule.SQP006, Versions: in6, inject: set(roleFinalPoint, header, "Flags", u32(4)...)},
	{Name: "point-unknown-thread", Rule: rule.SQP007, Reader: rule.SQP007, Versions: in6, inject: set(roleFinalPoint, last, "ThreadIndex", 77)},
	{Name: "point-thread-twice", Rule: rule.SQP008, Versions: in6, inject: set(roleFinalPoint, last, "ThreadIndex", 1)},
	{Name: "point-thread-twice-v4", Rule: rule.SQP008, Versions: in45, inject: func(s *template) {
		_, _, f := s.find(roleFinalPoint, 0, "ThreadIndex", 0)
		first := slices.Clone(s.bad[s.part(roleFinalPoint)].body[f.Pos : f.Pos+f.Size])
		set(roleFinalPoint, last, "ThreadIndex", first...)(s)
	}},
	{Name: "point-number-low", Rule: rule.SQP009, Versions: in6, inject: set(rolePoint, 0, "SequenceNumber", 1)},
	{Name: "point-number-low-v4", Rule: rule.SQP009, Versions: in45, inject: set(rolePoint, 0, "SequenceNumber", u32(1)...)},
	{Name: "point-number-high", Rule: rule.SQP010, Versions: in6, inject: set(roleFinalPoint, last, "SequenceNumber", 99)},
	{Name: "point-thread-left-out", Rule: rule.SQP011, Versions: in45, inject: func(s *template) {
		leaveOut(s, roleFinalPoint) // otherwise the thread would appear to restart
		leaveOut(s, roleLastPoint)
	}},
	{Name: "metadata-after-flush", Rule: rule.SQP012, Versions: in6,
		inject: at(roleValues, 0, "MetadataId", set(rolePoint, header, "Flags", u32(wire.SequenceMetadata)...))},
	{Name: "point-number-falls", Rule: rule.SQP016, Versions: in6, inject: set(roleFinalPoint, 0, "SequenceNumber", 1)},
}

// leaveOut removes thread 1 from the list of a sequence point of v4.
func leaveOut(s *template, role string) {
	const entry = 12
	i, l, f := s.find(role, header, "ThreadCount", 0)
	s.faultAt(i, l, header, f.Pos)
	b := s.bad[i].body
	add32(-1)(b[f.Pos:])
	for at := f.Pos + 4; at < len(b); at += entry {
		if binary.LittleEndian.Uint64(b[at:]) == 1 {
			s.bad[i].body = slices.Delete(b, at, at+entry)
			return
		}
	}
}
