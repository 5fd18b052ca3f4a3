package input

import (
	"errors"
	"io"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
)

// Rest is what a Reader left of an input that it read to its end mark, or to an error.
type Rest struct {
	bytes int64
	all   bool  // there are no more
	err   error // of the input, such as the checksum of a zstd frame
}

// Rest returns what the Reader of this input left of it, after the error err or, if that
// is nil, after the end mark. It reads an input that ends. Of another one, such as a pipe,
// it counts the bytes that are in memory: the pipe may stay open. Later calls return the
// same.
func (in *File) Rest(r Reader, err error) Rest {
	if in.rest == nil {
		rest := in.restAfter(r, err)
		in.rest = &rest
	}
	return *in.rest
}

func (in *File) restAfter(r Reader, err error) (rest Rest) {
	rest.all = in.Regular && !in.waits || in.ended
	if !rest.all {
		in.before, in.Plain = nil, strings.NewReader("")
	}
	var fault *codec.Error
	switch {
	case err == nil:
		rest.bytes, rest.err = r.TrailingBytes()
		if !rest.all { // the error is that of a session that was closed
			rest.err = nil
		}
	case !errors.As(err, &fault) || errors.Is(err, codec.ErrTruncated) || errors.Is(err, codec.ErrVersion) || errors.Is(err, codec.ErrDefect):
	case !rest.all:
	case in.bytes == 0 && in.Random() != nil: // several goroutines read it at any offset
		rest.bytes = in.Random().Size() - fault.Offset
	case in.drain():
		rest.bytes = max(0, in.bytes-fault.Offset)
	}
	return rest
}

// drain reads the input to its end, and reports whether that is possible.
func (in *File) drain() bool {
	if !in.ended {
		_, _ = io.Copy(io.Discard, in)
	}
	return in.ended
}
