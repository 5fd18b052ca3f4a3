package symbols

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nettrace-go/nettrace/codec/internal/expect"
)

// TestPages: a cursor returns the elements of each take, also of pages that are used again.
func TestPages(t *testing.T) {
	for _, most := range []int{1, 3, 200, 3 * pageLength} {
		t.Run(fmt.Sprint("up to ", most, " elements"), func(t *testing.T) {
			dice := rand.New(rand.NewPCG(1, uint64(most)))
			var p pages[int]
			var pool pagePool[int]
			for round := range 4 {
				from := &pool
				if round == 0 {
					from = nil
				}
				var takes [][]int
				for range 100 + dice.IntN(2000) {
					taken := p.take(dice.IntN(most+1), from)
					for i := range taken {
						taken[i] = dice.Int()
					}
					takes = append(takes, taken)
				}
				var at cursor
				for _, want := range takes {
					expect.Slices(t, "elements", p.next(&at, len(want)), want)
				}
				p.reset(from)
				expect.Stop(t)
			}
		})
	}
}

// TestPagePool: a pool keeps pages that are needed now and then, and releases the others.
func TestPagePool(t *testing.T) {
	for _, c := range []struct {
		name         string
		every, rests int // pages that each list has, and that one in ten lists has more
		want         int // free pages in the end
	}{
		{"the same number", 3, 0, 3},
		{"more now and then", 1, 50, 51},
		{"none any more", 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var pool pagePool[int]
			use := func(n int) {
				var p pages[int]
				for range n {
					p.take(pageLength, &pool)
				}
				p.take(pageLength+1, &pool) // is not kept
				p.reset(&pool)
			}
			use(100)
			for i := range 3 * putsBetweenTrims {
				n := c.every
				if i%10 == 0 {
					n += c.rests
				}
				use(n)
			}
			expect.Equal(t, "free pages", len(pool.free), c.want)
		})
	}
}
