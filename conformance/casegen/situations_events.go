package main

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// counted defines an event type of n bytes, and the first thread with the first.
func (g *stage) counted(n uint32) uint32 {
	var fields []codec.Field
	for i := range n {
		fields = append(fields, codec.Field{Name: string(rune('A' + i)), Type: codec.Type{Code: wire.Byte}})
	}
	id := g.Metadata(&codec.Metadata{Provider: "Contoso", EventID: 10 + n, Name: "Counted", Level: 4, Fields: fields})
	if id == 1 {
		g.threads(1)
	}
	return id
}

// digits are the first bytes of a large payload.
const digits = "0123456789abcdef"

// secondField is where the name of the second field named a is.
func secondField(trace []byte) int64 {
	before, after := []byte("#\x002\x00\x00\x00"), int64(10)
	if binary.LittleEndian.Uint32(trace[8:]) == 0 {
		before, after = []byte("#2\x09"), 5
	}
	return int64(bytes.Index(trace, before)) + after
}

// month13 is a DateTime of v6 by the specification, which is no date.
var month13 = systemTime(2026, 13, 6, 21)

// decimal is a System.Decimal in memory.
func decimal(flags, high uint32, low uint64) []byte { return bytesOf(flags, high, low) }

var payloadSituations = []situation{
	{block: "payload", name: "empty-object", versions: in6, make: func(g *stage) {
		g.values(codec.Type{Code: wire.Object}, nil)
	}},
	{block: "payload", name: "larger-than-64-kib", versions: in6, rule: rule.PAY017, at: digits, make: func(g *stage) {
		g.threads(1)
		g.event(g.plain(3, "Bulk"), 1, with(bytes.Repeat([]byte(digits), 70_000/len(digits))))
		g.event(1, 2, with([]byte("behind")))
	}},
	{block: "payload", name: "array-of-40000-bytes", about: "An array of Byte has 40,000 elements.", versions: in6, make: func(g *stage) {
		const n = 40_000
		g.values(codec.Type{Code: wire.Array, Element: &codec.Type{Code: wire.Byte}}, bytesOf(uint16(n), make([]byte, n)))
	}},
	{block: "payload", name: "floats-without-numbers", about: "Double values are NaN, the infinities and negative zero.", versions: []wire.Format{wire.V4}, make: func(g *stage) {
		double := codec.Type{Code: wire.Double}
		g.values(double, bytesOf(uint64(0x7FF8_0000_0000_0000)), bytesOf(uint64(0x7FF0_0000_0000_0000)),
			bytesOf(uint64(0xFFF0_0000_0000_0000)), bytesOf(uint64(1<<63)))
	}},
	{block: "payload", name: "datetime-beyond-year-9999", versions: in4_6, rule: rule.PAY015, at: "\xff\xff\xff\xff\xff\xff\xff\x7f", make: func(g *stage) {
		g.values(codec.Type{Code: wire.DateTime}, bytesOf(uint64(1<<63-1)))
	}},
	{block: "payload", name: "datetime-before-1601", versions: in45[:1], rule: rule.PAY015, at: "\xff\xff\xff\xff\xff\xff\xff\xff", make: func(g *stage) {
		g.values(codec.Type{Code: wire.DateTime}, bytesOf(uint64(1<<64-1)))
	}},
	{block: "payload", name: "datetime-of-100-ns", versions: in45[:1], make: func(g *stage) {
		g.values(codec.Type{Code: wire.DateTime}, bytesOf(uint64(133_000_000_000_000_001)), bytesOf(uint64(133_000_000_123_456_789)))
	}},
	{block: "payload", name: "datetime-month-13", versions: in6, rule: rule.PAY015, at: string(month13),
		make:  func(g *stage) { g.values(codec.Type{Code: wire.DateTime}, month13) },
		other: func(g *stage) { g.fileTimes(codec.Type{Code: wire.DateTime}, month13) }},
	{block: "payload", name: "decimal", versions: in45, make: func(g *stage) {
		g.values(codec.Type{Code: wire.Decimal}, decimal(1<<31|2<<16, 0, 1250), decimal(0, 1<<32-1, 1<<64-1), decimal(28<<16, 0, 1), decimal(3<<16, 0, 0))
	}},
	{block: "payload", name: "field-name-twice", versions: in4_6, rule: rule.TYP012, place: secondField, make: func(g *stage) {
		number := codec.Type{Code: wire.Int32}
		named := []codec.Field{{Name: "a", Type: number}, {Name: "a#2", Type: number}, {Name: "a", Type: number}, {Name: "a", Type: number}}
		g.threads(1)
		id := g.Metadata(&codec.Metadata{Provider: "Contoso", EventID: 7, Name: "Named", Level: 4,
			Fields: append(slices.Clone(named), codec.Field{Name: "b", Type: codec.Type{Code: wire.Object, Fields: named[2:]}})})
		g.event(id, 1, with(bytesOf(uint32(1), uint32(2), uint32(3), uint32(4), uint32(5), uint32(6))))
	}},
	{block: "payload", name: "size-2-to-21", versions: in6, rule: rule.PAY017, at: digits, make: func(g *stage) {
		g.threads(1)
		id := g.plain(3, "Bulk")
		for i, size := range []int{1<<21 - 1, 1 << 21, 1<<21 + 1} {
			g.event(id, uint64(i), with(bytes.Repeat([]byte(digits), size/len(digits)+1)[:size]))
		}
	}},
	{block: "payload", name: "byte-of-four", versions: in45[:1], rule: rule.PAY022, at: "\x5a\x00\x00\x00",
		make: func(g *stage) { g.values(codec.Type{Code: wire.Byte}, bytesOf(uint32(0x5A))) }},
	{block: "payload", name: "many-fields", about: "A payload has 100 fields.", versions: in4_6, make: func(g *stage) {
		g.threads(1)
		var fields []codec.Field
		var payload []byte
		for i := range 100 {
			fields = append(fields, codec.Field{Name: "F" + string(rune('A'+i%26)) + string(rune('a'+i/26)), Type: codec.Type{Code: wire.Byte}})
			payload = append(payload, byte(i))
		}
		g.event(g.Metadata(&codec.Metadata{Provider: "Contoso", EventID: 1, Name: "Wide", Level: 4, Fields: fields}), 1, with(payload))
	}},
}

var eventSituations = []situation{
	{block: "event", name: "not-compressed", about: "The rows of a block are not compressed.", versions: in4_6, make: func(g *stage) {
		g.Plain = true
		id := g.counted(4)
		g.event(id, 1, with([]byte("four")))
		g.event(g.plain(2, "Empty"), 2)
		g.event(id, 3, with([]byte("more")))
	}},
	{block: "event", name: "not-compressed-odd-payload", about: "Uncompressed rows of v6 have payloads of 3 and 5 bytes, without padding.", versions: in6, make: func(g *stage) {
		g.Plain = true
		g.event(g.counted(3), 1, with([]byte("odd")))
		g.event(g.counted(5), 2, with([]byte("12345")))
	}},
	{block: "event", name: "not-compressed-padded", versions: in45, rule: rule.UNC008, place: payloadSize, make: padded},
	{block: "event", name: "not-compressed-padding-not-counted", versions: in45[:1], rule: rule.UNC001, place: firstRow, make: padded,
		bytes: func(b []byte) []byte { return uncounted(b, false) }},
	{block: "event", name: "not-compressed-without-padding", versions: in45[:1], rule: rule.UNC001, place: firstRow, make: padded,
		bytes: func(b []byte) []byte { return uncounted(b, true) }},
	{block: "event", name: "thread-ids-above-2-to-63", about: "Thread ids are 2^63, 2^63+1 and 2^64-1: the fields are signed longs.", versions: in45[:1],
		make: negativeThreads},
	{block: "event", name: "thread-ids-above-2-to-63-not-compressed", about: "Thread ids of uncompressed rows are 2^63, 2^63+1 and 2^64-1: the fields are signed longs.",
		versions: in45[:1], make: func(g *stage) {
			g.Plain = true
			negativeThreads(g)
		}},
	{block: "event", name: "both-forms", about: "Compressed and uncompressed blocks alternate.", versions: in4_6, make: func(g *stage) {
		id := g.one()
		g.event(id, 1)
		g.Flush()
		g.Plain = true
		g.event(id, 2)
		g.Flush()
		g.Plain = false
		g.event(id, 3)
	}},
	{block: "event", name: "about-another-thread", about: "A thread writes the events of another thread.", versions: in4_6, make: func(g *stage) {
		g.threads(2)
		id := g.plain(1, "Sampled")
		for i := range uint64(3) {
			g.event(id, i, func(r *codec.EventRow) { r.ThreadIndex = 2 })
		}
		g.event(id, 9)
	}},
	{block: "event", name: "processor-unknown", about: "The processor of an event is unknown: the number is 0xFFFFFFFF.", versions: in4_6, make: func(g *stage) {
		id := g.one()
		for i, p := range []uint32{3, wire.UnknownProcessor, 0} {
			g.event(id, uint64(i), func(r *codec.EventRow) { r.Processor = p })
		}
	}},
	{block: "event", name: "processor-300", about: "A processor number is 300.", versions: in4_6, head: func(t *codec.Trace) { t.Properties[1].Value = "512" },
		make: func(g *stage) { g.event(g.one(), 1, func(r *codec.EventRow) { r.Processor = 300 }) }},
	{block: "event", name: "activities", about: "Events have an activity id, a related activity id, both or none.", versions: in45, make: func(g *stage) {
		id := g.one()
		g.event(id, 1, func(r *codec.EventRow) { r.Activity = guid })
		g.event(id, 2, func(r *codec.EventRow) { r.Activity, r.Related = guid, wire.GUID{1} })
		g.event(id, 3)
	}},
	{block: "event", name: "unsorted-in-time", about: "Two blocks have rows of two threads whose times alternate.", versions: in4_6, make: func(g *stage) {
		g.threads(2)
		id := g.plain(1, "Happened")
		for i := range uint64(3) {
			g.event(id, 200*i, unsorted)
		}
		g.Flush()
		for i := range uint64(3) {
			g.event(id, 200*i+100, onThread(2), unsorted)
		}
		g.SequencePoint(start+1000, 0)
	}},
	{block: "event", name: "same-time", about: "Events of two threads have the same time.", versions: in4_6, make: func(g *stage) {
		g.threads(2)
		id := g.plain(1, "Happened")
		g.event(id, 5)
		g.event(id, 5)
		g.event(id, 5, onThread(2))
		g.event(id, 6)
	}},
	{block: "event", name: "one-time-for-all", versions: in4_6, rule: rule.ORD007, place: eventBlock, make: func(g *stage) {
		id := g.one()
		for range 4 {
			g.event(id, 5)
		}
	}},
	{block: "event", name: "long-time-between", about: "The difference of two times takes six bytes.", versions: in4_6, make: func(g *stage) {
		id := g.one()
		g.event(id, 1)
		g.event(id, 1_800_000_000_000)
	}},
}

// negativeThreads has events of threads with negative ids.
func negativeThreads(g *stage) {
	id := g.plain(1, "Happened")
	for i, v := range []uint64{1 << 63, 1<<63 + 1, 1<<64 - 1} {
		g.event(id, uint64(i), onThread(v))
	}
}

var sequenceSituations = []situation{
	{block: "sequence", name: "gap", about: "Sequence numbers 2 to 4 are missing: three events are lost.", versions: in4_6, make: func(g *stage) {
		id := g.one()
		g.event(id, 1)
		g.event(id, 2, numbered(5))
		g.event(id, 3)
	}},
	{block: "sequence", name: "first-number-4", about: "The first sequence number of a thread is 4: three events are lost.", versions: in4_6, make: func(g *stage) { g.event(g.one(), 1, numbered(4)) }},
	{block: "sequence", name: "gap-above-half", versions: in4_6, make: func(g *stage) {
		id := g.one()
		g.event(id, 1)
		g.event(id, 2, numbered(0x9000_0000))
	}},
	{block: "sequence", name: "roll-over", about: "The sequence number 0 follows the largest one.", versions: in4_6, make: func(g *stage) {
		id := g.one()
		g.event(id, 1, numbered(1<<32-1))
		g.event(id, 2, func(r *codec.EventRow) { r.MetadataID = id })
		g.event(id, 3)
	}},
	{block: "sequence", name: "thread-id-again", versions: in45,
		make: func(g *stage) {
			id := g.one()
			g.event(id, 1)
			g.event(id, 2)
			g.event(id, 3)
			g.event(id, 4, numbered(1))
			g.event(id, 5)
		}},
	{block: "sequence", name: "threads-in-turn", about: "Two capture threads with sequence numbers of their own alternate.", versions: in4_6, make: func(g *stage) {
		g.threads(2)
		id := g.plain(1, "Happened")
		for i := range uint64(6) {
			g.event(id, i, onThread(i%2+1))
		}
	}},
}
