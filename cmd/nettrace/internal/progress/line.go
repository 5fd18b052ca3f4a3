package progress

import (
	"fmt"
	"io"
	"strings"
)

// cells is the length of the bar in columns.
const cells = 20

// text returns the line of a bar: the numbers, the note, and the share if the total is known.
func (g *Bar) text() string {
	numbers := fmt.Sprintf("%.1f MiB", mebibytes(g.done))
	switch {
	case g.things != "":
		numbers = fmt.Sprintf("%d of %d %s", g.done, g.total, g.things)
	case g.total > 0:
		numbers = fmt.Sprintf("%.1f of %.1f MiB", mebibytes(g.done), mebibytes(g.total))
	}
	if g.note != "" {
		numbers += ", " + g.note
	}
	if g.total == 0 {
		return numbers
	}
	share := float64(min(g.done, g.total)) / float64(g.total)
	full := strings.Repeat("=", int(share*cells))
	return fmt.Sprintf("%s [%-*s] %3.0f%%", numbers, cells, full, share*100)
}

func mebibytes(n int64) float64 { return float64(n) / (1 << 20) }

// replace replaces the line on the screen. It overwrites the earlier line with spaces,
// which also works on a console without escape sequences.
func (t *Terminal) replace(line string) {
	if line == t.line {
		return
	}
	rest := strings.Repeat(" ", max(0, len(t.line)-len(line)))
	back := ""
	if line == "" {
		back = "\r"
	}
	_, _ = io.WriteString(t.W, "\r"+line+rest+back)
	t.line = line
}
