package codec_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// clock is the trace that these tests write.
var clock = codec.Trace{SyncTime: time.Date(2026, 11, 21, 2, 0, 14, 171e6, time.UTC), TickFrequency: 1e9}

// define defines a type of event, and a thread in version 6.
func define(t *testing.T, w *codec.Writer, format wire.Format) {
	t.Helper()
	if id, err := w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 1}); id != 1 || err != nil {
		t.Fatal(id, err)
	}
	if format.IsZero() {
		if index, err := w.DefineThread(&codec.Thread{Name: "main"}); index != 1 || err != nil {
			t.Fatal(index, err)
		}
	}
}

// TestActivityLabelsV4: v4 has no labels, but fields for the two activity ids.
func TestActivityLabelsV4(t *testing.T) {
	own, related := wire.GUID{1}, wire.GUID{2}
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{Format: wire.V4, Trace: clock})
	define(t, w, wire.V4)
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
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := drain(codec.NewBytesReader(out.Bytes(), codec.Options{Strict: true})); got.err != nil || len(got.events) != 5000 {
		t.Errorf("%d events, %v", len(got.events), got.err)
	}
}

// short writes fewer bytes than it is given, without an error.
type short struct{}

func (short) Write(b []byte) (int, error) { return len(b) / 2, nil }

// TestRawWriterEnds: after an error or the end nothing is written.
func TestRawWriterEnds(t *testing.T) {
	block := &raw.Block{Kind: wire.KindSequencePoint, Body: make([]byte, 16)}
	w := raw.NewWriter(short{}, raw.WriterOptions{Format: wire.V6})
	first := w.Block(block)
	expect.NotZero(t, "first", first)
	expect.ErrorIs(t, w.Block(block), first)
	expect.ErrorIs(t, w.Close(), first)
	w = raw.NewWriter(&bytes.Buffer{}, raw.WriterOptions{Format: wire.V4})
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Error(err)
	}
	if err := w.Block(block); !errors.Is(err, raw.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	fault := raw.Fault{Rule: rule.OBJ001, Offset: 7, Err: raw.ErrFraming}
	if text := fault.Error(); !bytes.Contains([]byte(text), []byte("7: "+rule.OBJ001.String())) {
		t.Errorf("%q", text)
	}
}

// TestTotalOfTables: the memory of metadata and threads together is bounded,
// however few rows there are.
func TestTotalOfTables(t *testing.T) {
	long := string(bytes.Repeat([]byte("x"), 60_000))
	metadata, threads := newV6(), newV6()
	for i := range uint64(100) {
		metadata.metadata(1+i, long[:50_000+int(i)])
		threads.block(wire.KindThread, bytesOf(uint16(50_000+i+10), varuint(300+i), byte(wire.ThreadName), text(long[:50_000+int(i)+4])))
	}
	for name, stream := range map[string][]byte{"metadata": metadata.end(), "threads": threads.end()} {
		got := drain(codec.NewBytesReader(stream, codec.Options{Limits: codec.Limits{Total: 1 << 20}}))
		if t.Run(name, func(t *testing.T) { expectLimit(t, got.err, "Total", rule.LIM009) }); t.Failed() {
			t.Log(got.err)
		}
	}
}

// TestRawObjectsOfV6: the raw writer gives a kind that v4 has no object for its
// name and versions that every reader may skip.
func TestRawObjectsOfV6(t *testing.T) {
	var out bytes.Buffer
	w := raw.NewWriter(&out, raw.WriterOptions{Format: wire.V4})
	if err := w.Block(&raw.Block{Kind: wire.KindThread, Body: []byte("abcd")}); err != nil {
		t.Fatal(err)
	}
	want := bytesOf("Nettrace", uint32(20), "!FastSerialization.1", byte(5), byte(5), byte(1), uint32(1), uint32(1),
		uint32(6), "Thread", byte(6), uint32(4), make([]byte, 2), "abcd", byte(6))
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("%q", out.Bytes())
	}
}

// TestTotalOfOneBlock: the memory of the rows of a single block is bounded before
// the block ends.
func TestTotalOfOneBlock(t *testing.T) {
	metadata, threads := bytesOf(uint16(0)), []byte(nil)
	for i := range uint64(100) {
		name := text(string(bytes.Repeat([]byte{'a' + byte(i%26)}, 50_000+int(i))))
		metadata = bytesOf(metadata, sized(varuint(1+i), text("P"), varuint(7), name, uint16(0), uint16(0)))
		threads = bytesOf(threads, sized(varuint(i), bytes.Repeat(bytesOf(byte(wire.ThreadKeyValue), text("k"), text("v")), 1000)))
	}
	for name, stream := range map[string][]byte{
		"metadata": newV6().block(wire.KindMetadata, metadata).end(),
		"threads":  newV6().block(wire.KindThread, threads).end(),
	} {
		r := codec.NewBytesReader(stream, codec.Options{Limits: codec.Limits{Total: 32 << 20}})
		for range r.Events() {
		}
		if r.Err() != nil {
			t.Errorf("%s within the limit: %v", name, r.Err())
		}
		got := drain(codec.NewBytesReader(stream, codec.Options{Limits: codec.Limits{Total: 1 << 20}}))
		t.Run(name, func(t *testing.T) { expectLimit(t, got.err, "Total", rule.LIM009) })
	}
}

// TestRowThatGrows: a row whose id needs more bytes than the earlier ones may be
// too large only because of that.
func TestRowThatGrows(t *testing.T) {
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{Trace: clock})
	row := codec.Metadata{Provider: "P", EventID: 1}
	for i := range 127 {
		row.Name = string(bytes.Repeat([]byte("n"), 1+i))
		if _, err := w.DefineMetadata(&row); err != nil {
			t.Fatal(err)
		}
	}
	// An id, a provider, an event id, the length of a name, two counts.
	const longest = 1<<16 - 1 - 1 - 2 - 1 - 3 - 2 - 2
	row.Name = string(bytes.Repeat([]byte("n"), longest))
	if _, err := w.DefineMetadata(&row); !errors.Is(err, codec.ErrLimit) {
		t.Errorf("with an id of two bytes: %v, want a limit", err)
	}
	row.Name = row.Name[1:]
	if id, err := w.DefineMetadata(&row); id != 128 || err != nil {
		t.Errorf("one byte less: id %d, %v", id, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := drain(codec.NewBytesReader(out.Bytes(), codec.Options{Strict: true})); got.err != nil {
		t.Error(got.err)
	}
}

// TestThreadsBehindError: threads are refused like all else once a write failed.
func TestThreadsBehindError(t *testing.T) {
	w := codec.NewWriter(short{}, codec.WriterOptions{Trace: clock})
	first := w.Flush()
	if _, err := w.DefineThread(&codec.Thread{}); !errors.Is(err, io.ErrShortWrite) || err != first {
		t.Errorf("%v, want %v", err, first)
	}
}
