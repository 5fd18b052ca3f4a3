package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// Test28: nothing overflows in a page at two sizes, in both themes. With
// NETTRACE_PICTURES, the pictures of the pages are written into that folder.
func Test28Overflow(t *testing.T) {
	for _, name := range []string{"net10-mix-cpu.v4", "net10-mix-gc.v4", "net10-mix-locks.v4", "net10-killed-cut.v4", "aspnet-net10.v4"} {
		address := reportOf(t, traceFile(t, name))
		p := open(t, address)
		for _, size := range [][2]int64{{1280, 800}, {1024, 768}} {
			for _, theme := range []string{"light", "dark"} {
				for _, page := range []string{"summary", "flame", "top", "tree", "gc", "locks", "waits", "time", "counters"} {
					t.Run(fmt.Sprintf("%s/%dx%d/%s/%s", name, size[0], size[1], theme, page), func(t *testing.T) {
						var none string
						p.run(t, chromedp.EmulateViewport(size[0], size[1]))
						p.evaluate(t, "(document.documentElement.dataset.theme="+quoted(theme)+", document.querySelector(\"nav a[href^='#/"+page+"']\").click(), '')", &none)
						var widths [2]int
						p.frame(t)
						p.evaluate(t, "[document.documentElement.scrollWidth, document.documentElement.clientWidth]", &widths)
						expect.Equal(t, "scrollWidth", widths[0], widths[1])
						if dir := os.Getenv("NETTRACE_PICTURES"); dir != "" {
							picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
							if err != nil {
								t.Fatal(err)
							}
							file := filepath.Join(dir, fmt.Sprintf("%s-%d-%s-%s.png", name, size[0], theme, page))
							if err := os.WriteFile(file, picture, 0o666); err != nil {
								t.Fatal(err)
							}
						}
					})
				}
			}
		}
	}
}
