package locks

import (
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// stackOf returns n addresses from one on, leaf first.
func stackOf(from, n uint64) []uint64 {
	var list []uint64
	for i := range n {
		list = append(list, from+i)
	}
	return list
}

// TestUnshared: how many frames at the leaf of a stack another one does not have, with
// and without roots.
func TestUnshared(t *testing.T) {
	for _, c := range []struct {
		name         string
		stack, other []uint64
		want         int
	}{
		{"equal", stackOf(1, 5), stackOf(1, 5), 0},
		{"another leaf", stackOf(1, 5), []uint64{9, 2, 3, 4, 5}, 1},
		{"more frames at the leaf", stackOf(1, 5), []uint64{8, 9, 7, 3, 4, 5}, 2},
		{"another root", stackOf(1, 5), stackOf(11, 5), 5},
		{"no stack", stackOf(1, 5), nil, 5},
		{"truncated, one frame more at the leaf", stackOf(1, 100), append([]uint64{900, 901}, stackOf(2, 98)...), 1},
		{"truncated, others", stackOf(1, 100), stackOf(500, 100), 100},
	} {
		t.Run(c.name, func(t *testing.T) { expect.Equal(t, "frames", unshared(c.stack, c.other), c.want) })
	}
}
