package edit_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/edit"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestStreams: of every small stream, the sound, the odd and the broken ones,
// what is whole comes through each edit, and the result is whole.
func TestStreams(t *testing.T) {
	edits := []struct {
		name string
		edit func(dst *bytes.Buffer, src []byte) error
	}{
		{"preserved", func(dst *bytes.Buffer, src []byte) error { return edit.Preserve(dst, skipping(src)) }},
		{"v6", converting(edit.Options{})},
		{"v6 compact", converting(edit.Options{Compact: true})},
		{"v6 uncompressed", converting(edit.Options{Uncompressed: true})},
		{"v5", converting(edit.Options{Format: wire.Format{Major: 5}})},
		{"v5 compact", converting(edit.Options{Format: wire.Format{Major: 5}, Compact: true})},
		{"repaired", func(dst *bytes.Buffer, src []byte) error {
			_, err := edit.Repair(dst, bytes.NewReader(src), codec.Options{})
			return err
		}},
	}
	for _, name := range shared.Streams(t) {
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
				t.Errorf("%s, %s: %v", name, e.name, err)
			}
			if err != nil {
				continue
			}
			r := codec.NewBytesReader(out.Bytes(), codec.Options{})
			for range r.Events() {
			}
			if r.Err() != nil || r.Count() != want {
				t.Errorf("%s, %s: %d events, %v; want %d", name, e.name, r.Count(), r.Err(), want)
			}
			if was := skippingAll(data); e.name != "preserved" && r.Lost() != was.Lost() {
				t.Errorf("%s, %s: %d lost, want %d", name, e.name, r.Lost(), was.Lost())
			}
		}
	}
}

func skipping(data []byte) *codec.Reader {
	return codec.NewBytesReader(data, codec.Options{OnError: codec.Skip})
}

func skippingAll(data []byte) *codec.Reader {
	r := skipping(data)
	for range r.Events() {
	}
	return r
}

func converting(opt edit.Options) func(dst *bytes.Buffer, src []byte) error {
	return func(dst *bytes.Buffer, src []byte) error {
		_, err := edit.Convert(dst, skipping(src), opt)
		return err
	}
}
