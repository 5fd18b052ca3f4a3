package check

import (
	"bytes"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestOnlyIDs: headers of rows of v4 whose activity ids have a zero after a byte
// with its high bit set, like numbers with superfluous zeros.
func TestOnlyIDs(t *testing.T) {
	ids := bytes.Repeat([]byte{0x80, 0}, 16)
	const both = wire.RowActivity | wire.RowRelated
	for _, row := range []struct {
		name    string
		flags   byte
		time    []byte
		ids     []byte
		size    []byte
		payload int
		want    bool
	}{
		{"one id", wire.RowActivity, []byte{1}, ids[:16], nil, 9, true},
		{"both ids", both, []byte{1}, ids, nil, 9, true},
		{"a long time", both, []byte{0x80, 0x81, 1}, ids, nil, 9, true},
		{"a time with zeros", both, []byte{0x81, 0}, ids, nil, 9, false},
		{"no ids", 0, []byte{0x81, 0}, nil, nil, 9, false},
		{"size", both | wire.RowPayloadSize, []byte{1}, ids, []byte{9}, 9, true},
		{"a size of two bytes", both | wire.RowPayloadSize, []byte{1}, ids, []byte{0x80, 1}, 128, true},
		{"a size with zeros", both | wire.RowPayloadSize, []byte{1}, ids, []byte{0x89, 0}, 9, false},
		{"size 0", both | wire.RowPayloadSize, []byte{1}, ids, []byte{0}, 0, true},
		{"size 0 with zeros", both | wire.RowPayloadSize, []byte{1}, ids, []byte{0x80, 0}, 0, false},
		{"a time with zeros before a size", both | wire.RowPayloadSize, []byte{0x81, 0}, ids, []byte{9}, 9, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			header := slices.Concat([]byte{row.flags}, row.time, row.ids, row.size)
			c := newChecker(bytes.NewReader(nil), Options{})
			c.format, c.walker = wire.V4, layout.NewWalker(layout.Options{Format: wire.V4})
			c.b = &codec.Block{Kind: wire.KindEvent, Flags: wire.BlockCompressed, Body: append(header, make([]byte, row.payload+8)...)}
			c.prevSize = row.payload
			expect.Equal(t, "mayBeOverlong", mayBeOverlong(c.b.Body, 1, len(header)), true)
			expect.Equal(t, "onlyIDs", c.onlyIDs(0, len(header)), row.want)
			expect.Equal(t, "overlongIn < 0", c.overlongIn(0, row.payload) < 0, row.want)
		})
	}
}
