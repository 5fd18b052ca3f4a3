package gen

import (
	"math/rand"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestByteSource: the numbers are the bytes after the seed, then the generator's.
func TestByteSource(t *testing.T) {
	s := newByteSource([]byte("\x00\x00\x00\x00\x00\x00\x00\x07\x80\x00\x00\x00\x00\x00\x00\x02\x01\x02"))
	want := rand.New(rand.NewSource(7))
	expect.Equal(t, "eight bytes", s.Int63(), int64(1<<62+1))
	expect.Equal(t, "two bytes", s.Uint64(), uint64(0x0102<<48))
	expect.Equal(t, "after the bytes", s.Uint64(), want.Uint64())
	expect.Equal(t, "the second one", s.Uint64(), want.Uint64())
}

// TestByteSourceEmpty: without bytes, the seed is 0.
func TestByteSourceEmpty(t *testing.T) {
	expect.Equal(t, "first number", newByteSource(nil).Uint64(), rand.New(rand.NewSource(0)).Uint64())
}
