package browser

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// Test16: the search shows the share of the hits, and n visits each hit once; N
// visits them backwards.
func Test16Search(t *testing.T) {
	trace := traceFile(t, "net10-mix-cpu.v4")
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/top?type=wall&state=running&regex=1&q=Mix%5C.S")
	p.frame(t)
	total := func(flags ...string) float64 {
		var printed struct{ Total float64 }
		out := command(t, append(append([]string{"top", "--json", "--type", "wall", "--state", "running"}, flags...), trace)...)
		if err := json.Unmarshal([]byte(out), &printed); err != nil {
			t.Fatal(err)
		}
		return printed.Total
	}
	var hits int
	p.evaluate(t, "nettrace.top('#/top?type=wall&state=running').rows.filter(r => /Mix\\.S/.test(r.name)).length", &hits)
	expect.AtLeast(t, "hits", hits, 2)
	expect.Equal(t, "share", p.text(t, "#hits"), fmt.Sprintf("%d methods, %.1f %% hit", hits, 100*total("--focus", `Mix\.S`)/total()))
	var order []string
	seen := map[string]bool{}
	for range hits {
		p.keys(t, "n")
		order = append(order, p.text(t, "aside .name"))
		seen[order[len(order)-1]] = true
	}
	expect.Equal(t, "visited", len(seen), hits)
	for i := hits - 2; i >= 0; i-- {
		p.keys(t, "N")
		expect.Equal(t, "previous hit", p.text(t, "aside .name"), order[i])
	}
}

// TestSearchText: a search is plain text in any case; Enter and Shift+Enter visit the hits of
// methods and of a report's rows; a wrong regular expression says so.
func TestSearchText(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/top?type=wall")
	p.frame(t)
	p.run(t, chromedp.Focus("header input", chromedp.ByQuery), chromedp.KeyEvent("program.MAIN(\r"))
	p.frame(t)
	expect.Contains(t, "hits", p.text(t, "#hits"), "1 of 1 method, ")
	expect.Contains(t, "selected method", p.text(t, "aside .name"), "Program.Main(")
	p = open(t, reported(t, "net10-mix-gc.v4"))
	p.visit(t, "#/gc?q=aggressive")
	expect.Contains(t, "hits of the report", p.text(t, ".longest"), "1 match the search")
	p.keys(t, "n")
	expect.Contains(t, "hits of the report", p.text(t, ".longest"), "1 of 1 match the search")
	expect.Contains(t, "selected row", p.text(t, "section.row"), "InducedAggressive")
	p.visit(t, "#/top?regex=1&q=(")
	expect.Contains(t, "error", p.text(t, "header [role=alert]"), "regular expression")
}
