package browser

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

var update = flag.Bool("update", false, "make the pictures of README.md")

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
			if name != "aspnet-net10.v4" && !shared.Long() {
				themes = themes[:1]
			}
			for _, theme := range themes {
				t.Run(fmt.Sprintf("%s/%dx%d/%s", name, size[0], size[1], theme), func(t *testing.T) {
					wrong, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](overflow+"("+quoted(theme)+")", chromedp.EvalAwaitPromise))
					if err != nil {
						t.Fatal(err)
					}
					expect.Equal(t, "pages that overflow", wrong, "")
				})
			}
		}
	}
}

// TestPictures writes the pictures of the pages into the folder NETTRACE_PICTURES.
// Without NETTRACE_LONG each page is drawn once, at the sizes and in the themes in turn.
func TestPictures(t *testing.T) {
	if os.Getenv("NETTRACE_PICTURES") == "" {
		t.Skip("NETTRACE_PICTURES names no folder for the pictures")
	}
	for _, name := range pictured {
		p := open(t, reported(t, name))
		for k, page := range p.pages(t) {
			for v := range 2 * len(sizes) {
				if v != k%(2*len(sizes)) && !shared.Long() {
					continue
				}
				size, theme := sizes[v%2], []string{"light", "dark"}[v/2]
				p.run(t, chromedp.EmulateViewport(size[0], size[1]))
				p.evaluate(t, "(document.documentElement.dataset.theme="+quoted(theme)+", 0)", new(int))
				p.visit(t, "#/"+page)
				p.picture(t, fmt.Sprintf("%s-%s-%d-%s", name, page, size[0], theme))
			}
		}
	}
}

// readme are the pictures of README.md: the address of a trace's page and its theme.
var readme = map[string]struct{ trace, address, theme string }{
	"flame.webp": {"roslyn-net10-cpu.v4", "#/flame?type=wall&state=running&state=native&from=3s&to=9s", "light"},
	"top.webp":   {"aspnet-net10.v4", "#/top?type=wall&state=running&state=native&just-my-code=&from=1.5s&to=3.5s&zoom=1.2s,3.8s&method=Program.Main.Spin(int)", "dark"},
}

// TestReadme checks the sizes of the pictures of README.md. With -update it makes them.
func TestReadme(t *testing.T) {
	for name, c := range readme {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("pictures", name)
			if *update {
				p := open(t, reported(t, c.trace)+c.address)
				p.run(t, chromedp.EmulateViewport(1280, 800))
				p.evaluate(t, "(document.documentElement.dataset.theme="+quoted(c.theme)+", 0)", new(int))
				if b := p.place(t, "main > div"); c.theme == "light" {
					p.run(t, chromedp.MouseClickXY(b.Left+40, b.Top+150))
				}
				p.frame(t)
				if err := os.WriteFile(path, p.webp(t), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			picture, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			expect.AtLeast(t, "150,000 bytes less those of the picture", 150_000-len(picture), 0)
		})
	}
}

// webp returns a picture of the page.
func (p *page) webp(t *testing.T) []byte {
	t.Helper()
	quality := int64(75)
	picture, err := chromedp.Run(p.ctx, func(ctx context.Context, target *chromedp.Target) ([]byte, error) {
		r, err := cdp.Call(ctx, target, cdppage.CaptureScreenshot, cdppage.CaptureScreenshotParams{Format: cdppage.CaptureScreenshotFormatWebp, Quality: &quality})
		if err != nil {
			return nil, err
		}
		return r.Data, nil
	})
	if err != nil {
		t.Fatal(err)
	}
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
	p.run(t, chromedp.Click(chromedp.CSS("button.narrow")))
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
