package codec

import (
	"math/rand/v2"
	"testing"
)

// TestTableAgreesWithMap drives the id table and a map by random steps.
func TestTableAgreesWithMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		var table idTable[int]
		naive := map[uint64]int{}
		ids := []uint64{uint64(round), 1 << 40, 1<<64 - 1}[round%3]
		for range 400 {
			id := ids + uint64(rng.IntN(50))
			if rng.IntN(10) == 0 {
				id = rng.Uint64() >> rng.IntN(64)
			}
			switch rng.IntN(20) {
			case 0:
				table.clear()
				clear(naive)
			case 1, 2, 3:
				table.remove(id)
				delete(naive, id)
			default:
				v := 1 + rng.IntN(1000)
				table.set(id, v)
				naive[id] = v
			}
			for _, probe := range []uint64{id, id + 1, id - 1, 0} {
				_, known := naive[probe]
				if table.get(probe) != naive[probe] || table.has(probe) != known {
					t.Fatalf("id %d: %d, %v; want %d, %v", probe, table.get(probe), table.has(probe), naive[probe], known)
				}
			}
			if table.count != len(naive) {
				t.Fatalf("count %d, want %d", table.count, len(naive))
			}
			for i := range table.known {
				if table.dense[i] == 0 {
					t.Fatalf("entry %d of the %d known is missing", i, table.known)
				}
			}
		}
	}
}
