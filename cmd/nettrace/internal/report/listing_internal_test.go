package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// TestAddedField: a field that is added to a declaration is in the tables of text and of Markdown.
func TestAddedField(t *testing.T) {
	copied := gc.Table
	copied.Fields = append(slices.Clone(copied.Fields), analysis.Field[gc.Row]{
		Key: "addedNs", Head: "added", Form: analysis.Million, Of: func(r *gc.Row) any { return r.StartNs + 5 },
	})
	copied.Text += " addedNs"
	list := listing("", copied.Select(copied.Text), []gc.Row{{StartNs: 2_000_000}})
	for _, markdown := range []bool{false, true} {
		d := document{screen: terminal.Screen{Width: 300}, markdown: markdown}
		d.table(list)
		for _, word := range []string{"added", "2.000"} {
			if !strings.Contains(string(d.text), word) {
				t.Errorf("markdown %v: no %s in\n%s", markdown, word, d.text)
			}
		}
	}
	if c := list.columns[len(list.columns)-1]; !c.Right {
		t.Error("numbers are not at the right")
	}
}
