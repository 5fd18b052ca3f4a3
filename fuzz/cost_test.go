package fuzz

import (
	"bytes"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestCost reads streams of a few megabytes that are expensive. The memory that
// growing tables leave counts too, and the row above the limit.
func TestCost(t *testing.T) {
	for name, b := range hostileStreams() {
		t.Run(name, func(t *testing.T) {
			if err := weigh(len(b), 5*total/2, func() {
				r := codec.NewBytesReader(b, codec.Options{OnError: codec.Skip})
				for {
					if _, ok := r.Next(); !ok {
						break
					}
				}
			}); err != nil {
				t.Error(err)
			}
		})
	}
}

// hostileStreams are a few megabytes each.
func hostileStreams() map[string][]byte {
	return map[string][]byte{
		"points after many threads, v4": pointsBehindThreadsV4(),
		"points after many threads, v6": pointsBehindThreadsV6(),
		"points after many label lists": pointsBehindLabelLists(),
		"threads far apart":             threadsFarApart(),
		"threads of a point":            threadsOfPoint(),
		"the same far row":              sameFarRow(),
		"metadata of many fields, v4":   manyFieldsV4(),
		"metadata of many fields, v6":   manyFieldsV6(),
		"metadata of many attributes":   manyAttributes(),
		"threads of many attributes":    manyThreadAttributes(),
	}
}

// Numbers of rows, and of the items that make them expensive.
const (
	manyRows   = 100000
	manyPoints = 20000
)

func pointsBehindThreadsV4() []byte {
	s := newStream(v4)
	rows := eventHeader(wire.BlockCompressed)
	for i := range uint64(manyRows) {
		rows = append(varuint(append(rows, wire.RowSequence, 0), i), 0, 1)
	}
	s.add(wire.KindEvent, rows)
	for range manyPoints {
		s.add(wire.KindSequencePoint, append32(append64(nil, 1), 0))
	}
	return s.end()
}

func pointsBehindThreadsV6() []byte {
	s := newStream(v6)
	s.b = threadsFarApart()
	s.b = s.b[:len(s.b)-4]
	for range manyPoints {
		s.add(wire.KindThread, threads(1, farther))
		s.add(wire.KindSequencePoint, append32(append64(nil, 1), wire.SequenceThreads, 0))
	}
	return s.end()
}

func pointsBehindLabelLists() []byte {
	list := func(id uint32) []byte { return append(append32(nil, id, 1), byte(wire.LabelOpcode)|wire.LastLabel, 1) }
	s := newStream(v6)
	for i := range uint32(manyRows) {
		s.add(wire.KindLabelList, list(1+5000*i))
	}
	for range manyPoints {
		s.add(wire.KindLabelList, list(1))
		s.add(wire.KindLabelList, list(farID))
		s.add(wire.KindSequencePoint, append32(append64(nil, 1), 0, 0))
	}
	return s.end()
}

func threadsFarApart() []byte {
	var b []byte
	for i := range uint64(manyRows) {
		row := varuint(nil, 1000*i)
		b = append(append(b, byte(len(row)), 0), row...)
	}
	s := newStream(v6)
	s.add(wire.KindThread, b)
	return s.end()
}

func threadsOfPoint() []byte {
	const n = 10 * manyRows
	b := append32(append64(nil, 1), 0, n)
	for i := range uint64(n) {
		b = append(varuint(b, i), 1)
	}
	s := newStream(v6)
	s.add(wire.KindSequencePoint, b)
	return s.end()
}

// sameFarRow defines a thread at the end of the dense part repeatedly.
func sameFarRow() []byte {
	b := threads(1, 1026, 2)
	for range manyRows {
		b = append(b, 2, 0, 0x82, 0x08)
	}
	s := newStream(v6)
	s.add(wire.KindThread, b)
	return s.end()
}

// Rows of tables that hold a multiple of their bytes: each as much as a row may.
const (
	largeRows  = 400
	manyFields = 10000
)

func manyFieldsV4() []byte {
	s := newStream(v4)
	fields := bytes.Repeat(append32(nil, uint32(wire.Int32), 0)[:6], manyFields)
	for id := range uint32(largeRows) {
		row := append(definition(1+id, 0), fields...)
		copy(row[len(row)-len(fields)-4:], append32(nil, manyFields))
		b := append(eventHeader(wire.BlockCompressed), wire.RowPayloadSize, 0)
		s.add(wire.KindMetadata, append(varuint(b, uint64(len(row))), row...))
	}
	return s.end()
}

func manyFieldsV6() []byte {
	fields := append([]byte{manyFields & 0xFF, manyFields >> 8}, bytes.Repeat([]byte{2, 0, 0, byte(wire.Int32)}, manyFields)...)
	return largeMetadata(append(append([]byte{0, 0, 0}, fields...), 0, 0))
}

func manyAttributes() []byte {
	pairs := bytes.Repeat([]byte{byte(wire.MetadataKeyValue), 0, 0}, 20000)
	return largeMetadata(append([]byte{0, 0, 0, 0, 0, byte(len(pairs) & 0xFF), byte(len(pairs) >> 8)}, pairs...))
}

// largeMetadata is a stream of rows of metadata, each in a block of its own. rest
// are the bytes after the number of each.
func largeMetadata(rest []byte) []byte {
	s := newStream(v6)
	for id := range uint64(largeRows) {
		row := append(varuint(nil, 1+id), rest...)
		s.add(wire.KindMetadata, append([]byte{0, 0, byte(len(row)), byte(len(row) >> 8)}, row...))
	}
	return s.end()
}

func manyThreadAttributes() []byte {
	s := newStream(v6)
	for index := range uint64(largeRows) {
		row := append(varuint(nil, index), bytes.Repeat([]byte{byte(wire.ThreadKeyValue), 0, 0}, 20000)...)
		s.add(wire.KindThread, append([]byte{byte(len(row)), byte(len(row) >> 8)}, row...))
	}
	return s.end()
}
