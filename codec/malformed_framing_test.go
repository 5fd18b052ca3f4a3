package codec_test

import (
	"bytes"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// goodV6 and goodV4 are streams in order, with an event.
func goodV6() []byte { return withV6(99) }

func goodV4() []byte { return withV4("Later") }

// spoiled is a stream with bytes replaced.
func spoiled(stream []byte, at int, by ...any) []byte {
	b := bytes.Clone(stream)
	copy(b[at:], bytesOf(by...))
	return b
}

// objectV4 is a v4 stream whose second object has these bytes after its begin
// tags.
func objectV4(parts ...any) []byte {
	return bytesOf(newV4(4, 4).b, byte(5), byte(5), byte(1), bytesOf(parts...), byte(1))
}

// traceV4 is a stream whose Trace object has this version.
func traceV4(version, minReader uint32) []byte { return newV4(version, minReader).end() }

// malformedFraming are faults of the header, of objects and of blocks.
func malformedFraming() []malformed {
	row := oneRowV4
	named := func(size uint32, name string) []byte {
		return objectV4(uint32(2), uint32(2), size, name, byte(6), uint32(0), byte(6))
	}
	return []malformed{
		{"01-shorter-than-a-header", []byte("Nettr")},
		{"02-no-known-header", []byte("It was a bright cold day in April")},
		{"03-magic-in-lower-case", spoiled(goodV6(), 0, "nettrace")},
		{"04-serializer-name", spoiled(goodV4(), 12, "!FastSerialization.2")},
		{"04-serializer-length", spoiled(goodV4(), 8, uint32(21))},
		{"05-major-5-in-the-layout-of-6", spoiled(goodV6(), 12, uint32(5))},
		{"05-major-negative", spoiled(goodV6(), 12, uint32(1<<32-1))},
		{"06-major-7", spoiled(goodV6(), 12, uint32(7))},
		{"07-minor-25", spoiled(goodV6(), 16, uint32(25))},
		{"07-minor-negative", spoiled(goodV6(), 16, uint32(1<<32-1))},
		{"08-version-1", v3Head(4, "Trace", 1, 0)},
		{"08-version-2", v3Head(4, "Trace", 2, 0)},
		{"09-version-0", v3Head(4, "Trace", 0, 0)},
		{"09-version-negative", v3Head(4, "Trace", 1<<32-1, 0)},
		{"10-version-6-for-readers-of-6", traceV4(6, 6)},
		{"11-version-4-without-magic", newV4(4, 4).end()[8:]},
		{"11-version-3-with-magic", traceV4(3, 0)},
		{"12-begin-tag-of-v3", bytesOf(newV4(4, 4).b, byte(4), byte(4), byte(1))},
		{"13-null-tag", bytesOf(newV4(4, 4).b, byte(5), byte(5), byte(2), make([]byte, 20))},
		{"13-end-tag-of-the-type", objectV4(uint32(2), uint32(2), uint32(7), "SPBlock", byte(5))},
		{"14-type-name-negative", named(1<<32-1, "EventBlock")},
		{"15-type-name-long", named(100, string(bytes.Repeat([]byte("n"), 100)))},
		{"16-type-name-unknown", withV4("Novelty")},
		{"16-type-name-in-lower-case", withV4("eventblock", row)},
		{"17-block-version-3", newV4(4, 4).metadata(1, "E").blockVersion("EventBlock", 3, 3, row).end()},
		{"17-block-version-0", newV4(4, 4).metadata(1, "E").blockVersion("EventBlock", 0, 0, row).end()},
		{"18-first-block-is-the-end", bytesOf("Nettrace", uint32(0), uint32(6), uint32(0), uint32(0))},
		{"18-first-block-is-no-trace", bytesOf("Nettrace", uint32(0), uint32(6), uint32(0), uint32(9|9<<24), "nine byte")},
		{"19-second-trace", withV6(wire.KindTrace, syncTime, uint64(5), uint64(5), uint32(4), uint32(0))},
		{"20-month-13", newTraceV6(bytesOf(spoiled(syncTime, 2, uint16(13)), uint64(0), uint64(1), uint32(8), uint32(0)))},
		{"20-all-ones", newTraceV6(bytesOf(bytes.Repeat([]byte{0xFF}, 16), uint64(0), uint64(1), uint32(8), uint32(0)))},
		{"21-trace-of-39-bytes", newTraceV6(make([]byte, 39))},
		{"22-properties-2^31-1", wrongSizesV6[1].with(1<<31 - 1)},
		{"22-properties-negative", wrongSizesV6[1].with(1<<32 - 1)},
		{"23-block-size-minus-1", wrongSizesV4[1].with(1<<32 - 1)},
		{"23-block-size-minus-1000", wrongSizesV4[1].with(1<<32 - 1000)},
		{"24-block-size-2^31-1", wrongSizesV4[1].with(1<<31 - 1)},
		{"25-block-size-1-gb", wrongSizesV4[1].with(1 << 30)},
		{"26-size-too-small", wrongSizesV4[1].with(uint64(len(row)) - 1)},
		{"26-size-too-large", wrongSizesV4[1].with(uint64(len(row)) + 1)},
		{"27-data-after-a-body", bytesOf(newV4(4, 4).block("SPBlock", make([]byte, 12)).b[:len(newV4(4, 4).block("SPBlock", make([]byte, 12)).b)-1], byte(2), byte(7), byte(6), byte(1))},
		{"29-no-end-mark-v4", goodV4()[:len(goodV4())-1]},
		{"29-no-end-mark-v6", goodV6()[:len(goodV6())-4]},
		{"30-garbage-after-the-end", append(goodV6(), "garbage"...)},
		{"31-padding-of-ones", onesForPadding()},
		{"32-unknown-kind-in-v6", withV6(200, "what")},
		{"32-unknown-object-in-v4", withV4("Later", []byte("what"))},
	}
}

// onesForPadding is a stream of v4 whose alignment bytes are not zero.
func onesForPadding() []byte {
	s := newV4(4, 4).metadata(1, "E")
	at := len(s.b) + 3 + 12 + len("EventBlock") + 1 + 4
	s.object("EventBlock", 2, 2, bytesOf(uint32(len(oneRowV4)), bytes.Repeat([]byte{1}, -at&3), oneRowV4))
	return s.end()
}

// compressedV6 is a stream with a block of compressed rows.
func compressedV6(rows ...any) []byte {
	return withV6(wire.KindEvent, uint16(20), uint16(1), make([]byte, 16), bytesOf(rows...))
}

// malformedRows are faults of event blocks.
func malformedRows() []malformed {
	v6 := func(rows ...[]byte) []byte { return withV6(wire.KindEvent, eventBlock(0, rows...)) }
	row := func(metadata, sequence uint32, thread, capture uint64, stack uint32, ts uint64, labels uint32) []byte {
		return rowV6(metadata, sequence, thread, capture, stack, ts, labels, "")
	}
	endless := bytes.Repeat([]byte{0x80}, 12)
	big := make([]byte, 70000)
	return []malformed{
		{"33-block-of-1-byte", withV6(wire.KindEvent, byte(20))},
		{"33-header-of-19", withV6(wire.KindEvent, uint16(19), make([]byte, 40))},
		{"33-header-past-the-block", withV6(wire.KindEvent, uint16(60), make([]byte, 40))},
		{"34-no-rows", withV6(wire.KindEvent, eventBlock(0))},
		{"35-row-truncated", withV6(wire.KindEvent, eventBlock(0, row(1, 1, 0, 0, 0, 2000, 0)[:30]))},
		{"35-varint-truncated", compressedV6(byte(wire.RowMetadataID), byte(0x80))},
		{"35-varint-endless", compressedV6(byte(wire.RowMetadataID), endless)},
		{"36-payload-past-the-block", wrongSizesV6[5].with(100)},
		{"37-payload-2^31-compressed", wrongSizesV6[6].with(1 << 31)},
		{"37-payload-negative", wrongSizesV6[5].with(1<<32 - 1)},
		{"38-unknown-metadata", v6(row(77, 1, 0, 0, 0, 2000, 0))},
		{"39-metadata-0", v6(row(0, 1, 0, 0, 0, 2000, 0))},
		{"40-unknown-stack", v6(row(1, 1, 0, 0, 55, 2000, 0))},
		{"41-unknown-thread", v6(row(1, 1, 1000, 1000, 0, 2000, 0))},
		{"41-unknown-label-list", v6(row(1, 1, 0, 0, 0, 2000, 33))},
		{"42-event-size-less", wrongSizesV6[4].with(3)},
		{"42-event-size-more", wrongSizesV6[4].with(48 + 7 + 9)},
		{"43-time-descends", v6(row(1, 1, 0, 0, 0, 2000, 0), row(1, 2, 0, 0, 0, 1000, 0))},
		{"44-unsorted-rows-of-two-threads", v6(row(1|wire.NotSortedBit, 1, 0, 0, 0, 2000, 0), row(1|wire.NotSortedBit, 1, 0, 9, 0, 1000, 0))},
		{"45-sequence-back", v6(row(1, 5, 0, 0, 0, 2000, 0), row(1, 3, 0, 0, 0, 2001, 0))},
		{"46-payload-of-70000", v6(rowV6(1, 1, 0, 0, 0, 2000, 0, string(big)))},
		{"47-v3-event-size-2^31-1", wrongSizesV4[18].with(1<<31 - 1)},
		{"48-v3-event-size-1", wrongSizesV4[18].with(1)},
		{"48-v3-payload-negative", wrongSizesV4[19].with(1<<32 - 1)},
		{"48-v3-payload-past-the-row", wrongSizesV4[19].with(5)},
		{"49-v3-stack-negative", wrongSizesV4[20].with(1<<32 - 1)},
		{"49-v3-stack-past-the-row", wrongSizesV4[20].with(8)},
		{"50-v3-metadata-not-seen", streamV3(objectV3{"EventBlock", bytesOf(rowV3(9, nil), definitionV3("E"), rowV3(1, nil))})},
		{"51-stack-of-70000-bytes", withV6(wire.KindStack, stacksV6(70000/8))},
		{"51-stack-of-65528-bytes", withV6(wire.KindStack, stacksV6(65528/8))},
	}
}
