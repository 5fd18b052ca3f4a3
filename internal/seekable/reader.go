package seekable

import (
	"errors"
	"io"
	"os"
	"slices"
	"sort"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Limits of the frames that a Reader keeps uncompressed, in addition to those that are
// being read.
const (
	maxKept      = 64
	maxKeptBytes = 4 * FrameSize
	maxAhead     = 1 // frames that are being decompressed before they are asked for
)

// ErrSize reports a frame whose content has another size than the seek table or its
// header says.
var ErrSize = errors.New("a frame has another size than declared")

// FrameError reports a frame that cannot be decompressed.
type FrameError struct{ Err error }

// Error returns the text of the cause.
func (e *FrameError) Error() string { return "seekable: " + e.Err.Error() }

// Unwrap returns the decompressor's error or ErrSize.
func (e *FrameError) Unwrap() error { return e.Err }

// Reader reads the uncompressed bytes of a file at any offset. It decompresses the
// frames of a range when they are read, and keeps the last ones. It is safe for
// concurrent use, except for Close.
type Reader struct {
	at      io.ReaderAt
	places  []place
	decoder *zstd.Decoder
	ahead   sync.WaitGroup // frames that are decompressed ahead

	mu     sync.Mutex // guards the fields below
	early  int        // number of frames that are being decompressed ahead
	frames map[int]*frame
	bytes  int64    // of frames
	clock  int64    // counts the uses of frames
	free   [][]byte // buffers of frames that were removed
	closed bool

	packed sync.Pool // of *[]byte: buffers for compressed frames
}

// frame is a frame that is kept. Its content is read while users is above 0 only.
type frame struct {
	users, used int64 // used: the clock at the last use
	read        bool  // not only ahead
	size        int64 // declared bytes
	once        sync.Once
	buffer      []byte // of a frame that was removed, or nil
	plain       []byte
	err         error
}

// NewReader returns a Reader of the first size bytes of a file that has a seek table
// which adds up to its size, or several frames with sizes in their headers. The error
// is ErrNotSeekable for other files, or that of at. maxWindow is the largest window
// that is decompressed.
func NewReader(at io.ReaderAt, size int64, maxWindow uint64) (*Reader, error) {
	places, err := readTable(at, size)
	if errors.Is(err, ErrNotSeekable) {
		places, err = walk(at, size)
	}
	if err != nil {
		return nil, err
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return &Reader{at: at, places: places, decoder: d, frames: map[int]*frame{}}, nil
}

// Size returns the number of uncompressed bytes.
func (r *Reader) Size() int64 { return r.places[len(r.places)-1].plain }

// Close releases the memory. Later reads return os.ErrClosed.
func (r *Reader) Close() error {
	r.mu.Lock()
	closed := r.closed
	r.closed, r.frames, r.free = true, nil, nil
	r.mu.Unlock()
	if !closed {
		r.ahead.Wait()
		r.decoder.Close()
	}
	return nil
}

// ReadAt implements io.ReaderAt.
func (r *Reader) ReadAt(b []byte, offset int64) (int, error) {
	if offset < 0 {
		return 0, os.ErrInvalid
	}
	n := 0
	for n < len(b) {
		at := offset + int64(n)
		i := sort.Search(len(r.places)-1, func(i int) bool { return r.places[i+1].plain > at })
		if i == len(r.places)-1 {
			return n, io.EOF
		}
		m, err := r.readFrame(b[n:], i, at-r.places[i].plain)
		if n += m; err != nil {
			return n, err
		}
	}
	return n, nil
}

// readFrame copies bytes of frame i from a position in it.
func (r *Reader) readFrame(b []byte, i int, pos int64) (int, error) {
	f, first := r.hold(i)
	if f == nil {
		return 0, os.ErrClosed
	}
	defer r.release(i, f)
	if first {
		r.readAhead(i)
	}
	f.once.Do(func() { r.load(i, f) })
	if f.err != nil {
		return 0, f.err
	}
	n := copy(b, f.plain[pos:])
	if n == 0 {
		return 0, &FrameError{ErrSize} // ReadAt would never end
	}
	return n, nil
}

// hold returns frame i, which stays until release, and nil after Close. first reports
// that it is read for the first time after the frame before it.
func (r *Reader) hold(i int) (f *frame, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, false
	}
	f = r.keep(i)
	first = !f.read && i > 0 && r.frames[i-1] != nil && r.frames[i-1].read
	f.read = true
	return f, first
}

// keep returns frame i with a further user.
func (r *Reader) keep(i int) *frame {
	f := r.frames[i]
	if f == nil {
		f = &frame{size: r.places[i+1].plain - r.places[i].plain}
		r.frames[i] = f
		r.bytes += f.size
		r.shrink(f)
		if last := len(r.free) - 1; last >= 0 {
			f.buffer, r.free = r.free[last], r.free[:last]
		}
	}
	r.clock++
	f.users, f.used = f.users+1, r.clock
	return f
}

// shrink removes the frames that were not used for the longest time, up to the limits,
// but not the given one.
func (r *Reader) shrink(added *frame) {
	for len(r.frames) > maxKept || r.bytes > maxKeptBytes {
		oldest := -1
		for i, f := range r.frames {
			if f != added && f.users == 0 && (oldest < 0 || f.used < r.frames[oldest].used) {
				oldest = i
			}
		}
		if oldest < 0 {
			return
		}
		r.remove(oldest)
	}
}

// remove removes a frame without users.
func (r *Reader) remove(i int) {
	f := r.frames[i]
	delete(r.frames, i)
	r.bytes -= f.size
	if cap(f.plain) > 0 && len(r.free) < maxAhead {
		r.free = append(r.free, f.plain[:0])
	}
}

// release ends a use of frame i. A frame with an error is not kept.
func (r *Reader) release(i int, f *frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.users--; f.users == 0 && f.err != nil && r.frames[i] == f {
		r.remove(i)
	}
}

// readAhead decompresses the frame after frame i in a goroutine, unless there are
// maxAhead of them.
func (r *Reader) readAhead(i int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := i + 1
	if r.early == maxAhead || r.closed || next == len(r.places)-1 || r.frames[next] != nil || r.places[next+1].plain == r.places[next].plain {
		return
	}
	f := r.keep(next)
	r.early++
	r.ahead.Go(func() {
		f.once.Do(func() { r.load(next, f) })
		r.release(next, f)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.early--
	})
}

// load decompresses frame i.
func (r *Reader) load(i int, f *frame) {
	stored := r.places[i+1].stored - r.places[i].stored
	buffer, _ := r.packed.Get().(*[]byte)
	if buffer == nil {
		buffer = new([]byte)
	}
	defer r.packed.Put(buffer)
	*buffer = slices.Grow((*buffer)[:0], int(stored))[:stored]
	packed := *buffer
	if n, err := r.at.ReadAt(packed, r.places[i].stored); n < len(packed) {
		if f.err = err; err == io.EOF {
			f.err = io.ErrUnexpectedEOF // the file is smaller than it was
		}
		return
	}
	if int64(cap(f.buffer)) < f.size {
		f.buffer = make([]byte, 0, f.size)
	}
	var err error
	f.plain, err = r.decoder.DecodeAll(packed, f.buffer[:0:f.size])
	f.buffer = nil
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) || err == nil && int64(len(f.plain)) != f.size {
		err = ErrSize
	}
	if err != nil {
		f.err = &FrameError{err}
	}
}
