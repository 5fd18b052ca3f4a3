package terminal_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/internal/expect"
)

func TestColumns(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       int
	}{
		{"empty", "", 0},
		{"ascii", "Main(string[])", 14},
		{"umlaut", "Größe", 5},
		{"wide", "日本語", 6},
		{"combining", "e\u0301a", 2},
		{"painted", "\x1b[31merror\x1b[0m: é", 8},
	} {
		t.Run(c.name, func(t *testing.T) { expect.Equal(t, "columns", terminal.Columns(c.text), c.want) })
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		name, text string
		width      int
		want       string
	}{
		{"fits", "abcdef", 6, "abcdef"},
		{"odd-room", "abcdef", 5, "ab…ef"},
		{"even-room", "abcdef", 4, "ab…f"},
		{"only-ellipsis", "abcdef", 1, "…"},
		{"no-room", "abcdef", 0, ""},
		{"two-bytes", "äöüÄÖÜ", 5, "äö…ÖÜ"},
		{"wide", "日本語中文字", 9, "日本…文字"},
		{"half-of-wide", "日本語中文字", 8, "日本…字"},
		{"wide-too-narrow", "日本語", 2, "…"},
		{"combining-at-cut", "ae\u0301bcde\u0301f", 5, "ae\u0301…e\u0301f"},
		{"combining-of-cut", "abcde\u0301fg", 5, "ab…fg"},
		{"combining-behind-cut", "abcde\u0301", 3, "a…e\u0301"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := terminal.Shorten(c.text, c.width)
			expect.Equal(t, "shortened", got, c.want)
			expect.AtMost(t, "columns", terminal.Columns(got), c.width)
		})
	}
}

// TestShortenTerminals shortens long names to the widths of common terminals.
func TestShortenTerminals(t *testing.T) {
	ascii := "Namespace.Type.Method(" + strings.Repeat("System.String, ", 30) + "int)"
	wide := strings.Repeat("事件の名前", 50)
	for _, width := range []int{80, 120, 200} {
		for name, text := range map[string]string{"ascii": ascii, "wide": wide} {
			t.Run(fmt.Sprintf("%s-%d", name, width), func(t *testing.T) {
				got := terminal.Shorten(text, width)
				start, end, _ := strings.Cut(got, "…")
				expect.Equal(t, "start", start, text[:len(start)])
				expect.Equal(t, "end", end, text[len(text)-len(end):])
				expect.AtMost(t, "columns", terminal.Columns(got), width)
				expect.AtLeast(t, "columns", terminal.Columns(got), width-2)
				expect.AtMost(t, "columns that the start has more", terminal.Columns(start)-terminal.Columns(end), 2)
				expect.Equal(t, "valid UTF-8", utf8.ValidString(got), true)
			})
		}
	}
}

func TestShortenMethod(t *testing.T) {
	for _, c := range []struct {
		name, text string
		width      int
		want       string
	}{
		{"fits", "System.Math.Max(int, int)", 25, "System.Math.Max(int, int)"},
		{"parameters", "System.Math.Max(int, int)", 22, "System.Math.Max(in…nt)"},
		{"no-parameters", "System.Math.Max(int, int)", 18, "System.Math.Max(…)"},
		{"name", "System.Math.Max(int, int)", 15, "System…h.Max(…)"},
		{"nested", "A.Program.Run(delegate*(int, long), string)", 18, "A.Program.Run(d…g)"},
		{"not-at-end", "Handler(int).Invoke", 12, "Handle…nvoke"},
		{"not-opened", "Program.Work)", 9, "Prog…ork)"},
		{"empty-list", "System.Threading.Thread.Yield()", 18, "System.T…d.Yield()"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := terminal.ShortenMethod(c.text, c.width)
			expect.Equal(t, "shortened", got, c.want)
			expect.AtMost(t, "columns", terminal.Columns(got), c.width)
		})
	}
}

func TestShortenBoth(t *testing.T) {
	for _, c := range []struct {
		label, name, text string
		width             int
		want              string // both, with | between them
	}{
		{"fits", "Provider/Name(1)", " level=4", 24, "Provider/Name(1)| level=4"},
		{"long-name", "Long-Provider/Long-Name(1)", " v=2", 24, "Long-Provi…g-Name(1)| v=2"},
		{"long-text", "P/N(1)", " level=4 keywords=0x8000", 24, "P/N(1)| level=4 …s=0x8000"},
		{"both-long", "Long-Provider/Long-Name(1)", " level=4 keywords=0x8000", 24, "Long-Prov…-Name(1)| le…00"},
		{"no-room", "Long-Provider/Long-Name(1)", " level=4 keywords=0x8000", 3, "Long-Pr…Name(1)| l…00"},
	} {
		t.Run(c.label, func(t *testing.T) {
			name, text := terminal.ShortenBoth(c.name, c.text, c.width)
			expect.Equal(t, "shortened", name+"|"+text, c.want)
		})
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name, line    string
		width, indent int
		want          string
	}{
		{"no-terminal", strings.Repeat("word ", 40), 0, 2, strings.Repeat("word ", 40)},
		{"fits", "one two three four five", 30, 2, "one two three four five"},
		{"two-lines", "one two three four five six seven", 25, 4, "one two three four five\n    six seven"},
		{"indented", "  one two three four five six seven", 25, 4, "  one two three four five\n    six seven"},
		{"exact", "aaaaaaaaaaaaaaaaaaaa bbbb cccc", 25, 0, "aaaaaaaaaaaaaaaaaaaa bbbb\ncccc"},
		{"long-word", "a " + strings.Repeat("b", 30) + "c d", 22, 1, "a\n bbbbbbbbbb…bbbbbbbbbc\n d"},
		{"wide", strings.Repeat("日本 ", 6), 22, 0, "日本 日本 日本 日本\n日本 日本 "},
		{"painted", "\x1b[31mone\x1b[0m two three four five six", 24, 2, "\x1b[31mone\x1b[0m two three four five\n  six"},
		{"narrow", "one two three four five six", 20, 2, "one two three four five six"},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect.Equal(t, "lines", terminal.Screen{Width: c.width}.Wrap(c.line, c.indent), c.want)
		})
	}
}
