package nettrace

import (
	"io"
	"os"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Reader reads the events of a trace that may be compressed with zstd or gzip.
// It is a codec.Reader with default options and the schemas of .NET's events:
// events that the trace does not describe have names and fields too. For other
// options read a Source with codec.NewReader.
//
// Reset and ResetBytes of the codec.Reader take uncompressed streams.
type Reader struct {
	*codec.Reader
	source *Source
	file   *os.File // nil if Open did not open one
}

// Open opens the trace file with the given name. The caller must call Close. The
// error is an *fs.PathError, or as of NewReader.
func Open(name string) (*Reader, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	r, err := newReader(f, SourceOptions{ReadAhead: true})
	if err != nil {
		f.Close()
		return nil, err
	}
	r.file = f
	return r, nil
}

// NewReader returns a Reader of src. It reads the first bytes of src and returns
// the error of src, or a *DamagedError if they are not a complete header of the
// compression. The caller must call Close, which does not close src.
func NewReader(src io.Reader) (*Reader, error) {
	return newReader(src, SourceOptions{})
}

func newReader(src io.Reader, opt SourceOptions) (*Reader, error) {
	s, err := NewSource(src, opt)
	if err != nil {
		return nil, err
	}
	return &Reader{Reader: codec.NewReader(s, codec.Options{Schemas: clr.Schemas}), source: s}, nil
}

// Close closes the file that Open opened and ends the decompression. It may be
// called at any time, also inside a loop over Events. A second call does nothing.
func (r *Reader) Close() error {
	var err error
	if r.file != nil {
		err = r.file.Close() // first: it ends a read that waits, such as one of a pipe
		r.file = nil
	}
	if e := r.source.Close(); err == nil {
		err = e
	}
	return err
}
