package main

import (
	"bytes"
	"encoding/binary"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// empty makes a trace without events.
func empty(*stage) {}

var traceSituations = []situation{
	{block: "trace", name: "no-events", about: "A trace has no events.", versions: in4_6, make: empty},
	{block: "trace", name: "no-properties", about: "A trace has no properties, so that its process is unknown.", versions: in6,
		head: func(t *codec.Trace) { t.Properties = nil }, make: func(g *stage) { g.event(g.one(), 1) }},
	{block: "trace", name: "no-process", versions: in45[:1], rule: rule.TRC009, at: "\xff\xff\xff\xff",
		head: func(t *codec.Trace) { t.Properties = t.Properties[1:] }, make: func(g *stage) { g.event(g.one(), 1) }},
	{block: "trace", name: "properties-of-any-kind", about: "Properties have keys and values with any text, and an empty value.", versions: in6, head: func(t *codec.Trace) {
		t.Properties = append(t.Properties, codec.KeyValue{Key: "grün", Value: "\"日本\"\n"}, codec.KeyValue{Key: "empty"})
	}, make: empty},
	{block: "trace", name: "leap-day", about: "The sync time is the last second of a leap day.", versions: in4_6,
		head: func(t *codec.Trace) { t.SyncTime = time.Date(2024, 2, 29, 23, 59, 59, 999e6, time.UTC) }, make: empty},
	{block: "trace", name: "ticks-of-100-ns", about: "The tick frequency is 10,000,000 per second.", versions: in4_6,
		head: func(t *codec.Trace) { t.TickFrequency = 1e7 }, make: func(g *stage) { g.event(g.one(), 12345) }},
	{block: "trace", name: "process-of-the-trace", about: "A thread row without a process belongs to the process of the trace.", versions: in6,
		make: func(g *stage) {
			g.Thread(&codec.Thread{Index: 1, ThreadID: 5, HasThreadID: true})
			g.event(g.plain(1, "Happened"), 1)
		}},
	{block: "header", name: "minor-version-25", versions: in6,
		make: func(g *stage) { g.event(g.one(), 1) }, bytes: func(b []byte) []byte {
			const minor = 16
			b[minor] = 25
			return b
		}},
}

var framingSituations = []situation{
	{block: "framing", name: "unknown-blocks", about: "Blocks of two unknown kinds are skipped, one of them empty.", versions: in6,
		make: func(g *stage) {
			id := g.one()
			g.Block(&codec.BlockRows{Kind: wire.Kind(99), Body: []byte("what is this?")})
			g.event(id, 1)
			g.Block(&codec.BlockRows{Kind: wire.Kind(255)})
			g.event(id, 2)
		}},
	{block: "framing", name: "header-extensions", about: "All headers with a size have eight more bytes than are known.", versions: in4_6,
		make: func(g *stage) {
			g.Extension = []byte{1, 2, 3, 4, 5, 6, 7, 8}
			id := g.one()
			g.event(id, 1)
			g.event(id, 2)
		}},
	{block: "framing", name: "many-small-blocks", about: "Each event is in a block of its own.", versions: in4_6, make: func(g *stage) {
		id := g.one()
		for i := range uint64(5) {
			g.event(id, i+1)
			g.Flush()
		}
	}},
	{block: "framing", name: "higher-block-version", about: "An object has version 3, and readers of version 2 may read it.", versions: in45[:1],
		make: func(g *stage) { g.event(g.one(), 1) }, bytes: func(b []byte) []byte {
			at := bytes.Index(b, []byte("EventBlock")) - 12
			binary.LittleEndian.PutUint32(b[at:], 3)
			return b
		}},
}

var metadataSituations = []situation{
	{block: "metadata", name: "everything-optional", about: "A metadata row has all optional metadata.", versions: in6, make: func(g *stage) {
		g.threads(1)
		g.event(g.Metadata(&codec.Metadata{
			Provider: "Contoso", EventID: 9, Name: "Rich", Level: 2, Version: 3, Opcode: 0, OpcodeSet: true, Keywords: 1<<63 | 1,
			ProviderGUID: guid, Message: "{Count} of it", Description: "about it",
			Attributes: []codec.KeyValue{{Key: "link", Value: "x"}, {Key: "left", Value: ""}},
			Fields:     []codec.Field{{Name: "Count", Type: codec.Type{Code: wire.Int32}}},
		}), 1, with(bytesOf(uint32(3))))
	}},
	{block: "metadata", name: "opcode", about: "Metadata rows have opcodes 1, 2 and 255.", versions: in56, make: func(g *stage) {
		g.threads(1)
		for i, opcode := range []uint8{1, 2, 255} {
			g.event(g.Metadata(&codec.Metadata{Provider: "Contoso", EventID: uint32(i + 1), Name: "Step", Level: 4, Opcode: opcode, OpcodeSet: true}), uint64(i))
		}
	}},
	{block: "metadata", name: "two-versions", about: "Two metadata rows of one event id differ in version and fields.", versions: in4_6,
		make: func(g *stage) {
			g.threads(1)
			field := codec.Field{Name: "First", Type: codec.Type{Code: wire.Int32}}
			old := g.Metadata(&codec.Metadata{Provider: "Contoso", EventID: 5, Name: "Grown", Level: 4, Version: 1, Fields: []codec.Field{field}})
			newer := g.Metadata(&codec.Metadata{Provider: "Contoso", EventID: 5, Name: "Grown", Level: 4, Version: 2,
				Fields: []codec.Field{field, sentinelField()}})
			g.event(old, 1, with(bytesOf(uint32(1))))
			g.event(newer, 2, with(bytesOf(uint32(2), uint32(sentinel))))
			g.event(old, 3, with(bytesOf(uint32(3))))
		}},
	{block: "metadata", name: "one-id-two-names", about: "Two metadata rows of one event id differ in name and fields.", versions: in4_6,
		make: func(g *stage) {
			g.threads(1)
			a := g.Metadata(&codec.Metadata{Provider: "Contoso", EventID: 15, Name: "A", Level: 4,
				Fields: []codec.Field{{Name: "Small", Type: codec.Type{Code: wire.Int32}}}})
			b := g.Metadata(&codec.Metadata{Provider: "Contoso", EventID: 15, Name: "B", Level: 4,
				Fields: []codec.Field{{Name: "Large", Type: codec.Type{Code: wire.Int64}}}})
			g.event(a, 1, with(bytesOf(uint32(1))))
			g.event(b, 2, with(bytesOf(uint64(2))))
		}},
	{block: "metadata", name: "no-event-id", about: "Two metadata rows have event id 0 and differ in name.", versions: in4_6, make: func(g *stage) {
		g.threads(1)
		g.event(g.plain(0, "A"), 1)
		g.event(g.plain(0, "B"), 2)
	}},
	{block: "metadata", name: "defined-between-events", about: "A metadata block is between two event blocks.", versions: in4_6, make: func(g *stage) {
		g.event(g.one(), 1)
		g.Flush()
		g.event(g.plain(2, "Later"), 2)
	}},
	{block: "metadata", name: "sparse-ids", about: "Metadata ids are far apart and do not ascend.", versions: in4_6, make: func(g *stage) {
		g.threads(1)
		for i, id := range []uint32{300, 7, 1 << 20} {
			g.event(g.Metadata(&codec.Metadata{ID: id, Provider: "Contoso", EventID: uint32(i + 1), Name: "Sparse", Level: 4}), uint64(i))
		}
	}},
	{block: "metadata", name: "texts", about: "Names have characters that are not ASCII.", versions: in4_6, make: func(g *stage) {
		g.threads(1)
		g.event(g.Metadata(&codec.Metadata{Provider: "Größe-日本", EventID: 1, Name: "𝄞 \"quoted\" \\", Level: 4,
			Fields: []codec.Field{{Name: "Länge", Type: codec.Type{Code: wire.Int32}}}}), 1, with(bytesOf(uint32(1))))
	}},
	{block: "metadata", name: "flushed-and-defined-again", about: "After a sequence point with flag 2 a metadata id has another row.", versions: in6,
		make: func(g *stage) {
			g.event(g.one(), 1)
			g.SequencePoint(start+10, wire.SequenceMetadata)
			g.Metadata(&codec.Metadata{ID: 1, Provider: "Contoso", EventID: 1, Name: "Renamed", Level: 4,
				Fields: []codec.Field{{Name: "B", Type: codec.Type{Code: wire.Int64}}}})
			g.event(1, 20, with(bytesOf(uint64(8))))
		}},
	{block: "metadata", name: "levels", about: "Metadata rows have the levels 0 to 5.", versions: in4_6, make: func(g *stage) {
		g.threads(1)
		for i := range uint32(6) {
			g.event(g.Metadata(&codec.Metadata{Provider: "Contoso", EventID: i + 1, Name: "Leveled", Level: i}), uint64(i))
		}
	}},
	{block: "metadata", name: "known-event", about: "An event of the runtime has no name and no fields in its metadata.", versions: []wire.Format{wire.V4},
		make: func(g *stage) {
			g.event(g.Metadata(&codec.Metadata{Provider: "Microsoft-Windows-DotNETRuntime", EventID: 9, Level: 4, Version: 1, Keywords: 1}),
				1, with(bytesOf(uint32(1), uint32(3), uint16(9))))
		}},
}
