package terminal

import (
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// ellipsis replaces what is cut out of a name.
const ellipsis = "…"

// Columns returns the columns of text on a terminal: East Asian wide characters have two,
// combining ones none. Escape sequences of Paint have none.
func Columns(text string) int {
	if isASCII(text) {
		return len(text)
	}
	return runewidth.StringWidth(unpainted(text))
}

// isASCII reports whether each byte of text is a printable character of one column.
func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] >= 0x7F {
			return false
		}
	}
	return true
}

// Shorten returns text in at most width columns: it cuts the middle out, between two
// characters, and puts an ellipsis there. The start and the end have the same width, or
// the start has one column more.
func Shorten(text string, width int) string {
	if Columns(text) <= width {
		return text
	}
	room := width - runewidth.StringWidth(ellipsis)
	if room < 0 {
		return ""
	}
	end := suffix(text, room/2)
	start := prefix(text, room-Columns(end))
	return start + ellipsis + end
}

// Shorten returns text that fits a line in which this many columns are used.
func (s Screen) Shorten(text string, used int) string {
	if s.Width == 0 {
		return text
	}
	return Shorten(text, max(s.Width-used, 0))
}

// ShortenMethod returns the name of a method in at most width columns. It shortens the
// parameters first, and the rest of the name only if that is not enough: what the method is
// called is at the end of the rest.
func ShortenMethod(name string, width int) string {
	at := parameters(name)
	if Columns(name) <= width || at == len(name) {
		return Shorten(name, width)
	}
	short := "(" + ellipsis + ")"
	if Columns(name[at:]) < Columns(short) {
		short = name[at:]
	}
	if room := width - Columns(name[:at]); room >= Columns(short) {
		return name[:at] + Shorten(name[at:], room)
	}
	return Shorten(name[:at], width-Columns(short)) + short
}

// parameters returns the index of the parameters of a method in its name, "(int, long)", or
// the length of a name that ends in another way.
func parameters(name string) int {
	depth := 0
	for i := len(name) - 1; i >= 0; i-- {
		switch name[i] {
		case ')':
			depth++
		case '(':
			depth--
		}
		if depth == 0 && name[i] == '(' {
			return i
		} else if depth == 0 {
			break
		}
	}
	return len(name)
}

// ShortenBoth returns a name and the text after it in at most width columns together. The
// name keeps three quarters of the columns if it needs them, and more if the text needs
// fewer than one.
func ShortenBoth(name, text string, width int) (string, string) {
	width = max(width, minWrapped)
	name = Shorten(name, max(width*3/4, width-Columns(text)))
	return name, Shorten(text, width-Columns(name))
}

// prefix returns the start of text that has at most width columns, with the combining
// characters of its last one.
func prefix(text string, width int) string {
	end := 0
	for i, r := range text {
		if width -= runewidth.RuneWidth(r); width < 0 {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	return text[:end]
}

// suffix returns the end of text that has at most width columns. It does not begin with a
// combining character.
func suffix(text string, width int) string {
	start := len(text)
	for end := len(text); end > 0; {
		r, n := utf8.DecodeLastRuneInString(text[:end])
		end -= n
		columns := runewidth.RuneWidth(r)
		if width -= columns; width < 0 {
			break
		}
		if columns > 0 {
			start = end
		}
	}
	return text[start:]
}
