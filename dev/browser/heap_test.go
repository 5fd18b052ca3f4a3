package browser

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// heapTraces writes traces with heap dumps into files: one dump, a dump of a process with
// leaks, and both dumps of that process.
func heapTraces(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"gcheap": traceFile(t, "net10-mix-gcheap.v4")}
	for _, n := range []string{"1", "2"} {
		files["leak"+n] = filepath.Join(dir, "leak"+n+".nettrace")
		if err := os.WriteFile(files["leak"+n], shared.TruthFile(t, "heap-leak-dump"+n+".v4.nettrace.zst"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files["both"] = filepath.Join(dir, "both.nettrace")
	command(t, "merge", files["leak1"], files["leak2"], "-o", files["both"])
	return files
}

// heapRow is a row of a table of "nettrace heap --json".
type heapRow struct {
	Objects       int64    `json:"objects"`
	ShallowBytes  int64    `json:"shallowBytes"`
	RetainedBytes int64    `json:"retainedBytes"`
	Roots         int64    `json:"roots"`
	Type          string   `json:"type"`
	Root          string   `json:"root"`
	Name          string   `json:"name"`
	Depth         int      `json:"depth"`
	Path          []string `json:"path"`
}

// heapTables is what "nettrace heap --json" prints.
type heapTables struct {
	Types, Dominators, Paths, Roots []heapRow
}

func heapOf(t *testing.T, args ...string) (tables heapTables) {
	t.Helper()
	expect.NoError(t, json.Unmarshal([]byte(command(t, append([]string{"heap", "--json"}, args...)...)), &tables))
	expect.Stop(t)
	return tables
}

// cells returns the exact values of the rows of a table that are drawn, without shares.
func (p *page) cells(t *testing.T, label string) (rows [][]string) {
	t.Helper()
	p.evaluate(t, "[...document.querySelectorAll('table[aria-label=\""+label+"\"] tbody tr[aria-rowindex]')].map(r => [...r.cells].filter(c => !c.classList.contains('share')).map(c => c.title))", &rows)
	return rows
}

// dumpShown waits until the page shows an answer about the dump.
func (p *page) dumpShown(t *testing.T) {
	t.Helper()
	p.waitFor(t, "the dump", "document.querySelector('.heap .rows, .heap .list, .heap .graph, .heap .why[role=alert]') !== null")
	p.frame(t)
}

// TestHeapTables: the tables and the icicle have the integers that the command heap prints.
// The page of each dump is either served or a report; in make nightly both.
func TestHeapTables(t *testing.T) {
	files := heapTraces(t)
	for i, name := range []string{"gcheap", "leak1", "leak2"} {
		for kind, address := range map[string]func() string{
			"served": func() string { address, _ := serve(t, files[name]); return address },
			"report": func() string { return reportOf(t, files[name]) },
		} {
			if (kind == "served") != (i == 1) && !tier.Nightly {
				continue
			}
			t.Run(name+"/"+kind, func(t *testing.T) { compareHeap(t, open(t, address()), files[name]) })
		}
	}
}

// compareHeap compares the pages about a dump with what the command prints.
func compareHeap(t *testing.T, p *page, trace string) {
	t.Helper()
	compare := func(view, label string, want [][]string) {
		t.Helper()
		p.visit(t, "#/heap?"+view)
		p.dumpShown(t)
		got := p.cells(t, label)
		expect.AtLeast(t, "rows of "+label, len(got), 1)
		for i := range got {
			expect.Slices(t, fmt.Sprint("row ", i, " of ", label), got[i], want[i])
		}
	}
	all := heapOf(t, "--limit", "0", trace)
	var types, roots, paths [][]string
	for _, r := range all.Types {
		types = append(types, []string{fmt.Sprint(r.Objects), fmt.Sprint(r.ShallowBytes), fmt.Sprint(r.RetainedBytes), r.Type})
	}
	compare("", "Types", types)
	for _, r := range heapOf(t, "--roots", trace).Roots {
		roots = append(roots, []string{fmt.Sprint(r.Roots), fmt.Sprint(r.Objects), fmt.Sprint(r.ShallowBytes), fmt.Sprint(r.RetainedBytes), r.Root})
	}
	compare("roots=1", "Roots", roots)
	kind := all.Types[2].Type
	for _, r := range heapOf(t, "--paths", kind, trace).Paths {
		paths = append(paths, []string{fmt.Sprint(r.Objects), fmt.Sprint(r.ShallowBytes), strings.Join(r.Path, " > ")})
	}
	compare("paths="+url.QueryEscape(kind), "Paths", paths)
	tree := heapOf(t, "--dominators", "--min", "0.1", trace).Dominators
	p.compareIcicle(t, "#/heap?dominators=1", tree)
	var report bool
	p.evaluate(t, "document.getElementById('data') !== null", &report)
	part := tree[:1+slices.IndexFunc(tree[1:], func(r heapRow) bool { return r.Depth == 0 })]
	if !report {
		part = heapOf(t, "--dominators", "--min", "0.1", "--below", tree[0].Name, trace).Dominators
	}
	p.compareIcicle(t, "#/heap?dominators=1&below="+url.QueryEscape(tree[0].Name), part)
}

// compareIcicle compares the boxes of the icicle with the rows of the command.
func (p *page) compareIcicle(t *testing.T, address string, want []heapRow) {
	t.Helper()
	var drawn treeCall
	p.await(t, "nettrace.heap("+quoted(address)+")", &drawn.Calls)
	var rows []heapRow
	drawn.rows(0, &rows)
	expect.Equal(t, "rows of the icicle of "+address, len(rows), len(want))
	expect.Stop(t)
	for i, r := range rows {
		w := want[i]
		expect.Equal(t, fmt.Sprint("row ", i, " of the icicle"), fmt.Sprint(r), fmt.Sprint(heapRow{Name: w.Name, Depth: w.Depth, ShallowBytes: w.ShallowBytes, RetainedBytes: w.RetainedBytes}))
	}
}

// treeCall is a row of the icicle.
type treeCall struct {
	Name        string
	Self, Total int64
	Calls       []treeCall
}

// rows appends the rows below one as the command prints them.
func (c *treeCall) rows(depth int, to *[]heapRow) {
	slices.SortStableFunc(c.Calls, func(a, b treeCall) int { return cmp.Compare(b.Total, a.Total) })
	for i := range c.Calls {
		of := &c.Calls[i]
		if of.Name != "smaller rows" {
			*to = append(*to, heapRow{Name: of.Name, Depth: depth, ShallowBytes: of.Self, RetainedBytes: of.Total})
			of.rows(depth+1, to)
		}
	}
}

// TestHeapReportParts: a report has the rows that --min and --below of the address choose,
// and says so where it does not have them.
func TestHeapReportParts(t *testing.T) {
	trace := traceFile(t, "net10-mix-gcheap.v4")
	p := open(t, reportOf(t, trace)+"#/heap")
	few := heapOf(t, "--dominators", "--min", "5", trace).Dominators
	p.compareIcicle(t, "#/heap?dominators=1&min=5", few)
	p.compareIcicle(t, "#/heap?dominators=1&min=20&below="+url.QueryEscape(few[0].Name), heapOf(t, "--dominators", "--min", "20", "--below", few[0].Name, trace).Dominators)
	for name, view := range map[string]string{"smaller rows than the file has": "min=0.01", "an unknown row": "below=nothing"} {
		t.Run(name, func(t *testing.T) {
			p.visit(t, "#/heap?dominators=1&"+view)
			p.dumpShown(t)
			expect.Contains(t, "page", p.text(t, "main"), "This file does not have it. Run the command below")
		})
	}
}

// TestHeapUse: the mouse and the keys lead from a type to what keeps it, and the command
// bar follows.
func TestHeapUse(t *testing.T) {
	files := heapTraces(t)
	address, _ := serve(t, files["both"])
	p := open(t, address)
	bar := func(want string) {
		t.Helper()
		p.dumpShown(t)
		expect.Equal(t, "command", p.text(t, "#command"), "nettrace heap "+want+" both.nettrace")
	}
	p.keys(t, "g", "h")
	bar("--limit 0")
	p.run(t, chromedp.Click("//td[@title='Leaf']"))
	p.waitFor(t, "the path", "document.querySelector('.steps') !== null")
	expect.Equal(t, "path", p.text(t, ".steps"), "handleSystem.Object[][Leak] System.Collections.Generic.List<Leaf>Leaf[]Leaf")
	p.run(t, chromedp.NavigateBack())
	p.waitFor(t, "no selection after Back", "document.querySelector('.heap .row h2')?.textContent === 'Keeps most memory'")
	p.run(t, chromedp.NavigateForward())
	p.waitFor(t, "the selection after Forward", "document.querySelector('tr.selected') !== null")
	p.run(t, chromedp.DoubleClick("tr.selected", chromedp.ByQuery))
	bar("--paths Leaf --limit 1000")
	p.run(t, chromedp.Click("//button[text()='Dominators']"))
	bar("--dominators --min 0.1")
	expect.Equal(t, "chosen dump", p.text(t, ".heap .muted")[:26], "Dump of collection 3 of pr")
	p.evaluate(t, "(document.querySelector('.flame').focus(), 0)", new(int))
	p.keys(t, kb.ArrowDown, kb.ArrowDown, kb.ArrowDown)
	expect.Equal(t, "selected row", p.text(t, ".row .name"), "System.Object[]")
	p.keys(t, kb.Enter)
	bar("--dominators --min 0.1 --below 'handle > System.Object[]'")
	p.keys(t, kb.Backspace)
	bar("--dominators --min 0.1 --below handle")
	p.keys(t, kb.Backspace)
	bar("--dominators --min 0.1")
	p.evaluate(t, "(document.querySelector('.heap label select').value = '2', document.querySelector('.heap label select').dispatchEvent(new Event('change', { bubbles: true })), 0)", new(int))
	bar("--dominators --min 0.1 --gc 2")
	p.waitFor(t, "the older dump", "document.querySelector('.heap .muted').textContent.startsWith('Dump of collection 2 of')")
	p.run(t, chromedp.Click("//button[text()='Tree']"))
	p.frame(t)
	expect.Contains(t, "tree", p.text(t, "[role=treegrid]"), "retained", "handle", "no root")
	p.keys(t, "g", "s")
	expect.Lacks(t, "command of another page", p.text(t, "#command"), "--gc")
}

// TestHeapStates: without a dump, and with one of which data was lost, the page says why
// and what to do.
func TestHeapStates(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/heap")
	expect.Equal(t, "without a dump", p.text(t, "main"), "The trace has no heap dump. Record one: nettrace collect -p PID --profile gcdump -o dump.nettrace")
	data := shared.Trace(t, "net10-mix-gcheap.v4")
	cut := filepath.Join(t.TempDir(), "cut.nettrace")
	expect.NoError(t, os.WriteFile(cut, data[:len(data)/2], 0o666))
	address, _ := serve(t, cut, "--page", "heap")
	p = open(t, address)
	p.dumpShown(t)
	expect.Contains(t, "truncated", p.text(t, "main [role=alert]"), "cut.nettrace: the dump of collection", "is incomplete", "(--partial shows the rest)")
	p.run(t, chromedp.Click("//button[text()='Show the rest']"))
	p.waitFor(t, "the rest", "document.querySelector('table[aria-label=Types]') !== null")
	expect.Contains(t, "band", p.text(t, ".heap"), "Data of the dump was lost")
	expect.Equal(t, "command", p.text(t, "#command"), "nettrace heap --limit 0 --partial cut.nettrace")
	report := open(t, reportOf(t, cut)+"#/heap")
	report.dumpShown(t)
	expect.Contains(t, "report of a truncated trace", report.text(t, "main [role=alert]"), "is incomplete")
}

// TestHeapLayout: axe finds nothing serious on the views of a dump in both themes, nothing
// overflows, and what can be clicked is large enough.
func TestHeapLayout(t *testing.T) {
	p := open(t, reportOf(t, traceFile(t, "net10-mix-gcheap.v4"))+"#/heap")
	p.loadAxe(t)
	for name, address := range map[string]string{
		"types": "row=heap.System.String", "dominators": "dominators=1&row=heap.handle", "below": "dominators=1&below=handle", "tree": "dominators=1&as=tree", "paths": "paths=System.String", "roots": "roots=1",
	} {
		t.Run(name, func(t *testing.T) {
			p.visit(t, "#/heap?"+address)
			p.dumpShown(t)
			for _, size := range sizes {
				p.run(t, chromedp.EmulateViewport(size[0], size[1]))
				p.frame(t)
				var wide string
				p.evaluate(t, "[document.documentElement, document.getElementById('main')].filter(e => e.scrollWidth !== e.clientWidth || e.scrollHeight !== e.clientHeight).map(e => e.tagName + ' ' + e.scrollWidth + 'x' + e.scrollHeight).join()", &wide)
				expect.Equal(t, fmt.Sprint("overflow at ", size), wide, "")
			}
			var small []string
			p.evaluate(t, "[...document.querySelectorAll('.heap button, .heap select, .heap input')].filter(e => { const r = (e.closest('label') ?? e).getBoundingClientRect(); return r.height < 24 || r.width < 24 }).map(e => e.outerHTML.slice(0, 100))", &small)
			expect.Equal(t, "small targets", fmt.Sprint(small), "[]")
			for theme, rules := range map[string]string{"light": "[]", "dark": "['color-contrast']"} {
				p.evaluate(t, "(document.documentElement.dataset.theme="+quoted(theme)+", 0)", new(int))
				p.frame(t)
				expect.Equal(t, theme, p.axe(t, rules), "[]")
			}
		})
	}
}

// TestHeapPictures writes pictures of the page into bin/pictures.
func TestHeapPictures(t *testing.T) {
	files := heapTraces(t)
	address, _ := serve(t, files["both"], "--page", "heap")
	p := open(t, address)
	views := map[string]string{
		"types": "#/heap?row=heap.Leaf", "dominators": "#/heap?dominators=1", "paths": "#/heap?paths=Leaf", "roots": "#/heap?roots=1",
		"below": "#/heap?dominators=1&below=handle+%3E+System.Object%5B%5D&row=heap.handle+%3E+System.Object%5B%5D", "tree": "#/heap?dominators=1&as=tree",
	}
	for i, name := range slices.Sorted(maps.Keys(views)) {
		for v := range 4 {
			if v != i%4 && !tier.Nightly {
				continue
			}
			size, theme := sizes[v%2], []string{"light", "dark"}[v/2]
			p.run(t, chromedp.EmulateViewport(size[0], size[1]))
			p.evaluate(t, "(document.documentElement.dataset.theme="+quoted(theme)+", 0)", new(int))
			p.visit(t, views[name])
			p.dumpShown(t)
			p.picture(t, fmt.Sprintf("heap-%s-%d-%s", name, size[0], theme))
		}
	}
}
