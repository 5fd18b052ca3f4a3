package record

import (
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
)

func TestRingBounds(t *testing.T) {
	for _, c := range []struct {
		name      string
		opt, want RingOptions
	}{
		{"none", RingOptions{}, RingOptions{Size: defaultRingSize}},
		{"size", RingOptions{Size: 1}, RingOptions{Size: 1}},
		{"time", RingOptions{Time: time.Second}, RingOptions{Time: time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) { expect.Equal(t, "opt", NewRing(c.opt).opt, c.want) })
	}
}
