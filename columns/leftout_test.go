package columns_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/columns"
	"github.com/nettrace-go/nettrace/gen"
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
			limited, err := columns.New(columns.Options{
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

// TestInexactFields: LeftOut counts the values that the columns of their fields cannot express.
func TestInexactFields(t *testing.T) {
	day := uint64(24 * 60 * 60 * 10_000_000) // of a FILETIME
	for _, c := range []struct {
		name    string
		code    wire.TypeCode
		payload []byte
		want    any
		left    columns.LeftOutFields
	}{
		{"UInt64", wire.UInt64, word(1 << 63), int64(math.MinInt64), columns.LeftOutFields{Unsigned: 1}},
		{"VarUInt", wire.VarUInt, binary.AppendUvarint(nil, math.MaxUint64), int64(-1), columns.LeftOutFields{Unsigned: 1}},
		{"small UInt64", wire.UInt64, word(math.MaxInt64), int64(math.MaxInt64), columns.LeftOutFields{}},
		{"Int64", wire.Int64, word(math.MaxUint64), int64(-1), columns.LeftOutFields{}},
		{"Decimal", wire.Decimal, append(word(5<<16), word(1234)...), nil, columns.LeftOutFields{Decimals: 1}},
		{"Decimal as a double", wire.Decimal, word(math.Float64bits(2.5)), 2.5, columns.LeftOutFields{}},
		{"year 2301", wire.DateTime, word(700 * 365 * day), nil, columns.LeftOutFields{Times: 1}},
		{"beyond year 9999", wire.DateTime, word(math.MaxInt64), nil, columns.LeftOutFields{Times: 1}},
		{"no time", wire.DateTime, word(0), nil, columns.LeftOutFields{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			format := wire.V6
			if c.code == wire.Decimal {
				format = wire.V4
			}
			b := gen.NewBuilder(gen.BuilderOptions{Format: format, Trace: codec.Trace{SyncTime: time.Unix(1e9, 0), TickFrequency: 1e9, PointerSize: 8}})
			id := b.Metadata(&codec.Metadata{
				Provider: "Made", EventID: 1, Name: "Step", Fields: []codec.Field{{Name: "Value", Type: codec.Type{Code: c.code}}},
			})
			b.Event(&codec.EventRow{MetadataID: id, ThreadIndex: 1, CaptureThreadIndex: 1, Payload: c.payload})
			trace := open(t, b.Trace().Bytes())
			d := load(t, trace, "Made_Step")
			expect.Equal(t, "rows", d.Rows, 1)
			expect.Equal(t, "value", text(d, "Value", 0), c.want)
			left := trace.LeftOut()
			expect.Equal(t, "left out", left, columns.LeftOut{Fields: c.left})
			expect.Equal(t, "warnings", len(left.Warnings()) > 0, c.left != columns.LeftOutFields{})
		})
	}
}

// word returns a number of 8 bytes.
func word(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }
