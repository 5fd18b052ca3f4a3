package browser

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// changed is a row of "nettrace top --diff --json".
type changed struct {
	Name   string `json:"name"`
	Module string `json:"module"`

	Self, SelfChange, Total, TotalChange                     int64
	SelfPercent, SelfPercentBefore, SelfChangeStandardErrors float64
}

// Test12: the changes of a page with --diff equal those of "nettrace top --diff", in a
// report and in a served page.
func Test12Diff(t *testing.T) {
	trace, other := traceFile(t, "net10-mix-cpu.v4"), traceFile(t, "aspnet-net10.v4")
	served, _ := serve(t, trace, "--diff", other)
	for kind, address := range map[string]string{"served": served, "report": reportOf(t, trace, "--diff", other)} {
		p := open(t, address)
		for _, flags := range [][]string{
			{"--type", "wall"}, {"--type", "wall", "--state", "running,native", "--sort", "total"}, {"--type", "wall", "--just-my-code"},
			{"--type", "wall", "--group", "namespace", "--from", "1s", "--to", "2s"}, {"--type", "gc"}, {"--type", "exceptions"},
		} {
			t.Run(kind+" "+strings.Join(flags, " "), func(t *testing.T) {
				var want struct{ Changes []changed }
				out := command(t, slices.Concat([]string{"top", "--json", "--limit", "0", "--diff", other}, flags, []string{trace})...)
				if err := json.Unmarshal([]byte(out), &want); err != nil {
					t.Fatal(err)
				}
				var got []changed
				p.await(t, "nettrace.diff("+quoted(addressOf(flags))+")", &got)
				expect.AtLeast(t, "changes", len(want.Changes), 2)
				expect.Equal(t, "changes", text(t, got), text(t, want.Changes))
			})
		}
	}
}

// TestDiffPages: Top lists methods of both traces, and the flame graph is drawn with the
// widths of either.
func TestDiffPages(t *testing.T) {
	trace, other := traceFile(t, "net10-mix-cpu.v4"), traceFile(t, "aspnet-net10.v4")
	p := open(t, reportOf(t, trace, "--diff", other)+"#/top?type=wall&state=running&state=native")
	p.waitFor(t, "the comparison", "!!document.querySelector('.compared')")
	var in []string
	p.evaluate(t, "[...document.querySelectorAll('main tbody td:last-child')].map(d => d.textContent)", &in)
	expect.Contains(t, "traces with the methods", strings.Join(in, " "), "now", "before")
	expect.Contains(t, "command", p.text(t, "#command"), "nettrace top --diff aspnet-net10.v4.nettrace --type wall --state running --state native net10-mix-cpu.v4.nettrace")
	p.keys(t, "1")
	b := p.place(t, ".flame canvas")
	root := func() string {
		p.run(t, chromedp.MouseEvent("mouseMoved", b.Left+20, b.Top+10))
		p.run(t, chromedp.MouseEvent("mouseMoved", b.Left+20, b.Top+30))
		p.frame(t)
		return p.text(t, "#hover")
	}
	first := root()
	expect.Contains(t, "hover", first, "; in aspnet-net10.v4.nettrace ", "; now ")
	p.run(t, chromedp.Click(".compared .choice button:last-child", chromedp.ByQuery))
	p.frame(t)
	if second := root(); second == first {
		t.Errorf("the widths are still those of the first trace: %s", first)
	}
	_, values := p.address(t)
	expect.Equal(t, "widths", values.Get("widths"), "other")
}
