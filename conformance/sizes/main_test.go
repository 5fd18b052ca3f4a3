package main

import (
	"os"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestTable: the README of corpora has the current table, except for the sizes of
// zstd, which differ between its releases.
func TestTable(t *testing.T) {
	tier.NeedsCheck(t) // it writes every trace of corpora in several ways
	text, err := table()
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../corpora/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text) {
		columns := strings.Split(line, " | ")
		plain := strings.Join(columns[:len(columns)-1], " | ") + " | "
		if !strings.Contains(string(readme), "\n"+plain) {
			t.Errorf("run \"go run ./conformance/sizes\" and put the table into corpora/README.md: %s is not there", plain)
		}
	}
}
