package raw_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec/raw"
)

// counting is a destination whose Write returns a number that io.Writer does not allow.
type counting int

func (c counting) Write(p []byte) (int, error) { return len(p) + int(c), nil }

// TestWrongCount: a destination that returns an impossible number of bytes has failed.
func TestWrongCount(t *testing.T) {
	for _, wrong := range []counting{1, -1000, -1} {
		w := raw.NewWriter(wrong, raw.WriterOptions{})
		if err := w.Close(); err == nil || w.Err() == nil {
			t.Errorf("%+d bytes: no error", wrong)
		}
	}
}
