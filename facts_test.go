package nettrace_test

import (
	"flag"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

var update = flag.Bool("update", false, "write the table of docs/facts.md anew")

// kindName is the name of an event in code.
var kindName = regexp.MustCompile(`\bclr\.Kind([A-Z]\w+)`)

// TestFacts: the table of events in docs/facts.md has the packages that name them.
func TestFacts(t *testing.T) {
	const page, begin, end = "docs/facts.md", "<!-- begin events -->\n", "<!-- end events -->"
	readers := map[string]map[string]bool{}
	for _, folder := range []string{"model", "profile", "analysis", "columns", "heap", "internal"} {
		err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
				return err
			}
			code, err := os.ReadFile(file)
			for _, m := range kindName.FindAllStringSubmatch(string(code), -1) {
				if readers[m[1]] == nil {
					readers[m[1]] = map[string]bool{}
				}
				readers[m[1]][path.Dir(filepath.ToSlash(file))] = true
			}
			return err
		})
		expect.NoError(t, err)
	}
	var table strings.Builder
	table.WriteString("| event | packages |\n|---|---|\n")
	delete(readers, "Of")    // clr.KindOf
	delete(readers, "Other") // clr.KindOther
	for _, event := range slices.Sorted(maps.Keys(readers)) {
		table.WriteString("| " + event + " | " + strings.Join(slices.Sorted(maps.Keys(readers[event])), ", ") + " |\n")
	}
	text, err := os.ReadFile(page)
	expect.NoError(t, err)
	head, rest, ok := strings.Cut(string(text), begin)
	have, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", page)
	}
	if *update {
		expect.NoError(t, os.WriteFile(page, []byte(head+begin+table.String()+end+tail), 0o644))
		return
	}
	if have != table.String() {
		t.Errorf("%s: the table of events is stale; run go test . -run TestFacts -update", page)
	}
}
