package raw_test

import (
	"bytes"
	"testing"

	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/wire"
)

func TestWriterOptions(t *testing.T) {
	for _, c := range []struct {
		name string
		opt  raw.WriterOptions
		want string // before the end mark
	}{
		{"zero", raw.WriterOptions{}, "Nettrace\x00\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00"},
		{"version 5", raw.WriterOptions{Format: wire.V5}, "Nettrace\x14\x00\x00\x00!FastSerialization.1"},
		{"after other blocks", raw.WriterOptions{Offset: 100}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			w := raw.NewWriter(&out, c.opt)
			begin := w.Offset()
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			n := len(c.want)
			expect.Equal(t, "offset", begin, c.opt.Offset+int64(n))
			expect.Equal(t, "header", out.String()[:n], c.want)
		})
	}
}
