package record

import (
	"bytes"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Packing is the compression of a file. The zero value is Plain.
type Packing int

// The compressions of a File.
const (
	Plain Packing = iota // not compressed
	// Zstd writes the bytes of each write as one frame, so that a truncated
	// file is readable up to its last complete frame.
	Zstd
	// Gzip writes the bytes of each write as one member, with the same effect.
	Gzip
)

// packer appends the compressed form of plain bytes.
type packer func(dst, plain []byte) []byte

// newPacker returns nil for what is not compressed.
func newPacker(p Packing) (packer, error) {
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
			_, _ = w.Write(plain) // a Buffer takes all
			_ = w.Close()
			return out.Bytes()
		}, nil
	}
	return nil, nil
}
