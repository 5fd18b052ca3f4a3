package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// root is the root of the repository.
var root = filepath.Join("..", "..")

// TestLists applies every mutant to the code of today.
func TestLists(t *testing.T) {
	all, err := readLists()
	expect.NoError(t, err)
	expect.NoError(t, applyAll(root, all))
}

// TestNumber: at least 150 mutants must be killed by a test, some in each package.
func TestNumber(t *testing.T) {
	all, err := readLists()
	expect.NoError(t, err)
	byFolder, live := map[string]int{}, 0
	for i := range all {
		if all[i].equivalent == "" {
			live++
			byFolder[all[i].folder()]++
		}
	}
	expect.AtLeast(t, "mutants", live, 150)
	for _, folder := range []string{"codec", "codec/clr/symbols", "conformance/check", "edit", "eventpipe/record", "profile"} {
		expect.AtLeast(t, "mutants of "+folder, byFolder[folder], 10)
	}
}

// TestParseListErrors: a row that is not a mutant is an error.
func TestParseListErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no new text", "a.go\tf\tx", "does not have"},
		{"empty reason", "a.go\tf\tx\ty\t", "does not have"},
		{"no old text", "a.go\tf\t\ty", "changes nothing"},
		{"no change", "a.go\tf\tx\tx", "changes nothing"},
		{"repeated", "a.go\tf\tx\ty\na.go\tf\tx\ty", "there twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseList("# comment\n" + c.text + "\n")
			if err == nil {
				t.Fatal("no error")
			}
			expect.Contains(t, "error", err.Error(), c.want)
		})
	}
}

// TestChange: the old text must be in the named function exactly once.
func TestChange(t *testing.T) {
	const src = `package p

const limit = 1 << 3

func (s *set[T]) add(n int) bool { return n < limit && n+1 < limit }

func add(n int) bool { return n > 0 }
`
	for _, c := range []struct{ name, function, old, new, want string }{
		{"method", "set.add", "n+1 <", "n+1 <=", "n+1 <= limit"},
		{"function", "add", "n > 0", "n >= 0", "n >= 0"},
		{"constant", "limit", "3", "4", "1 << 4"},
		{"text in another function", "add", "n+1", "n", "error: the function has the old text 0 times"},
		{"text twice", "set.add", "limit", "0", "error: the function has the old text 2 times"},
		{"unknown function", "remove", "n", "m", "error: 0 declarations"},
		{"not Go", "add", "n > 0", "n >", "error: p.go:7:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := mutant{file: "p.go", function: c.function, old: c.old, new: c.new}
			changed, err := m.change([]byte(src))
			got := string(changed)
			if err != nil {
				got = "error: " + err.Error()
			}
			expect.Contains(t, "text", got, c.want)
			if err == nil {
				expect.Equal(t, "changed lines", changedLines(src, got), 1)
			}
		})
	}
}

func changedLines(a, b string) (n int) {
	x, y := slices.Collect(strings.Lines(a)), slices.Collect(strings.Lines(b))
	for i := range x {
		if x[i] != y[i] {
			n++
		}
	}
	return n
}

// TestImporters: a package whose code or tests import another one is among its
// importers if it has tests.
func TestImporters(t *testing.T) {
	packages := []listed{
		{ImportPath: "a", TestGoFiles: []string{"a_test.go"}, XTestImports: []string{"a"}},
		{ImportPath: "code", Imports: []string{"a"}, TestGoFiles: []string{"x_test.go"}},
		{ImportPath: "inner", TestImports: []string{"a"}, TestGoFiles: []string{"x_test.go"}},
		{ImportPath: "outer", XTestImports: []string{"b", "a"}, XTestGoFiles: []string{"x_test.go"}},
		{ImportPath: "untested", Imports: []string{"a"}},
		{ImportPath: "other", Imports: []string{"ab"}, TestGoFiles: []string{"x_test.go"}},
	}
	expect.Slices(t, "importers", importers(packages, "a"), []string{"code", "inner", "outer"})
}
