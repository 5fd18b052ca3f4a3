package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestCheck finds what does not compile on another system, in packages and in their tests.
func TestCheck(t *testing.T) {
	files := map[string]string{
		"go.mod":             "module example.com/m\n\ngo 1.25.0\n",
		"m.go":               "package m\n\nimport \"os\"\n\nvar Name = os.Args[0]\n",
		"m_windows.go":       "package m\n\nimport \"os\"\n\nvar Other = os.Undefined\n",
		"m_test.go":          "package m\n",
		"m_plan9_test.go":    "package m_test\n\nvar number int = \"text\"\n",
		"other/other.go":     "package other\n",
		"other/other_386.go": "package other\n\nconst Size = 1 << 40\n\nvar _ int = Size\n",
	}
	repo := t.TempDir()
	expect.NoError(t, os.Mkdir(filepath.Join(repo, "other"), 0o777))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		expect.NoError(t, os.WriteFile(filepath.Join(repo, name), []byte(files[name]), 0o666))
	}
	for _, c := range []struct{ arg, want string }{
		{"linux/amd64=./...", ", 0 errors"},
		{"windows/amd64=./...", "m_windows.go:5:16: undefined: os.Undefined"},
		{"plan9/amd64=./...", "m_plan9_test.go:3:18: cannot use"},
		{"linux/386=./...", "other/other_386.go:5:13: cannot use Size"},
	} {
		s, err := parseSystem(c.arg)
		expect.NoError(t, err)
		var out strings.Builder
		ok, err := s.check(repo, "", &out)
		expect.NoError(t, err)
		expect.Equal(t, "result of "+c.arg, ok, strings.HasSuffix(c.want, "0 errors"))
		expect.Contains(t, "lines of "+c.arg, out.String(), c.want)
	}
}

// TestParseSystem refuses arguments that name no system.
func TestParseSystem(t *testing.T) {
	for _, arg := range []string{"", "windows", "windows=work", "windows/386", "/386=work", "windows/=work", "windows/386="} {
		if got, err := parseSystem(arg); err == nil {
			t.Errorf("%q: got %v, want an error", arg, got)
		}
	}
}
