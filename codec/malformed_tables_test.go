package codec_test

import (
	"bytes"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// malformedTables are faults of metadata, stacks, threads, label lists and
// sequence points.
func malformedTables() []malformed {
	meta := func(parts ...any) []byte {
		return withV6(wire.KindMetadata, uint16(0), sized(varuint(2), text("P"), varuint(1), text("E"), bytesOf(parts...)))
	}
	of := func(parts ...any) []byte {
		return withV6(wire.KindMetadata, rowOfFields(uint16(1), sized(text("f"), bytesOf(parts...))))
	}
	tag := func(parts ...any) []byte { return definedV4(uint32(0), bytesOf(parts...)) }
	v2 := func(parts ...any) []byte {
		b := bytesOf(uint32(1), sized32(utf16z("f"), bytesOf(parts...)))
		return tag(uint32(len(b)), byte(wire.TagV2Params), b)
	}
	deepV2 := append(bytes.Repeat(bytesOf(uint32(wire.Array)), 20000), bytesOf(uint32(wire.Int32))...)
	manyFields := bytesOf(uint16(3))
	for range 3 {
		manyFields = bytesOf(manyFields, sized(text("f"), byte(wire.FixedLengthArray), byte(wire.Int64), uint16(8191)))
	}
	labels := func(parts ...any) []byte { return withV6(wire.KindLabelList, bytesOf(parts...)) }
	return []malformed{
		{"52-metadata-header-of-19", withV4("MetadataBlock", uint16(19), make([]byte, 40))},
		{"52-metadata-header-of-32768", withV4("MetadataBlock", uint16(0x8000), make([]byte, 40))},
		{"53-name-without-end", newV4(4, 4).block("MetadataBlock", eventBlock(1, bytesOf(byte(wire.RowPayloadSize), byte(1), byte(10), uint32(1), "P\x00E\x00F\x00"))).end()},
		{"54-name-of-odd-length", newV4(4, 4).block("MetadataBlock", eventBlock(1, bytesOf(byte(wire.RowPayloadSize), byte(1), byte(9), uint32(1), "P\x00E\x00F"))).end()},
		{"55-field-count-negative", definedV4(uint32(1<<32 - 1))},
		{"56-field-count-100-million", definedV4(uint32(100_000_000))},
		{"57-type-unknown-v4", definedV4(uint32(1), uint32(77), utf16z("f"))},
		{"57-type-unknown-v2", v2(uint32(77))},
		{"57-type-unknown-v6", of(byte(27))},
		{"58-array-in-the-first-list", definedV4(uint32(1), uint32(wire.Array), uint32(wire.Int32), utf16z("f"))},
		{"59-type-20-in-v4", definedV4(uint32(1), uint32(20), utf16z("f"))},
		{"60-v2-field-size-3", tag(uint32(14), byte(wire.TagV2Params), uint32(1), uint32(3), "six...")},
		{"60-v2-field-past-the-tag", tag(uint32(14), byte(wire.TagV2Params), uint32(1), uint32(100), "six...")},
		{"61-tag-negative", wrongSizesV4[11].with(1<<32 - 1)},
		{"61-tag-past-the-row", wrongSizesV4[11].with(100)},
		{"62-tag-unknown", tag(uint32(2), byte(99), "zz")},
		{"63-metadata-id-twice", withV6(wire.KindMetadata, uint16(0), sized(varuint(1), text("Q"), varuint(2), text("F"), uint16(0), uint16(0)))},
		{"64-row-past-the-block", wrongSizesV6[8].with(100)},
		{"64-field-past-the-row", wrongSizesV6[11].with(100)},
		{"64-optional-past-the-row", wrongSizesV6[15].with(100)},
		{"65-optional-kind-unknown", meta(uint16(0), sized(byte(77), byte(1)))},
		{"65-optional-kind-2", meta(uint16(0), sized(byte(2), byte(1)))},
		{"66-locator-of-text", of(byte(wire.RelLoc), byte(wire.NullTerminatedUTF16String))},
		{"66-locator-of-arrays", of(byte(wire.DataLoc), byte(wire.Array), byte(wire.Int32))},
		{"67-fixed-array-of-65515-bytes", withFields(make([]byte, 65515), field("f", wire.FixedLengthArray, byte(wire.Byte), uint16(65515)))},
		{"68-fixed-array-of-none", withFields(bytesOf(uint32(7)), field("f", wire.FixedLengthArray, byte(wire.Int32), uint16(0)), field("s", wire.Int32))},
		{"69-arrays-60000-deep", of(bytes.Repeat([]byte{byte(wire.Array)}, 60000), byte(wire.Int32))},
		{"69-arrays-20000-deep-v2", v2(deepV2)},
		{"70-object-over-64-kb", withFields(make([]byte, 3*8*8191), field("o", wire.Object, manyFields))},
		{"71-string-over-2^31", wrongSizesV6[9].with(1 << 31)},
		{"71-string-past-the-row", wrongSizesV6[9].with(100)},
		{"71-string-no-utf-8", withV6(wire.KindThread, sized(varuint(5), byte(wire.ThreadName), text("\xFF\xFE")))},
		{"72-stack-truncated", withV6(wire.KindStack, uint32(1), uint32(1), uint32(16), "8 bytes.")},
		{"72-stack-negative", wrongSizesV6[19].with(1<<32 - 1)},
		{"72-stack-id-twice", newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindStack, stacksV6(1)).block(wire.KindStack, stacksV6(2)).block(wire.KindEvent, oneRowV6).end()},
		{"72-stack-count-less", withV6(wire.KindStack, uint32(1), uint32(0), uint32(0))},
		{"72-stack-count-more", withV6(wire.KindStack, uint32(1), uint32(2), uint32(0))},
		{"73-thread-row-past-the-block", wrongSizesV6[20].with(100)},
		{"73-thread-kind-unknown", withV6(wire.KindThread, sized(varuint(5), byte(9), byte(1)))},
		{"73-thread-twice", withV6(wire.KindThread, sized(varuint(0), byte(wire.ThreadName), text("other")))},
		{"73-thread-without-anything", withV6(wire.KindThread, sized(varuint(5)))},
		{"74-remove-unknown", withV6(wire.KindRemoveThread, varuint(77), varuint(1))},
		{"74-remove-twice", withV6(wire.KindRemoveThread, varuint(0), varuint(0), varuint(0), varuint(0))},
		{"75-event-after-its-removal", withV6(wire.KindRemoveThread, varuint(0), varuint(0))},
		{"76-label-kind-0", labels(uint32(1), uint32(1), byte(0x80), byte(1))},
		{"76-label-kind-11", labels(uint32(1), uint32(1), byte(11|0x80), byte(1))},
		{"76-list-without-end", labels(uint32(1), uint32(1), byte(wire.LabelOpcode), byte(1))},
		{"76-list-count-more", labels(uint32(1), uint32(9), byte(wire.LabelOpcode)|wire.LastLabel, byte(1))},
		{"76-list-count-negative", labels(uint32(1), uint32(1<<32-1))},
		{"76-bytes-after-the-lists", labels(uint32(1), uint32(0), "more")},
		{"76-list-0", labels(uint32(0), uint32(1), byte(wire.LabelOpcode)|wire.LastLabel, byte(1))},
		{"77-point-count-more", withV6(wire.KindSequencePoint, uint64(9), uint32(0), uint32(9), "\x00\x01")},
		{"77-point-count-negative", withV6(wire.KindSequencePoint, uint64(9), uint32(0), uint32(1<<32-1))},
		{"77-bytes-after-the-point", withV6(wire.KindSequencePoint, uint64(9), uint32(0), uint32(0), "more")},
		{"77-point-with-unknown-thread", withV6(wire.KindSequencePoint, uint64(9), uint32(0), uint32(1), "\x63\x01")},
		{"78-point-before-all", newV6().block(wire.KindSequencePoint, make([]byte, 16)).metadata(1, "E").thread(0, 1, 1).block(wire.KindEvent, oneRowV6).end()},
		{"79-metadata-flushed", withV6(wire.KindSequencePoint, uint64(9), uint32(wire.SequenceMetadata), uint32(0))},
		{"79-threads-flushed", withV6(wire.KindSequencePoint, uint64(9), uint32(wire.SequenceThreads), uint32(0))},
	}
}

// sized32 puts a 32-bit size that counts itself before its parts.
func sized32(parts ...any) []byte {
	b := bytesOf(parts...)
	return bytesOf(uint32(4+len(b)), b)
}

// malformedPayloads are payloads that do not fit their fields. The container is
// in order, so each event is delivered.
func malformedPayloads() []malformed {
	locator := func(code wire.TypeCode, value uint32) []byte {
		return withFields(bytesOf(value, "ab"), field("f", code, byte(wire.UInt16)))
	}
	array := func(count uint16, payload int, code ...byte) []byte {
		return withFields(bytesOf(count, make([]byte, payload)), field("f", wire.Array, code))
	}
	return []malformed{
		{"80-relloc-past-the-payload", locator(wire.RelLoc, 2<<16|100)},
		{"80-relloc-of-half-an-element", locator(wire.RelLoc, 1<<16)},
		{"80-dataloc-past-the-payload", locator(wire.DataLoc, 2<<16|100)},
		{"80-descriptor-truncated", withFields(bytesOf(uint16(1)), field("f", wire.RelLoc, byte(wire.UInt16)))},
		{"81-count-of-text-truncated", withFields([]byte{1}, field("f", wire.Array, byte(wire.UTF8CodeUnit)))},
		{"82-count-of-array-truncated", withFields([]byte{1}, field("f", wire.Array, byte(wire.Int32)))},
		{"83-array-past-the-payload", array(3, 4, byte(wire.Int32))},
		{"83-array-of-text-past-the-payload", array(3, 4, byte(wire.NullTerminatedUTF16String))},
		{"84-array-of-40000", array(40000, 40000, byte(wire.Byte))},
		{"84-array-of-40000-truncated", array(40000, 39999, byte(wire.Byte))},
		{"85-field-at-the-end", withFields(nil, field("f", wire.Int32), field("g", wire.Int32))},
		{"86-scalar-truncated", withFields(make([]byte, 4), field("f", wire.Int64))},
		{"87-last-text-without-end", withFields([]byte("a\x00b\x00"), field("f", wire.NullTerminatedUTF16String))},
		{"87-first-text-without-end", withFields([]byte("a\x00b\x00"), field("f", wire.NullTerminatedUTF16String), field("g", wire.Int32))},
		{"88-varint-without-end", withFields([]byte{0x80, 0x80}, field("f", wire.VarUInt), field("g", wire.Byte))},
		{"88-varint-of-11-bytes", withFields(bytesOf(bytes.Repeat([]byte{0x80}, 10), byte(1), byte(7)), field("f", wire.VarUInt), field("g", wire.Byte))},
		{"89-filetime-past-all-years", withFields(bytes.Repeat([]byte{0xFF}, 8), field("f", wire.DateTime))},
	}
}
