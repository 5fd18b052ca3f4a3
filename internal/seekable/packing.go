package seekable

import (
	"fmt"
	"runtime/debug"

	"github.com/klauspost/compress/zstd"
)

// packing is a frame that is compressed, with what that needs: the memory is used again.
type packing struct {
	enc    *zstd.Encoder
	plain  []byte
	packed []byte
	err    error
	done   chan struct{} // gets a value when the frame is compressed
}

// newPacking returns a packing with room for some bytes.
func newPacking(room int) (*packing, error) {
	// The encoder takes as much memory as a frame, not twice that.
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	return &packing{enc: enc, plain: make([]byte, 0, room), done: make(chan struct{}, 1)}, err
}

// compress compresses the frame.
func (f *packing) compress() {
	f.packed = f.enc.EncodeAll(f.plain, f.packed[:0])
	f.done <- struct{}{}
}

// compressAside compresses the frame in a goroutine of its own, where a panic is an error.
func (f *packing) compressAside() {
	defer func() {
		if v := recover(); v != nil {
			f.err = fmt.Errorf("seekable: panic: %v\n%s", v, debug.Stack())
			f.done <- struct{}{}
		}
	}()
	f.compress()
}

// isDone reports whether the frame is compressed.
func (f *packing) isDone() bool { return len(f.done) > 0 }
