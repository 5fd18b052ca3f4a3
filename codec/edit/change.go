package edit

import "fmt"

// Change is one kind of thing that the new stream has otherwise than the
// source, or not at all, and how often.
type Change struct {
	What  string
	Count int64
}

// String is the form for a line of text.
func (c Change) String() string { return fmt.Sprintf("%s: %d", c.What, c.Count) }

// changes counts changes in the order in which they are first met.
type changes struct{ list []Change }

// add counts n more changes of a kind.
func (c *changes) add(what string, n int) {
	if n == 0 {
		return
	}
	for i := range c.list {
		if c.list[i].What == what {
			c.list[i].Count += int64(n)
			return
		}
	}
	c.list = append(c.list, Change{what, int64(n)})
}

// total is the number of all changes.
func (c *changes) total() int64 {
	var n int64
	for i := range c.list {
		n += c.list[i].Count
	}
	return n
}
