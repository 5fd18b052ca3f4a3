package chunks

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec"
)

// Copies has copies of events of a chunk. Those of the next chunk use their memory. The zero
// value is empty.
type Copies struct{ list []codec.Event }

// Add adds a copy of an event.
func (c *Copies) Add(ev *codec.Event) {
	n := len(c.list)
	c.list = slices.Grow(c.list, 1)[:n+1]
	ev.CloneInto(&c.list[n])
}

// Len returns the number of copies.
func (c *Copies) Len() int { return len(c.list) }

// At returns a copy, in the order of Add. It is valid up to Reset.
func (c *Copies) At(i int) *codec.Event { return &c.list[i] }

// Reset forgets the copies. It keeps their memory, but not that of more copies from earlier
// chunks: what it keeps is in proportion to the last chunk.
func (c *Copies) Reset() {
	clear(c.list[len(c.list):cap(c.list)])
	c.list = c.list[:0]
}
