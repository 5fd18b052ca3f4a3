package columns_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/columns"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestLeftOut: LeftOut counts the rows above a limit.
func TestLeftOut(t *testing.T) {
	for _, c := range []struct {
		trace, table, warning string
		left                  func(columns.LeftOut) int64
	}{
		{"net10-mix-gc.v4", "gc", "collections left out, because there are too many", func(l columns.LeftOut) int64 { return l.Collections }},
		{"net10-http.v4", "requests", "requests left out, because there are too many", func(l columns.LeftOut) int64 { return l.Requests }},
	} {
		t.Run(c.table, func(t *testing.T) {
			b := shared.Trace(t, c.trace)
			all := load(t, open(t, b), c.table).Rows
			limited, err := columns.New(t.Context(), columns.Options{
				Open:     func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil },
				Reader:   codec.Options{Schemas: clr.Schemas, OnError: codec.Skip},
				Analysis: analysis.Limits{Rows: 1},
			})
			expect.NoError(t, err)
			rows := load(t, limited, c.table).Rows
			left := limited.LeftOut()
			expect.AtMost(t, "rows", rows, all-1)
			expect.Equal(t, "left out", c.left(left), int64(all-rows))
			expect.Len(t, "warnings", left.Warnings(), 1)
			expect.Contains(t, "warning", left.Warnings()[0], c.warning)
		})
	}
}
