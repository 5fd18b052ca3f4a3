package codec_test

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
)

// TestUnpaddedRowsV4: a row that follows without padding is read, also where its first
// byte, of the size, is 0 as that of padding.
func TestUnpaddedRowsV4(t *testing.T) {
	const zeroByte = 0x100 - 76 // of payload: the size of the row is 0x100
	block := eventBlock(0, rowV4(1, 1, 2000, "abc", 0, 0), rowV4(1, 2, 2001, strings.Repeat("x", zeroByte), 0, 0))
	got := drain(codec.NewBytesReader(newV4(4, 4).metadata(1, "E", uint32(0)).block("EventBlock", block).end(), codec.Options{}))
	expect.Len(t, "events", got.events, 2)
	expect.Len(t, "defects", got.defects, 0)
}
