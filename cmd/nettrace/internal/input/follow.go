package input

import (
	"bytes"
	"context"
	"io"
	"os"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe/record"
)

const followEvery = 200 * time.Millisecond

// following reads a file that grows: at its end it waits for more, until the context is
// done.
type following struct {
	ctx   context.Context
	file  *os.File
	every time.Duration
	start int64 // offset of the stream
	pos   int64 // of the next byte to deliver
}

// Follow returns a reader of a file, from its current position, that waits for more at the
// end, until the context is done. An end mark there is not delivered before: collect writes
// one after each block, and the next block overwrites it.
func Follow(ctx context.Context, file *os.File) io.Reader {
	start, _ := file.Seek(0, io.SeekCurrent) // of a regular file, which has a position
	return &following{ctx, file, followEvery, start, start}
}

func (f *following) Read(b []byte) (int, error) {
	for {
		over := f.ctx.Err() != nil
		end, err := f.end(over)
		if err != nil {
			return 0, err
		}
		if n := min(int64(len(b)), end-f.pos); n > 0 || len(b) == 0 {
			n, err := f.file.ReadAt(b[:n], f.pos)
			if f.pos += int64(n); n > 0 || err != io.EOF {
				return n, err
			}
		}
		if over {
			return 0, io.EOF
		}
		select {
		case <-f.ctx.Done():
		case <-time.After(f.every):
		}
	}
}

// end returns the offset of the end of the file, or, before all is over, of the end mark
// there.
func (f *following) end(over bool) (int64, error) {
	info, err := f.file.Stat()
	if err != nil {
		return 0, err
	}
	size := info.Size()
	head := make([]byte, len(magic)+4)
	if _, err := f.file.ReadAt(head, f.start); over || err != nil || string(head[:len(magic)]) != magic {
		return size, nil // too short for an end mark, or compressed
	}
	mark := record.EndMark(head)
	last := make([]byte, len(mark))
	if _, err := f.file.ReadAt(last, size-int64(len(mark))); err == nil && bytes.Equal(last, mark) {
		size -= int64(len(mark))
	}
	return size, nil
}

// magic is at the start of a stream.
const magic = "Nettrace"
