package edit

import (
	"errors"
	"fmt"

	"github.com/nettrace-go/nettrace/codec"
)

// Change is one kind of difference between the new stream and its source, and
// how often it occurs.
type Change struct {
	// What describes the kind in a few words.
	What string
	// Count is the number of occurrences.
	Count int64
	// Reason is set if rows of the source are missing from the new stream: it
	// says why the first of them is missing. A program should then exit with
	// an error.
	Reason error
	// Offset is the file offset in the source of the first missing row, or of
	// its block. 0 means unknown.
	Offset int64
}

// String returns "What: Count".
func (c Change) String() string { return fmt.Sprintf("%s: %d", c.What, c.Count) }

// Omits reports whether rows of the source are missing from the new stream.
func (c Change) Omits() bool { return c.Reason != nil }

// changes counts changes in the order in which they are first met.
type changes struct{ list []Change }

// add counts n more changes of a kind.
func (c *changes) add(what string, n int) {
	if n > 0 {
		c.of(what).Count += int64(n)
	}
}

// omit counts another omitted row, and keeps the reason and the offset of the
// first.
func (c *changes) omit(what string, reason error, offset int64) {
	change := c.of(what)
	if change.Count++; change.Reason == nil {
		change.Reason, change.Offset = reason, offset
	}
}

// of returns the changes of a kind.
func (c *changes) of(what string) *Change {
	for i := range c.list {
		if c.list[i].What == what {
			return &c.list[i]
		}
	}
	c.list = append(c.list, Change{What: what})
	return &c.list[len(c.list)-1]
}

// total is the number of all changes.
func (c *changes) total() int64 {
	var n int64
	for i := range c.list {
		n += c.list[i].Count
	}
	return n
}

// omittedEvents names the events that are left out for a reason, without the
// numbers in it: there is one Change for each kind of reason.
func omittedEvents(reason error) string {
	for _, kind := range []struct {
		is   error
		what string
	}{
		{codec.ErrOrder, "events left out, older than one before them"},
		{codec.ErrUndefined, "events left out, of undefined metadata or threads"},
		{codec.ErrNotExpressible, "events left out, which the format cannot express"},
		{codec.ErrLimit, "events left out, too large for the format"},
	} {
		if errors.Is(reason, kind.is) {
			return kind.what
		}
	}
	return "events left out"
}
