package testfile

import "testing"

// TestDifference: only the lines that differ are printed.
func TestDifference(t *testing.T) {
	for _, c := range []struct{ want, got, difference string }{
		{"a\nb\nc\n", "a\nx\nc\n", "from line 2:\n- b\n+ x\n"},
		{"a\nc\n", "a\nb\nc\n", "from line 2:\n+ b\n"},
		{"a\nb", "a\n", "from line 2:\n- b\n+ \n"},
	} {
		if got := Difference(c.want, c.got); got != c.difference {
			t.Errorf("%q and %q: got %q, want %q", c.want, c.got, got, c.difference)
		}
	}
}
