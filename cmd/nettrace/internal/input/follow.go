package input

import (
	"context"
	"io"
	"time"
)

const followEvery = 200 * time.Millisecond

// following reads a file that grows: at its end it waits for more, until the
// context is done.
type following struct {
	ctx   context.Context
	src   io.Reader
	every time.Duration
}

// Follow returns a reader of src that waits for more at its end, until the context is
// done.
func Follow(ctx context.Context, src io.Reader) io.Reader {
	return &following{ctx, src, followEvery}
}

func (f *following) Read(b []byte) (int, error) {
	for {
		n, err := f.src.Read(b)
		if n > 0 || err != io.EOF || len(b) == 0 {
			return n, err
		}
		select {
		case <-f.ctx.Done():
			return 0, io.EOF
		case <-time.After(f.every):
		}
	}
}
