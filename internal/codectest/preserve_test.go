package codectest_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestPreserve: every complete trace of v4 to v6 comes out of decode and encode
// with the same bytes.
func TestPreserve(t *testing.T) {
	broken := []string{"net10-killed.v4", "net10-killed-cut.v4", "onecollect-overflow.v6"}
	for _, name := range shared.Small(t) {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			if strings.HasSuffix(name, ".v3") {
				return // is not written
			}
			r := codec.NewBytesBlockReader(data, codec.Options{})
			var out bytes.Buffer
			switch err := copyBlocks(r, &out); {
			case err != nil && slices.Contains(broken, name):
				return
			case err != nil:
				t.Error(err)
				return
			}
			if !bytes.Equal(out.Bytes(), data) {
				at := 0
				for at < min(out.Len(), len(data)) && out.Bytes()[at] == data[at] {
					at++
				}
				t.Errorf("differs at %d of %d, %d written", at, len(data), out.Len())
			}
		})
	}
}

// copyBlocks writes the blocks of r. Metadata of a stream that declares v4 may
// have the tags of v5.
func copyBlocks(r *codec.BlockReader, dst io.Writer) error {
	var rows codec.BlockRows
	var w *codec.BlockWriter
	for _, ok := r.Next(); ok; _, ok = r.Next() {
		if r.Rows(&rows); w == nil {
			format := wire.V5
			if rows.Trace.Format.HasThreadTable() {
				format = wire.V6
			}
			w = codec.NewBlockWriter(dst, codec.BlockWriterOptions{Format: format, Preserve: true})
		}
		if err := w.WriteBlock(&rows); err != nil {
			return err
		}
	}
	return r.Err()
}
