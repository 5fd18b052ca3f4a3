package top

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/interactive"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// screen is the page of a process. Its keys change flags.
type screen struct {
	p     *run.Program
	a     *attach.Process
	o     *options
	flags *pflag.FlagSet // of o
	page  *interactive.Page
	ask   func(request)
	shown result
}

// newScreen returns the page of a process.
func newScreen(cmd *cobra.Command, p *run.Program, a *attach.Process, o *options) *screen {
	s := &screen{p: p, a: a, o: o, flags: cmd.Flags(), page: interactive.NewPage("top"), ask: func(request) {}}
	if !s.flags.Changed("limit") {
		o.limit = 0
	}
	s.page.Content, s.page.Bindings, s.page.OnPause = s, s.bindings(), s.request
	s.page.Wide = o.display.Wide()
	s.shown = result{o: *o, problem: waiting}
	return s
}

// keysHelp describes the keys of the page.
func keysHelp() string {
	s := &screen{page: interactive.NewPage("top")}
	s.page.Bindings = s.bindings()
	return s.page.KeysHelp()
}

// run shows the page until the user, a signal, --duration or the process ends it.
func (s *screen) run(ctx context.Context) error {
	if s.o.live.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, s.o.live.limit, errors.New("the time of --duration is over"))
		defer cancel()
	}
	recording, stop := context.WithCancel(ctx)
	r := &refresher{p: s.p, a: s.a, spawn: s.page.Go, requests: make(chan request, 1)}
	r.show = func(one result) { s.page.Post(func() { s.take(one) }) }
	s.ask = r.ask
	s.request()
	over := make(chan struct{})
	s.page.Go(func() {
		defer close(over)
		r.run(recording)
	})
	release := s.p.Hold()
	err := s.page.Run(ctx, s.p.Stdout, s.o.display.Screen(s.p.Stdout).Colors)
	release()
	stop()
	<-over
	if err == nil && !r.shown {
		err = r.failed
	}
	if s.a.Child != nil && s.page.UserQuit() {
		_ = s.a.Child.Cmd.Process.Signal(os.Interrupt) // as Ctrl-C does without a page
	}
	return err
}

// request requests a result for the flags.
func (s *screen) request() { s.ask(request{*s.o, s.page.Paused}) }

// take shows a result.
func (s *screen) take(one result) {
	if one.data != nil || one.problem != "" {
		s.shown = one
	}
	if one.data != nil {
		one.data.sort(s.o.sort) // it may have changed since the request
	}
	if one.ended != "" {
		s.page.End(one.ended)
	}
}

// Head returns the title, the flags, the sums and the titles of the columns.
func (s *screen) Head(screen terminal.Screen) []string {
	lines := []string{
		screen.Paint(terminal.Bold, screen.Shorten("nettrace top: "+s.a.Title+", "+s.window(), 0)),
		screen.Paint(terminal.Cyan, screen.Shorten(s.flagText(), 0)),
	}
	if s.shown.problem != "" {
		lines = append(lines, strings.Split(screen.Wrap(display.Printable(s.shown.problem), 2), "\n")...)
	}
	if s.shown.data == nil {
		return lines
	}
	t := textPrinter{o: &s.shown.o} // of any width: a line is not wrapped, so that more rows fit
	t.head("", s.shown.data)
	for _, line := range split(t.b) {
		lines = append(lines, screen.Shorten(line, 0))
	}
	return append(lines, s.table(screen)[0])
}

// Rows returns the rows that the filter keeps.
func (s *screen) Rows(screen terminal.Screen) []string {
	if s.shown.data == nil {
		return nil
	}
	return s.table(screen)[1:]
}

// table returns the lines of the table, of which the first one has the titles.
func (s *screen) table(screen terminal.Screen) []string {
	o, d := &s.shown.o, s.shown.data
	if o.isTree() {
		table, _ := o.treeTable(d, s.keeps)
		return split(table.Append(nil, screen))
	}
	var kept []topRow
	for _, row := range d.rows {
		if s.keeps(row.name) {
			kept = append(kept, row)
		}
	}
	return split(o.rowsTable(d, kept[:o.shown(len(kept))]).Append(nil, screen))
}

// keeps reports whether the filter of rows matches a name.
func (s *screen) keeps(name calltree.Name) bool {
	return s.page.Matches(name.Text) || name.Module != "" && s.page.Matches(name.Module)
}

// split returns the lines of a text.
func split(text []byte) []string { return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") }

// window describes which events are shown.
func (s *screen) window() string {
	kept := s.o.live.kept
	switch {
	case kept.Time == 0:
		return "the last " + display.Bytes(kept.Size)
	case kept.Size == 0:
		return "the last " + kept.Time.String()
	}
	return "the last " + kept.Time.String() + " in at most " + display.Bytes(kept.Size)
}

// filterLists are the flags with lists that select samples and frames.
var filterLists = []string{"state", "thread", "focus", "ignore", "hide", "only", "class"}

// flagText returns the flags of what is shown, and the filter of rows.
func (s *screen) flagText() string {
	text := "--by " + s.o.by + " --sort " + s.o.sort
	if t := s.o.liveType().name; s.o.Kind != "" || t == typeEvent { // the default is not --type wall
		text = "--type " + t + " " + text
	}
	for _, name := range filterLists {
		switch list := s.list(name); {
		case name == "state" && len(list) == len(profile.States()):
			text += " all states"
		case len(list) > 0:
			text += " --" + name + " " + strings.Join(list, ",")
		}
	}
	if group := s.flags.Lookup("group").Value.String(); group != "" {
		text += " --group " + group
	}
	for _, name := range []string{"tree", "bottom-up", "just-my-code"} {
		if s.flags.Lookup(name).Value.String() == "true" {
			text += " --" + name
		}
	}
	if s.page.Filter != nil {
		text += "  rows that match /" + s.page.FilterText()
	}
	return display.Printable(text)
}

// list returns the values of a flag.
func (s *screen) list(flag string) []string {
	return s.flags.Lookup(flag).Value.(pflag.SliceValue).GetSlice()
}
