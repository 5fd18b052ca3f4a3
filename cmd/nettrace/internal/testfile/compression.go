package testfile

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Header returns the stream header of v6 and later.
func Header(major uint32) []byte {
	b := append([]byte("Nettrace"), make([]byte, 12)...)
	binary.LittleEndian.PutUint32(b[12:], major)
	return b
}

// Gzip compresses data with gzip.
func Gzip(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Zstd compresses data with zstd, after a frame that readers skip.
func Zstd(t *testing.T, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(data, []byte{0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 'h', 'i'}) // after a frame to be skipped
}
