package gen

import (
	"math/bits"
	"math/rand/v2"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// dice draws the random numbers of profiles. The algorithm of the source is
// fixed, and so are the numbers.
type dice struct{ pcg *rand.PCG }

func newDice(seed uint64) dice { return dice{rand.NewPCG(seed, 0x6E6574747261636D)} }

// n returns a number from 0 to k-1.
func (d dice) n(k uint64) uint64 {
	hi, _ := bits.Mul64(d.pcg.Uint64(), k)
	return hi
}

// between returns a number from a to b.
func (d dice) between(a, b uint64) uint64 { return a + d.n(b-a+1) }

// one returns true once in k times.
func (d dice) one(k uint64) bool { return d.n(k) == 0 }

// percent returns true p times in 100.
func (d dice) percent(p uint64) bool { return d.n(100) < p }

// guid returns a random GUID (version 4).
func (d dice) guid() (g wire.GUID) {
	for i := range g {
		g[i] = byte(d.n(256))
	}
	g[7], g[8] = 0x40|g[7]&0x0F, 0x80|g[8]&0x3F
	return g
}
