package codec_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestSequenceDistance: numbers wrap around; a distance of 2^31 or more is a step
// back, by which nothing is lost.
func TestSequenceDistance(t *testing.T) {
	const half = 1 << 31
	for _, c := range []struct {
		name        string
		first, next uint32
		lost        uint64
		back        bool
	}{
		{"next", 7, 8, 0, false},
		{"forward", 7, 18, 10, false},
		{"equal", 7, 7, 0, true},
		{"back", 7, 6, 0, true},
		{"wrap", 1<<32 - 1, 2, 2, false},
		{"wrap by almost half", half + 6, 5, half - 2, false},
		{"back by half", half + 5, 5, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var lost []uint64
			opt := codec.Options{OnLost: func(l codec.Lost) { lost = append(lost, l.Count) }}
			stream := newV6().metadata(1, "E").thread(1, 1, 1).block(wire.KindEvent, eventBlock(0,
				rowV6(1, c.first, 1, 1, 0, 2000, 0, ""), rowV6(1, c.next, 1, 1, 0, 2000, 0, ""))).end()
			r := codec.NewBytesReader(stream, opt)
			got := drain(r)
			expect.NoError(t, got.err)
			want := []uint64{uint64(c.first) - 1}
			if c.lost > 0 {
				want = append(want, c.lost)
			}
			expect.Slices(t, "lost", lost, want)
			steps := int64(0)
			for _, d := range got.defects {
				if d.Rule.String() == "NT6-SEQ-002" {
					steps = d.Count
				}
			}
			expect.Equal(t, "step back", steps == 1, c.back)
		})
	}
}

// TestLostWithWrongPadding: a sequence point whose content begins elsewhere tells no losses. The framing is the error.
func TestLostWithWrongPadding(t *testing.T) {
	var b bytes.Buffer
	w := codec.NewWriter(&b, codec.WriterOptions{Format: wire.V4, Trace: codec.Trace{SyncTime: time.Unix(1, 0), PointerSize: 8, TickFrequency: 1e9}})
	id, err := w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 1})
	if err != nil {
		t.Fatal(err)
	}
	for at := range uint64(2) {
		if err := w.Write(&codec.Record{MetadataID: id, Thread: 7, CaptureThread: 7, Timestamp: at}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.SequencePoint(9); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const name = "SPBlock"
	at := bytes.Index(b.Bytes(), []byte(name)) + len(name) + 1 + 4 // behind the size
	at += -at & 3
	r := codec.NewBytesReader(slices.Insert(b.Bytes(), at, 0), codec.Options{})
	events, bad := 0, 0
	for _, err := range r.Events() {
		if err != nil {
			bad++
			continue
		}
		events++
	}
	if events != 2 || bad != 1 || r.Lost() != 0 {
		t.Errorf("%d events, %d errors, %d lost, want 2, 1, 0", events, bad, r.Lost())
	}
}
