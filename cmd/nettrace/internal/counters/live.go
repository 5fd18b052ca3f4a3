package counters

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/interactive"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
)

const (
	countersBufferMB = 10              // a session of counters has few events
	silenceAfter     = 5 * time.Second // minimum time without a value before a notice
)

// fromProcess shows the counters of a process until the process or the context
// ends.
func fromProcess(p *run.Program, ctx context.Context, o *options) error {
	onPage := o.choosePage(p)
	stdin, childOut := p.Stdin, p.Stderr
	if onPage {
		stdin, childOut = nil, io.Discard
	}
	o.Tell = p.Complain
	a, err := o.Attach(ctx, stdin, childOut, childOut)
	if err != nil {
		return err
	}
	defer func() {
		a.End()
		attach.WarnLeft(p, a)
	}()
	if o.chosen.Meters() {
		p.Complain("note: %s", attach.MetersRisk)
	}
	w := newWatcher(o, a.CounterSession())
	w.title = a.Title
	if o.format != "" && !onPage {
		w.out = newSink(p, w, o)
	}
	if o.listen != "" {
		stop, err := serveMetrics(p, w, o.listen)
		if err != nil {
			return exit.With(exit.Usage, err)
		}
		defer stop()
	}
	l := &liveCounters{p: p, w: w, a: a, quiet: onPage, limit: o.limit}
	if onPage { // which shows that no value has come
		a.Client.Late = nil
		return l.onPage(ctx, o)
	}
	silence := time.AfterFunc(max(o.interval*3, silenceAfter), func() {
		if w.empty() {
			p.Complain("%s: %s so far", a.Title, w.nothing())
		}
	})
	defer silence.Stop()
	return l.watch(ctx, o)
}

const (
	// reportTime is the time of one report without --duration, and reportIntervals the
	// number of intervals that it has at least.
	reportTime      = 5 * time.Second
	reportIntervals = 3
)

// choosePage reports whether the values are shown on a page of the terminal. It sets the
// format and the time of one report, if that is printed instead.
func (o *options) choosePage(p *run.Program) bool {
	if o.format != "" && o.format != formatTable {
		return false
	}
	noPage := interactive.Check(p.Stdout)
	switch {
	case noPage == nil:
		o.format = formatTable
		return true
	case o.listen != "":
		return false
	case o.limit == 0:
		o.limit = max(reportTime, reportIntervals*o.interval)
	}
	o.format = formatTable
	p.Complain("%v: one report after %v (--duration changes that, --format csv and json print each value)", noPage, o.limit)
	return false
}

// liveCounters is the watch of a process, over one session or two.
type liveCounters struct {
	p     *run.Program
	w     *watcher
	a     *attach.Process
	quiet bool                      // the table shows the notices
	limit time.Duration             // of a session; 0: none
	over  bool                      // limit has ended the session
	tee   func(io.Reader) io.Reader // around the stream of a session, or nil
}

// watch opens a session. If the shared session of Meters runs with other
// settings, it opens a second session with these settings, before the first one
// ends: .NET 10 ends the shared session for all clients when the client that it
// refused leaves first.
func (l *liveCounters) watch(ctx context.Context, o *options) error {
	set := counters.Settings{Interval: o.interval, MaxTimeSeries: o.maxTimeSeries, MaxHistograms: o.maxHistograms}
	session, err := l.open(ctx, o, set)
	if err != nil {
		return err
	}
	r, err := l.read(ctx, session)
	if errors.Is(err, errUnsuited) {
		l.w.session = l.a.CounterSession()
		first := session
		session, err = l.open(ctx, o, counters.Settings{})
		attach.Leave(first)
		if err != nil {
			return err
		}
		r, err = l.read(ctx, session)
	}
	refused := exit.HasCode(err)
	if refused {
		attach.Leave(session)
	}
	session.Close()
	if end := l.w.out.end(); end != nil {
		return exit.WriteError(end)
	}
	l.w.sum(l.p)
	if refused {
		return err
	}
	if l.quiet && (err == nil || errors.Is(err, codec.ErrTruncated)) { // the page ends with the process
		input.ReportLost(l.p, l.a.Title, r)
		return nil
	}
	l.w.reportEmpty(l.p, l.a.Title)
	input.Report(l.p, input.FromStream(l.a.Title, nil, nil), r, err)
	input.ReportLost(l.p, l.a.Title, r)
	return nil
}

// open starts a session. Its errors have an exit code.
func (l *liveCounters) open(ctx context.Context, o *options, set counters.Settings) (*eventpipe.Session, error) {
	return l.a.Open(ctx, l.p, o.session(l.w.session, set, l.a.Major()))
}

// read reads a session to its end, which comes when the context ends or the time of limit
// is over.
func (l *liveCounters) read(ctx context.Context, session *eventpipe.Session) (*codec.Reader, error) {
	if l.limit > 0 { // which begins here: the process may take long to answer
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, l.limit)
		defer cancel()
	}
	stream := io.Reader(&pausing{session, l.pause})
	if l.tee != nil {
		stream = l.tee(stream)
	}
	r := codec.NewReader(stream, input.ReaderOptions(false))
	release := attach.StopAtEnd(ctx, session)
	defer release()
	err := l.w.read(r)
	l.over = errors.Is(ctx.Err(), context.DeadlineExceeded)
	if errors.As(err, new(*codec.Error)) {
		session.Close() // a malformed stream may never end
	}
	return r, err
}

// pause shows the values so far before the read of more bytes.
func (l *liveCounters) pause() {
	_ = l.w.out.pause()
	if !l.quiet {
		l.w.printNotices(l.p)
	}
}

// session returns the configuration of the session: the EventCounters of all
// named sources, and the Meters.
func (o *options) session(s counters.MetersSession, set counters.Settings, major int) eventpipe.SessionConfig {
	cfg := eventpipe.SessionConfig{NoRundown: true, BufferMB: countersBufferMB}
	arguments := counters.EventCountersArguments(o.interval)
	for _, name := range o.chosen.EventSources(major) {
		cfg.Providers = append(cfg.Providers, eventpipe.Provider{Name: name, Level: counters.Level, Arguments: arguments})
	}
	if o.chosen.Meters() {
		cfg.Providers = append(cfg.Providers, eventpipe.Provider{
			Name: counters.MetersProvider, Keywords: counters.MetersKeywords, Level: counters.Level, Arguments: s.Arguments(o.chosen, set),
		})
	}
	return cfg
}
