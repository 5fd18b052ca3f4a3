package codec_test

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/internal/traces"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestOrderKeepsReferences: events that wait keep the rows they were written
// with, though the tables change under them.
func TestOrderKeepsReferences(t *testing.T) {
	row := func(metadata, sequence uint32, thread uint64, ts uint64) []byte {
		return eventBlock(0, rowV6(metadata|wire.NotSortedBit, sequence, thread, thread, 0, ts, 0, "payload"))
	}
	stream := newV6().metadata(1, "First").thread(7, 1, 70).block(wire.KindEvent, row(1, 1, 7, 5000)).
		block(wire.KindRemoveThread, varuint(7), varuint(1)).metadata(1, "Second").thread(7, 1, 71).
		block(wire.KindEvent, row(1, 1, 7, 4000)).end()
	var got []string
	for e, err := range codec.NewBytesReader(stream, codec.Options{Order: codec.ByTime}).Events() {
		if err != nil {
			t.Fatal(err)
		}
		id, _ := e.ThreadID()
		got = append(got, e.Name()+string(rune('0'+id%10)))
	}
	if !slices.Equal(got, []string{"Second1", "First0"}) {
		t.Errorf("%v", got)
	}
}

// TestOrderLimit: above the limit the older half is delivered, later events that
// are late are counted, and nothing is lost.
func TestOrderLimit(t *testing.T) {
	stream := traces.Read(t, "azmcp-net10-startup.v4")
	r := codec.NewBytesReader(stream, codec.Options{Order: codec.ByTime, Limits: codec.Limits{Reorder: 100 << 10}})
	got := drain(r)
	want := drain(codec.NewBytesReader(stream, codec.Options{}))
	if len(got.events) != len(want.events) || r.OutOfOrder() == 0 {
		t.Fatalf("%d events, want %d; %d out of order", len(got.events), len(want.events), r.OutOfOrder())
	}
	expect.Len(t, "defects", got.defects, 1)
	expect.Equal(t, "defects[0].Rule", got.defects[0].Rule, rule.LIM010)
	expect.Equal(t, "defects[0].Count", got.defects[0].Count, 1)
	slices.Sort(got.events)
	slices.Sort(want.events)
	if i := firstDifference(got.events, want.events); i >= 0 {
		t.Errorf("events differ at %d of the sorted ones", i)
	}
}

// timedRow is a row of the thread with that index, sorted or not.
func timedRow(thread, ts uint64, sorted bool) []byte {
	metadata := uint32(1 | wire.NotSortedBit)
	if sorted {
		metadata = 1
	}
	return rowV6(metadata, 1, thread, thread, 0, ts, 0, "")
}

// delivery is an event of a test of the order, and how much of the stream had been
// read when the event was delivered.
type delivery struct {
	thread, ts uint64
	blocks     int
}

// deliver reads by time a stream with four threads, and with one event block for
// each list of rows; nil rows stand for a sequence point at time 0.
func deliver(t *testing.T, blocks ...[][]byte) (got []delivery, outOfOrder int64) {
	t.Helper()
	s := newV6().metadata(1, "E").thread(1, 1, 1).thread(2, 1, 2).thread(3, 1, 3).thread(4, 1, 4)
	var ends []int64
	for _, rows := range blocks {
		if rows == nil {
			s.block(wire.KindSequencePoint, uint64(0), uint32(0), uint32(0))
		} else {
			s.block(wire.KindEvent, eventBlock(0, rows...))
		}
		ends = append(ends, int64(len(s.b)))
	}
	r := codec.NewBytesReader(s.end(), codec.Options{Order: codec.ByTime})
	for e, err := range r.Events() {
		expect.NoError(t, err)
		read, _ := slices.BinarySearch(ends, r.Offset())
		got = append(got, delivery{e.ThreadIndex, e.Timestamp, read + 1})
	}
	return got, r.OutOfOrder()
}

// TestOrderOfTies: a sorted row promises nothing about events of its own time, so
// these wait for those of other threads in later blocks.
func TestOrderOfTies(t *testing.T) {
	got, _ := deliver(t,
		[][]byte{timedRow(4, 900, false), timedRow(2, 1000, false), timedRow(3, 1000, true)},
		[][]byte{timedRow(1, 1000, false)})
	expect.Slices(t, "events", got, []delivery{{4, 900, 1}, {1, 1000, 3}, {2, 1000, 3}, {3, 1000, 3}})
}

// TestOrderBrokenPromise: of the times of sorted rows the newest one counts, and
// an event older than that is delivered with the next ones.
func TestOrderBrokenPromise(t *testing.T) {
	got, outOfOrder := deliver(t,
		[][]byte{timedRow(1, 1000, true), timedRow(2, 2000, true), timedRow(1, 1500, true), timedRow(3, 1800, false)},
		[][]byte{timedRow(4, 1600, false)},
		[][]byte{timedRow(4, 1400, true)})
	expect.Slices(t, "events", got, []delivery{{1, 1000, 1}, {1, 1500, 1}, {3, 1800, 1}, {4, 1400, 4}, {4, 1600, 4}, {2, 2000, 4}})
	expect.Equal(t, "OutOfOrder", outOfOrder, 2)
}

// TestOrderAfterPoint: the sorted rows of a region promise nothing for the next
// one.
func TestOrderAfterPoint(t *testing.T) {
	got, _ := deliver(t,
		[][]byte{timedRow(1, 1000, false), timedRow(2, 2000, true)}, nil,
		[][]byte{timedRow(1, 1000, false), timedRow(2, 1500, true)}, [][]byte{timedRow(3, 1500, false)})
	expect.Slices(t, "events", got, []delivery{{1, 1000, 1}, {2, 2000, 2}, {1, 1000, 3}, {2, 1500, 5}, {3, 1500, 5}})
}

// TestOrderBadBlocks: blocks without a complete row do not count for
// Limits.Reorder.
func TestOrderBadBlocks(t *testing.T) {
	s := newV6().metadata(1, "E").thread(1, 1, 1).block(wire.KindEvent, eventBlock(0, timedRow(1, 1000, false)))
	for range 5 {
		s.block(wire.KindEvent, eventBlock(0, bytesOf(uint32(1<<30), make([]byte, 4000))))
	}
	opt := codec.Options{Order: codec.ByTime, OnError: codec.Skip, Limits: codec.Limits{Reorder: 10_000}}
	got := drain(codec.NewBytesReader(s.end(), opt))
	expect.NoError(t, got.err)
	expect.Len(t, "events", got.events, 1)
	expect.Equal(t, "bad blocks", got.bad, 5)
	for _, d := range got.defects {
		if d.Rule == rule.LIM010 {
			t.Errorf("%v", d.Err)
		}
	}
}
