package codec_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime/metrics"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// wrongSizes are wrong values of sizes and counts.
var wrongSizes = []uint64{0, 1, 0x7FFF, 0x8000, 0xFFFF, 0xFFFFFF, 1<<31 - 1, 1 << 31, 1<<32 - 1000, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1}

// wrongSize is a stream in which one size or count can be any number. Width is that of
// the field in bytes, 0 for a varuint.
type wrongSize struct {
	name  string
	width int
	// build puts the bytes of the field into the stream.
	build func(n []byte) []byte
}

func (l *wrongSize) with(n uint64) []byte {
	if l.width == 0 {
		return l.build(binary.AppendUvarint(nil, n))
	}
	return l.build(binary.LittleEndian.AppendUint64(nil, n)[:l.width])
}

var oneRowV6 = eventBlock(0, rowV6(1, 1, 0, 0, 0, 2000, 0, "payload"))

// withV6 is a stream of v6 with a block in the middle.
func withV6(kind wire.Kind, parts ...any) []byte {
	return newV6().metadata(1, "E").thread(0, 1, 1).block(kind, parts...).block(wire.KindEvent, oneRowV6).end()
}

// rowOfFields is a metadata block of v6 with a row whose field list is given.
func rowOfFields(fields ...any) []byte {
	return bytesOf(uint16(0), sized(varuint(2), text("P"), varuint(1), text("E"), bytesOf(fields...), uint16(0)))
}

// wrongSizesV6 are the sizes and counts of v6.
var wrongSizesV6 = []wrongSize{
	{"block size", 3, func(n []byte) []byte {
		return bytesOf(newV6().metadata(1, "E").b, n, byte(wire.KindEvent), oneRowV6)
	}},
	{"trace properties", 4, func(n []byte) []byte {
		return bytesOf("Nettrace", uint32(0), uint32(6), uint32(0), uint32(48|1<<24), syncTime, uint64(0), uint64(1), uint32(8), n, "\x03key\x03val")
	}},
	{"trace key", 0, func(n []byte) []byte {
		return newTraceV6(bytesOf(syncTime, uint64(0), uint64(1), uint32(8), uint32(1), n, "key"))
	}},
	{"event header", 2, func(n []byte) []byte { return withV6(wire.KindEvent, n, uint16(0), make([]byte, 60)) }},
	{"event size", 4, func(n []byte) []byte { return withV6(wire.KindEvent, oneRowV6[:20], n, oneRowV6[24:]) }},
	{"payload size", 4, func(n []byte) []byte { return withV6(wire.KindEvent, oneRowV6[:len(oneRowV6)-11], n, "payload") }},
	{"compressed payload size", 0, func(n []byte) []byte {
		return withV6(wire.KindEvent, uint16(20), uint16(1), make([]byte, 16), byte(wire.RowPayloadSize), byte(1), n, "payload")
	}},
	{"metadata header", 2, func(n []byte) []byte { return withV6(wire.KindMetadata, n, make([]byte, 9)) }},
	{"metadata row", 2, func(n []byte) []byte {
		return withV6(wire.KindMetadata, uint16(0), n, "\x02\x01P\x01\x01E\x00\x00\x00\x00")
	}},
	{"provider name", 0, func(n []byte) []byte { return withV6(wire.KindMetadata, uint16(0), sized(varuint(2), n, "Provider")) }},
	{"field count", 2, func(n []byte) []byte { return withV6(wire.KindMetadata, rowOfFields(n, sized(text("f"), byte(9)))) }},
	{"field size", 2, func(n []byte) []byte { return withV6(wire.KindMetadata, rowOfFields(uint16(1), n, text("f"), byte(9))) }},
	{"field name", 0, func(n []byte) []byte {
		return withV6(wire.KindMetadata, rowOfFields(uint16(1), sized(n, "f", byte(9))))
	}},
	{"nested field count", 2, func(n []byte) []byte {
		return withV6(wire.KindMetadata, rowOfFields(uint16(1), sized(text("f"), byte(1), n, sized(text("g"), byte(9)))))
	}},
	{"fixed array count", 2, func(n []byte) []byte {
		return withFields(make([]byte, 8), field("f", wire.FixedLengthArray, byte(wire.FixedLengthArray), byte(1), uint16(0), n, n))
	}},
	{"optional size", 2, func(n []byte) []byte {
		return withV6(wire.KindMetadata, uint16(0), sized(varuint(2), text("P"), varuint(1), text("E"), uint16(0), n, byte(4), text("m")))
	}},
	{"message size", 0, func(n []byte) []byte {
		return withV6(wire.KindMetadata, uint16(0), sized(varuint(2), text("P"), varuint(1), text("E"), uint16(0), sized(byte(4), n, "m")))
	}},
	{"stack count", 4, func(n []byte) []byte { return withV6(wire.KindStack, uint32(1), n, uint32(8), "address.") }},
	{"first stack", 4, func(n []byte) []byte { return withV6(wire.KindStack, n, uint32(1), uint32(8), "address.") }},
	{"stack size", 4, func(n []byte) []byte { return withV6(wire.KindStack, uint32(1), uint32(1), n, "address.") }},
	{"thread row", 2, func(n []byte) []byte { return withV6(wire.KindThread, n, "\x01\x01\x04name") }},
	{"thread index", 0, func(n []byte) []byte { return withV6(wire.KindThread, sized(n, byte(wire.ThreadName), text("name"))) }},
	{"thread name", 0, func(n []byte) []byte {
		return withV6(wire.KindThread, sized(varuint(9), byte(wire.ThreadName), n, "name"))
	}},
	{"label list count", 4, func(n []byte) []byte { return withV6(wire.KindLabelList, uint32(1), n, "\x84\x01") }},
	{"first label list", 4, func(n []byte) []byte { return withV6(wire.KindLabelList, n, uint32(1), "\x84\x01") }},
	{"label key", 0, func(n []byte) []byte {
		return withV6(wire.KindLabelList, uint32(1), uint32(1), byte(wire.LabelKeyString)|wire.LastLabel, n, "key\x01v")
	}},
	{"point's threads", 4, func(n []byte) []byte { return withV6(wire.KindSequencePoint, uint64(9), uint32(0), n, "\x00\x01") }},
	{"array count", 2, func(n []byte) []byte { return withFields(bytesOf(n, "abcd"), field("f", wire.Array, byte(wire.Int32))) }},
	{"array of empty objects", 2, func(n []byte) []byte {
		return withFields(bytesOf(n, "abcd"), field("f", wire.Array, byte(1), uint16(0)))
	}},
	{"locator", 4, func(n []byte) []byte {
		return withFields(bytesOf(n, "abcd"), field("f", wire.RelLoc, byte(wire.Byte)), field("g", wire.Byte))
	}},
}

// newTraceV6 is a stream of one Trace block.
func newTraceV6(body []byte) []byte {
	return bytesOf("Nettrace", uint32(0), uint32(6), uint32(0), uint32(len(body)|1<<24), body, uint32(0))
}

var oneRowV4 = eventBlock(0, rowV4(1, 1, 2000, "payload!", 0, 0))

// withV4 is a stream of v4 with a block in the middle.
func withV4(name string, parts ...any) []byte {
	return newV4(4, 4).metadata(1, "E").block(name, bytesOf(parts...)).block("EventBlock", oneRowV4).end()
}

// definedV4 is a stream whose metadata has the given bytes after the level, and
// an event of it.
func definedV4(parts ...any) []byte {
	return newV4(4, 4).metadata(1, "E", parts...).block("EventBlock", oneRowV4).end()
}

// wrongSizesV4 are the sizes and counts of v3 to v5.
var wrongSizesV4 = []wrongSize{
	{"v4 type name", 4, func(n []byte) []byte {
		return bytesOf(newV4(4, 4).b, byte(5), byte(5), byte(1), uint32(2), uint32(2), n, "EventBlock", byte(6))
	}},
	{"v4 block size", 4, func(n []byte) []byte {
		b := bytesOf(newV4(4, 4).b, byte(5), byte(5), byte(1), uint32(2), uint32(2), uint32(10), "EventBlock", byte(6), n)
		return bytesOf(b, make([]byte, -len(b)&3), oneRowV4, byte(6), byte(1))
	}},
	{"v4 event header", 2, func(n []byte) []byte { return withV4("EventBlock", n, uint16(0), make([]byte, 90)) }},
	{"v4 event size", 4, func(n []byte) []byte { return withV4("EventBlock", oneRowV4[:20], n, oneRowV4[24:]) }},
	{"v4 payload size", 4, func(n []byte) []byte { return withV4("EventBlock", oneRowV4[:len(oneRowV4)-12], n, "payload!") }},
	{"v4 compressed payload size", 0, func(n []byte) []byte {
		return withV4("EventBlock", uint16(20), uint16(1), make([]byte, 16), byte(wire.RowPayloadSize), byte(1), n, "payload")
	}},
	{"v4 metadata header", 2, func(n []byte) []byte { return withV4("MetadataBlock", n, uint16(0), make([]byte, 90)) }},
	{"v4 definition size", 0, func(n []byte) []byte {
		return withV4("MetadataBlock", uint16(20), uint16(1), make([]byte, 16), byte(wire.RowPayloadSize), byte(1), n, make([]byte, 40))
	}},
	{"v4 field count", 4, func(n []byte) []byte { return definedV4(n, uint32(wire.Int32), utf16z("f")) }},
	{"v4 type code", 4, func(n []byte) []byte { return definedV4(uint32(1), n, utf16z("f")) }},
	{"v4 nested field count", 4, func(n []byte) []byte { return definedV4(uint32(1), uint32(wire.Object), n, utf16z("f")) }},
	{"v5 tag size", 4, func(n []byte) []byte { return definedV4(uint32(0), n, byte(wire.TagOpcode), byte(9)) }},
	{"v5 field count", 4, func(n []byte) []byte { return definedV4(uint32(0), uint32(8), byte(wire.TagV2Params), n, "more") }},
	{"v5 field size", 4, func(n []byte) []byte {
		return definedV4(uint32(0), uint32(4+10), byte(wire.TagV2Params), uint32(1), n, utf16z("f"), uint16(9))
	}},
	{"v4 stack count", 4, func(n []byte) []byte { return withV4("StackBlock", uint32(1), n, uint32(8), "address.") }},
	{"v4 stack size", 4, func(n []byte) []byte { return withV4("StackBlock", uint32(1), uint32(1), n, "address.") }},
	{"v4 point's threads", 4, func(n []byte) []byte { return withV4("SPBlock", uint64(9), n, uint64(1), uint32(1)) }},
	{"v4 pointer size", 4, func(n []byte) []byte {
		b := newV4(4, 4)
		copy(b.b[bytes.Index(b.b, bytesOf(uint64(1e9), uint32(8)))+8:], n)
		return b.block("StackBlock", bytesOf(uint32(1), uint32(1), uint32(8), "address.")).end()
	}},
	{"v3 event size", 4, func(n []byte) []byte { return wrongSizeV3(0, n) }},
	{"v3 payload size", 4, func(n []byte) []byte { return wrongSizeV3(52, n) }},
	{"v3 stack size", 4, func(n []byte) []byte { return wrongSizeV3(60, n) }},
}

// wrongSizeV3 is a stream of v3 with a row of 4 bytes of payload, in which four bytes
// are replaced.
func wrongSizeV3(at int, n []byte) []byte {
	row := rowV3(1, []byte("four"))
	copy(row[at:], n)
	return streamV3(objectV3{"EventBlock", bytesOf(definitionV3("E"), row, rowV3(1, nil))})
}

func heapAllocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// TestLyingSizes reads streams of a few hundred bytes with any values of sizes
// and counts. Allocations do not follow them: from a source at most a megabyte
// more than any Reader allocates.
func TestLyingSizes(t *testing.T) {
	for _, l := range append(wrongSizesV6[:len(wrongSizesV6):len(wrongSizesV6)], wrongSizesV4...) {
		t.Run(l.name, func(t *testing.T) {
			for _, n := range wrongSizes {
				t.Run(fmt.Sprintf("n=%v", n), func(t *testing.T) {
					stream := l.with(n)
					if len(stream) > 4096 {
						t.Fatal("the stream is no small one")
					}
					for _, order := range []codec.Order{codec.FileOrder, codec.ByTime} {
						opt := codec.Options{OnError: codec.Skip, Order: order}
						before := heapAllocated()
						want := visited(codec.NewBytesReader(clipped(stream), opt))
						took := heapAllocated() - before
						got := visited(codec.NewReader(bytes.NewReader(stream), opt))
						source := heapAllocated() - before - took
						if want != got {
							t.Errorf("%s = %#x: from memory %s, from a source %s", l.name, n, want, got)
						}
						if took > 1<<20 || source > 3<<20 {
							t.Errorf("%s = %#x: %d bytes allocated, from a source %d", l.name, n, took, source)
						}
					}
				})
			}
		})
	}
}

func clipped(b []byte) []byte { return b[:len(b):len(b)] }

// visited reads everything, including each value of each payload, and returns the
// error. A value without end fails by the test's timeout.
func visited(r *codec.Reader) string {
	events, values, bytes := 0, 0, 0
	var visit func(v codec.Value)
	visit = func(v codec.Value) {
		values++
		for inner := range v.Elements() {
			visit(inner)
		}
		for _, inner := range v.Fields() {
			visit(inner)
		}
	}
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		for _, v := range e.Fields() {
			visit(v)
		}
		events++
		bytes += len(e.Payload()) + len(e.Stack()) + len(e.Labels())
	}
	bad, first := r.BadBlocks()
	return fmt.Sprint(events, values, bytes, r.Err(), bad, first, r.Defects())
}
