package chunks

import "io"

// maxHeads bounds the bytes that heads keeps.
const maxHeads = 16 << 20

// heads is a file whose index is made twice, with the same reads: it keeps what the
// first index reads, so that the second one does not decompress the file again. It is
// for one goroutine until end.
type heads struct {
	io.ReaderAt
	kept   []byte
	reads  []head
	next   int // of reads, for the second index
	second bool
	ended  bool
}

// head is a read.
type head struct {
	offset     int64
	size       int // asked for
	start, end int // of its bytes in kept
	err        error
}

// again begins the second index.
func (h *heads) again() { h.second = true }

// end forgets what was read. Then heads is the file.
func (h *heads) end() { h.kept, h.reads, h.ended = nil, nil, true }

// ReadAt implements io.ReaderAt.
func (h *heads) ReadAt(b []byte, offset int64) (int, error) {
	if h.ended {
		return h.ReaderAt.ReadAt(b, offset)
	}
	if h.second && h.next < len(h.reads) {
		if r := &h.reads[h.next]; r.offset == offset && r.size == len(b) {
			h.next++
			return copy(b, h.kept[r.start:r.end]), r.err
		}
	}
	n, err := h.ReaderAt.ReadAt(b, offset)
	if start := len(h.kept); !h.second && start+n <= maxHeads {
		h.kept = append(h.kept, b[:n]...)
		h.reads = append(h.reads, head{offset, len(b), start, len(h.kept), err})
	}
	return n, err
}
