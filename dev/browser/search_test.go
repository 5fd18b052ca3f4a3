package browser

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// Test16: the search shows the share of the hits, and n visits each hit once; N
// visits them backwards.
func Test16Search(t *testing.T) {
	trace := traceFile(t, "net10-mix-cpu.v4")
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/top?type=wall&state=running&q=Mix%5C.S")
	p.frame(t)
	total := func(flags ...string) float64 {
		var printed struct{ Total float64 }
		out := command(t, append(append([]string{"top", "--json", "--type", "wall", "--state", "running"}, flags...), trace)...)
		if err := json.Unmarshal([]byte(out), &printed); err != nil {
			t.Fatal(err)
		}
		return printed.Total
	}
	expect.Equal(t, "share", p.text(t, "#hits"), fmt.Sprintf("%.1f %% hit", 100*total("--focus", `Mix\.S`)/total()))
	var hits int
	p.evaluate(t, "nettrace.top('#/top?type=wall&state=running').rows.filter(r => /Mix\\.S/.test(r.name)).length", &hits)
	expect.AtLeast(t, "hits", hits, 2)
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
