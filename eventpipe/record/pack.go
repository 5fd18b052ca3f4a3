package record

import (
	"bytes"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Packing is how the bytes of a file are compressed.
type Packing int

const (
	Plain Packing = iota
	// Zstd makes a frame of what is written at a time, so that a cut file can be
	// read up to its last whole frame.
	Zstd
	// Gzip makes a member of it.
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
