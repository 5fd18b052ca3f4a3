package counters

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/interactive"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// page is the page of a process: the last values, and a line of the values before them.
type page struct {
	*interactive.Page
	title string
	sort  string // one of pageSorts
	shown values
}

// values are those of one time.
type values struct {
	series  []counters.Series
	history map[counters.Key][]float64
	notices []string
	silent  []string // instruments without a value
	nothing string   // why there is no series
}

// pageSorts are the orders of rows: by source, with a heading for each, or by a column.
var pageSorts = []string{"source", "name", "value", "a second"}

// newPage returns the page of a process.
func newPage(title string, wide bool) *page {
	p := &page{Page: interactive.NewPage("counters"), title: title, sort: pageSorts[0]}
	p.Content, p.Wide = p, wide
	p.Bindings = []interactive.Binding{
		{Keys: []string{"<"}, Help: "", Do: func() { p.nextSort(-1) }},
		{Keys: []string{">"}, Help: "sort by the previous or next of " + strings.Join(pageSorts, ", "), Do: func() { p.nextSort(1) }},
		{Keys: []string{"="}, Help: "remove the filter of rows", Do: func() { p.Filter = nil }},
	}
	return p
}

// nextSort sorts by another column.
func (p *page) nextSort(n int) {
	at := slices.Index(pageSorts, p.sort)
	p.sort = pageSorts[(at+n+len(pageSorts))%len(pageSorts)]
}

// show shows values, unless the page is paused.
func (p *page) show(v values) {
	if !p.Paused || p.shown.series == nil {
		p.shown = v
	}
}

// onPage shows the values of a process on a page until the user, ctx or the process ends
// it.
func (l *liveCounters) onPage(ctx context.Context, o *options) error {
	page := newPage(l.a.Title, o.display.Wide())
	l.w.out = &pageSink{w: l.w, history: map[counters.Key][]float64{}, show: func(v values) { page.Post(func() { page.show(v) }) }}
	page.shown.nothing = "waiting for the first values"
	watching, stop := context.WithCancel(ctx)
	defer stop()
	over := make(chan error, 1)
	page.Go(func() {
		defer close(over) // after a panic too
		err := l.watch(watching, o)
		over <- err
		reason := "the process has ended"
		switch {
		case err != nil:
			reason = "the session has ended"
		case l.over:
			reason = "the time of --duration is over"
		}
		page.Post(func() { page.End(reason) })
	})
	silence := time.AfterFunc(max(o.interval*3, silenceAfter), func() {
		page.Post(func() { page.shown.nothing = l.w.nothing() })
	})
	defer silence.Stop()
	release := l.p.Hold()
	err := page.Run(ctx, l.p.Stdout, o.display.Screen(l.p.Stdout).Colors)
	release()
	stop()
	watched := <-over
	if l.a.Child != nil && page.UserQuit() {
		_ = l.a.Child.Cmd.Process.Signal(os.Interrupt) // as Ctrl-C does without a page
	}
	if watched != nil {
		return watched
	}
	return err
}

// pageSink gives values to a page.
type pageSink struct {
	w       *watcher
	show    func(values)
	history map[counters.Key][]float64
	changed bool
	shown   time.Time
}

const (
	// pageEvery is the min time between two refreshes.
	pageEvery = 100 * time.Millisecond
	// historySize is the number of values in a line of values.
	historySize = 60
	// maxHistories is the number of series with a line of values.
	maxHistories = 5000
)

// value notes a value for the line of values.
func (s *pageSink) value(m *counters.Message) error {
	s.changed = true
	key := m.Value.Key()
	past, known := s.history[key]
	if !known && len(s.history) >= maxHistories {
		return nil
	}
	past = append(past, graphed(&m.Value))
	s.history[key] = past[max(len(past)-historySize, 0):]
	return nil
}

// pause shows the values, unless the last refresh was less than pageEvery ago.
func (s *pageSink) pause() error {
	if s.changed && time.Since(s.shown) >= pageEvery {
		s.send()
	}
	return nil
}

// lists reports that the page has the instruments without a value.
func (s *pageSink) lists() bool { return true }

// end shows the last values.
func (s *pageSink) end() error {
	s.send()
	return nil
}

// send copies the values for the page.
func (s *pageSink) send() {
	v := values{history: map[counters.Key][]float64{}, notices: slices.Clone(s.w.notices), nothing: s.w.nothing()}
	s.w.mu.Lock()
	v.silent = s.w.silent()
	for _, one := range s.w.latest.Series() {
		v.series = append(v.series, *one)
	}
	s.w.mu.Unlock()
	for key, past := range s.history {
		v.history[key] = slices.Clone(past)
	}
	s.changed, s.shown = false, time.Now()
	s.show(v)
}

// Head returns the title, the order, the notices and the titles of the columns.
func (p *page) Head(s terminal.Screen) []string {
	order := "sort " + p.sort
	if p.Filter != nil {
		order += "  rows that match /" + p.FilterText()
	}
	lines := []string{
		s.Paint(terminal.Bold, s.Shorten("nettrace counters: "+p.title, 0)),
		s.Paint(terminal.Cyan, s.Shorten(display.Printable(order), 0)),
	}
	for _, notice := range p.shown.notices[max(len(p.shown.notices)-maxShownNotices, 0):] {
		lines = append(lines, s.Paint(terminal.Yellow, s.Shorten("! "+notice, 0)))
	}
	if len(p.shown.series) == 0 {
		return append(lines, strings.Split(s.Wrap(p.shown.nothing, 2), "\n")...)
	}
	return append(lines, p.table(s)[0])
}

// maxShownNotices is the number of the last notices that the page has.
const maxShownNotices = 3

// Rows returns the rows that the filter keeps.
func (p *page) Rows(s terminal.Screen) []string {
	if len(p.shown.series) == 0 {
		return nil
	}
	return p.table(s)[1:]
}
