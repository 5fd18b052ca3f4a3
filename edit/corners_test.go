package edit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// small is a trace of one event at time 1000.
func small(t *testing.T, format wire.Format, trace codec.Trace, m codec.Metadata, rec codec.Record) []byte {
	t.Helper()
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{Format: format, Trace: trace, PassOn: true})
	id, err := w.DefineMetadata(&m)
	if err == nil && format == wire.V6 {
		_, err = w.DefineThread(&codec.Thread{ThreadID: 5, HasThreadID: true})
	}
	rec.MetadataID, rec.Thread, rec.CaptureThread, rec.Timestamp = id, 1, 1, 1000
	if err := errors.Join(err, w.Write(&rec), w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestDifferenceTells: a difference describes itself, and its names of fields are
// those that may be ignored.
func TestDifferenceTells(t *testing.T) {
	m, rec, _, trace := diffBase()
	a := small(t, wire.V6, trace, m, rec)
	rec.Payload = []byte("another")
	trace.TickFrequency = 1e7
	b := small(t, wire.V6, trace, m, rec)
	d, err := edit.Diff(context.Background(), sliceReader(a), sliceReader(b), edit.DiffOptions{})
	if err != nil {
		t.Fatal(err)
	}
	expect.Contains(t, "d", d.String(), "event 0:", "payload", "1 and 1 events")
	if len(d.Trace) == 0 || !slices.Contains(edit.DiffFields(), "payload") {
		t.Errorf("trace %q, fields %q", d.Trace, edit.DiffFields())
	}
	if _, err := edit.Diff(context.Background(), sliceReader(a), sliceReader(nil), edit.DiffOptions{}); err == nil {
		t.Error("nothing compared with something")
	}
}

// TestRefused: an invalid request returns an error and writes nothing.
func TestRefused(t *testing.T) {
	m, rec, _, trace := diffBase()
	v6 := small(t, wire.V6, trace, m, rec)
	failed := errors.New("no more parts")
	far := trace
	far.SyncTime = trace.SyncTime.Add(200 * 365 * 24 * time.Hour)
	far.TickFrequency = 1 << 62
	merge := func(streams ...[]byte) func(io.Writer) error {
		return func(dst io.Writer) error {
			var sources []*edit.MergeSource
			for _, b := range streams {
				sources = append(sources, edit.NewMergeSource(bytes.NewReader(b), edit.MergeSourceOptions{Name: "s"}))
			}
			_, err := edit.Merge(context.Background(), dst, sources, edit.MergeOptions{})
			return err
		}
	}
	for _, c := range []struct {
		name string
		do   func(dst io.Writer) error
		want error // nil: any
	}{
		{"convert to v7", func(dst io.Writer) error {
			_, err := edit.Convert(context.Background(), dst, sliceBlocks(v6), edit.ConvertOptions{Format: wire.Format{Major: 7}})
			return err
		}, edit.ErrNotWritten},
		{"slice of v6 as v4", func(dst io.Writer) error {
			_, err := edit.Slice(context.Background(), dst, sliceBlocks(v6), edit.SliceOptions{Format: wire.V4})
			return err
		}, codec.ErrNotExpressible},
		{"slice of nothing", func(dst io.Writer) error {
			_, err := edit.Slice(context.Background(), dst, sliceBlocks(nil), edit.SliceOptions{})
			return err
		}, io.ErrUnexpectedEOF},
		{"split of nothing", func(dst io.Writer) error {
			_, err := edit.Split(context.Background(), nil, sliceBlocks(nil), edit.SplitOptions{})
			return err
		}, io.ErrUnexpectedEOF},
		{"split without outputs", func(dst io.Writer) error {
			_, err := edit.Split(context.Background(), func(int) (io.WriteCloser, error) { return nil, failed }, sliceBlocks(v6), edit.SplitOptions{})
			return err
		}, failed},
		{"repair of a source that fails", func(dst io.Writer) error {
			_, err := edit.Repair(context.Background(), dst, io.MultiReader(bytes.NewReader(v6[:len(v6)-4]), broken{failed}), codec.Options{})
			return err
		}, failed},
		{"merge of nothing", merge(), nil},
		{"merge of clocks with distant sync times", merge(v6, small(t, wire.V6, far, m, rec)), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			err := c.do(&out)
			expect.NotZero(t, "error", err)
			if c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if out.Len() > 0 && c.want != failed {
				t.Errorf("%d bytes were written", out.Len())
			}
		})
	}
}

// broken is a source that fails.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// TestSliceUpwards: a part can be written in a later version, or in v4 without
// tags of v5.
func TestSliceUpwards(t *testing.T) {
	m, rec, _, trace := diffBase()
	trace.Properties, m.Opcode, m.OpcodeSet = nil, 9, true
	rec.Labels, rec.Thread = nil, 7
	v5 := small(t, wire.V5, trace, m, rec)
	for _, format := range []wire.Format{wire.V4, wire.V5, wire.V6} {
		t.Run(fmt.Sprint(format), func(t *testing.T) {
			var out bytes.Buffer
			if _, err := edit.Slice(context.Background(), &out, sliceBlocks(v5), edit.SliceOptions{Format: format}); err != nil {
				t.Error(err)
				return
			}
			d, err := edit.Diff(context.Background(), sliceReader(v5), sliceReader(out.Bytes()), edit.DiffOptions{})
			if err != nil || !d.Equal() {
				t.Errorf("%v, %v", d, err)
			}
		})
	}
}

// TestSliceKeepLost: losses of threads without selected events are not written.
func TestSliceKeepLost(t *testing.T) {
	b := gen.NewBuilder(gen.BuilderOptions{Format: wire.V4, Trace: codec.Trace{SyncTime: sceneTime, TickFrequency: 1e9}})
	id := b.Metadata(&codec.Metadata{Provider: "P", EventID: 1})
	for i := range uint64(3) {
		for thread := uint64(1); thread <= 2; thread++ {
			b.Event(&codec.EventRow{MetadataID: id, ThreadIndex: thread, CaptureThreadIndex: thread, Timestamp: 10*i + thread})
			b.Lose(thread, 5)
		}
	}
	b.SequencePoint(100, 0)
	data := b.Trace().Bytes()
	for kept, want := range map[uint64]uint64{0: 30, 1: 15, 3: 0} {
		t.Run(fmt.Sprintf("kept=%v", kept), func(t *testing.T) {
			var out bytes.Buffer
			keep := func(id uint64, _ *codec.Thread) bool { return kept == 0 || id == kept }
			result, err := edit.Slice(context.Background(), &out, sliceBlocks(data), edit.SliceOptions{KeepLost: keep})
			if err != nil {
				t.Fatal(err)
			}
			r := sliceReader(out.Bytes())
			for range r.Events() {
			}
			expect.Equal(t, "Lost()", r.Lost(), want)
			expect.Equal(t, "Lost", result.Lost, want)
			expect.Equal(t, "Count()", r.Count(), 6)
		})
	}
}

// TestRedactArrays: text that lies in arrays of code units is masked too, and a
// text of nothing is no secret.
func TestRedactArrays(t *testing.T) {
	const secret = "hunter2"
	array := func(code wire.TypeCode) codec.Type {
		return codec.Type{Code: wire.Array, Element: &codec.Type{Code: code}}
	}
	m := codec.Metadata{Provider: "P", EventID: 1, Fields: []codec.Field{
		{Name: "CommandLine", Type: array(wire.UTF8CodeUnit)},
		{Name: "CommandLine", Type: array(wire.UTF16CodeUnit)},
		{Name: "CommandLine", Type: array(wire.Byte)},
	}}
	payload := append([]byte{7, 0}, secret...)
	payload = append(append(payload, 7, 0), utf16Bytes(secret)...)
	payload = append(append(payload, 3, 0), 1, 2, 3)
	data := small(t, wire.V6, codec.Trace{SyncTime: sceneTime, TickFrequency: 1e9}, m, codec.Record{Payload: payload})
	var out bytes.Buffer
	if _, err := edit.Slice(context.Background(), &out, sliceBlocks(data), edit.SliceOptions{Redact: edit.NewRedactor(edit.RedactOptions{Texts: []string{""}})}); err != nil {
		t.Fatal(err)
	}
	if !holds(data, secret) || holds(out.Bytes(), secret) {
		t.Error("the secret is still there")
	}
	for e, err := range sliceReader(out.Bytes()).Events() {
		if err != nil || len(e.Payload()) != len(payload) || !bytes.HasSuffix(e.Payload(), []byte("***")) {
			t.Errorf("%v, payload %x", err, e.Payload())
		}
	}
}
