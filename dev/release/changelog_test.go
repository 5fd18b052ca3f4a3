package main

import "testing"

// TestSection finds the sections of a changelog.
func TestSection(t *testing.T) {
	const changelog = "# Changelog\n\nText.\n\n## Unreleased\n\n- New.\n\n## v0.2.0 - 2026-12-01\n\n### Breaking\n\n- Old.\n\n## v0.1.0 - 2026-11-30\n"
	for _, c := range []struct {
		version, want string
		ok, breaking  bool
	}{
		{"Unreleased", "- New.", true, false},
		{"v0.2.0", "### Breaking\n\n- Old.", true, true},
		{"v0.1.0", "", true, false},
		{"v0.3.0", "", false, false},
		{"v0.2", "", false, false},
	} {
		t.Run(c.version, func(t *testing.T) {
			got, ok := section(changelog, c.version)
			if got != c.want || ok != c.ok {
				t.Errorf("got %q, %t; want %q, %t", got, ok, c.want, c.ok)
			}
			if b := hasBreaking(got); b != c.breaking {
				t.Errorf("breaking: got %t, want %t", b, c.breaking)
			}
		})
	}
}

// TestHasBreaking: a heading without entries is none.
func TestHasBreaking(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"entries":        {"### Added\n\n- A.\n\n### Breaking\n\n- B.", true},
		"no entries":     {"### Breaking\n\n### Added\n\n- A.", false},
		"last heading":   {"- A.\n\n### Breaking\n", false},
		"another level":  {"## Breaking\n\n- B.", false},
		"word in a line": {"- A.\n\n### Breaking news\n\n- B.", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := hasBreaking(c.text); got != c.want {
				t.Errorf("got %t, want %t", got, c.want)
			}
		})
	}
}
