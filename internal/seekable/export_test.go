package seekable

// NewWriterOf returns a Writer of frames of a given size.
var NewWriterOf = newWriter

// Limits for tests.
const (
	MaxFrame     = maxFrame
	MaxKept      = maxKept
	MaxAhead     = maxAhead
	MaxKeptBytes = maxKeptBytes
)

// BreakEncoder makes the compression of the next frame panic.
func (w *Writer) BreakEncoder() { w.filling.enc = nil }

// Kept returns the number of frames and bytes that a Reader keeps.
func (r *Reader) Kept() (frames int, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.frames), r.bytes
}

// EntryBytes returns the bytes of memory that the entries of a table take.
func (t *Table) EntryBytes() int { return cap(t.entries) }
