package blocking

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestGlob: an asterisk matches any characters.
func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"a*", "ab/c", true}, {"a*", "ba", false}, {"*", "", true}, {"*a", "ba", true}, {"*a", "ab", false},
		{"*a*", "bab", true}, {"*a*", "bb", false}, {"a*b*c", "a1b2c", true}, {"a*b*c", "a1c2b", false}, {"a*a", "a", false},
	} {
		t.Run(c.pattern+" "+c.text, func(t *testing.T) {
			expect.Equal(t, "matches", glob(strings.Split(c.pattern, "*")).matches(c.text), c.want)
		})
	}
}
