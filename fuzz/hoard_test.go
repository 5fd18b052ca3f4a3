package fuzz

import (
	"bytes"
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// hoards are streams that ask a reader, each in another way, to hold far more
// than Limits.Total: in one block, in many that nothing clears between, or in
// what events that wait still refer to. They are made one at a time, because
// some are large.
func hoards() map[string]func() []byte {
	return map[string]func() []byte{
		"empty stacks, v4":                  emptyStacks,
		"stacks far apart":                  stacksFarApart,
		"stacks that grow, v4":              growingStacks,
		"properties of a trace":             manyProperties,
		"labels of long text":               longLabels,
		"threads of long names":             longThreadNames,
		"metadata defined again":            metadataAgain,
		"metadata defined again, in blocks": metadataAgainInBlocks,
		"threads defined again":             threadsAgain,
		"waiting bodies, then stacks":       bodiesThenStacks,
		"waiting rows, then stacks":         rowsThenStacks,
		"the newest of many rows, v4":       newestOfRows,
		"stacks of waiting events":          stacksOfWaiting,
		"notices of one region, v4":         noticesOfRegion,
		"threads of points, v4":             threadsOfPoints,
		"stacks, then a large block, v4":    stacksThenLarge,
		"a waiting large block, v4":         largeBlock,
		"waiting rows, then a change":       rowsThenChange,
		"a long name, v4":                   longName,
		"a long stack, v3":                  longStack,
		"labels defined again":              labelsAgain,
	}
}

// full is nearly as much as a block of v6 can hold.
const full = 1<<24 - 1<<10

// emptyStacks is a block of stacks without addresses.
func emptyStacks() []byte {
	const n = 7 << 20
	s := newStream(v4)
	s.add(wire.Stack, append(append32(nil, 1, n), make([]byte, 4*n)...))
	return s.end()
}

func stacksFarApart() []byte {
	s := newStream(v6)
	for i := range uint32(1500000) {
		s.add(wire.Stack, append32(nil, 1+2048*i, 1, 0))
	}
	return s.end()
}

// growingStacks are as many as Limits.Stacks lets through, one at a time.
func growingStacks() []byte {
	s := newStream(v4)
	for i := range uint32(33) {
		s.add(wire.Stack, append(append32(nil, 1+i, 1, 1<<20), make([]byte, 1<<20)...))
	}
	return s.end()
}

func manyProperties() []byte {
	body := newStream(v6).traceBody()[:36]
	const n = full / 3
	body = append32(body, n)
	for i := range n {
		body = append(body, 1, byte('a'+i%26), 0)
	}
	return newStreamTrace(v6, body).end()
}

// distinct is text that is not like that of another i.
func distinct(size int, i uint32) []byte {
	b := bytes.Repeat([]byte{'x'}, size)
	binary.LittleEndian.PutUint32(b, 0x40404040|i&15|i&0xF0<<4|i&0xF00<<8|i&0xF000<<12)
	return b
}

func longLabels() []byte {
	s := newStream(v6)
	for i := range uint32(100) {
		value := distinct(1<<20, i)
		list := append(append32(nil, 1+i, 1), byte(wire.LabelKeyString)|wire.LastLabel, 1, 'k')
		s.add(wire.LabelList, append(varuint(list, uint64(len(value))), value...))
	}
	return s.end()
}

// namedThread is a row of a thread with a long name.
func namedThread(index uint64, i uint32) []byte {
	name := distinct(65000, i)
	row := append(varuint(nil, index), byte(wire.ThreadName))
	row = append(varuint(row, uint64(len(name))), name...)
	return append(binary.LittleEndian.AppendUint16(nil, uint16(len(row))), row...)
}

func longThreadNames() []byte {
	s := newStream(v6)
	for i := range uint32(1500) {
		s.add(wire.Thread, namedThread(uint64(i), i))
	}
	return s.end()
}

// wideMetadata is a row of metadata with as many fields as may be, the first of
// which has another name for each i.
func wideMetadata(id uint64, i uint32) []byte {
	row := append(varuint(nil, id), 0, 0, 0, manyFields&0xFF, manyFields>>8)
	row = append(append(append(row, 6, 0, 4), distinct(4, i)...), byte(wire.Int32))
	row = append(row, bytes.Repeat([]byte{2, 0, 0, byte(wire.Int32)}, manyFields-1)...)
	row = append(row, 0, 0)
	return append(binary.LittleEndian.AppendUint16(nil, uint16(len(row))), row...)
}

func metadataAgain() []byte {
	s := newStream(v6)
	b := []byte{0, 0}
	for i := range uint32(100) {
		b = append(b, wideMetadata(1, i)...)
	}
	s.add(wire.Metadata, b)
	return s.end()
}

// oneRow is a block of one event that is not sorted and has a payload.
func oneRow(s *stream, flags byte, head ...byte) {
	b := append(eventHeader(wire.BlockCompressed), flags)
	s.add(wire.Event, append(append(b, head...), 5))
}

func metadataAgainInBlocks() []byte {
	s := newStream(v6)
	for i := range uint32(100) {
		s.add(wire.Metadata, append([]byte{0, 0}, wideMetadata(1, i)...))
		oneRow(s, wire.RowMetadataID, 1)
	}
	return s.end()
}

func threadsAgain() []byte {
	s := newStream(v6)
	for i := range uint32(1500) {
		s.add(wire.Thread, namedThread(0, i))
		oneRow(s, 0)
	}
	return s.end()
}

// bodiesThenStacks has events wait with large payloads, and has stacks when they
// are gone.
func bodiesThenStacks() []byte {
	const size = 1 << 20
	s := newStream(v6)
	for range 30 {
		b := append(eventHeader(wire.BlockCompressed), wire.RowPayloadSize, 5)
		s.add(wire.Event, append(varuint(b, size), make([]byte, size)...))
	}
	return thenStacks(s)
}

// rowsThenStacks has as many events wait as may.
func rowsThenStacks() []byte {
	s := newStream(v6)
	b := eventHeader(wire.BlockCompressed)
	s.add(wire.Event, append(b, bytes.Repeat([]byte{0, 5}, 190000)...))
	return thenStacks(s)
}

func thenStacks(s *stream) []byte {
	s.add(wire.SequencePoint, append32(append64(nil, 1<<41), 0, 0))
	for i := range uint32(30) {
		s.add(wire.Stack, append(append32(nil, 1+i, 1, 1<<20), make([]byte, 1<<20)...))
		oneRow(s, 0)
	}
	return s.end()
}

// newestOfRows has one newest event among many, which stays when the others go
// out because too many wait.
func newestOfRows() []byte {
	s := newStream(v4)
	b := eventHeader(wire.BlockCompressed)
	for i := range 400000 {
		if i%200 == 0 { // far ahead, and back behind it
			b = append(append(b, wire.RowMetadataID, 9), varuint(nil, 1<<50)...)
			b = append(append(b, 0), varuint(nil, 1<<64-1<<50)...)
			continue
		}
		b = append(b, 0, 1)
	}
	s.add(wire.Event, b)
	return s.end()
}

// stacksOfWaiting are stacks that grow between events that wait for them, which
// each time are made to hold theirs.
func stacksOfWaiting() []byte {
	s := newStream(v6)
	for i := range uint32(60) {
		s.add(wire.Stack, append(append32(nil, 1+i, 1, 1<<19), make([]byte, 1<<19)...))
		oneRow(s, wire.RowStackID, byte(1+i))
		s.add(wire.Thread, append([]byte{3, 0, 0, byte(wire.ThreadOSThreadID)}, byte(i)))
	}
	return s.end()
}

// noticesOfRegion has something to tell of each row.
func noticesOfRegion() []byte {
	s := newStream(v4)
	for range 4 {
		b := eventHeader(wire.BlockCompressed)
		b = append(b, wire.RowMetadataID|wire.RowStackID, 77, 78, 1)
		s.add(wire.Event, append(b, bytes.Repeat([]byte{0, 1}, 100000)...))
	}
	return s.end()
}

// threadsOfPoints are in the list of a point, and then not any more.
func threadsOfPoints() []byte {
	const n = 250000
	s := newStream(v4)
	b := append32(append64(nil, 1), n)
	for i := range uint64(n) {
		b = append32(append64(b, i*977), 1)
	}
	s.add(wire.SequencePoint, b)
	s.add(wire.SequencePoint, append32(append64(nil, 1), 0))
	for i := range uint32(30) {
		s.add(wire.Stack, append(append32(nil, 1+i, 1, 1<<20), make([]byte, 1<<20)...))
	}
	return s.end()
}

// largeRow is a block of one event with a payload of nearly as much as a block
// may have.
func largeRow() []byte {
	const size = 31 << 20
	b := append(eventHeader(wire.BlockCompressed), wire.RowPayloadSize, 5)
	return append(varuint(b, size), make([]byte, size)...)
}

func largeBlock() []byte {
	s := newStream(v4)
	s.add(wire.Event, largeRow())
	return s.end()
}

func stacksThenLarge() []byte {
	s := newStream(v4)
	for i := range uint32(30) {
		s.add(wire.Stack, append(append32(nil, 1+i, 1, 1<<20), make([]byte, 1<<20)...))
	}
	s.add(wire.Event, largeRow())
	return s.end()
}

// rowsThenChange has as many events wait as may, and then changes a table that
// they refer to.
func rowsThenChange() []byte {
	s := newStream(v6)
	s.add(wire.Thread, threads(0))
	s.add(wire.Metadata, []byte{0, 0, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0})
	b := append(eventHeader(wire.BlockCompressed), wire.RowMetadataID, 1, 5)
	s.add(wire.Event, append(b, bytes.Repeat([]byte{0, 5}, 190000)...))
	s.add(wire.Thread, namedThread(0, 1))
	return s.end()
}

// longName is a definition with a provider of a character that takes most bytes.
func longName() []byte {
	d := append(append32(nil, 1), bytes.Repeat([]byte{0, 0x80}, 8<<20)...)
	d = append(d, 0, 0)
	d = append(append32(d, 1), wide("Event")...)
	d = append32(append64(d, 1), 1, 4, 0)
	s := newStream(v4)
	b := append(eventHeader(wire.BlockCompressed), wire.RowPayloadSize, 0)
	s.add(wire.Metadata, append(varuint(b, uint64(len(d))), d...))
	return s.end()
}

// longStack is one of 4-byte addresses, which are twice as long in memory.
func longStack() []byte {
	s := newStream(version{3, 4})
	s.add(wire.Event, append(rowV3(0, definition(1, 0), nil), rowV3(1, nil, make([]byte, 24<<20))...))
	return s.end()
}

func labelsAgain() []byte {
	s := newStream(v6)
	for i := range uint32(100) {
		value := distinct(1<<20, i)
		list := append(append32(nil, 1, 1), byte(wire.LabelKeyString)|wire.LastLabel, 1, 'k')
		s.add(wire.LabelList, append(varuint(list, uint64(len(value))), value...))
		oneRow(s, wire.RowLabelList, 1)
	}
	return s.end()
}
