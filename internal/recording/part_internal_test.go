package recording

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestParts: the bounds of random parts are those of the events one after the other.
func TestParts(t *testing.T) {
	for _, slice := range []codec.TimeRange{{}, {From: 15, HasFrom: true}, {From: 15, To: 30, HasFrom: true, HasTo: true}} {
		t.Run(fmt.Sprint(slice), func(t *testing.T) {
			dice := rand.New(rand.NewPCG(1, 2))
			for range 2000 {
				one, joined := New(slice), New(slice)
				var p Part
				for range 1 + dice.IntN(3) {
					p.Reset(slice)
					for range dice.IntN(6) {
						ticks, as := dice.Uint64N(40), Class(dice.IntN(int(boundsRundown)+1))
						one.Add(ticks, as)
						p.Add(ticks, as)
					}
					joined.Join(&p)
				}
				expect.Equal(t, "state", joined, one)
				from, to := joined.Bounds()
				wantFrom, wantTo := one.Bounds()
				expect.Slices(t, "bounds", []uint64{from, to}, []uint64{wantFrom, wantTo})
				expect.Stop(t)
			}
		})
	}
}
