package browser

import (
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// contrast is an expression: the lowest contrast of the text on boxes, for all
// colours of modules in a theme, and the texts of the page.
const contrast = `(theme => {
  document.documentElement.dataset.theme = theme
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const luminance = color => {
    canvas.fillStyle = color
    canvas.fillRect(0, 0, 1, 1)
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const of = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05) }
  const { text, page, muted, colors } = nettrace.colors(300)
  return Math.min(of(text, page), of(muted, page), ...colors.map(c => of(text, c)))
})`

// Test29: every text on a box has a contrast of at least 4.5.
func Test29Contrast(t *testing.T) {
	p := open(t, reported(t, "net10-mix-gc.v4"))
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) {
			var lowest float64
			p.evaluate(t, contrast+"("+quoted(theme)+")", &lowest)
			t.Logf("lowest contrast %.2f", lowest)
			expect.AtLeast(t, "contrast", lowest, 4.5)
		})
	}
}
