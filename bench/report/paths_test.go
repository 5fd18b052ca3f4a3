package main

import "testing"

// TestWithoutPaths replaces the folders of a machine in commands and errors.
func TestWithoutPaths(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"traces", "-traces /data/shared/traces/*.zst", "-traces $NETTRACE_SHARED/traces/*.zst"},
		{"folder beside the repository", "-te /src/nettrace/../shared/oracle/te", "-te $NETTRACE_SHARED/oracle/te"},
		{"repository", "/src/nettrace/dev/peer: exit status 1", "./dev/peer: exit status 1"},
		{"temporary file", "-ratios /scratch/ratios123", "-ratios $TMPDIR/ratios123"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := withoutPaths(c.text, "/src/nettrace", "/data/shared", "/scratch"); got != c.want {
				t.Errorf("withoutPaths(%q) = %q, want %q", c.text, got, c.want)
			}
		})
	}
}
