package fuzz

import (
	"testing"

	"github.com/klauspost/compress/zstd"
)

// FuzzSeekable: a zstd file of frames has at its offsets the bytes that a decompressor
// returns from the start, or reading it gives an error. damage changes the seek table.
func FuzzSeekable(f *testing.F) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range choices {
		for _, d := range [][]byte{nil, {0, 0, 1}, {4, 0, 4}, {8, 0, 1}, {10, 0, 1, 14, 0, 1}, {12, 0, 1, 20, 0, 1}, {30, 0, 0xFF}} {
			f.Add([]byte(c), d, []byte(nil))
		}
	}
	frame := w.EncodeAll(make([]byte, 30<<20), nil)
	f.Add([]byte(nil), []byte(nil), append(frame, frame...))
	f.Add([]byte(nil), []byte(nil), seekableFile(w, make([]byte, 5000), 999))
	fuzz(f)
}
