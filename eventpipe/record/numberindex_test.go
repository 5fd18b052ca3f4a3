package record

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestNumberIndex: an index finds the row of each number, and of the nearest one below,
// as a map and a search of all numbers do.
func TestNumberIndex(t *testing.T) {
	for _, n := range []int{0, 1, 10, 3000, 20_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, uint64(n)))
			var x numberIndex
			want := map[uint64]int{}
			for row := range n {
				number := random.Uint64N(uint64(n)) * 10 // many are set again
				x.set(number, row)
				want[number] = row
			}
			check := func(what string) {
				for number := range uint64(n)*10 + 1 {
					row, ok := x.find(number)
					wantRow, wantOK := want[number]
					if row != wantRow || ok != wantOK {
						t.Fatalf("%s: row of %d: got %d, %v, want %d, %v", what, number, row, ok, wantRow, wantOK)
					}
				}
			}
			check("after set")
			nearest, found := 0, false
			for number := range uint64(n) * 11 {
				if row, ok := want[number]; ok {
					nearest, found = row, true
				}
				if row, ok := x.below(number); row != nearest || ok != found {
					t.Fatalf("row below %d: got %d, %v, want %d, %v", number, row, ok, nearest, found)
				}
			}
			if n > 0 {
				x.set(5, n) // after the others were sorted
				want[5] = n
			}
			check("after below")
			moved := make([]int, n+1)
			for i := range moved {
				moved[i] = i + 7
			}
			x.move(moved)
			for number := range want {
				want[number] += 7
			}
			check("after move")
		})
	}
}

// TestPackedStore: payloads in a store are found at their places, small and large ones.
func TestPackedStore(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	var s packedStore
	var payloads [][]byte
	var places []int
	for i := range 3000 {
		size := random.IntN(100)
		if i%500 == 0 {
			size = pieceSize + i
		}
		payload := make([]byte, size)
		for j := range payload {
			payload[j] = byte(random.Uint32N(3)) // a third are 0
		}
		payloads, places = append(payloads, payload), append(places, s.add(appendPacked(nil, payload)))
	}
	for i, place := range places {
		expect.Slices(t, "payload", s.at(place).appendPayload(nil), payloads[i])
		expect.Slices(t, "packed payload alone", s.at(place).alone(), appendPacked(nil, payloads[i]))
	}
}
