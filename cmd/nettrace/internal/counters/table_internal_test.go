package counters

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/vbauerster/mpb/v8/cwriter"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestRows counts the rows of lines on a terminal.
func TestRows(t *testing.T) {
	lines := []string{"", strings.Repeat("a", 80), strings.Repeat("名", 41), strings.Repeat("b", 200)}
	for columns, want := range map[int]int{0: 4, 80: 1 + 1 + 2 + 3, 200: 4} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) { expect.Equal(t, "rows", rows(lines, columns), want) })
	}
}

// TestDraw draws the counters of a trace on a screen that has fewer lines.
func TestDraw(t *testing.T) {
	w := newWatcher(&options{}, counters.Session{})
	w.any = true
	expect.NoError(t, w.read(codec.NewReader(bytes.NewReader(testfile.Plain(t, "net10-counters.v4")), input.ReaderOptions(false))))
	complete := (&counterTable{w: w}).lines(terminal.Screen{})
	for name, c := range map[string]struct {
		height, lines int
		last          string
	}{
		"all":  {1000, len(complete) + len(w.notices), "! " + w.notices[len(w.notices)-1]},
		"part": {5, 5, fmt.Sprintf("... %d lines more: choose with --counters", len(complete)+len(w.notices)-4)},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			table := &counterTable{w: w, dst: &out, flags: &terminal.Flags{}, screen: cwriter.New(&out)}
			expect.NoError(t, table.draw(c.height))
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			expect.Equal(t, "lines", len(lines), c.lines)
			expect.Equal(t, "last line", lines[len(lines)-1], c.last)
		})
	}
}
