package edit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
)

// ofBlocks are the functions that make a stream of a BlockReader.
var ofBlocks = []struct {
	name string
	run  func(dst io.Writer, r *codec.BlockReader) error
}{
	{"Preserve", func(dst io.Writer, r *codec.BlockReader) error { return edit.Preserve(context.Background(), dst, r) }},
	{"Convert to v6", func(dst io.Writer, r *codec.BlockReader) error {
		_, err := edit.Convert(context.Background(), dst, r, edit.ConvertOptions{})
		return err
	}},
	{"Convert to v4", func(dst io.Writer, r *codec.BlockReader) error {
		_, err := edit.Convert(context.Background(), dst, r, edit.ConvertOptions{Format: wire.V4})
		return err
	}},
	{"Convert compact", func(dst io.Writer, r *codec.BlockReader) error {
		_, err := edit.Convert(context.Background(), dst, r, edit.ConvertOptions{Compact: true})
		return err
	}},
	{"Slice", func(dst io.Writer, r *codec.BlockReader) error {
		_, err := edit.Slice(context.Background(), dst, r, edit.SliceOptions{})
		return err
	}},
	{"Split", func(dst io.Writer, r *codec.BlockReader) error {
		next := func(int) (io.WriteCloser, error) { return keptOpen{dst}, nil }
		_, err := edit.Split(context.Background(), next, r, edit.SplitOptions{})
		return err
	}},
}

type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// TestBlocksReadBefore: a BlockReader that has returned a block is refused; one
// whose Trace was called gives the same as a new one.
func TestBlocksReadBefore(t *testing.T) {
	blocks := func(n int) func(*codec.BlockReader) {
		return func(r *codec.BlockReader) {
			for range n {
				r.Next()
			}
		}
	}
	for _, before := range []struct {
		name string
		read func(*codec.BlockReader)
		want error
	}{
		{"Trace", func(r *codec.BlockReader) { _, _ = r.Trace() }, nil},
		{"Trace twice", func(r *codec.BlockReader) { _, _ = r.Trace(); _, _ = r.Trace() }, nil},
		{"the Trace block", blocks(1), codec.ErrStarted},
		{"two blocks", blocks(2), codec.ErrStarted},
		{"everything", blocks(1 << 20), codec.ErrStarted},
	} {
		for _, f := range ofBlocks {
			for _, format := range []wire.Format{wire.V4, wire.V6} {
				t.Run(before.name+"/"+f.name+"/"+format.String(), func(t *testing.T) {
					data := twoRegions(t, format)
					var want, got bytes.Buffer
					if err := f.run(&want, codec.NewBlockReader(bytes.NewReader(data), codec.Options{})); err != nil {
						t.Fatal(err)
					}
					r := codec.NewBlockReader(bytes.NewReader(data), codec.Options{})
					before.read(r)
					checkStarted(t, f.run(&got, r), before.want)
					if before.want == nil && !bytes.Equal(got.Bytes(), want.Bytes()) {
						t.Errorf("got %d bytes, want the %d that a new BlockReader gives", got.Len(), want.Len())
					}
				})
			}
		}
	}
}

// TestDiffReadBefore: a Reader that has read more than the Trace block is not
// compared.
func TestDiffReadBefore(t *testing.T) {
	events := func(n int) func(*codec.Reader) {
		return func(r *codec.Reader) {
			for range n {
				r.Next()
			}
		}
	}
	for _, before := range []struct {
		name string
		read func(*codec.Reader)
		want error
	}{
		{"Trace", func(r *codec.Reader) { _, _ = r.Trace() }, nil},
		{"one event", events(1), codec.ErrStarted},
		{"everything", events(1 << 20), codec.ErrStarted},
	} {
		for _, order := range []codec.Order{codec.FileOrder, codec.ByTime} {
			t.Run(fmt.Sprintf("%s/order %d", before.name, order), func(t *testing.T) {
				data := twoRegions(t, wire.V6)
				r := codec.NewBytesReader(data, codec.Options{Order: order})
				before.read(r)
				d, err := edit.Diff(context.Background(), r, codec.NewBytesReader(data, codec.Options{Order: order}), edit.DiffOptions{})
				checkStarted(t, err, before.want)
				if err == nil && !d.Equal() {
					t.Errorf("a stream differs from itself:\n%v", d)
				}
			})
		}
	}
}

func checkStarted(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) || (err == nil) != (want == nil) {
		t.Fatalf("got error %v, want %v", err, want)
	}
}

// twoRegions is a stream of two events with a sequence point between them.
func twoRegions(t *testing.T, format wire.Format) []byte {
	t.Helper()
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{Format: format, Trace: codec.Trace{SyncTime: sceneTime, TickFrequency: 1e9}})
	id, err := w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 1})
	if err == nil && format.HasThreadTable() {
		_, err = w.DefineThread(&codec.Thread{ThreadID: 5, HasThreadID: true})
	}
	for _, at := range []uint64{10, 20} {
		rec := codec.Record{MetadataID: id, Timestamp: at, Thread: 1, CaptureThread: 1, Stack: []uint64{0x1000 + at}}
		err = errors.Join(err, w.Write(&rec), w.SequencePoint(at+1))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestNoStacks checks that a Reader that leaves out stacks is refused, and that
// nothing is written.
func TestNoStacks(t *testing.T) {
	data := twoRegions(t, wire.V6)
	opt := codec.Options{NoStacks: true}
	t.Run("Diff", func(t *testing.T) {
		r, other := codec.NewBytesReader(data, opt), codec.NewBytesReader(data, codec.Options{})
		if _, err := edit.Diff(context.Background(), r, other, edit.DiffOptions{}); !errors.Is(err, codec.ErrNoStacks) {
			t.Errorf("got error %v, want ErrNoStacks", err)
		}
	})
	for _, f := range ofBlocks {
		t.Run(f.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := f.run(&out, codec.NewBytesBlockReader(data, opt)); !errors.Is(err, codec.ErrNoStacks) || out.Len() > 0 {
				t.Errorf("got %d bytes and error %v, want none and ErrNoStacks", out.Len(), err)
			}
		})
	}
	t.Run("Repair", func(t *testing.T) {
		var out bytes.Buffer
		if _, err := edit.Repair(context.Background(), &out, bytes.NewReader(data), opt); !errors.Is(err, codec.ErrNoStacks) || out.Len() > 0 {
			t.Errorf("got %d bytes and error %v, want none and ErrNoStacks", out.Len(), err)
		}
	})
	t.Run("Merge", func(t *testing.T) {
		var out bytes.Buffer
		s := edit.NewMergeSource(bytes.NewReader(data), edit.MergeSourceOptions{Name: "a", Reader: opt})
		if _, err := edit.Merge(context.Background(), &out, []*edit.MergeSource{s}, edit.MergeOptions{}); !errors.Is(err, codec.ErrNoStacks) || out.Len() > 0 {
			t.Errorf("got %d bytes and error %v, want none and ErrNoStacks", out.Len(), err)
		}
	})
	t.Run("Diff that ignores stacks", func(t *testing.T) {
		a, b := codec.NewBytesReader(data, opt), codec.NewBytesReader(data, opt)
		if d, err := edit.Diff(context.Background(), a, b, edit.DiffOptions{Ignore: []string{"stack"}}); err != nil || !d.Equal() {
			t.Errorf("got %v and error %v, want equal streams", d, err)
		}
	})
}

// TestDiffOfIndexRefused: a Reader of Index.Between, which leaves out events and
// losses, is not compared as a complete stream.
func TestDiffOfIndexRefused(t *testing.T) {
	data := twoRegions(t, wire.V6)
	x, err := codec.NewIndex(bytes.NewReader(data), int64(len(data)), codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	part := x.Between(codec.TimeRange{From: 10, To: 15, HasFrom: true, HasTo: true})
	if _, err := edit.Diff(context.Background(), part, codec.NewBytesReader(data, codec.Options{}), edit.DiffOptions{}); !errors.Is(err, codec.ErrStarted) {
		t.Errorf("got error %v, want ErrStarted", err)
	}
}

// TestMergeSourceTwice checks that a source is used by one Merge, once.
func TestMergeSourceTwice(t *testing.T) {
	data := twoRegions(t, wire.V6)
	newSource := func() *edit.MergeSource {
		return edit.NewMergeSource(bytes.NewReader(data), edit.MergeSourceOptions{Name: "a"})
	}
	t.Run("in one Merge", func(t *testing.T) {
		s := newSource()
		_, err := edit.Merge(context.Background(), io.Discard, []*edit.MergeSource{s, newSource(), s}, edit.MergeOptions{})
		if err == nil || !strings.Contains(err.Error(), "twice") {
			t.Errorf("got error %v, want one that says that the source is given twice", err)
		}
	})
	t.Run("after an event was read", func(t *testing.T) {
		s := newSource()
		s.Reader().Next()
		_, err := edit.Merge(context.Background(), io.Discard, []*edit.MergeSource{s}, edit.MergeOptions{})
		if !errors.Is(err, codec.ErrStarted) {
			t.Errorf("got error %v, want ErrStarted", err)
		}
	})
	t.Run("one Reader in Diff", func(t *testing.T) {
		r := codec.NewBytesReader(data, codec.Options{})
		if _, err := edit.Diff(context.Background(), r, r, edit.DiffOptions{}); err == nil {
			t.Error("got no error, want one")
		}
	})
}
