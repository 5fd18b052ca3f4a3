package nettrace

import (
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/internal/seekable"
)

// ErrNotSeekable reports a file that cannot be read at any offset: it is not
// compressed with zstd, or not as several frames whose sizes are known. Read a
// Source instead.
var ErrNotSeekable = errors.New("nettrace: not a zstd file of frames whose sizes are known")

// SourceAt is the uncompressed bytes of a zstd file that consists of frames: at any
// offset it decompresses only the frames that a read needs. It uses the seek table at
// the end of the file (Zstandard Seekable Format) if the table adds up to the size
// of the file, and the headers of the frames otherwise. A codec.Index reads a
// SourceAt.
//
// A SourceAt keeps at most 32 MiB of frames that were read. In addition, each goroutine
// that reads has the frame that it reads and one that is decompressed ahead, each of at
// most 32 MiB. A SourceAt is safe for concurrent use, except for Close.
type SourceAt struct{ frames *seekable.Reader }

// NewSourceAt returns a SourceAt of the first size bytes of a file. The error is
// ErrNotSeekable, or that of at.
func NewSourceAt(at io.ReaderAt, size int64) (*SourceAt, error) {
	r, err := seekable.NewReader(at, size, MaxWindow)
	if errors.Is(err, seekable.ErrNotSeekable) {
		err = ErrNotSeekable
	}
	if err != nil {
		return nil, err
	}
	return &SourceAt{r}, nil
}

// Size returns the number of uncompressed bytes.
func (s *SourceAt) Size() int64 { return s.frames.Size() }

// ReadAt implements io.ReaderAt. The error of a frame that cannot be decompressed, or
// has another size than the file says, is a *DamagedError or a *WindowError; errors of
// the file are returned unchanged. After Close it returns os.ErrClosed.
func (s *SourceAt) ReadAt(b []byte, offset int64) (int, error) {
	n, err := s.frames.ReadAt(b, offset)
	var damaged *seekable.FrameError
	if errors.As(err, &damaged) {
		err = &DamagedError{"zstd", damaged.Err}
		if errors.Is(damaged.Err, zstd.ErrWindowSizeExceeded) {
			err = &WindowError{}
		}
	}
	return n, err
}

// Close releases the memory. It does not close the file that was given to
// NewSourceAt.
func (s *SourceAt) Close() error { return s.frames.Close() }
