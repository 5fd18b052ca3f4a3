package codec_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// The tests here keep what the targets of package fuzz found. The cost of hostile
// streams is tested there.

// TestThreadIDUsedAgain: in v4 the number 1 is that of a new thread, also when
// the old one's number could as well have begun anew.
func TestThreadIDUsedAgain(t *testing.T) {
	for _, last := range []uint32{1, 1 << 31, 1<<31 + 2, 1<<32 - 1} {
		t.Run(fmt.Sprintf("last=%v", last), func(t *testing.T) {
			s := newV4(4, 4).metadata(1, "E")
			s.block("EventBlock", eventBlock(0, rowV4(1, 1, 1, "", 0, 0), rowV4(1, last, 2, "", 0, 0), rowV4(1, 1, 3, "", 0, 0)))
			got := drain(codec.NewBytesReader(s.end(), codec.Options{}))
			want := uint64(0)
			if last > 1 {
				want = uint64(last) - 2
			}
			expect.Equal(t, "err", got.err, nil)
			expect.Equal(t, "lost", got.lost, want)
			expect.AtMost(t, "len(got.defects)", len(got.defects), 0)
		})
	}
}

// rowV3 is an event row of v3 without a stack; id 0 defines metadata.
func rowV3(id uint32, payload []byte) []byte {
	return bytesOf(uint32(56+len(payload)), id, uint32(5), uint64(1), make([]byte, 32), uint32(len(payload)), payload, uint32(0))
}

// definitionV3 is a row that defines metadata 1.
func definitionV3(name string) []byte {
	return rowV3(0, bytesOf(uint32(1), utf16z("Provider"), uint32(7), utf16z(name), uint64(0), uint32(1), uint32(4), uint32(0)))
}

// objectV3 is a block of v3.
type objectV3 struct {
	name string
	body []byte
}

func streamV3(objects ...objectV3) []byte {
	b := bytesOf(v3Head(4, "Trace", 3, 0), syncTime, uint64(1000), uint64(1e9), uint32(8), uint32(1), uint32(2), uint32(3), byte(6))
	for _, o := range objects {
		b = bytesOf(b, v3Head(4, o.name, 1, 0)[24:], uint32(len(o.body)))
		b = bytesOf(b, make([]byte, -len(b)&3), o.body, byte(6))
	}
	return append(b, 1)
}

// TestRegionsOfV3: v3 has no sequence points. Blocks that look like one do not
// divide regions, so that no goroutine reads what another has read.
func TestRegionsOfV3(t *testing.T) {
	block := objectV3{"EventBlock", bytesOf(definitionV3("A"), rowV3(1, []byte("1")))}
	stream := streamV3(block, objectV3{"SPBlock", bytesOf(uint64(1), uint32(0))}, block)
	x, err := codec.NewIndex(bytes.NewReader(stream), int64(len(stream)), codec.Options{})
	if err != nil || x.Err() != nil {
		t.Fatal(err, x.Err())
	}
	chunks := x.Chunks(codec.TimeRange{}, 1)
	if len(chunks) != 1 {
		t.Fatalf("%d chunks, want 1", len(chunks))
	}
	r := x.ChunkReader(codec.ChunkHooks{})
	r.ReadChunk(chunks[0])
	if got := drain(r); len(got.events) != 2 || got.err != nil {
		t.Errorf("%d events, %v", len(got.events), got.err)
	}
}

// TestStrictStopsInsideBlock: a defect of a definition between the events of a
// v3 block ends the iteration there.
func TestStrictStopsInsideBlock(t *testing.T) {
	body := bytesOf(definitionV3("A"), rowV3(1, []byte("1")), definitionV3("B"), rowV3(1, []byte("2")))
	stream := streamV3(objectV3{"EventBlock", body})
	if got := drain(codec.NewBytesReader(stream, codec.Options{})); got.err != nil || len(got.events) != 2 {
		t.Fatalf("%d events, %v", len(got.events), got.err)
	}
	got := drain(codec.NewBytesReader(stream, codec.Options{Strict: true}))
	var e *codec.Error
	expect.Equal(t, "len(got.events)", len(got.events), 1)
	if !errors.As(got.err, &e) {
		t.Fatalf("error: got %v, want a %T", got.err, e)
	}
	expect.Equal(t, "e.Rule", e.Rule, rule.MD008)
}

// TestSequencePointLists: the limit of threads holds for those that a sequence
// point lists.
func TestSequencePointLists(t *testing.T) {
	limits := codec.Limits{Threads: 3}
	for n, want := range map[int]error{3: nil, 4: codec.ErrLimit} {
		t.Run(fmt.Sprintf("n=%v", n), func(t *testing.T) {
			v4, v6 := bytesOf(uint64(1), uint32(n)), bytesOf(uint64(1), uint32(0), uint32(n))
			for i := range n {
				v4, v6 = bytesOf(v4, uint64(i), uint32(0)), bytesOf(v6, byte(i), byte(0))
			}
			for name, stream := range map[string][]byte{
				"v4": newV4(4, 4).block("SPBlock", v4).end(), "v6": newV6().block(wire.KindSequencePoint, v6).end(),
			} {
				t.Run(name, func(t *testing.T) {
					got := drain(codec.NewBytesReader(stream, codec.Options{Limits: limits}))
					if !errors.Is(got.err, want) {
						t.Errorf("%d threads: %v", n, got.err)
					}
				})
			}
		})
	}
}

// TestDefectsByTime: defects that are reported when a region is complete are in
// the order of the file.
func TestDefectsByTime(t *testing.T) {
	s := newV4(4, 4).metadata(1, "E")
	s.block("EventBlock", eventBlock(0, rowV4(1, 1, 1, "", 0, 0), rowV4(8, 2, 2, "", 0, 0)))
	s.block("EventBlock", eventBlock(0, rowV4(9, 3, 3, "", 0, 0)))
	stream := s.end()
	defects := func(order codec.Order) (all []codec.Error) {
		opt := codec.Options{Order: order, OnDefect: func(e *codec.Error) { all = append(all, *e) }}
		drain(codec.NewBytesReader(stream, opt))
		return all
	}
	want, got := defects(codec.FileOrder), defects(codec.ByTime)
	expect.Len(t, "want", want, 2)
	if want[0].BlockOffset == want[1].BlockOffset {
		t.Errorf("want[0].BlockOffset: got %v, want another value than %v", want[0].BlockOffset, want[1].BlockOffset)
	}
	expect.Slices(t, "result", got, want)
}

// TestLostByTime: a loss is reported with the thread's row at the time of the
// event row, also when the thread is removed before the region is complete.
func TestLostByTime(t *testing.T) {
	stream := newV6().metadata(1, "E").thread(1, 7, 7).
		block(wire.KindEvent, eventBlock(0, rowV6(1, 5, 1, 1, 0, 100, 0, ""))).
		block(wire.KindRemoveThread, bytesOf(byte(1), byte(5))).thread(1, 8, 8).end()
	for _, order := range []codec.Order{codec.FileOrder, codec.ByTime} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			var lost []codec.Lost
			opt := codec.Options{Order: order, OnLost: func(l codec.Lost) { lost = append(lost, l) }}
			got := drain(codec.NewBytesReader(stream, opt))
			expect.Equal(t, "err", got.err, nil)
			expect.Len(t, "lost", lost, 1)
			expect.NotZero(t, "lost[0].Thread", lost[0].Thread)
			expect.Stop(t)
			expect.Equal(t, "lost[0].Thread.ThreadID", lost[0].Thread.ThreadID, 7)
		})
	}
}

// TestLargeRows: the size of table rows counts against Limits.Total, not only
// their number.
func TestLargeRows(t *testing.T) {
	fields := bytesOf(uint16(10000))
	for range 10000 {
		fields = bytesOf(fields, uint16(2), byte(0), byte(wire.Int32))
	}
	var pairs []byte
	for range 20000 {
		pairs = append(pairs, byte(wire.ThreadKeyValue), 0, 0)
	}
	metadata, threads := newV6(), newV6()
	for i := range uint64(100) {
		metadata.metadataRow(varuint(1+i), text(""), varuint(1), text(""), fields, uint16(0))
		threads.block(wire.KindThread, sized(bytesOf(varuint(i), pairs)))
	}
	for name, stream := range map[string][]byte{"metadata": metadata.end(), "threads": threads.end()} {
		t.Run(name, func(t *testing.T) {
			var limit *codec.LimitError
			got := drain(codec.NewBytesReader(stream, codec.Options{}))
			if !errors.As(got.err, &limit) || limit.Name != "Total" {
				t.Error(got.err)
			}
		})
	}
}

// TestNewerTrace: a Trace object of a later version that allows an older reader
// has the layout of v5, and returns its version.
func TestNewerTrace(t *testing.T) {
	for _, version := range []uint32{6, 260, 1<<32 - 1} {
		t.Run(fmt.Sprintf("version=%v", version), func(t *testing.T) {
			stream := newV4(version, 4).metadata(1, "E").block("EventBlock", eventBlock(0, rowV4(1, 1, 1, "", 0, 0))).end()
			r := codec.NewBytesBlockReader(stream, codec.Options{Strict: true})
			b, ok := r.Next()
			if !ok || b.Version != int32(version) {
				t.Fatalf("version %d: %v", version, r.Err())
			}
			if trace, err := r.Trace(); err != nil || trace.Format != wire.V5 {
				t.Errorf("version %d: %v", version, err)
			}
		})
	}
}

// TestZeroInName: a name of v4 ends at its first zero character, so one that has
// another is not written.
func TestZeroInName(t *testing.T) {
	field := []codec.Field{{Name: "a\x00b", Type: codec.Type{Code: wire.Int32}}}
	for name, m := range map[string]*codec.Metadata{
		"provider": {Provider: "P\x00"}, "event": {Name: "\x00"}, "field": {Fields: field}, "field of a tag": {Fields: field, V2Params: true},
	} {
		t.Run(m.Name, func(t *testing.T) {
			w := codec.NewBlockWriter(io.Discard, codec.BlockWriterOptions{Format: wire.V5})
			if err := w.WriteBlock(&codec.BlockRows{Kind: wire.KindTrace, Trace: &codec.Trace{PointerSize: 8}}); err != nil {
				t.Fatal(err)
			}
			m.ID = 1
			err := w.WriteBlock(&codec.BlockRows{Kind: wire.KindMetadata, Metadata: []codec.MetadataBytes{{Metadata: m}}})
			if !errors.Is(err, codec.ErrNotExpressible) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}
