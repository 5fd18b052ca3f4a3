package symbols

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nettrace-go/nettrace/codec/internal/expect"
)

// TestPages: a cursor returns the elements of each take, also of pages that are used again.
func TestPages(t *testing.T) {
	for _, most := range []int{1, 3, 200, 3 * maxPage} {
		t.Run(fmt.Sprint("up to ", most, " elements"), func(t *testing.T) {
			dice := rand.New(rand.NewPCG(1, uint64(most)))
			var p pages[int]
			for range 3 {
				p.reset()
				var takes [][]int
				size := 0
				for range 100 + dice.IntN(2000) {
					taken := p.take(dice.IntN(most + 1))
					for i := range taken {
						taken[i] = dice.Int()
					}
					takes, size = append(takes, taken), size+len(taken)
				}
				expect.Equal(t, "size", p.size, size)
				var at cursor
				for _, want := range takes {
					expect.Slices(t, "elements", p.next(&at, len(want)), want)
				}
				expect.Stop(t)
			}
		})
	}
}

// TestPagesKept: a reset keeps the pages that had elements, and not those of the time before.
func TestPagesKept(t *testing.T) {
	var p pages[int]
	for _, c := range []struct{ elements, pages int }{{0, 0}, {minPage, 1}, {2 * minPage, 2}, {4 * maxPage, 10}, {1, 1}, {0, 0}} {
		for range c.elements {
			p.take(1)
		}
		p.reset()
		expect.Equal(t, fmt.Sprint("pages after ", c.elements, " elements"), len(p.list), c.pages)
	}
}
