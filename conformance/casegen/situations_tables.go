package main

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// onStack gives an event a stack.
func onStack(id uint32) func(*codec.EventRow) {
	return func(r *codec.EventRow) { r.StackID = id }
}

// labeled gives an event a label list.
func labeled(id uint32) func(*codec.EventRow) {
	return func(r *codec.EventRow) { r.LabelListID = id }
}

// frames is a stack of n addresses.
func frames(n int) []uint64 {
	list := make([]uint64, n)
	for i := range list {
		list[i] = 0x7F3A_5C00_0000 + uint64(16*i)
	}
	return list
}

var stackSituations = []situation{
	{block: "stack", name: "leaf-first", about: "A stack has its leaf first; the next event has no stack.", versions: in4_6, make: func(g *stage) {
		id := g.one()
		g.event(id, 1, onStack(g.Stack([]uint64{0x7F00_0000_1000, 0x7F00_0000_2000, 0xFFFF_FFFF_FFFF_F000})))
		g.event(id, 2)
	}},
	{block: "stack", name: "pointers-of-4-bytes", about: "The addresses of stacks have four bytes.", versions: in4_6, head: func(t *codec.Trace) { t.PointerSize = 4 }, make: func(g *stage) {
		g.event(g.one(), 1, onStack(g.Stack([]uint64{0x8000_1000, 0x7000_2000})))
	}},
	{block: "stack", name: "id-of-a-new-region", about: "After a sequence point a stack id has another stack.", versions: in4_6,
		make: func(g *stage) {
			id := g.one()
			g.event(id, 1, onStack(g.Stack(frames(2))))
			g.SequencePoint(start+10, 0)
			g.event(id, 20, onStack(g.Stack(frames(3))))
		}},
	{block: "stack", name: "deep", about: "A stack has 8,750 addresses, which are 70,000 bytes.", versions: in4_6, make: func(g *stage) {
		g.event(g.one(), 1, onStack(g.Stack(frames(8750))))
	}},
	{block: "stack", name: "empty", about: "A stack has no addresses.", versions: in4_6, make: func(g *stage) { g.event(g.one(), 1, onStack(g.Stack(nil))) }},
	{block: "stack", name: "several-blocks", about: "Two stack blocks with a gap between their ids precede the events.", versions: in4_6, make: func(g *stage) {
		id := g.one()
		a := g.Stack(frames(1))
		g.Skip(5)
		b := g.Stack(frames(2))
		g.event(id, 1, onStack(b))
		g.event(id, 2, onStack(a))
	}},
}

var threadSituations = []situation{
	{block: "thread", name: "everything", about: "A thread row has all properties.", versions: in6, make: func(g *stage) {
		g.Thread(&codec.Thread{Index: 1, Name: "größter", ProcessID: 4711, ThreadID: 5, HasProcessID: true, HasThreadID: true,
			Attributes: []codec.KeyValue{{Key: "pool", Value: "x"}, {Key: "empty"}}})
		g.event(g.plain(1, "Happened"), 1)
	}},
	{block: "thread", name: "name-only", about: "A thread row has a name only.", versions: in6, make: func(g *stage) {
		g.Thread(&codec.Thread{Index: 1, Name: "worker"})
		g.event(g.plain(1, "Happened"), 1)
	}},
	{block: "thread", name: "ids-above-32-bits", about: "A process id and a thread id are above 32 bits.", versions: in6, make: func(g *stage) {
		g.Thread(&codec.Thread{Index: 1, ProcessID: 0x1_0000_0001, ThreadID: 0x1_0000_0005, HasProcessID: true, HasThreadID: true})
		g.event(g.plain(1, "Happened"), 1)
	}},
	{block: "thread", name: "index-0-and-large", about: "Thread indexes are 0 and 2^40.", versions: in6, make: func(g *stage) {
		id := g.plain(1, "Happened")
		for i, index := range []uint64{0, 1 << 40} {
			g.Thread(&codec.Thread{Index: index, ThreadID: uint64(i), HasThreadID: true})
			g.event(id, uint64(i), onThread(index))
		}
	}},
	{block: "thread", name: "several-processes", about: "Threads of three processes have the same thread id.", versions: in6, make: func(g *stage) {
		id := g.plain(1, "Happened")
		for i := range uint64(3) {
			g.Thread(&codec.Thread{Index: i + 1, ProcessID: 50 + i, ThreadID: 7, HasProcessID: true, HasThreadID: true})
			g.event(id, i, onThread(i+1))
		}
	}},
	{block: "thread", name: "flushed-and-defined-again", about: "After a sequence point with flag 1 a thread index has another thread.", versions: in6,
		make: func(g *stage) {
			id := g.one()
			g.event(id, 1)
			g.SequencePoint(start+10, wire.SequenceThreads)
			g.Thread(&codec.Thread{Index: 1, ThreadID: 77, HasThreadID: true})
			g.event(id, 20)
		}},
	{block: "removethread", name: "index-defined-again", about: "A thread index is removed and defined again.", versions: in6, make: func(g *stage) {
		id := g.one()
		g.event(id, 1)
		g.RemoveThreads(1)
		g.Thread(&codec.Thread{Index: 1, ThreadID: 77, HasThreadID: true})
		g.event(id, 2)
	}},
	{block: "removethread", name: "index-defined-again-in-new-region", about: "A thread index is removed, and defined again after a sequence point.", versions: in6, make: func(g *stage) {
		id := g.one()
		g.event(id, 1)
		g.RemoveThreads(1)
		g.SequencePoint(start+10, 0)
		g.Thread(&codec.Thread{Index: 1, ThreadID: 77, HasThreadID: true})
		g.event(id, 20)
	}},
	{block: "removethread", name: "id-is-index-of-another", about: "Thread 1, whose operating-system id is 2, is removed; thread 2 goes on.", versions: in6,
		make: func(g *stage) {
			g.Thread(&codec.Thread{Index: 1, ThreadID: 2, HasThreadID: true})
			g.Thread(&codec.Thread{Index: 2, ThreadID: 50, HasThreadID: true})
			id := g.plain(1, "Happened")
			g.event(id, 1)
			g.RemoveThreads(1)
			g.SequencePoint(start+10, 0)
			g.event(id, 20, onThread(2))
		}},
	{block: "removethread", name: "lost-at-the-end", about: "The sequence number of a removed thread is 4 and that of its last event 1: three events are lost.", versions: in6,
		make: func(g *stage) {
			g.event(g.one(), 1)
			g.Lose(1, 3)
			g.RemoveThreads(1)
		}},
}

var labelSituations = []situation{
	{block: "labellist", name: "every-kind", about: "A label list has all kinds of labels.", versions: in6, make: func(g *stage) {
		id := g.one()
		g.event(id, 1, labeled(g.Labels(
			codec.Label{Kind: wire.LabelActivityID, GUID: guid}, codec.Label{Kind: wire.LabelRelatedActivityID, GUID: wire.GUID{1}},
			codec.Label{Kind: wire.LabelTraceID, GUID: guid}, codec.Label{Kind: wire.LabelSpanID, Number: 0x0807_0605_0403_0201},
			codec.Label{Kind: wire.LabelKeyString, Key: "grün", Value: "𝄞"}, codec.Label{Kind: wire.LabelKeyString, Key: "empty"},
			codec.Label{Kind: wire.LabelKeyNumber, Key: "least", Number: 1 << 63},
			codec.Label{Kind: wire.LabelOpcode, Number: 9}, codec.Label{Kind: wire.LabelKeywords, Number: 1 << 63},
			codec.Label{Kind: wire.LabelLevel, Number: 1}, codec.Label{Kind: wire.LabelVersion, Number: 7})))
		g.event(id, 2)
	}},
	{block: "labellist", name: "zero-overrides", about: "Labels with the value 0 override the values of the metadata.", versions: in6, make: func(g *stage) {
		g.threads(1)
		id := g.Metadata(&codec.Metadata{Provider: "Contoso", EventID: 1, Name: "Happened", Level: 4, Version: 3, Opcode: 5, OpcodeSet: true, Keywords: 6})
		g.event(id, 1, labeled(g.Labels(codec.Label{Kind: wire.LabelOpcode}, codec.Label{Kind: wire.LabelKeywords},
			codec.Label{Kind: wire.LabelLevel}, codec.Label{Kind: wire.LabelVersion})))
		g.event(id, 2)
	}},
	{block: "labellist", name: "shared-and-in-two-blocks", about: "Two label list blocks have lists that several events share.", versions: in6, make: func(g *stage) {
		id := g.one()
		a := g.Labels(codec.Label{Kind: wire.LabelKeyString, Key: "k", Value: "a"})
		g.Flush()
		b := g.Labels(codec.Label{Kind: wire.LabelKeyString, Key: "k", Value: "b"})
		for i, list := range []uint32{b, a, 0, b} {
			g.event(id, uint64(i), labeled(list))
		}
	}},
	{block: "labellist", name: "id-of-a-new-region", about: "After a sequence point a label list index has another list.", versions: in6, make: func(g *stage) {
		id := g.one()
		g.event(id, 1, labeled(g.Labels(codec.Label{Kind: wire.LabelActivityID, GUID: guid})))
		g.SequencePoint(start+10, 0)
		g.event(id, 20, labeled(g.Labels(codec.Label{Kind: wire.LabelActivityID, GUID: wire.GUID{9}})))
	}},
}

var pointSituations = []situation{
	{block: "sequencepoint", name: "lost-without-an-event", about: "A sequence point has number 5 for a thread without events: five events are lost.", versions: in4_6,
		make: func(g *stage) {
			g.one()
			g.Lose(1, 5)
			g.SequencePoint(start+10, 0)
		}},
	{block: "sequencepoint", name: "lost-at-the-point", about: "A sequence point has number 3 for a thread whose last event has 1: two events are lost.", versions: in4_6, make: func(g *stage) {
		id := g.one()
		g.event(id, 1)
		g.Lose(1, 2)
		g.SequencePoint(start+10, 0)
		g.event(id, 20)
	}},
	{block: "sequencepoint", name: "tables-stay", about: "After a sequence point without flags metadata and threads are still defined.", versions: in4_6,
		make: func(g *stage) {
			id := g.one()
			g.event(id, 1)
			g.SequencePoint(start+10, 0)
			g.event(id, 20)
		}},
	{block: "sequencepoint", name: "no-threads", about: "A sequence point lists no threads.", versions: in4_6, make: func(g *stage) {
		g.Point(codec.SequencePoint{Timestamp: start + 5})
		g.event(g.one(), 20)
	}},
	{block: "sequencepoint", name: "threads-left-out", about: "A sequence point lists one of two threads; the other one loses events after it.", versions: in6, make: func(g *stage) {
		g.threads(2)
		id := g.plain(1, "Happened")
		g.event(id, 1)
		g.event(id, 2, onThread(2))
		g.Point(codec.SequencePoint{Timestamp: start + 10, Threads: []codec.ThreadSequence{{Thread: 1, Sequence: 1}}})
		g.event(id, 20, onThread(2), numbered(5))
	}},
	{block: "sequencepoint", name: "thread-ended", versions: in45,
		make: func(g *stage) {
			id := g.one()
			g.event(id, 1)
			g.event(id, 2)
			g.SequencePoint(start+10, 0)
			g.EndThread(1)
			g.SequencePoint(start+15, 0)
			g.event(id, 20)
		}},
	{block: "sequencepoint", name: "flags-together", about: "A sequence point has flags 1 and 2.", versions: in6, make: func(g *stage) {
		g.event(g.one(), 1)
		g.SequencePoint(start+10, wire.SequenceThreads|wire.SequenceMetadata)
		g.event(g.one(), 20)
	}},
}
