package report

import (
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// right, extra and extraText are columns: of numbers, and of what a narrow terminal leaves out.
func right(title string) terminal.Column { return terminal.Column{Title: title, Right: true} }

func extra(title string) terminal.Column {
	return terminal.Column{Title: title, Right: true, Extra: true}
}

func extraText(title string) terminal.Column { return terminal.Column{Title: title, Extra: true} }

// seconds returns a time since the sync time as text.
func seconds(nanos int64) string { return strconv.FormatFloat(float64(nanos)/1e9, 'f', 6, 64) }

// millionths returns a number of nanoseconds or bytes in a unit a million times larger,
// with three digits; a dash if it is unknown.
func millionths(n analysis.Number) string {
	if value, ok := n.Get(); ok {
		return numberCell(value, analysis.Million)
	}
	return none
}

func dash(text string) string {
	if strings.TrimSpace(text) == "" {
		return none
	}
	return text
}

// milliseconds returns a time as text.
func milliseconds(nanos int64) string {
	return display.Milliseconds(float64(nanos) / 1e9)
}

// megabytes returns a size as text.
func megabytes(bytes int64) string {
	return strconv.FormatFloat(float64(bytes)/1e6, 'f', 1, 64) + " MB"
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
