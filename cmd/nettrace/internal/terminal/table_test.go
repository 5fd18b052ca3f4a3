package terminal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// names returns a table with numbers, a name that may be shortened and a text that may be
// broken.
func names() *terminal.Table {
	t := &terminal.Table{Columns: []terminal.Column{
		{Title: "COUNT", Right: true, Min: 8},
		{Title: "NAME", Overflow: terminal.Cut},
		{Title: "MEANING", Overflow: terminal.Break},
	}}
	t.Add(terminal.Cells("1", "Contoso.Widgets.Factory.Make(System.String, System.Int32)", "makes one widget for each order that waits for it")...)
	t.Add(terminal.Cells("1,234,567", "短い名前", "日本 語")...)
	t.Add(terminal.Cells("12", "x", "")...)
	return t
}

func TestTable(t *testing.T) {
	for _, c := range []struct {
		name  string
		width int
		want  string
	}{
		{"unlimited", 0, "" +
			"    COUNT  NAME                                                       MEANING\n" +
			"        1  Contoso.Widgets.Factory.Make(System.String, System.Int32)  makes one widget for each order that waits for it\n" +
			"1,234,567  短い名前                                                   日本 語\n" +
			"       12  x\n"},
		{"80", 80, "" +
			"    COUNT  NAME                               MEANING\n" +
			"        1  Contoso.Widgets.…g, System.Int32)  makes one widget for each order\n" +
			"                                              that waits for it\n" +
			"1,234,567  短い名前                           日本 語\n" +
			"       12  x\n"},
		{"40", 40, "" +
			"    COUNT  NAME      MEANING\n" +
			"        1  Cont…32)  makes one widget for\n" +
			"                     each order that\n" +
			"                     waits for it\n" +
			"1,234,567  短い名前  日本 語\n" +
			"       12  x\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect.Equal(t, "table", string(names().Append(nil, terminal.Screen{Width: c.width})), c.want)
		})
	}
}

// TestTableWhole: names that do not fit have lines of their own, so that names that differ in
// any place look different.
func TestTableWhole(t *testing.T) {
	table := &terminal.Table{Columns: []terminal.Column{{Title: "NAME", Overflow: terminal.Whole}, {Title: "VALUE", Right: true, Min: 20}}}
	table.Add(terminal.Cell{Text: "Shop", Span: true})
	table.Add(terminal.Cell{Text: "short", Indent: 2}, terminal.Cell{Text: "1"})
	table.Add(terminal.Cell{Text: "a=0123456789,b=0123456789,c=0123456789,d=1", Indent: 2}, terminal.Cell{Text: "2"})
	expect.Equal(t, "table", string(table.Append(nil, terminal.Screen{Width: 40})), ""+
		"NAME                               VALUE\n"+
		"Shop\n"+
		"  short                                1\n"+
		"  a=0123456789,b=0123456789,c=0123456789\n"+
		"  ,d=1\n"+
		"                                       2\n")
	expect.Equal(t, "wide table", string(table.Append(nil, terminal.Screen{})), ""+
		"NAME                                                         VALUE\n"+
		"Shop\n"+
		"  short                                                          1\n"+
		"  a=0123456789,b=0123456789,c=0123456789,d=1                     2\n")
}

// TestTableAligned checks at each width that the columns of all rows begin at one position,
// that numbers end at one position, and that no line is wider than the terminal.
func TestTableAligned(t *testing.T) {
	for _, width := range []int{0, 40, 80, 120, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			table := &terminal.Table{Columns: []terminal.Column{
				{Title: "A", Right: true, Min: 10}, {Title: "B", Overflow: terminal.Cut}, {Title: "C", Right: true},
			}}
			for _, name := range []string{"x", "日本語", strings.Repeat("é", 50), strings.Repeat("名", 150)} {
				table.Add(terminal.Cells("<1>", "<"+name+">", "<99>")...)
			}
			lines := strings.Split(strings.TrimSuffix(string(table.Append(nil, terminal.Screen{Width: width})), "\n"), "\n")[1:]
			last := terminal.Columns(lines[0]) - len("<99>")
			for _, line := range lines {
				if width > 0 {
					expect.AtMost(t, "columns", terminal.Columns(line), width)
				}
				expect.Equal(t, "first number", line[:10], "       <1>")
				expect.Equal(t, "start of the name", strings.Index(line[10:], "<"), 2)
				expect.Equal(t, "end of the name", strings.HasSuffix(strings.TrimRight(strings.TrimSuffix(line, "<99>"), " "), ">"), true)
				expect.Equal(t, "start of the last number", terminal.Columns(line[:strings.LastIndex(line, "<99>")]), last)
			}
		})
	}
}

// TestTableIndent limits the columns before a text to half of its column.
func TestTableIndent(t *testing.T) {
	table := &terminal.Table{Columns: []terminal.Column{{Right: true}, {Overflow: terminal.Cut}}, NoTitle: true}
	table.Add(terminal.Cell{Text: "1"}, terminal.Cell{Text: "Main()", Indent: 2})
	table.Add(terminal.Cell{Text: "2"}, terminal.Cell{Text: "Namespace.Type.Method()", Indent: 60})
	for width, want := range map[int]string{
		0:  "1    Main()\n2  " + strings.Repeat(" ", 60) + "Namespace.Type.Method()\n",
		43: "1    Main()\n2                      Namespace.….Method()\n",
	} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			expect.Equal(t, "table", string(table.Append(nil, terminal.Screen{Width: width})), want)
		})
	}
}

// TestTableSpan lets a text cover the columns of numbers.
func TestTableSpan(t *testing.T) {
	table := &terminal.Table{Columns: []terminal.Column{{Title: "NAME"}, {Title: "MIN", Right: true}, {Title: "MAX", Right: true}}}
	table.Add(terminal.Cells("requests", "1", "12,345")...)
	table.Add(terminal.Cell{Text: "latency"}, terminal.Cell{Text: "p50=4.9 p95=9.5 p99=9.9", Span: true})
	table.Add(terminal.Cell{Text: "one more heading, which is long", Indent: 1, Span: true})
	for width, want := range map[int]string{
		0:  "NAME      MIN     MAX\nrequests    1  12,345\nlatency   p50=4.9 p95=9.5 p99=9.9\n one more heading, which is long\n",
		25: "NAME      MIN     MAX\nrequests    1  12,345\nlatency   p50=4.9…p99=9.9\n one more hea…ich is long\n",
	} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			expect.Equal(t, "table", string(table.Append(nil, terminal.Screen{Width: width})), want)
		})
	}
}

// TestTableExtra leaves columns out where the terminal is too narrow for them.
func TestTableExtra(t *testing.T) {
	table := &terminal.Table{Indent: 1, Columns: []terminal.Column{
		{Title: "COUNT", Right: true}, {Title: "MIN", Right: true, Extra: true}, {Title: "MAX", Right: true, Extra: true}, {Title: "NAME", Overflow: terminal.Cut},
	}}
	table.Add(terminal.Cells("1", "2", "3", "Method()")...)
	table.Add(terminal.Cells("123,456", "1,000", "2,000", "Namespace.Type.Method()")...)
	for width, want := range map[int]string{
		0:  "   COUNT    MIN    MAX  NAME\n       1      2      3  Method()\n 123,456  1,000  2,000  Namespace.Type.Method()\n",
		40: "   COUNT    MIN    MAX  NAME\n       1      2      3  Method()\n 123,456  1,000  2,000  Namespac…ethod()\n",
		39: "   COUNT    MIN  NAME\n       1      2  Method()\n 123,456  1,000  Namespace.T…e.Method()\n 1 column more (--wide shows all)\n",
		32: "   COUNT  NAME\n       1  Method()\n 123,456  Namespace.T…e.Method()\n 2 columns more (--wide shows all)\n",
		20: "   COUNT  NAME\n       1  Method()\n 123,456  Names…od()\n 2 columns more (--wide shows all)\n",
	} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			expect.Equal(t, "table", string(table.Append(nil, terminal.Screen{Width: width})), want)
		})
	}
}

func TestTableColors(t *testing.T) {
	table := &terminal.Table{Columns: []terminal.Column{{Title: "N", Right: true, Min: 3}, {Title: "WHAT", Overflow: terminal.Break}}}
	table.Add(terminal.Cell{Text: "1", Color: terminal.Red}, terminal.Cell{Text: "one two three four five six", Color: terminal.Cyan})
	got := string(table.Append(nil, terminal.Screen{Width: 25, Colors: true}))
	expect.Equal(t, "table", got, "  \x1b[1mN\x1b[0m  \x1b[1mWHAT\x1b[0m\n"+
		"  \x1b[31m1\x1b[0m  \x1b[36mone two three four\x1b[0m\n     \x1b[36mfive six\x1b[0m\n")
}
