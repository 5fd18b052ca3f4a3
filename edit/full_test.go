package edit_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/nettrace-go/nettrace/internal/shared"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/gen"
)

var errFull = errors.New("disk full")

// disk accepts a number of writes. It counts the writes after the one that fails.
type disk struct{ left, after int }

func (d *disk) Write(b []byte) (int, error) {
	switch {
	case d.left > 0:
		d.left--
		return len(b), nil
	case d.left < 0:
		d.after++
	}
	d.left = -1
	return 0, errFull
}

func (d *disk) Close() error { return nil }

// verbs write one stream of another, each in its own way.
var verbs = []struct {
	name string
	run  func(dst io.WriteCloser, data []byte) error
}{
	{"preserve", func(dst io.WriteCloser, data []byte) error {
		return edit.Preserve(context.Background(), dst, sliceBlocks(data))
	}},
	{"v4", convertInto(edit.ConvertOptions{Format: wire.V4})},
	{"v6", convertInto(edit.ConvertOptions{Format: wire.V6})},
	{"uncompressed", convertInto(edit.ConvertOptions{Uncompressed: true})},
	{"compact", convertInto(edit.ConvertOptions{Compact: true})},
	{"compact v4", convertInto(edit.ConvertOptions{Format: wire.V4, Compact: true})},
	{"repair", func(dst io.WriteCloser, data []byte) error {
		_, err := edit.Repair(context.Background(), dst, bytes.NewReader(data), codec.Options{})
		return err
	}},
	{"slice", func(dst io.WriteCloser, data []byte) error {
		first, last := bounds(data)
		_, err := edit.Slice(context.Background(), dst, sliceBlocks(data), edit.SliceOptions{Time: codec.TimeRange{From: first + (last-first)/4, HasFrom: true}})
		return err
	}},
	{"slice of thread 1", func(dst io.WriteCloser, data []byte) error {
		_, err := edit.Slice(context.Background(), dst, sliceBlocks(data), edit.SliceOptions{Keep: odd})
		return err
	}},
	{"slice in v6", func(dst io.WriteCloser, data []byte) error {
		_, err := edit.Slice(context.Background(), dst, sliceBlocks(data), edit.SliceOptions{Format: wire.V6})
		return err
	}},
	{"redact", func(dst io.WriteCloser, data []byte) error {
		_, err := edit.Slice(context.Background(), dst, sliceBlocks(data), edit.SliceOptions{Redact: edit.NewRedactor(edit.RedactOptions{Texts: []string{"a"}})})
		return err
	}},
	{"split", func(dst io.WriteCloser, data []byte) error {
		next := func(int) (io.WriteCloser, error) { return dst, nil }
		_, err := edit.Split(context.Background(), next, sliceBlocks(data), edit.SplitOptions{Size: edit.SplitSize{Bytes: int64(len(data)/5 + 1)}})
		return err
	}},
	{"merge", func(dst io.WriteCloser, data []byte) error {
		var sources []*edit.MergeSource
		for range 2 {
			sources = append(sources, edit.NewMergeSource(bytes.NewReader(data), edit.MergeSourceOptions{Name: "s", Reader: codec.Options{OnError: codec.Skip}}))
		}
		_, err := edit.Merge(context.Background(), dst, sources, edit.MergeOptions{})
		return err
	}},
}

func convertInto(opt edit.ConvertOptions) func(io.WriteCloser, []byte) error {
	return func(dst io.WriteCloser, data []byte) error {
		_, err := edit.Convert(context.Background(), dst, sliceBlocks(data), opt)
		return err
	}
}

// removal is a trace of v6 whose last thread is removed with a loss that no
// sequence point shows, and whose events fill more than one group, one of them
// before a block of another kind.
func removal(t *testing.T) []byte {
	large := eventsOf(1, 1, 2, 3)
	for i := range large.Events {
		large.Events[i].Payload = make([]byte, 600_000+i)
	}
	return stream(t, 6, threadRow(1, 7, 1), large, &codec.BlockRows{Kind: 99, Body: []byte("unknown")}, eventsOf(1, 4),
		&codec.BlockRows{Kind: wire.KindRemoveThread, Removed: []codec.ThreadSequence{{Thread: 1, Sequence: 9}}})
}

// TestFullDisk: whichever write fails, its error is returned, and nothing is
// written after it.
func TestFullDisk(t *testing.T) {
	inputs := map[string][]byte{}
	for _, name := range []string{"net10-netperf.v3", "net10-counters.v4", "gen-drops.v4", "gen-drops.v6", "gen-macos.v6", "onecollect-small.v6"} {
		data := shared.Trace(t, name)
		inputs[name] = data
	}
	inputs["types that change.v3"], inputs["endings.v4"], inputs["removal.v6"] = renamed(), endings(t), removal(t)
	for seed := int64(1); seed <= int64(less(6, 2)); seed++ {
		inputs[string(rune('0'+seed))+" at random"] = gen.Random(seed).Bytes()
	}
	for name, data := range inputs {
		for _, verb := range verbs {
			t.Run(verb.name, func(t *testing.T) {
				all := &disk{left: 1 << 30}
				if err := verb.run(all, data); err != nil {
					if !errors.Is(err, edit.ErrNotWritten) && !errors.Is(err, edit.ErrNoClock) && !errors.Is(err, edit.ErrNothing) {
						t.Errorf("%s of %s: %v", verb.name, name, err)
					}
					return
				}
				writes := 1<<30 - all.left
				for at := 0; at < writes; at += 1 + writes/less(60, 6) {
					full := &disk{left: at}
					if err := verb.run(full, data); !errors.Is(err, errFull) {
						t.Errorf("%s of %s, write %d of %d fails: %v", verb.name, name, at, writes, err)
					}
					if full.after > 0 {
						t.Errorf("%s of %s: %d writes after the failed one", verb.name, name, full.after)
					}
				}
			})
		}
	}
}
