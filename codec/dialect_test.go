package codec_test

import (
	"io"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/wire"
)

func TestCanWrite(t *testing.T) {
	for format, want := range map[wire.Format]bool{
		{}: false, wire.V3: false, wire.V4: true, wire.V5: true, wire.V6: true, {Major: 6, Minor: 1}: false, {Major: 7}: false,
	} {
		t.Run(format.String(), func(t *testing.T) {
			if got := codec.CanWrite(format); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// TestNotWritten writes a version that cannot be written.
func TestNotWritten(t *testing.T) {
	w := codec.NewBlockWriter(io.Discard, codec.BlockWriterOptions{Format: wire.Format{Major: 7}})
	err := w.WriteBlock(&codec.BlockRows{Kind: wire.KindTrace, Trace: &codec.Trace{}})
	expect.ErrorIs(t, err, codec.ErrNotExpressible)
	expect.Contains(t, "error", err.Error(), "format 7.0", "formats that can be written are 4, 5 and 6.0")
}
