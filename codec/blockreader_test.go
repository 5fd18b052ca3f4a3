package codec_test

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// smallBlocks is a stream of v6 with a block of each of some kinds.
func smallBlocks() []byte {
	row := rowV6(1, 1, 0, 0, 0, 2000, 0, "")
	return newV6().metadata(1, "E").thread(0, 1, 1).
		block(wire.KindStack, uint32(1), uint32(1), uint32(8), uint64(0x1000)).
		block(wire.KindEvent, eventBlock(0, row)).
		block(wire.KindStack, uint32(2), uint32(1), uint32(8), uint64(0x2000)).
		end()
}

var smallKinds = []wire.Kind{
	wire.KindTrace, wire.KindMetadata, wire.KindThread, wire.KindStack, wire.KindEvent, wire.KindStack, wire.KindEndOfStream,
}

func kindsOf(r *codec.BlockReader) (kinds []wire.Kind) {
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		kinds = append(kinds, b.Kind)
	}
	return kinds
}

// TestErrorBeforeNext: an error that a call between Trace and the first Next finds
// stays, and Next returns no block after it.
func TestErrorBeforeNext(t *testing.T) {
	faulty := smallBlocks()
	const keyValueCount = 60 // offset of the field of the Trace block
	binary.LittleEndian.PutUint32(faulty[keyValueCount:], math.MaxInt32)
	for _, c := range []struct {
		name string
		call func(*codec.BlockReader)
	}{
		{"NextEvent", func(r *codec.BlockReader) { r.NextEvent() }},
		{"Rows", func(r *codec.BlockReader) { r.Rows(new(codec.BlockRows)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := codec.NewBytesBlockReader(faulty, codec.Options{})
			if _, err := r.Trace(); err != nil {
				t.Fatal(err)
			}
			c.call(r)
			before := r.Err()
			b, ok := r.Next()
			if before != nil && ok {
				t.Errorf("after %v: Next returns the block at %d", before, b.Offset)
			}
			for ok {
				_, ok = r.Next()
			}
			if got := codec.RuleOf(r.Err()); got != rule.TRC010 {
				t.Errorf("got %v, want %v", r.Err(), rule.TRC010)
			}
		})
	}
}

// TestNextAfterTrace: Trace reads the first block, and Next returns it all the same.
func TestNextAfterTrace(t *testing.T) {
	for _, c := range []struct {
		name  string
		calls int
	}{{"not called", 0}, {"called", 1}, {"called twice", 2}} {
		t.Run(c.name, func(t *testing.T) {
			r := codec.NewBytesBlockReader(smallBlocks(), codec.Options{})
			for range c.calls {
				if _, err := r.Trace(); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.AtStart(); err != nil {
				t.Errorf("before Next: %v", err)
			}
			if got := kindsOf(r); !slices.Equal(got, smallKinds) || r.Err() != nil {
				t.Errorf("blocks %v, %v; want %v", got, r.Err(), smallKinds)
			}
			if err := r.AtStart(); !errors.Is(err, codec.ErrStarted) {
				t.Errorf("after Next: %v, want ErrStarted", err)
			}
			r.ResetBytes(smallBlocks())
			if got := kindsOf(r); !slices.Equal(got, smallKinds) {
				t.Errorf("after a reset blocks %v, want %v", got, smallKinds)
			}
		})
	}
}

// TestTraceAfterNext: Trace does not move a BlockReader that has returned a block.
func TestTraceAfterNext(t *testing.T) {
	r := codec.NewBytesBlockReader(smallBlocks(), codec.Options{})
	r.Next()
	if _, err := r.Trace(); err != nil {
		t.Fatal(err)
	}
	if got, want := kindsOf(r), smallKinds[1:]; !slices.Equal(got, want) {
		t.Errorf("blocks %v, want %v", got, want)
	}
}

// TestRowsOfNoBlock: before the first block and after the last one there are no rows.
func TestRowsOfNoBlock(t *testing.T) {
	check := func(t *testing.T, r *codec.BlockReader) {
		var rows codec.BlockRows
		if r.Rows(&rows); rows.HasRows() {
			t.Errorf("rows %+v", rows)
		}
		if e, ok := r.NextEvent(); ok {
			t.Errorf("event at %d", e.Offset())
		}
	}
	t.Run("before the first", func(t *testing.T) { check(t, codec.NewBytesBlockReader(smallBlocks(), codec.Options{})) })
	t.Run("after the last", func(t *testing.T) {
		r := codec.NewBytesBlockReader(smallBlocks(), codec.Options{})
		kindsOf(r)
		check(t, r)
	})
	t.Run("after an error", func(t *testing.T) {
		stream := smallBlocks()
		r := codec.NewBytesBlockReader(stream[:len(stream)-4], codec.Options{}) // no end mark: the last block is a stack block
		if kindsOf(r); r.Err() == nil {
			t.Fatal("no error of a truncated stream")
		}
		check(t, r)
	})
}

// TestPassedOver: Next passes over the rows that were not read, and each event is read
// once, whatever reads it.
func TestPassedOver(t *testing.T) {
	stream := newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindEvent, eventBlock(0,
		rowV6(1, 1, 0, 0, 0, 2000, 0, ""), rowV6(1, 2, 0, 0, 0, 2001, 0, ""), rowV6(1, 3, 0, 0, 0, 2002, 0, ""))).end()
	for _, c := range []struct {
		name string
		read func(r *codec.BlockReader) int
		want int
	}{
		{"rows after an event", func(r *codec.BlockReader) int {
			var rows codec.BlockRows
			r.Rows(&rows)
			return len(rows.Events)
		}, 2},
		{"Next after an event", func(r *codec.BlockReader) int { return len(kindsOf(r)) }, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := codec.NewBytesBlockReader(stream, codec.Options{})
			for b, ok := r.Next(); ok && b.Kind != wire.KindEvent; b, ok = r.Next() {
			}
			if e, ok := r.NextEvent(); !ok || e.Timestamp != 2000 {
				t.Fatal(r.Err())
			}
			if got := c.read(r); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
			if kindsOf(r); r.Err() != nil || r.Count() != 3 {
				t.Errorf("%d events, %v; want 3", r.Count(), r.Err())
			}
		})
	}
}
