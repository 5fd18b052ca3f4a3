package codec_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const manyWaiting = 10000

// waitingOn begins a stream whose events all wait: half of them on thread 1, with
// a stack and labels of it, half of them on thread 2, with others.
func waitingOn() *streamV6 {
	s := newV6().metadata(1, "one").metadata(2, "two").thread(1, 7, 100).thread(2, 7, 200)
	s.block(wire.KindStack, uint32(1), uint32(2), uint32(8), uint64(0x10), uint32(16), uint64(0x20), uint64(0x21))
	s.block(wire.KindLabelList, uint32(1), uint32(2), byte(wire.LabelLevel)|wire.LastLabel, byte(1), byte(wire.LabelLevel)|wire.LastLabel, byte(2))
	for i := 0; i < manyWaiting; i += 1000 {
		var rows [][]byte
		for j := range 1000 {
			n := i + j
			which := uint32(1 + n%2)
			rows = append(rows, rowV6(which|wire.NotSortedBit, uint32(1+n/2), uint64(which), uint64(which), which, uint64(5000000-n), which, ""))
		}
		s.block(wire.KindEvent, eventBlock(0, rows...))
	}
	return s
}

func references(e *codec.Event) string {
	id, _ := e.ThreadID()
	return fmt.Sprint(e.Timestamp, e.Metadata().Name, id, e.Stack(), e.Labels())
}

// TestNoRoomForChange: a table changes while events wait, without memory for
// their table rows. The change ends the reading; the events are unchanged.
func TestNoRoomForChange(t *testing.T) {
	var want []string
	r := codec.NewBytesReader(waitingOn().end(), codec.Options{Order: codec.ByTime})
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		want = append(want, references(e))
	}
	if len(want) != manyWaiting || r.Err() != nil {
		t.Fatal(len(want), r.Err())
	}
	for name, change := range map[string]func(s *streamV6){
		"stack": func(s *streamV6) { s.block(wire.KindStack, uint32(2), uint32(1), uint32(8), uint64(0x30)) },
		"labels": func(s *streamV6) {
			s.block(wire.KindLabelList, uint32(2), uint32(1), byte(wire.LabelLevel)|wire.LastLabel, byte(3))
		},
		"thread":   func(s *streamV6) { s.thread(2, 7, 300) },
		"removed":  func(s *streamV6) { s.block(wire.KindRemoveThread, varuint(2), varuint(9)) },
		"metadata": func(s *streamV6) { s.metadata(2, "three") },
	} {
		t.Run(name, func(t *testing.T) {
			s := waitingOn()
			change(s)
			b := s.end()
			for total, fits := range map[int64]bool{0: true, 5 << 20: false} {
				t.Run(fmt.Sprintf("total=%v", total), func(t *testing.T) {
					r := codec.NewBytesReader(b, codec.Options{Order: codec.ByTime, OnError: codec.Skip, Limits: codec.Limits{Total: total}})
					n := 0
					for e, ok := r.Next(); ok; e, ok = r.Next() {
						if got := references(e); n < len(want) && got != want[n] {
							t.Fatalf("event %d: %s, want %s", n, got, want[n])
						}
						n++
					}
					if bad, _ := r.BadBlocks(); n != len(want) || bad != 0 {
						t.Errorf("%d events, %d bad blocks", n, bad)
					}
					if fits {
						if r.Err() != nil {
							t.Error(r.Err())
						}
					} else {
						expectLimit(t, r.Err(), "Total", rule.LIM009)
					}
				})
			}
		})
	}
}

// bodies is a stream of events that wait, with payloads of size bytes each.
func bodies(s *streamV6, n, size int) *streamV6 {
	for i := range n {
		s.block(wire.KindEvent, eventBlock(0, rowV6(1|wire.NotSortedBit, uint32(1+i), 0, 0, 0, uint64(5000-i), 0, string(make([]byte, size)))))
	}
	return s
}

// stackBytes adds n stacks of size bytes each.
func stackBytes(s *streamV6, n, size int) *streamV6 {
	for i := range n {
		s.block(wire.KindStack, uint32(1+i), uint32(1), uint32(size), make([]byte, size))
	}
	return s
}

func point(s *streamV6) *streamV6 {
	return s.block(wire.KindSequencePoint, uint64(6000), uint32(0), uint32(0))
}

// TestTotalLetsGo: memory that is kept for reuse only is released before the
// limit is exceeded.
func TestTotalLetsGo(t *testing.T) {
	const half = 10
	start := func() *streamV6 { return newV6().metadata(1, "E").thread(0, 1, 1) }
	for name, b := range map[string][]byte{
		"bodies, then stacks": stackBytes(point(bodies(start(), half, 200<<10)), half, 200<<10).end(),
		"stacks, then bodies": bodies(point(stackBytes(start(), half, 200<<10)), half, 200<<10).end(),
		"bodies, then bodies": bodies(point(bodies(start(), half, 200<<10)), half/2, 400<<10).end(),
		"stacks, then larger": stackBytes(point(stackBytes(start(), half, 200<<10)), half/2, 400<<10).end(),
	} {
		t.Run(name, func(t *testing.T) {
			for total, fits := range map[int64]bool{3900 << 10: true, 2 << 20: !strings.Contains(name, "stacks")} {
				t.Run(fmt.Sprintf("total=%v", total), func(t *testing.T) {
					r := codec.NewBytesReader(b, codec.Options{Order: codec.ByTime, Limits: codec.Limits{Total: total}})
					for _, ok := r.Next(); ok; _, ok = r.Next() {
					}
					if !fits {
						expectLimit(t, r.Err(), "Total", rule.LIM009)
					} else if r.Err() != nil {
						t.Error(r.Err())
					}
				})
			}
		})
	}
}

// TestTotalOfOneRow: a row that needs more memory than allowed while it is
// decoded.
func TestTotalOfOneRow(t *testing.T) {
	long := string(bytes.Repeat([]byte{'x'}, 300<<10))
	row := append(rowV3(1, nil), make([]byte, 512<<10)...) // its stack
	copy(row, bytesOf(uint32(len(row)-4)))
	copy(row[56:], bytesOf(uint32(512<<10)))
	for name, b := range map[string][]byte{
		"definition of v4": newV4(4, 4).metadata(1, long).end(),
		"stack of v3":      streamV3(objectV3{"EventBlock", append(definitionV3("E"), row...)}),
		"labels":           newV6().block(wire.KindLabelList, uint32(1), uint32(1), byte(wire.LabelKeyString)|wire.LastLabel, text("k"), text(long+long+long+long)).end(),
		"body that waits":  bodies(newV6(), 1, 600<<10).end(),
	} {
		t.Run(name, func(t *testing.T) {
			r := codec.NewBytesReader(b, codec.Options{Order: codec.ByTime, Limits: codec.Limits{Total: 500 << 10}})
			for e, ok := r.Next(); ok; e, ok = r.Next() {
				if e.Stack() != nil {
					t.Errorf("%d addresses", len(e.Stack()))
				}
			}
			if name == "stack of v3" && r.Count() != 1 {
				t.Errorf("%d events", r.Count())
			}
			expectLimit(t, r.Err(), "Total", rule.LIM009)
		})
	}
}

// TestLongStackAgain: the same stack, longer than a chunk, twice, leaves no chunk
// in which others would begin at invalid positions.
func TestLongStackAgain(t *testing.T) {
	const long, n = 100000, 150
	for name, stacks := range map[string][]uint32{"once": {1}, "twice": {1, 1}, "changed": {1, 1, 1}, "between": {1, n + 2, 1}} {
		t.Run(name, func(t *testing.T) {
			s := newV6().metadata(1, "E").thread(0, 1, 1)
			for i, id := range stacks {
				s.block(wire.KindStack, id, uint32(1), uint32(8*long), bytes.Repeat([]byte{byte(i / 2)}, 8*long))
			}
			var rows [][]byte
			for i := range uint32(n) {
				s.block(wire.KindStack, 2+i, uint32(1), uint32(8*1000), bytes.Repeat(bytesOf(uint64(i)), 1000))
				rows = append(rows, rowV6(1, 1+i, 0, 0, 2+i, 2000, 0, ""))
			}
			r := codec.NewBytesReader(s.block(wire.KindEvent, eventBlock(0, rows...)).end(), codec.Options{})
			at := uint64(0)
			for e, ok := r.Next(); ok; e, ok = r.Next() {
				stack := e.Stack()
				expect.Len(t, "stack", stack, 1000)
				expect.Equal(t, "stack[0]", stack[0], at)
				expect.Equal(t, "stack[999]", stack[999], at)
				expect.Stop(t)
				at++
			}
			if at != n || r.Err() != nil {
				t.Errorf("%d events, %v", at, r.Err())
			}
		})
	}
}

// TestCloneLetsGo: a clone keeps nothing of the Reader.
func TestCloneLetsGo(t *testing.T) {
	b := waitingOn().thread(2, 7, 300).end()
	for _, order := range []codec.Order{codec.FileOrder, codec.ByTime} {
		t.Run(fmt.Sprintf("order=%v", order), func(t *testing.T) {
			r := codec.NewBytesReader(b, codec.Options{Order: order})
			e, ok := r.Next()
			if !ok {
				t.Fatal(r.Err())
			}
			clone, reader := e.Clone(), weak.Make(r)
			want := references(clone)
			e, r = nil, nil
			for range 3 {
				runtime.GC()
			}
			if reader.Value() != nil {
				t.Errorf("order %d: the Reader is still there", order)
			}
			if got := references(clone); got != want {
				t.Errorf("order %d: %s, want %s", order, got, want)
			}
		})
	}
}
