package codec_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/rule"
)

// TestPackedStream: the error for a compressed stream names the compression.
func TestPackedStream(t *testing.T) {
	for _, c := range []struct{ name, start, want string }{
		{"zstd", "\x28\xB5\x2F\xFD and more", "codec: the stream is compressed with zstd: decompress it first"},
		{"zstd frame to be skipped", "\x5A\x2A\x4D\x18 and more", "codec: the stream is compressed with zstd: decompress it first"},
		{"gzip", "\x1F\x8B\x08\x00 and more", "codec: the stream is compressed with gzip: decompress it first"},
		{"two bytes of gzip", "\x1F\x8B", "codec: the stream is compressed with gzip: decompress it first"},
		{"zip", "PK\x03\x04 and more", "a zip archive"},
		{"byte order mark", "\xEF\xBB\xBFNettrace", "a UTF-8 byte order mark"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := codec.NewReader(strings.NewReader(c.start), codec.Options{}).Trace()
			var e *codec.Error
			expect.ErrorIs(t, err, codec.ErrNotNetTrace)
			if !errors.As(err, &e) {
				t.Fatalf("error: got %v, want a %T", err, e)
			}
			expect.Equal(t, "e.Rule", e.Rule, rule.HDR008)
			expect.Stop(t)
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q, want %q in it", err, c.want)
			}
			if packed := (*codec.CompressedError)(nil); !errors.As(err, &packed) {
				t.Errorf("%v has no CompressedError", err)
			}
		})
	}
}

// TestErrorPlaces: an error names a block or a row only where it is about one.
func TestErrorPlaces(t *testing.T) {
	whole := newV6().metadata(1, "E").thread(0, 1, 1).end()
	for _, c := range []struct {
		name           string
		stream         []byte
		inBlock, inRow bool
		not            string
	}{
		{"bad magic", []byte("nettrace and more"), false, false, "block"},
		{"no bytes", nil, false, false, "block"},
		{"truncated header", whole[:12], false, false, "block"},
		{"version", append([]byte("Nettrace\x00\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00"), whole[20:]...), false, false, "block"},
		{"between two blocks", whole[:len(whole)-4], false, false, "block"},
		{"in a block header", whole[:len(whole)-2], true, false, "row"},
		{"in the Trace block", whole[:30], true, false, "row"},
		{"short event block", newV6().block(2, "short").end(), true, false, "row"},
		{"short thread row", newV6().block(6, uint16(9), "short").end(), true, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := codec.NewBytesReader(c.stream, codec.Options{})
			for range r.Events() {
			}
			var e *codec.Error
			if !errors.As(r.Err(), &e) {
				t.Fatal(r.Err())
			}
			if e.InBlock() != c.inBlock || e.InRow() != c.inRow {
				t.Errorf("%v: in a block %v, in a row %v, want %v, %v", e, e.InBlock(), e.InRow(), c.inBlock, c.inRow)
			}
			if c.not != "" && strings.Contains(e.Error(), c.not) {
				t.Errorf("%q contains %q", e, c.not)
			}
		})
	}
}
