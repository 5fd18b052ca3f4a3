package gen

import (
	"encoding/binary"
	"math/rand"
)

// byteSource is a source of random numbers that are the bytes of a fuzz target's
// input, eight at a time, then those of a generator that the first eight seed. It
// implements rand.Source64.
type byteSource struct {
	input []byte
	rest  rand.Source64
}

func newByteSource(input []byte) *byteSource {
	s := &byteSource{input: input}
	if len(input) == 0 {
		s.Seed(0)
	} else {
		s.Seed(int64(s.Uint64()))
	}
	return s
}

// Uint64 returns the next number.
func (s *byteSource) Uint64() uint64 {
	if len(s.input) == 0 {
		return s.rest.Uint64()
	}
	var b [8]byte
	s.input = s.input[copy(b[:], s.input):]
	return binary.BigEndian.Uint64(b[:])
}

// Int63 returns the upper 63 bits of the next number.
func (s *byteSource) Int63() int64 { return int64(s.Uint64() >> 1) }

// Seed seeds the generator of the numbers after the bytes.
func (s *byteSource) Seed(seed int64) { s.rest = rand.NewSource(seed).(rand.Source64) }
