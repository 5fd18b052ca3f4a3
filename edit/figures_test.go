package edit_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// convert converts a stream and fails the test if that fails.
func convert(t *testing.T, data []byte, opt edit.ConvertOptions) ([]byte, []edit.Change) {
	t.Helper()
	var out bytes.Buffer
	src := codec.NewBytesBlockReader(data, codec.Options{OnError: codec.Skip})
	list, err := edit.Convert(context.Background(), &out, src, opt)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), list
}

// headerBytes is the mean number of bytes of an event row without its payload,
// including the flags byte.
func headerBytes(t *testing.T, data []byte) float64 {
	t.Helper()
	r := codec.NewBytesBlockReader(data, codec.Options{})
	var rows codec.BlockRows
	bytes, events := 0, 0
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if r.Rows(&rows); rows.Kind != wire.KindEvent {
			continue
		}
		bytes += len(b.Body) - b.HeaderSize
		events += len(rows.Events)
		for i := range rows.Events {
			bytes -= len(rows.Events[i].Payload)
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return float64(bytes) / float64(events)
}

// TestHeaderBytes bounds the size of written rows.
func TestHeaderBytes(t *testing.T) {
	v6, compact := edit.ConvertOptions{}, edit.ConvertOptions{Compact: true}
	for _, c := range []struct {
		name string
		opt  *edit.ConvertOptions // nil: unchanged
		most float64
	}{
		{"azmcp-net10-cpu.v4", nil, 5.953},
		{"azmcp-net10-cpu.v4", &v6, 5.2},
		{"azmcp-net10-cpu.v4", &compact, 5.1},
		{"onecollect-small.v6", nil, 11.85},
		{"onecollect-small.v6", &v6, 10.3},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := shared.Trace(t, c.name)
			if c.opt != nil {
				data, _ = convert(t, data, *c.opt)
			}
			n := headerBytes(t, data)
			t.Logf("%s: %.3f header bytes an event, %d bytes", c.name, n, len(data))
			if n > c.most {
				t.Errorf("%.3f header bytes an event, want at most %.2f", n, c.most)
			}
		})
	}
}
