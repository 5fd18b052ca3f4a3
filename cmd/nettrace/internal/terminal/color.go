package terminal

import "strings"

// Color is the parameter of an escape sequence that starts a colour or another attribute of
// text. The empty one is plain text.
type Color string

// Colors of text.
const (
	Plain  Color = ""
	Bold   Color = "1"
	Dim    Color = "2"
	Red    Color = "31"
	Green  Color = "32"
	Yellow Color = "33"
	Cyan   Color = "36"
)

// Paint returns text in a colour, if the screen has colours.
func (s Screen) Paint(c Color, text string) string {
	if !s.Colors || c == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + reset
}

// reset is the escape sequence that ends a colour.
const reset = "\x1b[0m"

// unpainted returns text without the escape sequences of Paint.
func unpainted(text string) string {
	if !strings.Contains(text, "\x1b[") {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, text, _ = strings.Cut(rest, "m")
	}
}
