package codec

import "github.com/nettrace-go/nettrace/codec/wire"

// internLimit is the number of bytes that the caches of strings and rows keep
// before they start anew.
const internLimit = 4 << 20

// strings keeps one copy of each name and label text met. It survives Reset.
type interner struct {
	known   map[string]string
	bytes   int64 // of known
	spent   int64 // of earlier strings, which the labels of this region may hold
	scratch []byte
}

// held estimates the bytes of the strings, including those that only labels hold.
// The strings of threads and metadata are counted with them.
func (in *interner) held() int64 { return in.bytes + in.spent + int64(cap(in.scratch)) }

// restart forgets all strings.
func (in *interner) restart() {
	in.spent += in.bytes
	in.known, in.bytes = nil, 0
}

// utf8 returns b as a string, made once.
func (in *interner) utf8(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if s, ok := in.known[string(b)]; ok {
		return s
	}
	if in.bytes > internLimit {
		in.restart()
	}
	if in.known == nil {
		in.known = make(map[string]string)
	}
	s := string(b)
	in.known[s] = s
	in.bytes += int64(len(s)) + 64
	return s
}

// utf16 returns little-endian UTF-16 code units as a string, made once.
func (in *interner) utf16(units []byte) string {
	in.scratch = wire.AppendUTF16(in.scratch[:0], units)
	return in.utf8(in.scratch)
}

// rowCache keeps the decoded form of rows by their bytes, so that a repeated row,
// in this stream or after Reset in the next, costs no allocation, and equal rows
// are the same pointer. Rows in it are immutable.
type rowCache[T any] struct {
	rows  map[string]*T
	bytes int64
}

func (c *rowCache[T]) get(row []byte) *T { return c.rows[string(row)] }

// put keeps a row that holds about cost bytes in addition to a small row's.
func (c *rowCache[T]) put(row []byte, v *T, cost int64) {
	if c.rows == nil || c.bytes > internLimit {
		c.rows, c.bytes = make(map[string]*T), 0
	}
	c.rows[string(row)] = v
	c.bytes += 2*int64(len(row)) + 256 + cost
}

// grow is append, but the old copies of a long list that remain as it grows are
// not larger than the list.
func grow[T any](list []T, v T) []T {
	if n := len(list); n > 0 && n == cap(list) {
		list = append(make([]T, 0, 2*n), list...)
	}
	return append(list, v)
}
