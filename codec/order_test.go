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
