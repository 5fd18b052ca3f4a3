package record

import (
	"bytes"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Compression is the compression of a file. The zero value is Uncompressed.
type Compression int

// The compressions of a File.
const (
	Uncompressed Compression = iota // not compressed
	// Zstd writes the bytes of each write as one frame, so that a truncated
	// file is readable up to its last complete frame. Close appends a seek table.
	Zstd
	// Gzip writes the bytes of each write as one member, with the same effect.
	Gzip
)

// compressor appends the compressed form of plain bytes.
type compressor func(dst, plain []byte) []byte

// newCompressor returns nil for Uncompressed.
func newCompressor(p Compression) (compressor, error) {
	switch p {
	case Zstd:
		w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
		if err != nil {
			return nil, err
		}
		return func(dst, plain []byte) []byte { return w.EncodeAll(plain, dst) }, nil
	case Gzip:
		w := gzip.NewWriter(nil)
		return func(dst, plain []byte) []byte {
			out := bytes.NewBuffer(dst)
			w.Reset(out)
			_, _ = w.Write(plain) // a Buffer accepts all bytes
			_ = w.Close()
			return out.Bytes()
		}, nil
	}
	return nil, nil
}
