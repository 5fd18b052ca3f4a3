package trigger

import (
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestGlob matches texts with asterisks.
func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true},
		{"", "a", false},
		{"a", "a", true},
		{"a", "ab", false},
		{"*", "", true},
		{"a*", "ab", true},
		{"a*", "ba", false},
		{"*a", "ba", true},
		{"*a", "ab", false},
		{"a*a", "a", false},
		{"a*a", "aa", true},
		{"*ab*b", "ab", false},
		{"*ab*b", "xabxb", true},
		{"*a*b*", "ba", false},
		{"*a*b*", "xaxbx", true},
	} {
		t.Run(c.pattern+" "+c.text, func(t *testing.T) {
			p := glob(c.pattern)
			expect.Equal(t, "matches", p.matches([]byte(c.text)), c.want)
		})
	}
}

// TestPairsForget: nothing is kept of intervals that have ended, of those that
// began before the recording neither.
func TestPairsForget(t *testing.T) {
	var p pairs
	p.event(1, stops, 50)
	p.event(1, starts, 100)
	p.event(1, stops, 150)
	expect.Equal(t, "open intervals", len(p.open), 0)
}
