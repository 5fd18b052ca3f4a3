package codec

import (
	"bytes"
	"fmt"
	"testing"
)

// TestSizeUTF16 compares sizeUTF16 with a loop over units. Zero bytes follow the text,
// as they may in a block.
func TestSizeUTF16(t *testing.T) {
	for _, after := range []int{0, 1, 31, 32, 100} {
		t.Run(fmt.Sprintf("%d bytes after", after), func(t *testing.T) {
			for size := range 100 {
				for zero := -1; zero < size; zero++ {
					b := append(bytes.Repeat([]byte{0, 1, 'a', 0}, 25)[:size], make([]byte, after)...)[: size : size+after]
					if zero >= 0 {
						copy(b[zero:], []byte{0, 0})
					}
					if got, want := sizeUTF16(b), slowSizeUTF16(b); got != want {
						t.Fatalf("%d bytes, zero at %d: %d, want %d", size, zero, got, want)
					}
				}
			}
		})
	}
}

func slowSizeUTF16(b []byte) int {
	for i := 0; i+2 <= len(b); i += 2 {
		if b[i] == 0 && b[i+1] == 0 {
			return i + 2
		}
	}
	return -1
}
