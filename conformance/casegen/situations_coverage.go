package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
)

// powers are the numbers next to the powers of two at which varuints get longer, up to
// a largest one.
func powers(largest uint64) (list []uint64) {
	for _, bits := range []int{7, 14, 21, 28, 35, 63} {
		for _, v := range []uint64{1<<bits - 1, 1 << bits, 1<<bits + 1} {
			if v <= largest {
				list = append(list, v)
			}
		}
	}
	return list
}

// largest28 is the largest of the numbers next to 2^28.
const largest28 = 1<<28 + 1

// coverageSituations have each value of the flags of a row, and the numbers at which
// fields get longer.
var coverageSituations = []situation{
	{block: "event", name: "flags", versions: in456, rule: rule.ORD004, place: unsortedChange, make: everyFlag},
	{block: "event", name: "capture-thread-alone", versions: in4_6, make: func(g *stage) {
		g.threads(3)
		id := g.plain(1, "Sampled")
		for i := range uint64(6) {
			g.event(id, i, func(r *codec.EventRow) { r.ThreadIndex, r.CaptureThreadIndex = 3, 1+i%2 })
		}
	}},
	{block: "event", name: "captured-by-another-process", about: "The thread of an event and the thread that captured it are of two processes: the event belongs to that of the thread.", versions: in6, make: func(g *stage) {
		g.Thread(&codec.Thread{Index: 1, ProcessID: 50, ThreadID: 7, HasProcessID: true, HasThreadID: true})
		g.Thread(&codec.Thread{Index: 2, ProcessID: 60, ThreadID: 8, HasProcessID: true, HasThreadID: true})
		id := g.plain(1, "Sampled")
		g.event(id, 1, func(r *codec.EventRow) { r.ThreadIndex, r.CaptureThreadIndex = 1, 2 })
		g.event(id, 2, func(r *codec.EventRow) { r.ThreadIndex, r.CaptureThreadIndex = 2, 1 })
	}},
	{block: "event", name: "metadata-ids-at-powers", versions: in4_6, make: func(g *stage) {
		g.threads(1)
		for i, v := range powers(largest28) {
			g.event(g.Metadata(&codec.Metadata{ID: uint32(v), Provider: "Contoso", EventID: uint32(i + 1), Name: "Powered", Level: 4}), uint64(i))
		}
	}},
	{block: "event", name: "sequence-numbers-at-powers", versions: in4_6, make: func(g *stage) {
		id := g.one()
		for i, v := range powers(largest28) {
			g.event(id, uint64(i), numbered(uint32(v)))
		}
	}},
	{block: "event", name: "processors-at-powers", versions: in4_6,
		head: func(t *codec.Trace) { t.Properties[1].Value = fmt.Sprint(1 << 29) }, make: func(g *stage) {
			id := g.one()
			for i, v := range powers(largest28) {
				g.event(id, uint64(i), func(r *codec.EventRow) { r.Processor = uint32(v) })
			}
		}},
	{block: "event", name: "threads-at-powers", versions: in45[:1], make: func(g *stage) { g.threadsAt(powers(1<<63 - 1)) }},
	{block: "event", name: "threads-at-powers", versions: in6, make: func(g *stage) { g.threadsAt(powers(1<<63 + 1)) }},
	{block: "event", name: "stack-ids-at-powers", versions: in4_6, make: func(g *stage) {
		id := g.one()
		next := uint32(1)
		for i, v := range powers(largest28) {
			g.Skip(uint32(v) - next)
			next = uint32(v) + 1
			g.event(id, uint64(i), onStack(g.Stack(frames(i+1))))
		}
	}},
	{block: "event", name: "label-lists-at-powers", versions: in6, make: func(g *stage) {
		id := g.one()
		next := uint32(1)
		for i, v := range powers(largest28) {
			g.Skip(uint32(v) - next)
			next = uint32(v) + 1
			g.event(id, uint64(i), labeled(g.Labels(codec.Label{Kind: wire.LabelKeyNumber, Key: "n", Number: uint64(i)})))
		}
	}},
	{block: "event", name: "times-at-powers", versions: in4_6, rule: rule.ORD006, place: lastTime,
		head: func(t *codec.Trace) { t.SyncTicks = 0 }, make: func(g *stage) {
			id := g.one()
			time := uint64(0)
			for _, v := range powers(1<<35 + 1) {
				time += v
				g.event(id, 0, func(r *codec.EventRow) { r.Timestamp = time })
			}
			g.event(id, 0, func(r *codec.EventRow) { r.Timestamp = 1<<63 - 1 })
		}},
	{block: "event", name: "payload-sizes-at-powers", versions: in4_6, make: func(g *stage) {
		g.threads(1)
		text := codec.Field{Name: "Text", Type: codec.Type{Code: wire.NullTerminatedUTF16String}}
		even := g.Metadata(&codec.Metadata{Provider: "Contoso", EventID: 1, Name: "Even", Level: 4, Fields: []codec.Field{text}})
		odd := g.Metadata(&codec.Metadata{Provider: "Contoso", EventID: 2, Name: "Odd", Level: 4,
			Fields: []codec.Field{text, {Name: "Last", Type: codec.Type{Code: wire.Byte}}}})
		for i, v := range powers(1<<14 + 1) {
			payload := wide(strings.Repeat("x", int(v/2-1)))
			if v%2 == 0 {
				g.event(even, uint64(i), with(payload))
			} else {
				g.event(odd, uint64(i), with(append(payload, byte(i))))
			}
		}
	}},
	{block: "event", name: "block-of-300-rows", versions: in4_6, make: func(g *stage) {
		g.threads(3)
		id := g.plain(1, "Happened")
		for i := range uint64(300) {
			g.event(id, 10*i, onThread(1+i/7%3))
		}
	}},
	{block: "event", name: "blocks-between-points", versions: in4_6, make: func(g *stage) {
		g.threads(2)
		id, other := g.plain(1, "Happened"), g.plain(2, "Ended")
		g.SequencePoint(start+1, 0)
		stack := g.Stack(frames(2))
		for i := range uint64(12) {
			g.event(id, 10*i+10, onThread(1+i%2), onStack(stack))
			g.event(other, 10*i+15, onThread(1+i%2), onStack(stack))
			if i%4 == 3 {
				g.Flush()
			}
		}
		g.SequencePoint(start+1000, 0)
		g.event(id, 2000)
	}},
	{block: "event", name: "three-threads-out-of-order", versions: in4_6, rule: rule.ORD004, place: unsortedChange, make: func(g *stage) {
		g.threads(3)
		id := g.plain(1, "Happened")
		for _, thread := range []uint64{2, 3, 1} {
			for i := range uint64(5) {
				g.event(id, 30*i+10*(thread%3), onThread(thread), unsorted)
			}
		}
		g.SequencePoint(start+1000, 0)
	}},
	{block: "payload", name: "locators-beyond-32767", versions: in6, make: func(g *stage) {
		g.threads(1)
		const fill, size = 40_000, 4
		element := &codec.Type{Code: wire.UInt16}
		id := g.Metadata(&codec.Metadata{Provider: "Contoso", EventID: 9, Name: "Far", Level: 4, Fields: []codec.Field{
			{Name: "Near", Type: codec.Type{Code: wire.RelLoc, Element: element}}, {Name: "Far", Type: codec.Type{Code: wire.DataLoc, Element: element}},
			{Name: "Fill", Type: codec.Type{Code: wire.Array, Element: &codec.Type{Code: wire.Byte}}}, sentinelField(),
		}})
		const data = 4 + 4 + 2 + fill + 4 // where the elements begin
		g.event(id, 1, with(bytesOf(uint32(size<<16|data-4), uint32(size<<16|data+size), uint16(fill), make([]byte, fill), uint32(sentinel),
			uint16(7), uint16(8), uint16(9), uint16(10))))
	}},
	{block: "sequencepoint", name: "thousand-rows-of-tables", versions: in4_6, make: thousands},
}

// unsortedChange is where the first row is whose capture thread is another one than
// that of the row before, and which is not sorted.
func unsortedChange(trace []byte) (offset int64) {
	var before uint64
	forEachEvent(trace, func(_ *codec.Block, e *codec.Event) {
		if offset == 0 && before != 0 && before != e.CaptureThreadIndex && !e.Sorted() {
			offset = e.Offset()
		}
		before = e.CaptureThreadIndex
	})
	return offset
}

// lastTime is where the time of the last row is, of which only the flags and the time
// are written.
func lastTime(trace []byte) (offset int64) {
	forEachEvent(trace, func(_ *codec.Block, e *codec.Event) { offset = e.Offset() + 1 })
	return offset
}

// threadsAt has events of threads with these numbers, which another thread writes, and
// events that they write themselves.
func (g *stage) threadsAt(numbers []uint64) {
	g.threads(1)
	id := g.plain(1, "Happened")
	for i, v := range numbers {
		g.Thread(&codec.Thread{Index: v, ProcessID: 4711, ThreadID: 1000 + uint64(i), HasProcessID: true, HasThreadID: true})
		g.event(id, uint64(2*i), func(r *codec.EventRow) { r.ThreadIndex = v })
		g.event(id, uint64(2*i+1), func(r *codec.EventRow) { r.CaptureThreadIndex = v })
	}
}

// everyFlag has a row with each value of the flags byte, after a row with other values
// in all fields.
func everyFlag(g *stage) {
	g.threads(4)
	for i, name := range []string{"One", "Two"} {
		g.Metadata(&codec.Metadata{Provider: "Contoso", EventID: uint32(i + 1), Name: name, Level: 4,
			Fields: []codec.Field{{Name: "Text", Type: codec.Type{Code: wire.NullTerminatedUTF16String}}}})
	}
	stacks := [2]uint32{g.Stack(frames(1)), g.Stack(frames(2))}
	var lists [2]uint32
	if g.indexed {
		for i := range lists {
			lists[i] = g.Labels(codec.Label{Kind: wire.LabelKeyNumber, Key: "n", Number: uint64(i)})
		}
	}
	for flags := range 256 {
		f := byte(flags)
		if g.indexed && f&wire.RowRelated != 0 {
			continue // v6 does not assign the flag
		}
		n := func(flag byte) uint64 { return uint64(f&flag) / uint64(flag) } // 1 if the row has the flag
		before := codec.EventRow{
			MetadataID: 1, Processor: 5, CaptureThreadIndex: 1, ThreadIndex: 3, StackID: stacks[0], Timestamp: start + uint64(20*flags),
			Payload: wide(""), Written: 0xFF,
		}
		row := before
		row.Timestamp += 10
		row.MetadataID += uint32(n(wire.RowMetadataID))
		row.CaptureThreadIndex += n(wire.RowSequence)
		row.Processor += uint32(n(wire.RowSequence))
		row.ThreadIndex += n(wire.RowThread)
		row.StackID = stacks[n(wire.RowStackID)]
		row.Payload = wide(strings.Repeat("x", int(n(wire.RowPayloadSize))))
		row.Written, row.Sorted = f, f&wire.RowSorted != 0
		if g.indexed {
			before.LabelListID, row.LabelListID = lists[0], lists[n(wire.RowLabelList)]
		} else {
			before.Activity, before.Related = wire.GUID{1}, wire.GUID{2}
			row.Activity, row.Related = wire.GUID{1 + 2*byte(n(wire.RowActivity))}, wire.GUID{2 + 2*byte(n(wire.RowRelated))}
		}
		g.Event(&before)
		g.Event(&row)
	}
}

// thousands has 1,200 stacks, threads and label lists between two sequence points, in
// blocks of 300.
func thousands(g *stage) {
	const count, block = 1200, 300
	id := g.plain(1, "Happened")
	g.SequencePoint(start, 0)
	for i := range uint64(count) {
		g.Thread(&codec.Thread{Index: i, ThreadID: 5000 + i, HasThreadID: true})
		row := []func(*codec.EventRow){onThread(i), onStack(g.Stack([]uint64{0x1000 + i, 0x2000}))}
		if g.indexed {
			row = append(row, labeled(g.Labels(codec.Label{Kind: wire.LabelKeyNumber, Key: "n", Number: i})))
		}
		g.event(id, i+1, row...)
		if i%block == block-1 {
			g.Flush()
		}
	}
	g.SequencePoint(start+10_000, 0)
}

// undisputed is a seed with which the profile good-citizen has all types but DateTime and
// Boolean8: the specification and the writers in use do not agree on their sizes.
const undisputed = 2064

// profileCases are traces as programs write them.
func profileCases() (list []made) {
	for _, p := range []struct {
		name   string
		format wire.Format
		events int64
		seed   uint64
		about  string
	}{
		{"cpu-sampling", wire.V4, 2_000, seed, "A trace of 2,000 events is like that of a sampling profiler: stacks, and a rundown at the end."},
		{"cpu-sampling", wire.V6, 2_000, seed, "A trace of 2,000 events is like that of a sampling profiler: stacks, and a rundown at the end."},
		{"steady", wire.V4, 5_000, seed, "A trace of 5,000 events is like that of one event source: a thousand small events every 100 ms."},
		{"steady", wire.V6, 5_000, seed, "A trace of 5,000 events is like that of one event source: a thousand small events every 100 ms."},
		{"macos", wire.V4, 4_000, seed, "A trace of 4,000 events is like that of a sampler alone over many threads with large ids."},
		{"good-citizen", wire.V6, 2_000, undisputed, "A trace of 2,000 events of several processes has all kinds of labels, types and thread rows."},
	} {
		profile, ok := gen.FindProfile(p.name)
		if !ok {
			panic("casegen: no profile " + p.name)
		}
		var trace bytes.Buffer
		if err := profile.Write(&trace, gen.Order{Events: p.events, Format: p.format, Seed: p.seed}); err != nil {
			panic(err)
		}
		list = append(list, made{block: "trace", name: "like-" + p.name, about: p.about, version: p.format, trace: trace.Bytes()})
	}
	return list
}
