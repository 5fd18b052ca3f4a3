package fuzz

import (
	"testing"

	"github.com/klauspost/compress/zstd"
)

// FuzzZstd: a compressed trace gives the same events as the trace. Damaged or
// arbitrary compressed bytes give an error or another stream.
func FuzzZstd(f *testing.F) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		f.Fatal(err)
	}
	madeStreams(f, nil, []byte{20, 0, 1}, []byte{4, 0, 0xFF, 60, 0, 2})
	f.Add([]byte(nil), []byte(nil), w.EncodeAll(make([]byte, 32<<20), nil))
	fuzz(f)
}

// FuzzNDJSON: whatever a stream holds, it is printed as lines that are JSON, and
// the same from a source as from memory.
func FuzzNDJSON(f *testing.F) {
	sources(f, 0xFF)
	fuzz(f)
}
