package record

import (
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/wire"
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
		t.Run(c.name, func(t *testing.T) {
			ring := NewRing(c.opt)
			if err := ring.begin(raw.Block{}, &codec.Trace{Format: wire.V4}); err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, "opt", ring.opt, c.want)
		})
	}
}
