package record

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestPacked: a packed payload is the payload again, and text in UTF-16 has little
// more than half of its size.
func TestPacked(t *testing.T) {
	var text []byte
	for _, c := range "System.Collections.Generic.Dictionary`2" {
		text = binary.LittleEndian.AppendUint16(text, uint16(c))
	}
	for _, c := range []struct {
		name    string
		payload []byte
		most    int
	}{
		{"empty", []byte{}, 1},
		{"zero", []byte{0}, 2},
		{"zeros", make([]byte, 300), 2 + 38},
		{"no zeros", bytes.Repeat([]byte{0xFF}, 17), 1 + 17 + 3},
		{"last byte of a group", []byte{0, 0, 0, 0, 0, 0, 0, 7}, 3},
		{"first byte of a group", []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, 1 + 9 + 2},
		{"text", text, len(text)*5/8 + 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := appendPacked(nil, c.payload)
			expect.Slices(t, "payload", p.appendPayload(bytes.Repeat([]byte{0xFF}, 1000)[:6])[6:], c.payload)
			expect.Equal(t, "size", p.size(), len(c.payload))
			expect.AtMost(t, "bytes", len(p), c.most)
		})
	}
}
