package interactive

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// Binding is what some keys do.
type Binding struct {
	Keys []string // names as in keyNames, or the character
	Help string   // "sort by the next column"
	Do   func()
}

// closeHelp are the keys that close the help.
var closeHelp = []string{"?", "h", "f1", "q", "esc", "enter"}

// sideways is the number of columns that a key moves the screen.
const sideways = 16

// movement returns the keys that move the rows, or the help.
func (p *Page) movement() []Binding {
	w := &p.rows
	if p.help {
		w = &p.keys
	}
	return []Binding{
		{[]string{"up", "k"}, "", func() { w.move(-1) }},
		{[]string{"down", "j"}, "move by a row", func() { w.move(1) }},
		{[]string{"pgup"}, "", func() { w.move(-max(p.height-1, 1)) }},
		{[]string{"pgdn"}, "move by a screen", func() { w.move(max(p.height-1, 1)) }},
		{[]string{"home", "g"}, "", func() { w.move(-w.total) }},
		{[]string{"end", "G"}, "move to the first or last row", func() { w.move(w.total) }},
		{[]string{"left"}, "", func() { p.left = max(p.left-sideways, 0) }},
		{[]string{"right"}, "move sideways, with lines that are not shortened", func() { p.left += sideways }},
	}
}

// common returns the keys of all pages, except movement.
func (p *Page) common() []Binding {
	return []Binding{
		{[]string{"?", "h", "f1"}, "show this help", func() { p.help = true }},
		{[]string{"q", "f10"}, "quit, with exit code 0; Ctrl-C does too", func() { p.quit = true }},
		{[]string{"space", "p", "Z"}, "pause, and continue; what is recorded meanwhile is not lost", p.pause},
		{[]string{"/", "f4"}, "show only rows that a REGEXP matches, in any case; empty: all", p.askFilter},
	}
}

// pause pauses, or continues.
func (p *Page) pause() {
	p.Paused = !p.Paused
	if p.OnPause != nil {
		p.OnPause()
	}
	if !p.Paused && p.final != "" {
		p.quit = true
	}
}

// askFilter lets the user edit the filter of rows.
func (p *Page) askFilter() {
	p.Ask("/", p.FilterText(), func(text string) error {
		if text == "" {
			p.Filter = nil
			return nil
		}
		filter, err := regexp.Compile(ignoreCase + text)
		if err == nil {
			p.Filter, p.rows.top = filter, 0
		}
		return err
	})
}

// ignoreCase is the start of each filter.
const ignoreCase = "(?i)"

// FilterText returns the filter of rows as the user wrote it.
func (p *Page) FilterText() string {
	if p.Filter == nil {
		return ""
	}
	return strings.TrimPrefix(p.Filter.String(), ignoreCase)
}

// Matches reports whether the filter keeps a row with this text.
func (p *Page) Matches(text string) bool { return p.Filter == nil || p.Filter.MatchString(text) }

// keysIndent is before each key, and helpWidth the column of what it does.
const (
	keysIndent = "    "
	helpWidth  = 24
)

// helpLines returns the help as lines.
func (p *Page) helpLines(s terminal.Screen) (head, rows []string) {
	head = []string{s.Paint(terminal.Bold, s.Shorten("Keys of nettrace "+p.Command, 0)), ""}
	for _, line := range p.keyTexts() {
		rows = append(rows, strings.Split(s.Wrap(line, helpWidth), "\n")...)
	}
	return head, rows
}

// KeysHelp returns the keys as lines of the help of a command. The indentation makes them
// lines of their own in the manual page.
func (p *Page) KeysHelp() string { return strings.Join(p.keyTexts(), "\n") + "\n" }

// keyTexts returns a line for each key with what it does.
func (p *Page) keyTexts() []string {
	var lines, keys []string
	for _, list := range [][]Binding{p.Bindings, p.common(), p.movement()} {
		for _, b := range list {
			keys = append(keys, b.Keys...)
			if b.Help == "" {
				continue // the next binding describes both
			}
			lines = append(lines, fmt.Sprintf("%s%-*s%s", keysIndent, helpWidth-len(keysIndent), strings.Join(keys, " "), b.Help))
			keys = nil
		}
	}
	return lines
}
