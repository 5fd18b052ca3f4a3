package codec_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestActivityLabelsV4: v4 has no labels, but a place for the two that tell
// activities.
func TestActivityLabelsV4(t *testing.T) {
	own, related := wire.GUID{1}, wire.GUID{2}
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{Format: formatV4, Trace: clock})
	define(t, w, formatV4)
	err := w.Write(&codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: 10, Labels: []codec.Label{
		{Kind: wire.LabelActivityID, GUID: own}, {Kind: wire.LabelRelatedActivityID, GUID: related},
	}})
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	if e := only(t, out.Bytes(), codec.Options{}); e.Activity() != own || e.RelatedActivity() != related {
		t.Errorf("%v, %v", e.Activity(), e.RelatedActivity())
	}
}

// TestRecorderDefaults: with no options a Recorder has a queue, and writes soon.
func TestRecorderDefaults(t *testing.T) {
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{Trace: clock})
	define(t, w, wire.Format{})
	r := codec.NewRecorder(w, codec.RecorderOptions{})
	for i := range uint64(5000) {
		if !r.Record(&codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: i}) {
			t.Fatal("dropped")
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got := drain(codec.NewBytesReader(out.Bytes(), codec.Options{Strict: true})); got.err != nil || len(got.events) != 5000 {
		t.Errorf("%d events, %v", len(got.events), got.err)
	}
}

// short takes less than it is given, and does not say why.
type short struct{}

func (short) Write(b []byte) (int, error) { return len(b) / 2, nil }

// TestRawWriterEnds: behind an error or the end nothing is written.
func TestRawWriterEnds(t *testing.T) {
	block := &raw.Block{Kind: wire.SequencePoint, Body: make([]byte, 16)}
	w := raw.NewWriter(short{}, wire.Format{Major: 6})
	first := w.Block(block)
	if first == nil || !errors.Is(w.Block(block), first) || !errors.Is(w.Close(), first) {
		t.Errorf("half a write: %v", first)
	}
	w = raw.NewWriter(&bytes.Buffer{}, wire.Format{Major: 4})
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Error(err)
	}
	if err := w.Block(block); !errors.Is(err, raw.ErrClosed) {
		t.Errorf("behind the end: %v", err)
	}
	fault := raw.Fault{Rule: rule.OBJ001, Offset: 7, Err: raw.ErrFraming}
	if text := fault.Error(); !bytes.Contains([]byte(text), []byte("7: "+rule.OBJ001.String())) {
		t.Errorf("%q", text)
	}
}

// TestTotalOfTables: what metadata and threads hold together is bounded, however
// few rows there are.
func TestTotalOfTables(t *testing.T) {
	long := string(bytes.Repeat([]byte("x"), 60_000))
	metadata, threads := newV6(), newV6()
	for i := range uint64(100) {
		metadata.metadata(1+i, long[:50_000+int(i)])
		threads.block(wire.Thread, bytesOf(uint16(50_000+i+10), varuint(300+i), byte(wire.ThreadName), text(long[:50_000+int(i)+4])))
	}
	for name, stream := range map[string][]byte{"metadata": metadata.end(), "threads": threads.end()} {
		got := drain(codec.NewBytesReader(stream, codec.Options{Limits: codec.Limits{Total: 1 << 20}}))
		if t.Run(name, func(t *testing.T) { expectLimit(t, got.err, "Total", rule.LIM009) }); t.Failed() {
			t.Log(got.err)
		}
	}
}
