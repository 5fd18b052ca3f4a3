package browser

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

var update = flag.Bool("update", false, "make the pictures of README.md and docs")

// pictured are the traces whose pages are drawn: with samples of the processor, of
// a server, of a garbage collector, of locks, and a truncated one.
var pictured = []string{"roslyn-net10-cpu.v4", "aspnet-net10.v4", "net10-mix-gc.v4", "net10-mix-locks.v4", "net10-killed-cut.v4"}

// sizes are the sizes of the window.
var sizes = [][2]int64{{1280, 800}, {1024, 768}}

// overflow is an expression: the pages of the navigation that are wider or higher
// than the window in a theme.
const overflow = `(async theme => {
  document.documentElement.dataset.theme = theme
  const pages = [...document.querySelectorAll('nav a')], wrong = []
  for (const a of pages) {
    a.click()
    for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame)
    const e = document.documentElement, main = document.getElementById('main')
    if (e.scrollWidth !== e.clientWidth || e.scrollHeight !== e.clientHeight) wrong.push(a.textContent + ' is ' + e.scrollWidth + 'x' + e.scrollHeight)
    if (main.scrollWidth !== main.clientWidth) wrong.push('main of ' + a.textContent + ' is ' + main.scrollWidth)
  }
  return wrong.join('; ')
})`

// Test28: nothing overflows on any page at two sizes, in both themes. The theme
// changes colours only: one trace is tried in both at each size.
func Test28Overflow(t *testing.T) {
	for _, name := range pictured {
		p := open(t, reported(t, name))
		for _, size := range sizes {
			p.run(t, chromedp.EmulateViewport(size[0], size[1]))
			themes := []string{"light", "dark"}
			if name != "aspnet-net10.v4" && !tier.Nightly {
				themes = themes[:1]
			}
			for _, theme := range themes {
				t.Run(fmt.Sprintf("%s/%dx%d/%s", name, size[0], size[1], theme), func(t *testing.T) {
					var wrong string
					err := chromedp.Run(p.ctx, chromedp.Evaluate(overflow+"("+quoted(theme)+")", &wrong, awaited))
					if err != nil {
						t.Fatal(err)
					}
					expect.Equal(t, "pages that overflow", wrong, "")
				})
			}
		}
	}
}

// TestPictures writes the pictures of the pages into bin/pictures, for people: at all
// sizes, in both themes.
func TestPictures(t *testing.T) {
	tier.NeedsNightly(t)
	for _, name := range pictured {
		p := open(t, reported(t, name))
		for _, page := range p.pages(t) {
			for v := range 2 * len(sizes) {
				size, theme := sizes[v%2], []string{"light", "dark"}[v/2]
				p.run(t, chromedp.EmulateViewport(size[0], size[1]))
				p.evaluate(t, "(document.documentElement.dataset.theme="+quoted(theme)+", 0)", new(int))
				p.visit(t, "#/"+page)
				p.picture(t, fmt.Sprintf("%s-%s-%d-%s", name, page, size[0], theme))
			}
		}
	}
}

// documented are the pictures of README.md and docs: the address of a trace's page and
// its theme. A trace with a slash is a file of the repository.
var documented = map[string]struct{ trace, address, theme string }{
	"docs/pictures/flame.webp":       {"roslyn-net10-cpu.v4", "#/flame?type=wall&state=running&state=native&from=3s&to=9s", "light"},
	"docs/pictures/top.webp":         {"aspnet-net10.v4", "#/top?type=wall&state=running&state=native&just-my-code=&from=1.5s&to=3.5s&zoom=1.2s,3.8s&method=Program.Main.Spin(int)", "dark"},
	"docs/pictures/hot-path.webp":    {"net10-mix-cpu.v4", "#/flame?type=wall&state=running&state=native&just-my-code=&fold-recursion=", "light"},
	"docs/pictures/locks.webp":       {"net10-mix-locks.v4", "#/locks", "light"},
	"docs/pictures/requests.webp":    {"net10-http.v4", "#/requests", "light"},
	"docs/pictures/gc-pressure.webp": {"docs/traces/gc-pressure.nettrace.zst", "#/gc", "light"},
	"docs/pictures/truncated.webp":   {"net10-killed-cut.v4", "#/summary", "light"},
}

// isLarge reports whether the page of a documented trace takes seconds to draw.
func isLarge(trace string) bool { return trace == "roslyn-net10-cpu.v4" || trace == "aspnet-net10.v4" }

// fingerprints has the text of each documented page when its picture was made.
const fingerprints = "testdata/pictures.tsv"

// TestReadme compares the text of each documented page with that of its picture, and
// checks the size of the picture. With -update it makes the pictures.
func TestReadme(t *testing.T) {
	want, got := readFingerprints(t), map[string]string{}
	for name, c := range documented {
		t.Run(name, func(t *testing.T) {
			if isLarge(c.trace) && !*update && !tier.Nightly {
				t.Skip("the pages of large traces are compared in the nightly run only")
			}
			path := filepath.Join("..", "..", filepath.FromSlash(name))
			p := open(t, documentedPage(t, c.trace)+c.address)
			p.run(t, chromedp.EmulateViewport(1280, 800))
			p.evaluate(t, "(document.documentElement.dataset.theme="+quoted(c.theme)+", 0)", new(int))
			if b := p.place(t, "main > div"); strings.HasPrefix(c.address, "#/flame") {
				p.run(t, chromedp.MouseClickXY(b.Left+40, b.Top+150))
			}
			p.frame(t)
			var text string // without the version of the program
			p.evaluate(t, "document.body.innerText.replace(/shown by.nettrace.*/, '')", &text)
			got[name] = fmt.Sprintf("%x", sha256.Sum256([]byte(c.address+c.theme+text)))
			if *update {
				if err := os.WriteFile(path, p.webp(t), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if want[name] != got[name] {
				t.Error("the page has other text than its picture: make the pictures with go test -run TestReadme -update")
			}
			picture, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			expect.AtLeast(t, "150,000 bytes less those of the picture", 150_000-len(picture), 0)
		})
	}
	if *update {
		writeFingerprints(t, got)
	}
}

// documentedPage returns the address of the report of a trace.
func documentedPage(t *testing.T, trace string) string {
	t.Helper()
	if !strings.Contains(trace, "/") {
		return reported(t, trace)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	command(t, "report", "-o", path, filepath.Join("..", "..", filepath.FromSlash(trace)))
	return "file://" + path
}

// readFingerprints returns the fingerprints by the names of pictures.
func readFingerprints(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(fingerprints)
	if err != nil && !*update {
		t.Fatal(err)
	}
	result := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, sum, _ := strings.Cut(strings.TrimSpace(line), "\t")
		result[name] = sum
	}
	return result
}

// writeFingerprints writes new fingerprints and keeps those of other pictures.
func writeFingerprints(t *testing.T, got map[string]string) {
	t.Helper()
	all := readFingerprints(t)
	maps.Copy(all, got)
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&lines, "%s\t%s\n", name, all[name])
	}
	expect.NoError(t, os.WriteFile(fingerprints, []byte(lines.String()), 0o666))
}

// webp returns a picture of the page.
func (p *page) webp(t *testing.T) []byte {
	t.Helper()
	var picture []byte
	p.run(t, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		picture, err = cdppage.CaptureScreenshot().WithFormat(cdppage.CaptureScreenshotFormatWebp).WithQuality(75).Do(ctx)
		return err
	}))
	return picture
}

// TestNarrow: with a zoom of 400 % each part of the page is below the other one,
// and nothing scrolls sideways.
func TestNarrow(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4"))
	p.run(t, chromedp.EmulateViewport(320, 256))
	for _, page := range p.pages(t) {
		t.Run(page, func(t *testing.T) {
			p.visit(t, "#/"+page)
			var got struct{ Scroll, Main float64 }
			p.evaluate(t, "{Scroll: document.documentElement.scrollWidth, Main: document.getElementById('main').clientHeight}", &got)
			expect.Equal(t, "scrollWidth", got.Scroll, 320.0)
			expect.AtLeast(t, "height of main", got.Main, 150.0)
		})
	}
}

// TestDrawer: below 1,100 px the details are a drawer that a button opens and Esc
// closes.
func TestDrawer(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/top")
	p.run(t, chromedp.EmulateViewport(1024, 768))
	p.frame(t)
	widths := []float64{p.place(t, "aside").Width}
	p.run(t, chromedp.Click("button.narrow", chromedp.ByQuery))
	p.frame(t)
	widths = append(widths, p.place(t, "aside").Width)
	p.keys(t, "\x1b")
	widths = append(widths, p.place(t, "aside").Width)
	if !slices.Equal(widths, []float64{0, widths[1], 0}) || widths[1] < 180 {
		t.Errorf("the widths of the details are %v, want 0, at least 180, 0", widths)
	}
}

// TestTargets: what can be clicked is at least 24 px high and wide.
func TestTargets(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/top?type=wall&method=Program.Main(string%5B%5D)")
	for _, page := range []string{"top", "flame", "tree", "gc", "summary"} {
		t.Run(page, func(t *testing.T) {
			p.visit(t, "#/"+page+"?type=wall&method=Program.Main(string%5B%5D)")
			var small []string
			p.evaluate(t, `[...document.querySelectorAll('button, select, input, nav a')].filter(e => {
				const r = (e.closest('label') ?? e).getBoundingClientRect()
				return r.height > 0 && (r.height < 24 || r.width < 24)
			}).map(e => e.outerHTML.slice(0, 100))`, &small)
			expect.Equal(t, "small targets", fmt.Sprint(small), "[]")
		})
	}
}
