package fuzz

import (
	"bytes"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec/wire"
)

func FuzzTraceV4(f *testing.F) {
	seeds(f, wire.KindTrace, v4, v4.traceBody(), v4on32.traceBody(), make([]byte, 48), bytes.Repeat([]byte{0xFF}, 48))
	fuzz(f)
}

func FuzzTraceV6(f *testing.F) {
	none := append32(v6.traceBody()[:36], 0)
	seeds(f, wire.KindTrace, v6, v6.traceBody(), v6on32.traceBody(), none, append32(none[:36:36], 1<<31-1), append32(none[:36:36], 1<<31))
	fuzz(f)
}

// FuzzEndOfStream fuzzes the body of the block that ends a stream of v6, and the
// bytes after the end, in every version.
func FuzzEndOfStream(f *testing.F) {
	seeds(f, wire.KindEndOfStream, v6, nil, []byte{0}, []byte{0, 0, 0, 0}, newStream(v6).end(), newStream(v4).end())
	fuzz(f)
}

// FuzzObjectFraming fuzzes the bytes after the Trace object of v3 or v4.
func FuzzObjectFraming(f *testing.F) {
	for _, v := range []version{v3, v4, v4on32} {
		complete := newStream(v).tables()
		from := len(newStream(v).b)
		complete.add(wire.KindEvent, complete.events())
		f.Add(clip(complete.end()[from:]))
	}
	unknown := newStream(v4)
	from := len(unknown.b)
	unknown.object("Later", 9)
	unknown.b = append32(unknown.b, 3)
	for len(unknown.b)%4 != 0 {
		unknown.b = append(unknown.b, 0)
	}
	f.Add(unknown.raw([]byte{1, 2, 3, wire.TagEnd}).end()[from:])
	f.Add([]byte{5, 5, 1, 2, 0, 0, 0, 2, 0, 0, 0, 255, 255, 255, 255})
	addAll(f, restOf(f, wire.V4, wire.V3))
	fuzz(f)
}

// FuzzBlockFraming fuzzes the bytes after the Trace block of v6.
func FuzzBlockFraming(f *testing.F) {
	complete := newStream(v6)
	from := len(complete.b)
	complete.tables().add(wire.KindEvent, complete.events())
	complete.add(99, []byte("later"))
	f.Add(clip(complete.end()[from:]))
	f.Add([]byte{0xFF, 0xFF, 0xFF, byte(wire.KindEvent), 20})
	addAll(f, restOf(f, wire.V6))
	fuzz(f)
}

// restOf returns the bytes after the Trace block in the small streams of some
// versions. In v4 they begin at the same offset modulo 4 as here.
func restOf(f *testing.F, formats ...wire.Format) (rest [][]byte) {
	for _, b := range allStreams(f) {
		if p, from := firstBlock(b); p.kind == wire.KindTrace && slices.Contains(formats, p.format) {
			rest = append(rest, b[from:])
		}
	}
	return rest
}

// FuzzReader fuzzes a complete stream.
func FuzzReader(f *testing.F) {
	wholeStreams(f)
}

// FuzzIndex fuzzes a complete stream and reads parts of it.
func FuzzIndex(f *testing.F) {
	wholeStreams(f)
}

func wholeStreams(f *testing.F) {
	for _, v := range []version{v3, v4, v4on32, v6, v6on32} {
		s := newStream(v).tables()
		s.add(wire.KindEvent, s.events())
		f.Add(s.end())
		f.Add(regions(v))
	}
	addAll(f, append(allStreams(f), nil, []byte("Nettrace"), []byte("\x14\x00\x00\x00!FastSerialization.1")))
	fuzz(f)
}

// regions is a stream of three regions, each with two blocks of events whose
// headers have their times.
func regions(v version) []byte {
	s := newStream(v).tables()
	for i := range uint64(3) {
		for range 2 {
			rows := s.events()
			if v.HasEventBlockHeaders() {
				rows = append(append64(rows[:4:4], 0, 100*(i+1)), rows[20:]...)
			}
			s.add(wire.KindEvent, rows)
		}
		point := append32(append64(nil, 100*(i+1)), 0)
		if v.HasSequencePointFlags() {
			point = append32(point, 0)
		}
		if v.HasSequencePoints() {
			s.add(wire.KindSequencePoint, point)
			s.add(wire.KindStack, s.stacks(1, 3))
		}
	}
	return s.end()
}
