package order_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/order"
)

type row struct{ key, number int }

// rows returns rows with few keys, so that many are equal.
func rows(n int) []row {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	list := make([]row, n)
	for i := range list {
		list[i] = row{random.IntN(1 + n/4), i}
	}
	return list
}

// TestSort: the result is that of package slices.
func TestSort(t *testing.T) {
	for _, n := range []int{0, 1, 2, 12, 13, 100, 1000} {
		list := rows(n)
		want := slices.Clone(list)
		compare := func(a, b row) int { return cmp.Or(cmp.Compare(b.key, a.key), cmp.Compare(a.number, b.number)) }
		slices.SortFunc(want, compare)
		order.Sort(list, compare)
		expect.Slices(t, "sorted", list, want)
	}
}

// TestStable: elements with the same key keep their order.
func TestStable(t *testing.T) {
	for _, n := range []int{0, 1, 2, 20, 21, 100, 1000} {
		list := rows(n)
		want := slices.Clone(list)
		compare := func(a, b row) int { return cmp.Compare(a.key, b.key) }
		slices.SortStableFunc(want, compare)
		order.Stable(list, compare)
		expect.Slices(t, "sorted", list, want)
	}
}
