package profile

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestIntersect: the later start and the earlier end count.
func TestIntersect(t *testing.T) {
	between := func(from, to uint64) codec.TimeRange {
		return codec.TimeRange{From: from, To: to, HasFrom: true, HasTo: true}
	}
	for _, c := range []struct{ a, b, want codec.TimeRange }{
		{between(10, 20), between(5, 30), between(10, 20)},
		{between(5, 30), between(10, 20), between(10, 20)},
		{between(5, 20), between(10, 30), between(10, 20)},
		{between(5, 20), codec.TimeRange{}, between(5, 20)},
		{codec.TimeRange{}, between(5, 20), between(5, 20)},
	} {
		expect.Equal(t, "intersection", intersect(c.a, c.b), c.want)
	}
}
