package clr

import (
	"iter"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// Arguments iterates over the keys and values of the field Arguments, in UTF-16, up to
// the first one that is past the end of the payload.
func (e DiagnosticsPlainEvent) Arguments() iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		count, pos := wire.Uint16(e.b, min(e.ends[1], len(e.b)))
		for range count {
			key, next := wire.UTF16Z(e.b, pos)
			value, end := wire.UTF16Z(e.b, next)
			if end < 0 || !yield(key, value) {
				return
			}
			pos = end
		}
	}
}
