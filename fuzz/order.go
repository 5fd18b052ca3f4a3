package fuzz

import (
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// The lowest bits of each byte of a plan for FuzzOrder are the step of the time,
// the others choose the next row.
const (
	planBack   = 0x80 // the time goes back
	planSorted = 0x40 // the row is marked as sorted
	planBlock  = 0x20 // another block begins
	planPoint  = 0x10 // a sequence point comes first
	planStep   = 0x0F
)

// planned is a stream with the rows of the plan, on three threads.
func planned(v version, plan []byte) []byte {
	s := newStream(v).tables()
	rows, now := eventHeader(wire.BlockCompressed), uint64(1<<20)
	flush := func() {
		if len(rows) > 20 {
			s.add(wire.KindEvent, rows)
		}
		rows = eventHeader(wire.BlockCompressed)
	}
	base := uint64(0) // time of the row before in the block
	for i, step := range plan {
		if step&(planBlock|planPoint) != 0 {
			flush()
			base = 0
		}
		if step&planPoint != 0 {
			point := append32(append64(nil, now), 0)
			if v.HasSequencePointFlags() {
				point = append32(point, 0)
			}
			s.add(wire.KindSequencePoint, point)
		}
		if now += uint64(step & planStep); step&planBack != 0 {
			now -= 2 * uint64(step&planStep)
		}
		flags := byte(wire.RowMetadataID|wire.RowSequence|wire.RowThread|wire.RowPayloadSize) | step&planSorted
		thread := uint64(1 + i%3)
		rows = varuint(append(rows, flags), 1)
		rows = varuint(append(rows, 0), thread)
		rows = varuint(append(rows, 1), thread)
		rows = append(varuint(rows, now-base), 1, byte(i))
		base = now
	}
	flush()
	return s.end()
}

// orderAgrees reads a stream by time, and compares it with a stable sort of each
// region if no row is sorted and all events fit.
func orderAgrees(b []byte, limit int64) error {
	c := checker{b: clip(b), dice: diceOf(b)}
	for _, step := range []func() error{c.readBoth, c.blocks, c.ordered} {
		if err := step(); err != nil {
			return err
		}
	}
	rd := newReading(codec.Options{OnError: codec.Skip, Order: codec.ByTime, Limits: codec.Limits{Reorder: limit}})
	o, err := rd.memory(b).through(byEvents)
	if err != nil {
		return err
	}
	got := asInFile(o).events
	if at := firstDifference(c.base.events, got); at >= 0 {
		return fmt.Errorf("with limit %d, event %d of the file is %+v, not %+v", limit, at, nth(got, at), nth(c.base.events, at))
	}
	want := afterNewer(o.events)
	if t, err := rd.r.Trace(); err != nil || !t.Format.HasSequencePoints() {
		want = 0
	}
	if late := rd.r.OutOfOrder(); late != want {
		return fmt.Errorf("with limit %d, the reader reports %d late events, want %d", limit, late, want)
	}
	return nil
}

// fuzzOrder is the function of FuzzOrder.
func fuzzOrder(t testing.TB, plan []byte, limit uint16) {
	if len(plan) > 4096 {
		return
	}
	defer guard()()
	for _, v := range []version{v4, v6} {
		b := planned(v, plan)
		if err := orderAgrees(b, int64(limit)); err != nil {
			t.Fatalf("version %v: %v\nplan: %x, limit %d", v.Format, err, plan, limit)
		}
	}
}
