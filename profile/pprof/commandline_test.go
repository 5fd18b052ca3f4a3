package pprof

import (
	"strings"
	"testing"
)

// TestShorten: the middle of the longest arguments is removed.
func TestShorten(t *testing.T) {
	long := strings.Repeat("a", 50) + strings.Repeat("z", 50)
	for _, c := range []struct {
		name, line string
		longest    int
		want       string
	}{
		{"short", "dotnet /srv/App.dll  --port 80", 60, "dotnet /srv/App.dll  --port 80"},
		{"empty", "", 60, ""},
		{"one long argument", "dotnet App.dll " + long, 60, "dotnet App.dll aaaaaaaaaaaaaaaaaaaaa...zzzzzzzzzzzzzzzzzzzzz"},
		{"two long arguments", long + " " + long + " -v", 60, "aaaaaaaaaaaaa...zzzzzzzzzzzz aaaaaaaaaaaaa...zzzzzzzzzzzz -v"},
		{"many arguments", strings.Repeat("argument ", 100), 60, "argument argument argument (97 more arguments)"},
		{"not ASCII", strings.Repeat("é", 80), 20, "ééééééééé...éééééééé"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := shorten(c.line, c.longest)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if n := len([]rune(got)); n > c.longest {
				t.Errorf("%d characters, want at most %d", n, c.longest)
			}
		})
	}
}
