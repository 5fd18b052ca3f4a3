package wire

import (
	"math/rand/v2"
	"testing"
)

// naive reads bytes one by one, by the text of the format. It shares only the two
// failures with the functions under test.
type naive struct {
	b    []byte
	pos  int
	fail int // PastEnd or TooLarge, of the first failure
}

func (n *naive) take() byte {
	if n.fail == 0 && n.pos >= len(n.b) {
		n.fail = PastEnd
	}
	if n.fail != 0 {
		return 0
	}
	n.pos++
	return n.b[n.pos-1]
}

// varuint reads a number of at most bits bits: seven bits in each byte, the
// lowest first; the eighth bit reports that more follow.
func (n *naive) varuint(bits int) (value uint64) {
	for shift := 0; ; shift += 7 {
		if shift >= bits && n.fail == 0 { // another seven do not fit
			n.fail = TooLarge
		}
		c := n.take()
		if n.fail != 0 {
			return 0
		}
		more, part := c >= 128, uint64(c%128)
		if !more && shift+7 > bits && part>>(bits-shift) != 0 {
			n.fail = TooLarge
			return 0
		}
		value += part << shift
		if !more {
			return value
		}
	}
}

func (n *naive) fixed(size int) (value uint64) {
	for i := range size {
		value += uint64(n.take()) << (8 * i)
	}
	if n.fail != 0 {
		return 0
	}
	return value
}

func (n *naive) zigzag() uint64 {
	v := n.varuint(64)
	if v%2 == 1 {
		return -(v/2 + 1)
	}
	return v / 2
}

// result is the value and the next position, or the failure.
func (n *naive) result(v uint64) (uint64, int) {
	if n.fail != 0 {
		return 0, n.fail
	}
	return v, n.pos
}

// numbers are the functions that read a number, each with its naive version.
var numbers = []struct {
	name  string
	read  func([]byte, int) (uint64, int)
	naive func(*naive) uint64
}{
	{"VarUint32", widen(VarUint32), func(n *naive) uint64 { return n.varuint(32) }},
	{"VarUint64", VarUint64, func(n *naive) uint64 { return n.varuint(64) }},
	{"VarInt64", widen(VarInt64), (*naive).zigzag},
	{"Byte1", widen(Byte1), func(n *naive) uint64 { return n.fixed(1) }},
	{"Uint16", widen(Uint16), func(n *naive) uint64 { return n.fixed(2) }},
	{"Uint32", widen(Uint32), func(n *naive) uint64 { return n.fixed(4) }},
	{"Uint64", Uint64, func(n *naive) uint64 { return n.fixed(8) }},
}

func widen[T byte | uint16 | uint32 | int64](read func([]byte, int) (T, int)) func([]byte, int) (uint64, int) {
	return func(b []byte, pos int) (uint64, int) {
		v, next := read(b, pos)
		return uint64(v), next
	}
}

// TestNaive reads numbers from bytes that often have their high bit set, from
// none to 12 of them.
func TestNaive(t *testing.T) {
	for _, tt := range numbers {
		t.Run(tt.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(5, 6))
			for range 200_000 {
				b := make([]byte, random.IntN(13))
				for i := range b {
					b[i] = byte(random.Uint32()) >> random.IntN(9)
					if random.IntN(4) > 0 {
						b[i] |= 0x80
					}
				}
				pos := random.IntN(len(b) + 1)
				n := naive{b: b, pos: pos}
				want, end := n.result(tt.naive(&n))
				if got, next := tt.read(b, pos); next != end || next >= 0 && got != want {
					t.Fatalf("%x at %d: %d to %d, want %d to %d", b, pos, got, next, want, end)
				}
			}
		})
	}
}
