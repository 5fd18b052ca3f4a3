package raw

import (
	"io"
)

const (
	firstBuffer = 64 << 10 // the size a stream buffer starts with
	growStep    = 1 << 20  // its maximum growth before bytes have arrived
	keptBuffer  = 4 << 20  // the largest buffer that is kept for the next stream
	cacheLine   = 64
	maxEmpty    = 100 // reads without progress before io.ErrNoProgress
)

// window is the part of the stream that is in memory: buf[pos:end] are bytes read
// and not yet consumed, of which buf[pos] is at offset in the stream.
//
// 0 <= pos <= end <= len(buf). With a source, buf belongs to the window; from
// memory, buf is the caller's and is never written.
type window struct {
	src    io.Reader // nil: from memory
	buf    []byte
	pos    int
	end    int
	offset int64
	err    error // sticky, of src, or over
	budget Budget
	over   error // that the budget returned
}

func (w *window) resetMemory(b []byte) {
	*w = window{buf: b, end: len(b), err: io.EOF}
}

func (w *window) resetStream(src io.Reader) {
	var own []byte
	if w.src != nil {
		own = w.buf
	}
	if len(own) > keptBuffer {
		own = nil
	}
	*w = window{src: src, buf: own}
}

// have is the number of bytes that are available without reading.
func (w *window) have() int { return w.end - w.pos }

// fill makes at least n bytes available, if the stream has them, and reports
// whether it has. It reads no more often than it must, so that a complete block
// never waits for the next one.
func (w *window) fill(n int) bool {
	if w.have() >= n {
		return true
	}
	if w.src == nil || w.err != nil {
		return false
	}
	empty := 0
	for w.have() < n {
		if limit := w.reserve(n); limit != nil {
			w.err, w.over = limit, limit
			return false
		}
		got, err := w.src.Read(w.buf[w.end:])
		if got < 0 || got > len(w.buf)-w.end {
			panic("raw: io.Reader returned an impossible count")
		}
		w.end += got
		if err != nil {
			w.err = err
			return w.have() >= n
		}
		if got > 0 {
			empty = 0
		} else if empty++; empty >= maxEmpty {
			w.err = io.ErrNoProgress
			return false
		}
	}
	return true
}

// reserve makes space for at least one byte after end: it moves the remaining
// bytes to the front, or grows the buffer by a bounded step towards n bytes: to
// all of them once a quarter has arrived, and some more, because otherwise each
// step of a block that grows slowly would leave an old buffer to the collector.
func (w *window) reserve(n int) error {
	if w.end < len(w.buf) && n <= len(w.buf)-w.pos {
		return nil
	}
	left := w.have()
	if left < len(w.buf) && (w.pos > 0 && n <= len(w.buf) || w.end < len(w.buf)) {
		if w.pos > 0 {
			copy(w.buf, w.buf[w.pos:w.end])
			w.pos, w.end = 0, left
		}
		return nil
	}
	size := max(firstBuffer, min(n, left+max(growStep, left)))
	if n <= 4*left {
		size = max(n, len(w.buf)*5/4)
	}
	if w.budget != nil {
		if limit := w.budget.Over(int64(size)); limit != nil {
			return limit
		}
	}
	grown := make([]byte, size)
	copy(grown, w.buf[w.pos:w.end])
	w.buf, w.pos, w.end = grown, 0, left
	return nil
}

// take consumes n bytes that fill made available and returns them.
func (w *window) take(n int) []byte {
	b := w.buf[w.pos : w.pos+n : w.pos+n]
	w.pos += n
	w.offset += int64(n)
	return b
}

// peek returns the next n bytes that fill made available.
func (w *window) peek(n int) []byte { return w.buf[w.pos : w.pos+n : w.pos+n] }

// touch reads one byte of each cache line of b, in order. Decoding in place
// jumps from row to row by sizes it has just read; on cold memory each jump
// waits for a line, which a linear walk has fetched long before.
func touch(b []byte) (sum byte) {
	for len(b) >= 4*cacheLine {
		sum ^= b[0] ^ b[cacheLine] ^ b[2*cacheLine] ^ b[3*cacheLine]
		b = b[4*cacheLine:]
	}
	for i := 0; i < len(b); i += cacheLine {
		sum ^= b[i]
	}
	return sum
}
