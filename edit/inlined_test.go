package edit_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// netperf is a stream of v3, whose blocks are given by their rows.
func netperf(blocks ...[]byte) []byte {
	le := binary.LittleEndian
	b := append(le.AppendUint32(nil, 20), "!FastSerialization.1"...)
	object := func(name string, version uint32) {
		b = append(le.AppendUint32(append(b, 4, 4, 1), version), 0, 0, 0, 0)
		b = append(append(le.AppendUint32(b, uint32(len(name))), name...), 6)
	}
	object("Trace", 3)
	for _, n := range []uint16{2020, 1, 3, 1, 0, 0, 0, 0} { // a Wednesday
		b = le.AppendUint16(b, n)
	}
	b = le.AppendUint64(le.AppendUint64(b, 0), 1e9)
	for _, n := range []uint32{8, 1, 2, 3} {
		b = le.AppendUint32(b, n)
	}
	b = append(b, 6)
	for _, body := range blocks {
		object("EventBlock", 1)
		b = le.AppendUint32(b, uint32(len(body)))
		b = append(append(append(b, make([]byte, -len(b)&3)...), body...), 6)
	}
	return append(b, 1)
}

// netperfRow is a row of v3; id 0 defines metadata.
func netperfRow(id, thread uint32, ticks uint64, payload []byte, stack ...uint64) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, uint32(56+len(payload)+8*len(stack)))
	b = le.AppendUint64(le.AppendUint32(le.AppendUint32(b, id), thread), ticks)
	b = le.AppendUint32(append(b, make([]byte, 32)...), uint32(len(payload)))
	b = le.AppendUint32(append(b, payload...), uint32(8*len(stack)))
	for _, address := range stack {
		b = le.AppendUint64(b, address)
	}
	return b
}

// netperfType is a row of v3 that defines metadata without fields.
func netperfType(id uint32, name string) []byte {
	le := binary.LittleEndian
	b := append(le.AppendUint32(nil, id), utf16Bytes("P\x00")...)
	b = append(le.AppendUint32(b, 7), utf16Bytes(name+"\x00")...)
	return netperfRow(0, 1, 0, append(b, make([]byte, 20)...))
}

// renamed is a stream of v3 whose only block defines its type twice.
func renamed() []byte {
	return netperf(slices.Concat(
		netperfType(1, "A"), netperfRow(1, 1, 1, []byte("1"), 5), netperfType(2, "C"), netperfRow(2, 1, 2, []byte("2"), 5),
		netperfType(1, "B"), netperfRow(1, 2, 3, []byte("3"), 6), netperfRow(2, 1, 4, []byte("4"))))
}

// eventsOfStream returns the events of a stream as text.
func eventsOfStream(t *testing.T, data []byte) (list []string) {
	t.Helper()
	for e, err := range codec.NewBytesReader(data, codec.Options{}).Events() {
		if err != nil {
			t.Fatal(err)
		}
		thread, _ := e.ThreadID()
		list = append(list, fmt.Sprintf("%s %s thread %d at %d stack %x", e.Name(), e.Payload(), thread, e.Timestamp, e.Stack()))
	}
	return list
}

// TestInlinedRenamed: an event of v3 keeps its type when its block redefines it
// later.
func TestInlinedRenamed(t *testing.T) {
	want := []string{
		"A 1 thread 1 at 1 stack [5]", "C 2 thread 1 at 2 stack [5]", "B 3 thread 2 at 3 stack [6]", "C 4 thread 1 at 4 stack []",
	}
	for _, opt := range []edit.ConvertOptions{{Format: wire.V4}, {Format: wire.V5}, {}, {Compact: true}, {Format: wire.V4, Compact: true}} {
		t.Run(fmt.Sprintf("%+v", opt), func(t *testing.T) {
			out, _ := convert(t, renamed(), opt)
			if got := eventsOfStream(t, out); !slices.Equal(got, want) {
				t.Errorf("%q", got)
			}
		})
	}
}

// deepNetperf is a stream of v3 with more stacks than one region may have.
func deepNetperf() []byte {
	var blocks [][]byte
	stack := make([]uint64, 8192)
	row := netperfType(1, "A")
	for i := range uint64(300) {
		for j := range stack {
			stack[j] = i<<16 | uint64(j)
		}
		row = append(row, netperfRow(1, uint32(i%3+1), i, nil, stack...)...)
		if i%20 == 19 {
			blocks = append(blocks, row)
			row = nil
		}
	}
	return netperf(blocks...)
}

// TestInlinedRegions: a stream of v3 with many stacks becomes one with small
// regions, with the same stacks and no lost event.
func TestInlinedRegions(t *testing.T) {
	data := deepNetperf()
	for _, opt := range []edit.ConvertOptions{{Format: wire.V4}, {}} {
		t.Run(fmt.Sprint(opt.Format), func(t *testing.T) {
			out, _ := convert(t, data, opt)
			d, err := edit.Diff(context.Background(), sliceReader(data), sliceReader(out), edit.DiffOptions{})
			if err != nil || !d.Equal() {
				t.Errorf("%v, %v", d, err)
			}
			r := codec.NewReader(bytes.NewReader(out), codec.Options{Strict: true, Limits: codec.Limits{Stacks: 12 << 20}})
			for range r.Events() {
			}
			expect.Equal(t, "Err()", r.Err(), nil)
			expect.Equal(t, "Count()", r.Count(), 300)
			expect.Equal(t, "Lost()", r.Lost(), 0)
		})
	}
}
