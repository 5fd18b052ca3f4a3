package interactive

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// Content is what a page shows. Its lines have no control characters, and no escape
// sequences except those of terminal.Screen.Paint.
type Content interface {
	// Head returns the lines that stay while the rows scroll.
	Head(s terminal.Screen) []string
	// Rows returns the lines that scroll.
	Rows(s terminal.Screen) []string
}

// Page is a screen of a command. Only one goroutine may use it; others call Post and Go.
type Page struct {
	Command  string // its name, for the help
	Content  Content
	Bindings []Binding      // keys of the command
	Paused   bool           // the content does not change
	Filter   *regexp.Regexp // of rows; nil: all
	Wide     bool           // lines are not shortened
	OnPause  func()         // is called when Paused has changed; may be nil

	message string // in the last line, until the next key
	final   string // why the page ends, or why it does not change any more
	quit    bool
	help    bool
	prompt  *prompt
	rows    window
	keys    window // of the help
	height  int    // of the last Lines
	left    int    // columns that are left of the screen

	posts chan func()
	done  chan struct{} // closed when Run has ended
}

// NewPage returns a page without content. The caller sets the exported fields.
func NewPage(command string) *Page {
	return &Page{Command: command, posts: make(chan func()), done: make(chan struct{})}
}

// Say shows a message until the next key.
func (p *Page) Say(format string, args ...any) { p.message = fmt.Sprintf(format, args...) }

// End ends the page with the reason, which it leaves below the last screen. A page that is
// paused waits for the user to quit.
func (p *Page) End(reason string) {
	p.final = reason
	if !p.Paused {
		p.quit = true
	}
}

// Key changes the page as the key with this name does.
func (p *Page) Key(name string) {
	p.message = ""
	if name == "ctrl-c" {
		p.quit = true
		return
	}
	if p.prompt != nil {
		p.edit(name)
		return
	}
	if p.help && slices.Contains(closeHelp, name) {
		p.help = false
		return
	}
	for _, list := range [][]Binding{p.movement(), p.common(), p.Bindings} {
		for _, b := range list {
			if slices.Contains(b.Keys, name) {
				b.Do()
				return
			}
		}
	}
	p.Say("%s has no meaning here: ? lists the keys", name)
}

// HasQuit reports whether the user or End has ended the page.
func (p *Page) HasQuit() bool { return p.quit }

// UserQuit reports whether the user has ended the page before anything else did.
func (p *Page) UserQuit() bool { return p.quit && p.final == "" }

// Ask shows a label and lets the user edit text in the last line. apply gets the text; an
// error is shown, and the user edits on.
func (p *Page) Ask(label, text string, apply func(text string) error) {
	p.prompt = &prompt{label: label, text: text, apply: apply}
}

// Lines returns the lines of the screen, exactly height ones.
func (p *Page) Lines(s terminal.Screen, height int) []string {
	lines := p.Shown(s, height-1)
	for len(lines) < height-1 {
		lines = append(lines, "")
	}
	return append(lines, p.status(s))
}

// Shown returns the head and the rows that fit a number of lines.
func (p *Page) Shown(s terminal.Screen, height int) []string {
	width := s.Width
	if p.Wide || p.left > 0 {
		s.Width = 0
	}
	head, rows, at := p.lines(s)
	if p.left > 0 {
		widest := 0
		for _, line := range slices.Concat(head, rows) {
			widest = max(widest, terminal.Columns(line))
		}
		p.left = min(p.left, max(widest-width, 0))
	}
	if room := max(height-minRows, 1); len(head) > room {
		head = append(slices.Clone(head[:room-1]), head[len(head)-1])
	}
	head = head[:min(len(head), max(height, 0))]
	p.height = max(height-len(head), 0)
	at.fit(len(rows), p.height)
	return append(slices.Clone(head), rows[at.top:min(at.top+p.height, len(rows))]...)
}

// minRows is the number of rows that a low screen shows, if it has that many lines.
const minRows = 3

// lines returns the head and all rows of the content or of the help.
func (p *Page) lines(s terminal.Screen) (head, rows []string, at *window) {
	if p.help {
		head, rows = p.helpLines(s)
		return head, rows, &p.keys
	}
	return p.Content.Head(s), p.Content.Rows(s), &p.rows
}

// status returns the last line.
func (p *Page) status(s terminal.Screen) string {
	switch {
	case p.prompt != nil:
		return p.prompt.line(s)
	case p.message != "":
		return s.Paint(terminal.Yellow, s.Shorten(p.message, 0))
	case p.help:
		return s.Shorten("q or ? closes the help", 0)
	case p.final != "":
		return s.Paint(terminal.Yellow, s.Shorten(p.final+"; q quits", 0))
	}
	state := ""
	if p.Paused {
		state = "PAUSED (space continues)  "
	}
	hint := state + p.rows.text() + "  ? help  q quit  space pause  / filter"
	return s.Shorten(hint, 0)
}

// window is the part of some lines that is on the screen.
type window struct {
	top, shown, total int
}

// fit moves the window so that it ends with the lines.
func (w *window) fit(total, shown int) {
	w.total, w.shown = total, min(shown, total)
	w.top = max(min(w.top, total-shown), 0)
}

// move moves the window down by n lines.
func (w *window) move(n int) { w.top = max(min(w.top+n, w.total-w.shown), 0) }

// text returns which lines the window has.
func (w *window) text() string {
	if w.total == 0 {
		return "no rows"
	}
	if w.shown == 0 {
		return fmt.Sprintf("%d rows", w.total)
	}
	return fmt.Sprintf("rows %d-%d of %d", w.top+1, w.top+w.shown, w.total)
}
