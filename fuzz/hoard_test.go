package fuzz

import (
	"bytes"
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// hoards are streams that make a reader, each in another way, hold far more than
// Limits.Total: in one block, in many without a flush between them, or in the
// table rows of waiting events. They are made one at a time, because some are
// large.
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
		"blocks without events":             emptyEventBlocks,
		"threads of earlier blocks":         threadsOfEarlier,
		"labels of earlier points":          labelsOfEarlier,
		"metadata of earlier buffers, v4":   metadataOfEarlier,
		"metadata of earlier tables":        tablesOfEarlier,
		"losses on threads that left":       lossesOfEarlier,
		"activities, v4":                    manyActivities,
		"a large block, then stacks, v4":    largeThenStacks,
		"a change, then stacks":             changeThenStacks,
		"threads removed again":             threadsRemoved,
		"fields, then stacks":               fieldsThenStacks,
		"types in types, v5":                typesInTypes,
	}
}

// full is nearly as much as a block of v6 can hold.
const full = 1<<24 - 1<<10

// emptyStacks is a block of stacks without addresses.
func emptyStacks() []byte {
	const n = full / 4
	s := newStream(v4)
	s.add(wire.KindStack, append(append32(nil, 1, n), make([]byte, 4*n)...))
	return s.end()
}

func stacksFarApart() []byte {
	s := newStream(v6)
	for i := range uint32(1500000) {
		s.add(wire.KindStack, append32(nil, 1+2048*i, 1, 0))
	}
	return s.end()
}

// largeStack adds a stack of size bytes, in a block of its own.
func (s *stream) largeStack(id, size uint32) {
	s.add(wire.KindStack, append(append32(nil, id, 1, size), make([]byte, size)...))
}

// stacksOfMegabyte adds n stacks of a megabyte.
func (s *stream) stacksOfMegabyte(n uint32) {
	for i := range n {
		s.largeStack(1+i, 1<<20)
	}
}

// point adds a sequence point, after all times.
func (s *stream) point(flags uint32) {
	s.add(wire.KindSequencePoint, append32(append64(nil, 1<<41), flags, 0))
}

// growingStacks are as many as Limits.Stacks lets through, one at a time.
func growingStacks() []byte {
	s := newStream(v4)
	s.stacksOfMegabyte(33)
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

// distinct is text that differs for each i.
func distinct(size int, i uint32) []byte {
	b := bytes.Repeat([]byte{'x'}, size)
	binary.LittleEndian.PutUint32(b, 0x40404040|i&15|i&0xF0<<4|i&0xF00<<8|i&0xF000<<12)
	return b
}

// longLabel is a list of one label with a megabyte of text.
func longLabel(i uint32) []byte {
	value := distinct(1<<20, i)
	return append(varuint([]byte{byte(wire.LabelKeyString) | wire.LastLabel, 1, 'k'}, uint64(len(value))), value...)
}

func longLabels() []byte {
	s := newStream(v6)
	for i := range uint32(100) {
		s.add(wire.KindLabelList, append(append32(nil, 1+i, 1), longLabel(i)...))
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
		s.add(wire.KindThread, namedThread(uint64(i), i))
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
	s.add(wire.KindMetadata, b)
	return s.end()
}

// oneRow is a block of one event that is not sorted and has a payload.
func oneRow(s *stream, flags byte, head ...byte) {
	b := append(eventHeader(wire.BlockCompressed), flags)
	s.add(wire.KindEvent, append(append(b, head...), 5))
}

func metadataAgainInBlocks() []byte {
	s := newStream(v6)
	for i := range uint32(100) {
		s.add(wire.KindMetadata, append([]byte{0, 0}, wideMetadata(1, i)...))
		oneRow(s, wire.RowMetadataID, 1)
	}
	return s.end()
}

func threadsAgain() []byte {
	s := newStream(v6)
	for i := range uint32(1500) {
		s.add(wire.KindThread, namedThread(0, i))
		oneRow(s, 0)
	}
	return s.end()
}

// bodiesThenStacks has waiting events with large payloads, and then stacks.
func bodiesThenStacks() []byte {
	const size = 1 << 20
	s := newStream(v6)
	for range 30 {
		s.add(wire.KindEvent, largeRow(size))
	}
	return thenStacks(s)
}

// rowsThenStacks has as many events wait as may.
func rowsThenStacks() []byte {
	s := newStream(v6)
	b := eventHeader(wire.BlockCompressed)
	s.add(wire.KindEvent, append(b, bytes.Repeat([]byte{0, 5}, 190000)...))
	return thenStacks(s)
}

func thenStacks(s *stream) []byte {
	s.point(0)
	for i := range uint32(30) {
		s.largeStack(1+i, 1<<20)
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
		if i%200 == 0 { // far ahead, and back again
			b = append(append(b, wire.RowMetadataID, 9), varuint(nil, 1<<50)...)
			b = append(append(b, 0), varuint(nil, 1<<64-1<<50)...)
			continue
		}
		b = append(b, 0, 1)
	}
	s.add(wire.KindEvent, b)
	return s.end()
}

// stacksOfWaiting are stacks that grow between events that wait for them, each of
// which must hold its stack.
func stacksOfWaiting() []byte {
	s := newStream(v6)
	for i := range uint32(60) {
		s.largeStack(1+i, 1<<19)
		oneRow(s, wire.RowStackID, byte(1+i))
		s.add(wire.KindThread, append([]byte{3, 0, 0, byte(wire.ThreadOSThreadID)}, byte(i)))
	}
	return s.end()
}

// noticesOfRegion has a notice for each row.
func noticesOfRegion() []byte {
	s := newStream(v4)
	for range 4 {
		b := eventHeader(wire.BlockCompressed)
		b = append(b, wire.RowMetadataID|wire.RowStackID, 77, 78, 1)
		s.add(wire.KindEvent, append(b, bytes.Repeat([]byte{0, 1}, 100000)...))
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
	s.add(wire.KindSequencePoint, b)
	s.add(wire.KindSequencePoint, append32(append64(nil, 1), 0))
	s.stacksOfMegabyte(30)
	return s.end()
}

// largest is the payload of an event that fills a block.
const largest = full - 1<<10

// largeRow is a block of one event with a payload of size bytes.
func largeRow(size int) []byte {
	b := append(eventHeader(wire.BlockCompressed), wire.RowPayloadSize, 5)
	return append(varuint(b, uint64(size)), make([]byte, size)...)
}

func largeBlock() []byte {
	s := newStream(v4)
	s.add(wire.KindEvent, largeRow(largest))
	return s.end()
}

func stacksThenLarge() []byte {
	s := newStream(v4)
	s.stacksOfMegabyte(30)
	s.add(wire.KindEvent, largeRow(largest))
	return s.end()
}

// rowsThenChange has as many events wait as may, and then changes a table that
// they refer to.
func rowsThenChange() []byte {
	s := newStream(v6)
	s.add(wire.KindThread, threads(0))
	s.add(wire.KindMetadata, []byte{0, 0, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0})
	b := append(eventHeader(wire.BlockCompressed), wire.RowMetadataID, 1, 5)
	s.add(wire.KindEvent, append(b, bytes.Repeat([]byte{0, 5}, 190000)...))
	s.add(wire.KindThread, namedThread(0, 1))
	return s.end()
}

// longName is a definition with a provider of a character with the longest
// encoding.
func longName() []byte {
	d := append(append32(nil, 1), bytes.Repeat([]byte{0, 0x80}, full/2-1<<10)...)
	d = append(d, 0, 0)
	d = append(append32(d, 1), wide("Event")...)
	d = append32(append64(d, 1), 1, 4, 0)
	s := newStream(v4)
	b := append(eventHeader(wire.BlockCompressed), wire.RowPayloadSize, 0)
	s.add(wire.KindMetadata, append(varuint(b, uint64(len(d))), d...))
	return s.end()
}

// longStack is one of 4-byte addresses, which are twice as long in memory.
func longStack() []byte {
	s := newStream(version{wire.V3, 4})
	s.add(wire.KindEvent, append(rowV3(0, definition(1, 0), nil), rowV3(1, nil, make([]byte, full-1<<10))...))
	return s.end()
}

func labelsAgain() []byte {
	s := newStream(v6)
	for i := range uint32(100) {
		s.add(wire.KindLabelList, append(append32(nil, 1, 1), longLabel(i)...))
		oneRow(s, wire.RowLabelList, 1)
	}
	return s.end()
}

func emptyEventBlocks() []byte {
	s := newStream(v6)
	for range 500000 {
		s.add(wire.KindEvent, eventHeader(wire.BlockCompressed))
	}
	return s.end()
}

// smallThreads are rows of threads 0 to n-1.
func smallThreads(n int) []byte {
	var b []byte
	for i := range uint64(n) {
		row := append(varuint(nil, i), byte(wire.ThreadOSThreadID), 1)
		b = append(append(b, byte(len(row)), 0), row...)
	}
	return b
}

// The next streams have rounds, each with large rows before those of the round
// before: a reader that keeps lists and only truncates them keeps them all.
const rounds = 8

// threadsInRound is the thread block of round k: large rows after n small ones
// for each later round.
func threadsInRound(k, n int) []byte {
	b := smallThreads(n * k)
	for i := n * k; i < n*(k+1); i++ {
		b = append(b, namedThread(uint64(i), uint32(i))...)
	}
	return b
}

func threadsOfEarlier() []byte {
	const n = 200
	s := newStream(v6)
	for k := rounds - 1; k >= 0; k-- {
		s.add(wire.KindThread, threadsInRound(k, n))
		s.point(wire.SequenceThreads)
	}
	return s.end()
}

func labelsOfEarlier() []byte {
	const n = 12
	s := newStream(v6)
	for k := rounds - 1; k >= 0; k-- {
		b := append32(nil, 1, uint32(n*(k+1)))
		b = append(b, bytes.Repeat([]byte{byte(wire.LabelOpcode) | wire.LastLabel, 1}, n*k)...)
		for i := range n {
			b = append(b, longLabel(uint32(k*n+i))...)
		}
		s.add(wire.KindLabelList, b)
		s.point(wire.SequenceThreads)
	}
	return s.end()
}

// metadataOfEarlier defines fewer and fewer rows, and has the buffer grow between.
func metadataOfEarlier() []byte {
	const rounds = 5 // which is enough, the buffers being large
	s := newStream(v4)
	for k := range rounds {
		b := eventHeader(wire.BlockCompressed)
		for id := rounds - k; id > 0; id-- {
			d := definition(uint32(id), 0)
			b = append(varuint(append(b, wire.RowPayloadSize, 0), uint64(len(d))), d...)
		}
		s.add(wire.KindMetadata, b)
		size := (11 + k) << 20
		s.add(wire.KindEvent, largeRow(size))
	}
	return s.end()
}

// tablesOfEarlier makes blocks wait while the table of metadata grows, fewer each
// time, and then defines its large rows again.
func tablesOfEarlier() []byte {
	const n = 12
	s := newStream(v6)
	next := uint64(100)
	large := func(k uint32) {
		for i := range uint32(n) {
			s.add(wire.KindMetadata, append([]byte{0, 0}, wideMetadata(100+uint64(i), 1000*k+i)...))
		}
	}
	small := func(n int) {
		for range n {
			row := append(varuint(nil, next), make([]byte, 8)...)
			s.add(wire.KindMetadata, append([]byte{0, 0, byte(len(row)), 0}, row...))
			next++
		}
	}
	large(0)
	next += n
	small(4)
	for k := range uint32(6) {
		for range 6 - k {
			oneRow(s, wire.RowMetadataID, 115)
		}
		small(1 << (4 + k))
		s.point(0)
		large(k + 1)
	}
	return s.end()
}

// lossesOfEarlier has a loss on each of many threads.
func lossesOfEarlier() []byte {
	const n = 110
	s := newStream(v6)
	for k := rounds - 1; k >= 0; k-- {
		s.add(wire.KindThread, threadsInRound(k, n))
		s.add(wire.KindMetadata, s.metadata([]uint32{1}))
		b := eventHeader(wire.BlockCompressed)
		for i := range uint64(n * (k + 1)) {
			b = varuint(append(b, wire.RowSequence|wire.RowThread|wire.RowMetadataID, 1, 9), i)
			b = append(varuint(append(b, 1), i), 1)
		}
		s.add(wire.KindEvent, b)
		s.point(wire.SequenceThreads)
		s.add(wire.KindThread, smallThreads(1200))
		s.point(wire.SequenceThreads)
	}
	return s.end()
}

func manyActivities() []byte {
	s := newStream(v4)
	s.add(wire.KindMetadata, s.metadata([]uint32{1}))
	row := append([]byte{wire.RowActivity, 1}, "0123456789abcdef"...)
	b := append(eventHeader(wire.BlockCompressed), wire.RowMetadataID, 1, 1)
	s.add(wire.KindEvent, append(b, bytes.Repeat(row, full/len(row))...))
	return s.end()
}

// largeThenStacks has the block of the last event in one buffer, and grows it.
func largeThenStacks() []byte {
	s := newStream(v4)
	s.add(wire.KindMetadata, s.metadata([]uint32{1}))
	const size = 13 << 20
	b := append(eventHeader(wire.BlockCompressed), wire.RowPayloadSize|wire.RowMetadataID, 1, 5)
	s.add(wire.KindEvent, append(varuint(b, size), make([]byte, size)...))
	s.add(wire.KindSequencePoint, append32(append64(nil, 1), 0))
	s.object("Unknown", 2)
	s.b = append32(s.b, full)
	s.b = append(s.b, make([]byte, (-len(s.b)&3)+full)...)
	s.b = append(s.b, wire.TagEnd)
	s.stacksOfMegabyte(30)
	return s.end()
}

// changeThenStacks has many events that must hold their table rows, and then a
// full region.
func changeThenStacks() []byte {
	s := newStream(v6)
	s.add(wire.KindThread, threads(0))
	s.add(wire.KindMetadata, s.metadata([]uint32{1}))
	b := append(eventHeader(wire.BlockCompressed), wire.RowMetadataID, 1, 5)
	s.add(wire.KindEvent, append(b, bytes.Repeat([]byte{0, 5}, 60000)...))
	s.add(wire.KindThread, namedThread(0, 1))
	return thenStacks(s)
}

// threadsRemoved fills both parts of the table of threads, and empties them.
func threadsRemoved() []byte {
	const n = 180000
	s := newStream(v6)
	for _, step := range []uint64{1, 5000} {
		var rows, removed []byte
		for i := range uint64(n) {
			row := varuint(nil, 1<<40*(step-1)+i*step)
			rows = append(append(rows, byte(len(row)), 0), row...)
			removed = append(append(removed, row...), 0)
		}
		s.add(wire.KindThread, rows)
		s.add(wire.KindRemoveThread, removed)
	}
	return thenStacks(s)
}

// fieldsThenStacks reads fields of many sizes, whose type is then removed.
func fieldsThenStacks() []byte {
	row := append(varuint(nil, 1), 0, 0, 0, manyFields&0xFF, manyFields>>8)
	for i := range manyFields {
		row = append(row, 2, 0, 0, [...]byte{byte(wire.Byte), byte(wire.Int32), byte(wire.Int64), byte(wire.Decimal)}[i%4])
	}
	row = append(row, 0, 0)
	s := newStream(v6)
	s.add(wire.KindMetadata, append(append([]byte{0, 0}, byte(len(row)), byte(len(row)>>8)), row...))
	oneRow(s, wire.RowMetadataID, 1)
	s.add(wire.KindMetadata, s.metadata([]uint32{1}))
	return thenStacks(s)
}

// typesInTypes are fields of v5 that are lists of lists of lists.
func typesInTypes() []byte {
	s := newStream(version{wire.V5, 8})
	s.stacksOfMegabyte(24)
	field := make([]byte, 2)
	for range 30 {
		field = append32(field, uint32(wire.Array))
	}
	field = append32(field, uint32(wire.Byte))
	list := append32(nil, manyFields-1)
	for range manyFields - 1 {
		list = append(append32(list, uint32(len(field)+4)), field...)
	}
	for k := range 12 {
		d := append(append32(nil, 1), wide(string(rune('a'+k)))...)
		d = append(append32(d, 1), wide("E")...)
		d = append32(append64(d, 1), 1, 4, 0, uint32(len(list)))
		d = append(append(d, byte(wire.TagV2Params)), list...)
		b := append(eventHeader(wire.BlockCompressed), wire.RowPayloadSize, 0)
		s.add(wire.KindMetadata, append(varuint(b, uint64(len(d))), d...))
	}
	return s.end()
}
