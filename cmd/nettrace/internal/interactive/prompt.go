package interactive

import (
	"strings"
	"unicode/utf8"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// prompt is text that the user edits in the last line.
type prompt struct {
	label, text string
	problem     string // of the last text
	apply       func(text string) error
}

// maxText is the largest number of bytes of the text.
const maxText = 1000

// edit changes the text of the prompt as a key does.
func (p *Page) edit(key string) {
	q := p.prompt
	q.problem = ""
	switch {
	case key == "esc":
		p.prompt = nil
	case key == "enter":
		p.prompt = nil
		if err := q.apply(q.text); err != nil {
			q.problem = err.Error()
			p.prompt = q
		}
	case key == "backspace":
		_, n := utf8.DecodeLastRuneInString(q.text)
		q.text = q.text[:len(q.text)-n]
	case key == "ctrl-u":
		q.text = ""
	case key == "space":
		q.text += " "
	case utf8.RuneCountInString(key) == 1 && len(q.text) < maxText:
		q.text += key
	}
}

// line returns the label, the end of the text, a cursor, and the error of the text.
func (q *prompt) line(s terminal.Screen) string {
	text := display.Printable(q.text)
	problem := ""
	if q.problem != "" {
		problem = "  " + display.Printable(q.problem)
	}
	for s.Width > 0 && text != "" && terminal.Columns(q.label+text+cursor) > s.Width {
		_, n := utf8.DecodeRuneInString(text)
		text = text[n:]
	}
	line := q.label + text + cursor
	return line + s.Paint(terminal.Red, s.Shorten(strings.ReplaceAll(problem, "\n", " "), terminal.Columns(line)))
}

// cursor is after the text.
const cursor = "_"
