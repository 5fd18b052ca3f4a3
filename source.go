package nettrace

import (
	"bytes"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/raw"
)

// Source returns the uncompressed bytes of a stream. It recognizes zstd and gzip
// by the first bytes; a sequence of zstd frames or gzip members is one stream.
// Other bytes are returned unchanged. A Source is for one goroutine.
//
// Errors of the decompression are a *DamagedError or a *WindowError. Errors of
// the stream it reads are returned unchanged.
type Source struct {
	watch       watch
	plain       io.Reader
	compression codec.CompressedError
	stop        func() // ends the decompression
	closed      bool
}

// SourceOptions change how a Source reads. The zero value is right for most
// programs.
type SourceOptions struct {
	// ReadAhead makes a goroutine read and decompress a zstd stream up to 1 MiB
	// ahead. It reads src until the end of the stream or until Close, which waits
	// for the current read of src.
	ReadAhead bool
}

// NewSource returns a Source of src and reads its first 4 bytes.
func NewSource(src io.Reader, opt SourceOptions) (*Source, error) {
	s := &Source{watch: watch{src: src}}
	head := make([]byte, 4)
	n, err := io.ReadFull(src, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	s.compression, _ = raw.CompressionOf(head[:n])
	s.watch.src = io.MultiReader(bytes.NewReader(head[:n]), src)
	switch s.compression.Compression {
	case "zstd":
		err = s.unzstd(opt.ReadAhead)
	case "gzip":
		err = s.gunzip()
	default:
		s.plain, err = s.watch.src, nil
	}
	if err != nil {
		return nil, s.typed(err)
	}
	return s, nil
}

func (s *Source) unzstd(readAhead bool) error {
	d, err := zstd.NewReader(&s.watch, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(MaxWindow))
	if err != nil {
		return err
	}
	s.plain, s.stop = d, d.Close
	if readAhead {
		a := newAhead(d, d.Close)
		s.plain, s.stop = a, a.Close
	}
	return nil
}

func (s *Source) gunzip() error {
	d, err := gzip.NewReader(&s.watch)
	s.plain = d
	return err
}

// Compression returns the compression of the stream. Other is set for what a Source
// does not remove, such as a zip archive: the stream is then no NetTrace stream.
func (s *Source) Compression() codec.CompressedError { return s.compression }

// Read implements io.Reader. After Close it returns os.ErrClosed.
func (s *Source) Read(b []byte) (int, error) {
	if s.closed {
		return 0, os.ErrClosed
	}
	if s.plain == nil {
		panic("nettrace: a zero Source has no stream: use NewSource")
	}
	n, err := s.plain.Read(b)
	if err != nil && err != io.EOF {
		err = s.typed(err)
	}
	return n, err
}

// Close ends the decompression and releases its memory. It does not close the
// stream that was given to NewSource.
func (s *Source) Close() error {
	if s.stop != nil && !s.closed {
		s.stop()
	}
	s.closed = true
	return nil
}

// watch notes the first bytes that are read through it, which have the header of
// the first zstd frame, and the error of the stream.
type watch struct {
	src  io.Reader
	head []byte
	err  error
}

// Read implements io.Reader.
func (w *watch) Read(b []byte) (int, error) {
	n, err := w.src.Read(b)
	if more := zstd.HeaderMaxSize - len(w.head); more > 0 {
		w.head = append(w.head, b[:min(n, more)]...)
	}
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}
