package profile

import (
	"context"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestContextLimit: beyond the limit frames without names stay addresses.
func TestContextLimit(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit int64
		stubs bool
	}{{"default", 50_000, true}, {"none", 0, false}} {
		t.Run(c.name, func(t *testing.T) {
			p, err := FromReader(context.Background(), codec.NewBytesReader(shared.Trace(t, "net10-mix-cpu.v4"), codec.Options{}), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if c.limit == 0 {
				p.names.maxContexts = 0
			}
			if got := p.names.maxContexts; got != c.limit {
				t.Errorf("limit %d, want %d", got, c.limit)
			}
			stubs := 0
			for s := range p.Samples(Wall) {
				for _, f := range p.Stack(s.Stack) {
					if strings.HasPrefix(p.Function(p.Frame(f).Function).Name, "[stub called from ") {
						stubs++
					}
				}
			}
			if (stubs > 0) != c.stubs {
				t.Errorf("%d stubs", stubs)
			}
		})
	}
}
