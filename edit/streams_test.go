package edit_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestStreams: each edit keeps what is complete of every small stream, valid,
// unusual or malformed, and its result is complete.
func TestStreams(t *testing.T) {
	edits := []struct {
		name string
		edit func(dst *bytes.Buffer, src []byte) error
	}{
		{"preserved", func(dst *bytes.Buffer, src []byte) error {
			return edit.Preserve(context.Background(), dst, skippingBlocks(src))
		}},
		{"v6", converting(edit.ConvertOptions{})},
		{"v6 compact", converting(edit.ConvertOptions{Compact: true})},
		{"v6 uncompressed", converting(edit.ConvertOptions{Uncompressed: true})},
		{"v5", converting(edit.ConvertOptions{Format: wire.V5})},
		{"v5 compact", converting(edit.ConvertOptions{Format: wire.V5, Compact: true})},
		{"repaired", func(dst *bytes.Buffer, src []byte) error {
			_, err := edit.Repair(context.Background(), dst, bytes.NewReader(src), codec.Options{})
			return err
		}},
	}
	for _, name := range shared.Streams(t) {
		t.Run(name, func(t *testing.T) {
			data := shared.Stream(t, name)
			want := int64(0)
			r := skipping(data)
			for range r.Events() {
				want = r.Count()
			}
			for _, e := range edits {
				var out bytes.Buffer
				err := e.edit(&out, data)
				if err != nil && !errors.Is(err, edit.ErrNotWritten) && (out.Len() > 0 || want > 0) {
					t.Errorf("%s: %v", e.name, err)
				}
				if err != nil {
					continue
				}
				r := codec.NewBytesReader(out.Bytes(), codec.Options{})
				for range r.Events() {
				}
				if r.Err() != nil || r.Count() != want {
					t.Errorf("%s: %d events, %v; want %d", e.name, r.Count(), r.Err(), want)
				}
				was := skippingAll(data)
				if e.name != "preserved" && r.Lost() != was.Lost() {
					t.Errorf("%s: %d lost, want %d", e.name, r.Lost(), was.Lost())
				}
				if strict(data) != nil || strings.HasPrefix(e.name, "v5") && overrides(data) {
					continue
				}
				if d := diff(t, data, out.Bytes(), edit.DiffOptions{}); !d.Equal() {
					t.Errorf("%s: %v", e.name, d)
				}
			}
		})
	}
}

func skipping(data []byte) *codec.Reader {
	return codec.NewBytesReader(data, codec.Options{OnError: codec.Skip})
}

func skippingBlocks(data []byte) *codec.BlockReader {
	return codec.NewBytesBlockReader(data, codec.Options{OnError: codec.Skip})
}

func skippingAll(data []byte) *codec.Reader {
	r := skipping(data)
	for range r.Events() {
	}
	return r
}

func converting(opt edit.ConvertOptions) func(dst *bytes.Buffer, src []byte) error {
	return func(dst *bytes.Buffer, src []byte) error {
		_, err := edit.Convert(context.Background(), dst, skippingBlocks(src), opt)
		return err
	}
}

// TestStreamsDamaged: the result for any bytes can be read, and repair loses no
// event that a Reader finds.
func TestStreamsDamaged(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for _, name := range shared.Streams(t) {
		t.Run(name, func(t *testing.T) {
			whole := shared.Stream(t, name)
			if len(whole) < 100 {
				return
			}
			for range less(12, 2) {
				data := bytes.Clone(whole)
				for range 1 + dice.IntN(3) {
					data[40+dice.IntN(len(data)-40)] = byte(dice.Uint32())
				}
				for _, opt := range []edit.ConvertOptions{{}, {Compact: true}, {Format: wire.V4}} {
					readable(t, name, data, converting(opt))
				}
				readable(t, name, data, func(dst *bytes.Buffer, src []byte) error {
					return edit.Preserve(context.Background(), dst, skippingBlocks(src))
				})
				got := readable(t, name, data, func(dst *bytes.Buffer, src []byte) error {
					_, err := edit.Repair(context.Background(), dst, bytes.NewReader(src), codec.Options{})
					return err
				})
				if want := skippingAll(data); got >= 0 && got < want.Count() {
					t.Errorf("%d events when repaired, want %d\n%x", got, want.Count(), data)
				}
			}
		})
	}
}

// readable edits a stream and counts the events of the result, -1 without one.
func readable(t *testing.T, name string, data []byte, edit func(*bytes.Buffer, []byte) error) int64 {
	t.Helper()
	var out bytes.Buffer
	if err := edit(&out, data); err != nil {
		return -1
	}
	n, err := count(out.Bytes())
	if err != nil && !errors.Is(err, codec.ErrLimit) {
		t.Errorf("%s: %v\n%x", name, err, data)
	}
	return n
}

// strict returns the first fault of a stream.
func strict(data []byte) error {
	for _, err := range codec.NewBytesReader(data, codec.Options{Strict: true}).Events() {
		if err != nil {
			return err
		}
	}
	return nil
}

// overrides reports whether labels of events replace values of their metadata, which v5 cannot express.
func overrides(data []byte) bool {
	for e := range skipping(data).Events() {
		for _, label := range e.Labels() {
			if label.Kind >= wire.LabelOpcode {
				return true
			}
		}
	}
	return false
}
