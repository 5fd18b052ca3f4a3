package cutdepth

import (
	"fmt"
	"testing"
)

func TestWith(t *testing.T) {
	for _, c := range []struct {
		n  int
		ok bool
	}{{-1, false}, {0, false}, {1, true}, {40, true}} {
		t.Run(fmt.Sprint(c.n), func(t *testing.T) {
			n, ok := Of(With(t.Context(), c.n))
			if ok != c.ok {
				t.Errorf("got %v, want %v", ok, c.ok)
			}
			if ok && n != c.n {
				t.Errorf("got %d frames, want %d", n, c.n)
			}
		})
	}
}
