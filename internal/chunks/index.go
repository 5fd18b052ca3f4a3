package chunks

import (
	"errors"
	"io"

	"github.com/nettrace-go/nettrace/codec"
)

// Large is the number of bytes above which several goroutines read an uncompressed file
// unless --workers is given.
const Large = 64 << 20

// maxIndex bounds the memory of the index of a file that is read in chunks, in bytes: that
// of 500,000 blocks. A file of smaller blocks is read by one goroutine.
const maxIndex = 64 << 20

// WhyNone returns why NewIndex returns nil for a trace, to follow "because".
func WhyNone(t *codec.Trace) string {
	if !t.Format.HasSequenceNumbers() {
		return "its format is version 3; \"nettrace convert\" writes a later one"
	}
	return "its blocks cannot be listed first: the compressed data is damaged, or there are too many blocks"
}

// NewIndex returns the index of the first size bytes of a file that can be read in chunks,
// or nil. It returns nil also if compressed data is damaged, because a stream has events of
// the damaged frame.
func NewIndex(at io.ReaderAt, size int64, opt codec.Options) *codec.Index {
	limits := opt.Limits
	if opt.Limits.Total <= 0 || opt.Limits.Total > maxIndex {
		opt.Limits.Total = maxIndex
	}
	index, err := codec.NewIndex(at, size, opt)
	var fault *codec.Error
	if err != nil || errors.Is(index.Err(), codec.ErrLimit) || !index.Trace().Format.HasSequenceNumbers() ||
		index.Err() != nil && !errors.As(index.Err(), &fault) {
		return nil
	}
	return index.WithLimits(limits)
}
