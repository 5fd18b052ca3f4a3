package fuzz

import (
	"errors"
	"io"
)

// errSource is the error of a source that fails.
var errSource = errors.New("source failed")

// dice is a small generator of numbers that are the same for the same input.
type dice uint64

// diceOf begins it with the bytes of the input (FNV-1a).
func diceOf(b []byte) *dice {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	d := dice(h | 1)
	return &d
}

// roll returns a number in [0, n).
func (d *dice) roll(n int) int {
	x := uint64(*d)
	x ^= x << 13
	x ^= x >> 7
	x ^= x << 17
	*d = dice(x)
	return int(x >> 33 % uint64(n))
}

// crumbs is a source that hands out its bytes in pieces.
type crumbs struct {
	b    []byte
	size func() int // of the next piece; 0 is an empty read
	end  error      // comes after the last byte
	glue bool       // or together with it
}

// crumble chooses one of five ways to hand out b: byte by byte, in small
// pieces, in pieces and empty reads, in large pieces, all at once with the end.
func crumble(b []byte, d *dice) *crumbs {
	c := &crumbs{b: b, end: io.EOF}
	switch d.roll(5) {
	case 0:
		c.size = func() int { return 1 }
	case 1:
		c.size = func() int { return 1 + d.roll(9) }
	case 2:
		c.size = func() int { return d.roll(40) }
	case 3:
		c.size = func() int { return 1 + d.roll(5000) }
	default:
		c.size, c.glue = func() int { return len(b) + 1 }, true
	}
	return c
}

// Read implements io.Reader.
func (c *crumbs) Read(p []byte) (int, error) {
	if len(c.b) == 0 {
		return 0, c.end
	}
	n := copy(p, c.b[:min(c.size(), len(c.b))])
	c.b = c.b[n:]
	if len(c.b) == 0 && c.glue {
		return n, c.end
	}
	return n, nil
}
