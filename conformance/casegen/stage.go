package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
)

// situation is something that a reader meets in a trace that it must read,
// made small by hand.
type situation struct {
	block, name string
	about       string
	versions    []wire.Format
	make        func(*stage)
	other       func(*stage)          // makes the trace whose lines are those of another reading, or nil
	head        func(*codec.Trace)    // changes the Trace block, or nil
	bytes       func(b []byte) []byte // changes the stream, or nil
	rule        rule.ID               // that warns of it, or None
	at          string                // the bytes that break the rule
	place       func(trace []byte) int64
}

// Sets of versions.
var (
	in6   = []wire.Format{wire.V6}
	in45  = []wire.Format{wire.V4, wire.V5}
	in56  = []wire.Format{wire.V5, wire.V6}
	in4_6 = []wire.Format{wire.V4, wire.V6}
)

// situations makes the cases of all situations.
func situations() []made {
	var list []made
	for _, group := range [][]situation{
		traceSituations, framingSituations, metadataSituations, typeSituations(), payloadSituations, eventSituations,
		sequenceSituations, stackSituations, threadSituations, labelSituations, pointSituations,
		coverageSituations,
	} {
		for i := range group {
			for _, version := range group[i].versions {
				list = append(list, group[i].in(version))
			}
		}
	}
	return append(append(list, netperfCases()...), profileCases()...)
}

func (s *situation) in(version wire.Format) made {
	head := codec.Trace{
		SyncTime: time.Date(2026, 11, 21, 9, 30, 0, 250e6, time.UTC), SyncTicks: start, TickFrequency: 1e9, PointerSize: 8,
		Properties: []codec.KeyValue{
			{Key: codec.ProcessIDKey, Value: "4711"}, {Key: codec.HardwareThreadCountKey, Value: "8"},
			{Key: codec.ExpectedCPUSamplingRateKey, Value: "1000000"},
		},
	}
	if s.head != nil {
		s.head(&head)
	}
	build := func(make func(*stage)) []byte {
		g := &stage{gen.NewBuilder(gen.BuilderOptions{Format: version, Trace: head}), version.HasThreadTable()}
		make(g)
		return g.Trace().Bytes()
	}
	trace := build(s.make)
	if s.bytes != nil {
		trace = s.bytes(trace)
	}
	m := made{block: s.block, name: s.name, about: s.about, version: version, trace: trace, rule: s.rule}
	if s.other != nil {
		m.other = build(s.other)
	}
	if m.rule != rule.None {
		m.offset = int64(bytes.Index(trace, []byte(s.at)))
		if s.place != nil {
			m.offset = s.place(trace)
		}
	}
	return m
}

// eventBlock is where the first event block of a trace begins.
func eventBlock(trace []byte) int64 {
	r := codec.NewBytesBlockReader(trace, codec.Options{})
	for {
		b, ok := r.Next()
		if !ok {
			panic("casegen: no event block")
		}
		if b.Kind == wire.KindEvent {
			return b.Offset
		}
	}
}

// start is the time at which traces start, in ticks.
const start = 1_700_000_000_000

// stage is a trace in the making.
type stage struct {
	*gen.Builder
	indexed bool // threads are rows, and events have label lists (v6)
}

// event adds an event of the first thread, with the changes of how.
func (g *stage) event(metadata uint32, ticks uint64, how ...func(*codec.EventRow)) {
	row := codec.EventRow{MetadataID: metadata, CaptureThreadIndex: 1, ThreadIndex: 1, Processor: 2, Timestamp: start + ticks, Sorted: true}
	for _, change := range how {
		change(&row)
	}
	g.Event(&row)
}

// plain defines an event type without fields.
func (g *stage) plain(id uint32, name string) uint32 {
	return g.Metadata(&codec.Metadata{Provider: "Contoso", EventID: id, Name: name, Level: 4, Keywords: 2})
}

// threads defines threads 1 to n.
func (g *stage) threads(n uint64) {
	for i := range n {
		g.Thread(&codec.Thread{Index: i + 1, ProcessID: 4711, ThreadID: 100 + i, HasProcessID: true, HasThreadID: true})
	}
}

// one defines an event type and the first thread.
func (g *stage) one() uint32 {
	g.threads(1)
	return g.plain(1, "Happened")
}

// Changes of an event.
func onThread(n uint64) func(*codec.EventRow) {
	return func(r *codec.EventRow) { r.CaptureThreadIndex, r.ThreadIndex = n, n }
}

func unsorted(r *codec.EventRow) { r.Sorted = false }

func numbered(n uint32) func(*codec.EventRow) {
	return func(r *codec.EventRow) { r.Sequence = n }
}

func with(payload []byte) func(*codec.EventRow) {
	return func(r *codec.EventRow) { r.Payload = payload }
}

// bytesOf builds a payload: integers and floats by their width, text unchanged,
// and values that are bytes already.
func bytesOf(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch v := p.(type) {
		case byte:
			b = append(b, v)
		case uint16:
			b = binary.LittleEndian.AppendUint16(b, v)
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, v)
		case uint64:
			b = binary.LittleEndian.AppendUint64(b, v)
		case float32:
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		case float64:
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		case string:
			b = append(b, v...)
		case []byte:
			b = append(b, v...)
		default:
			panic("casegen: no encoding")
		}
	}
	return b
}

// wide is text in UTF-16 with its terminator.
func wide(s string) []byte { return wire.AppendUTF16Z(nil, s) }

// units is text in UTF-16 without one.
func units(s string) []byte { return wide(s)[:len(wide(s))-2] }
