package filter

import (
	"fmt"
	"testing"
)

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		match         bool
	}{
		{"a*", "A/b/c", true}, {"a?b", "a/b", true}, {"[ab]x", "Bx", true}, {"a", "ab", false}, {"", "", true}, {"*", "", true},
	} {
		t.Run(fmt.Sprintf("%q on %q", c.pattern, c.text), func(t *testing.T) {
			p, err := parsePatterns("name", []string{c.pattern})
			if err != nil || p.match(c.text) != c.match {
				t.Errorf("%v, want %v", !c.match, c.match)
			}
		})
	}
}
