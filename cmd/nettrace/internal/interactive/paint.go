package interactive

import (
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// styles are the styles of the colours of package terminal.
var styles = map[terminal.Color]tcell.Style{
	terminal.Bold:   tcell.StyleDefault.Bold(true),
	terminal.Dim:    tcell.StyleDefault.Dim(true),
	terminal.Red:    tcell.StyleDefault.Foreground(tcell.ColorMaroon),
	terminal.Green:  tcell.StyleDefault.Foreground(tcell.ColorGreen),
	terminal.Yellow: tcell.StyleDefault.Foreground(tcell.ColorOlive),
	terminal.Cyan:   tcell.StyleDefault.Foreground(tcell.ColorTeal),
}

// fallbacks replace characters on terminals with another character set.
var fallbacks = map[rune]string{
	'…': "~", '▁': "_", '▂': ".", '▃': "-", '▄': "-", '▅': "=", '▆': "=", '▇': "#", '█': "#", '▲': "^", '▼': "v", 'µ': "u",
}

// paint draws the page.
func (p *Page) paint(screen tcell.Screen, colors bool) {
	screen.HideCursor()
	screen.Clear()
	width, height := screen.Size()
	if width < 1 || height < 1 {
		return
	}
	s := terminal.Screen{Terminal: true, Width: width, Colors: colors}
	lines := p.Lines(s, height)
	for y, line := range lines {
		left := p.left
		if y == height-1 {
			left = 0
		}
		put(screen, -left, y, line)
	}
	screen.Show()
}

// put draws a line. Characters left or right of the screen are left out.
func put(screen tcell.Screen, x, y int, line string) {
	width, _ := screen.Size()
	style := tcell.StyleDefault
	for line != "" && x < width {
		if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
			color, after, _ := strings.Cut(rest, "m")
			style, line = styles[terminal.Color(color)], after
			continue
		}
		text, after, columns, _ := uniseg.FirstGraphemeClusterInString(line, -1)
		if columns > 0 && x >= 0 && x+columns <= width {
			screen.Put(x, y, text, style)
		}
		x, line = x+columns, after
	}
}
