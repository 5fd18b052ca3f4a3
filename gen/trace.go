package gen

import (
	"bytes"
	"io"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Trace is a trace as a Go value.
type Trace struct {
	Format wire.Format       // wire.V4, wire.V5 or wire.V6
	Blocks []codec.BlockRows // in file order; the first one is the Trace block; without the end mark
}

// WriteTo writes the trace as a stream.
func (t *Trace) WriteTo(dst io.Writer) (int64, error) {
	w := codec.NewBlockWriter(dst, codec.BlockWriterOptions{Format: t.Format, Preserve: true})
	for i := range t.Blocks {
		if err := w.WriteBlock(&t.Blocks[i]); err != nil {
			return w.Offset(), err
		}
	}
	err := w.Close()
	return w.Offset(), err
}

// Bytes returns the trace as a stream. It panics if the version cannot express
// the trace, which is a programming error.
func (t *Trace) Bytes() []byte {
	var b bytes.Buffer
	if _, err := t.WriteTo(&b); err != nil {
		panic(err)
	}
	return b.Bytes()
}
