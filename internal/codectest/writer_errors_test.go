package codectest_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// clock is a trace with a sync time.
var clock = codec.Trace{SyncTime: time.Date(2026, 11, 21, 2, 0, 14, 171e6, time.UTC), TickFrequency: 1e9}

var formatV4, formatV5 = wire.V4, wire.V5

// TestWriterRefuses: writing an invalid value is an error, nothing of it is
// written, and the next write succeeds.
func TestWriterRefuses(t *testing.T) {
	array := []codec.Field{{Name: "a", Type: codec.Type{Code: wire.Array, Element: &codec.Type{Code: wire.Byte}}}}
	label := []codec.Label{{Kind: wire.LabelKeyString, Key: "k", Value: "v"}}
	metadata := func(m codec.Metadata) func(*codec.Writer) error {
		return func(w *codec.Writer) error { _, err := w.DefineMetadata(&m); return err }
	}
	record := func(rec codec.Record) func(*codec.Writer) error {
		return func(w *codec.Writer) error { return w.Write(&rec) }
	}
	for _, c := range []struct {
		name   string
		format wire.Format
		do     func(*codec.Writer) error
		want   error
	}{
		{"opcode in v4", formatV4, metadata(codec.Metadata{OpcodeSet: true}), codec.ErrNotExpressible},
		{"array in v4", formatV4, metadata(codec.Metadata{Fields: array}), codec.ErrNotExpressible},
		{"message in v5", formatV5, metadata(codec.Metadata{Message: "m"}), codec.ErrNotExpressible},
		{"VarInt in v5", formatV5, metadata(codec.Metadata{Fields: []codec.Field{{Type: codec.Type{Code: wire.VarInt}}}}), codec.ErrNotExpressible},
		{"level above a byte in v6", wire.Format{}, metadata(codec.Metadata{Level: 256}), codec.ErrNotExpressible},
		{"row above 16 bits in v6", wire.Format{}, metadata(codec.Metadata{Name: string(make([]byte, 1<<16))}), codec.ErrLimit},
		{"schema type in v6", wire.Format{}, metadata(codec.Metadata{Fields: []codec.Field{{Type: codec.Type{Code: wire.Pointer}}}}), codec.ErrNotExpressible},
		{"thread table in v4", formatV4, func(w *codec.Writer) error { _, err := w.DefineThread(&codec.Thread{}); return err }, codec.ErrNotExpressible},
		{"labels in v4", formatV4, record(codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: 20, Labels: label}), codec.ErrNotExpressible},
		{"65,536 fields in v6", wire.Format{}, metadata(codec.Metadata{Fields: make([]codec.Field, 1<<16)}), codec.ErrLimit},
		{"attributes above 16 bits in v6", wire.Format{}, metadata(codec.Metadata{Message: string(make([]byte, 1<<16))}), codec.ErrLimit},
		{"level of a label above a byte", wire.Format{}, record(labeled(codec.Label{Kind: wire.LabelLevel, Number: 256})), codec.ErrNotExpressible},
		{"label of no kind", wire.Format{}, record(labeled(codec.Label{Kind: 99})), codec.ErrNotExpressible},
		{"labels above a row", wire.Format{}, record(labeled(codec.Label{Kind: wire.LabelKeyString, Value: string(make([]byte, 9<<20))})), codec.ErrLimit},
		{"thread above 16 bits in v6", wire.Format{}, func(w *codec.Writer) error {
			_, err := w.AddThread(&codec.Thread{Name: string(make([]byte, 1<<16))})
			return err
		}, codec.ErrLimit},
		{"removal of an unknown thread", wire.Format{}, func(w *codec.Writer) error { return w.RemoveThread(9) }, codec.ErrUndefined},
		{"unknown metadata", wire.Format{}, record(codec.Record{MetadataID: 9, Thread: 1, CaptureThread: 1, Timestamp: 20}), codec.ErrUndefined},
		{"unknown thread in v6", wire.Format{}, record(codec.Record{MetadataID: 1, Thread: 9, CaptureThread: 1, Timestamp: 20}), codec.ErrUndefined},
		{"time back on a thread", wire.Format{}, record(codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: 9}), codec.ErrOrder},
		{"point before an event", wire.Format{}, func(w *codec.Writer) error { return w.SequencePoint(9) }, codec.ErrOrder},
		{"payload above a block", wire.Format{}, record(codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: 20, Payload: make([]byte, 9<<20)}), codec.ErrLimit},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			w := codec.NewWriter(&out, codec.WriterOptions{Format: c.format, Trace: clock})
			define(t, w, c.format)
			if err := w.Write(&codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: 10}); err != nil {
				t.Fatal(err)
			}
			if err := c.do(w); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if err := w.Write(&codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: 30}); err != nil {
				t.Errorf("afterwards %v", err)
			}
			if err := errors.Join(w.Close(), w.Close()); err != nil {
				t.Error(err)
			}
			got := drain(codec.NewBytesReader(out.Bytes(), codec.Options{Strict: true}))
			if got.err != nil || got.events != 2 {
				t.Errorf("read %d events, %v", got.events, got.err)
			}
			if err := w.Write(&codec.Record{}); !errors.Is(err, codec.ErrClosed) {
				t.Errorf("written after the end: %v", err)
			}
		})
	}
}

// labeled is a record that would be written but for its label.
func labeled(l codec.Label) codec.Record {
	return codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: 20, Labels: []codec.Label{l}}
}

// TestFormatsNotWritten: a writer of an unsupported version returns an error at
// once, and so does one of v4 when the trace has properties that v4 cannot
// express.
func TestFormatsNotWritten(t *testing.T) {
	for _, format := range []wire.Format{{Major: 3}, {Major: 6, Minor: 1}, {Major: 7}} {
		t.Run(fmt.Sprint(format), func(t *testing.T) {
			var out bytes.Buffer
			w := codec.NewWriter(&out, codec.WriterOptions{Format: format})
			if _, err := w.DefineMetadata(&codec.Metadata{}); !errors.Is(err, codec.ErrNotExpressible) {
				t.Errorf("metadata defined, %v", err)
			}
			if err := w.Close(); !errors.Is(err, codec.ErrNotExpressible) || out.Len() > 0 {
				t.Errorf("closed with %v and %d bytes", err, out.Len())
			}
			blocks := codec.NewBlockWriter(&out, codec.BlockWriterOptions{Format: format})
			if err := blocks.WriteBlock(&codec.BlockRows{Kind: wire.KindTrace, Trace: &clock}); !errors.Is(err, codec.ErrNotExpressible) || out.Len() > 0 {
				t.Errorf("block written, %v, %d bytes", err, out.Len())
			}
		})
	}
	var out bytes.Buffer
	trace := clock
	trace.Properties = []codec.KeyValue{{Key: "Host", Value: "pod"}}
	w := codec.NewWriter(&out, codec.WriterOptions{Format: formatV4, Trace: trace})
	for range 2 {
		if err := w.Flush(); !errors.Is(err, codec.ErrNotExpressible) {
			t.Errorf("property of v4: %v", err)
		}
	}
}

// TestBlockWriterRefuses: a block with a row that cannot be written is an error,
// whichever row that is.
func TestBlockWriterRefuses(t *testing.T) {
	bad := []codec.Label{{Kind: 99}}
	long := &codec.Thread{Name: string(make([]byte, 1<<16))}
	for _, b := range []codec.BlockRows{
		{Kind: wire.KindLabelList, LabelLists: []codec.LabelListBytes{{Labels: bad}, {Bytes: []byte{0x81}}}},
		{Kind: wire.KindThread, Threads: []codec.ThreadBytes{{Thread: long}, {Thread: &codec.Thread{}}}},
	} {
		t.Run(fmt.Sprint(b.Kind), func(t *testing.T) {
			w := codec.NewBlockWriter(io.Discard, codec.BlockWriterOptions{Format: wire.V6})
			if err := w.WriteBlock(&codec.BlockRows{Kind: wire.KindTrace, Trace: &clock}); err != nil {
				t.Fatal(err)
			}
			if err := w.WriteBlock(&b); err == nil {
				t.Error("written")
			}
		})
	}
}

// TestWriterFullDisk: whichever write fails, its error is that of all that comes
// after it.
func TestWriterFullDisk(t *testing.T) {
	for _, format := range []wire.Format{formatV4, {}} {
		t.Run(fmt.Sprint(format), func(t *testing.T) {
			for at := 0; ; at++ {
				dst := &writes{left: at}
				err := errors.Join(fill(codec.NewWriter(dst, codec.WriterOptions{Format: format, Trace: clock, BlockBytes: 100})))
				if dst.left >= 0 {
					if err != nil {
						t.Error(err)
					}
					break
				}
				if !errors.Is(err, errFull) {
					t.Errorf("write %d: %v", at, err)
				}
			}
		})
	}
}

// writes accepts a number of writes and then fails.
type writes struct{ left int }

func (w *writes) Write(b []byte) (int, error) {
	if w.left--; w.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// fill writes rows of all kinds, of each table more than a block holds.
func fill(w *codec.Writer) error {
	for id := range uint32(5) {
		if _, err := w.DefineMetadata(&codec.Metadata{Provider: "a provider of some length", EventID: id}); err != nil {
			return err
		}
	}
	indexed := true
	for id := range uint64(20) {
		_, err := w.DefineThread(&codec.Thread{ThreadID: id, HasThreadID: true, Name: "a thread"})
		if indexed = !errors.Is(err, codec.ErrNotExpressible); !indexed {
			break
		}
		if err != nil {
			return err
		}
	}
	for i := range uint64(10) {
		rec := codec.Record{MetadataID: 1, Thread: 1 + i, CaptureThread: 1 + i, Timestamp: i, Stack: []uint64{i, i + 1}}
		if indexed {
			rec.Labels = []codec.Label{{Kind: wire.LabelKeyNumber, Key: "key", Number: i}}
		}
		if err := w.Write(&rec); err != nil {
			return err
		}
	}
	if err := w.RemoveThread(1); err != nil {
		return err
	}
	if err := w.SequencePoint(100); err != nil {
		return err
	}
	return w.Close()
}

// define makes metadata 1 and thread 1 known.
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

// failing accepts a number of bytes and then fails.
type failing struct{ left int }

var errFull = errors.New("disk full")

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestWriterErrorIsSticky: the first error of the file is the last word.
func TestWriterErrorIsSticky(t *testing.T) {
	f := &failing{left: 200}
	w := codec.NewWriter(f, codec.WriterOptions{Trace: clock})
	define(t, w, wire.Format{})
	var err error
	for i := uint64(1); err == nil && i < 100; i++ {
		if err = w.Write(&codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: i}); err == nil {
			err = w.Flush()
		}
	}
	left := f.left
	for _, again := range []error{err, w.Err(), w.Flush(), w.Write(&codec.Record{}), w.SequencePoint(1000), w.Close(), w.Close()} {
		t.Run(fmt.Sprintf("again=%v", again), func(t *testing.T) {
			if !errors.Is(again, errFull) {
				t.Errorf("want %v", errFull)
			}
		})
	}
	if f.left != left {
		t.Error("written after the error")
	}
	w.Reset(io.Discard)
	define(t, w, wire.Format{})
	if err := w.Close(); err != nil {
		t.Errorf("after Reset: %v", err)
	}
}
