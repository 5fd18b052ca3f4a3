package program_test

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestAlternatives: each value of a flag is a regular expression of its own.
func TestAlternatives(t *testing.T) {
	for _, c := range []struct{ parts, matches, not string }{
		{`a`, "a", "b"},
		{`a b`, "b", "c"},
		{`\Qx(`, "x(", "x"},
		{`\Qx \Qy`, "y", "|"},
		{`\Qx \Qy\E`, "y", ")"},
		{`(?i)x y`, "X", "Y"},
	} {
		t.Run(c.parts, func(t *testing.T) {
			re, err := samples.Alternatives("focus", strings.Fields(c.parts))
			expect.NoError(t, err)
			expect.Equal(t, "matches "+c.matches, re.MatchString(c.matches), true)
			expect.Equal(t, "matches "+c.not, re.MatchString(c.not), false)
		})
	}
	nested := strings.Repeat("(", 999) + "a" + strings.Repeat(")", 999) // no error alone
	for _, parts := range []string{"a (", `\E`, nested + " " + nested} {
		_, err := samples.Alternatives("focus", strings.Fields(parts))
		expect.Equal(t, "error", err != nil && strings.HasPrefix(err.Error(), "--focus: "), true)
	}
}
