package counters

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// watcher reads the counters of a stream, keeps the last values and sends the
// chosen ones to the output.
type watcher struct {
	out      counterSink
	chosen   counters.Selection // all when empty
	session  counters.MetersSession
	any      bool // the values of all sessions of Meters count
	interval time.Duration

	decoder  counters.Decoder
	notices  []string
	printed  int   // of notices
	bad      int64 // malformed events
	firstBad error

	title string // of the process, "" of a file

	mu     sync.Mutex // guards the fields below
	latest counters.Latest
	others []string // providers with counters that were not chosen
}

func newWatcher(o *options, session counters.MetersSession) *watcher {
	return &watcher{out: noSink{}, chosen: o.chosen, session: session, any: o.anySession, interval: o.interval}
}

// errUnsuited is the error for a shared session with other settings.
var errUnsuited = errors.New("the session of Meters runs with other settings")

// read reads events to the end of a stream, or to the message that the session is
// refused or runs with other settings. The error is then one with an exit code, or
// errUnsuited. Errors of writing have an exit code too.
func (w *watcher) read(r *codec.Reader) error {
	w.decoder = counters.Decoder{}
	for e, err := range r.Events() {
		if err != nil {
			return err
		}
		m, err := w.decoder.Decode(e)
		if err != nil {
			if w.bad++; w.bad == 1 {
				w.firstBad = err
			}
		}
		if err := w.take(&m); err != nil {
			return err
		}
	}
	return nil
}

// take handles a message.
func (w *watcher) take(m *counters.Message) error {
	if m.Kind == counters.None {
		return nil
	}
	if !w.any {
		switch w.session.Classify(m) {
		case counters.Foreign:
			return nil
		case counters.Refused:
			return exit.With(exit.Version, fmt.Errorf("the session %s listens to the Meters of the process, and it is not shared: "+
				"end it, or take its values with --any-session", display.Printable(m.SessionID)))
		case counters.OtherSettings:
			w.notice(unsuitedText(m.Mismatch))
			return errUnsuited
		}
	}
	if text := noticeTexts[m.Kind]; text != "" {
		line, _, _ := strings.Cut(m.Text, "\n")
		w.notice(text + display.Printable(line))
	}
	if m.Kind == counters.Measurement {
		return w.measure(m)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.latest.Add(m)
	return nil
}

// noticeTexts are the notices for errors in the process; each is printed once.
var noticeTexts = map[counters.Kind]string{
	counters.TimeSeriesLimit: "the process has more time series than --max-time-series requests, and leaves some out",
	counters.HistogramLimit:  "the process has more histograms than --max-histograms requests, and leaves some out",
	counters.CallbackError:   "an instrument of the process failed: ",
	counters.SessionError:    "the process cannot report on its Meters: ",
}

func unsuitedText(m *counters.Mismatch) string {
	return fmt.Sprintf("the shared session runs with a refresh interval of %s s, %s time series and %s histograms, not with %s s, %s and %s; counters uses its settings",
		display.Printable(m.ExpectedRefreshInterval), display.Printable(m.ExpectedMaxTimeSeries), display.Printable(m.ExpectedMaxHistograms),
		display.Printable(m.RefreshSeconds), display.Printable(m.MaxTimeSeries), display.Printable(m.MaxHistograms))
}

func (w *watcher) measure(m *counters.Message) error {
	if len(w.chosen) > 0 && !w.chosen.Contains(&m.Value) {
		w.leaveOut(m.Value.Provider)
		return nil
	}
	w.noticeInterval(&m.Value)
	w.mu.Lock()
	w.latest.Add(m)
	w.mu.Unlock()
	return exit.WriteError(w.out.value(m))
}

// leaveOut notes the provider of a counter that was not chosen.
func (w *watcher) leaveOut(provider string) {
	const maxProviders = 20
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.others) < maxProviders && !slices.Contains(w.others, provider) {
		w.others = append(w.others, provider)
	}
}

// empty reports whether no value of a chosen counter has come.
func (w *watcher) empty() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.latest.Series()) == 0
}

// silent returns the names of the chosen instruments without a value. The caller holds mu.
func (w *watcher) silent() (names []string) {
	for _, i := range w.latest.Silent() {
		v := counters.Value{Source: counters.Meters, Provider: i.Meter, Name: i.Name}
		if len(w.chosen) > 0 && !w.chosen.Contains(&v) {
			continue
		}
		name := i.Meter + "/" + i.Name
		if i.Unit != "" {
			name += " (" + i.Unit + ")"
		}
		names = append(names, name)
	}
	return names
}

// nothing returns the reason why there is no value.
func (w *watcher) nothing() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	silent := w.silent()
	switch {
	case len(silent) > 0:
		return "no value of the instruments " + display.Printable(strings.Join(silent, ", "))
	case len(w.others) > 0:
		slices.Sort(w.others)
		return "no counter matches --counters; there are counters of " + display.Printable(strings.Join(w.others, ", "))
	case w.title != "":
		return "no value of the requested counters: the process may have no counters with these names"
	}
	return "no counters: the recording did not request any; collect --provider System.Runtime:0:4:EventCounterIntervalSec=1 records those of the runtime"
}

// reportEmpty reports that no value came, which is a failure.
func (w *watcher) reportEmpty(p *run.Program, name string) {
	if w.empty() {
		p.Complain("%v", input.FileError(name, errors.New(w.nothing())))
		p.Raise(exit.Broken)
		return
	}
	for _, text := range w.unmatched() {
		p.Complain("%v", input.FileError(name, fmt.Errorf("warning: --counters: %q matches no counter", text)))
	}
}

// unmatched returns the chosen sources and counters of which no value came. It returns none if
// values were left out.
func (w *watcher) unmatched() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.latest.Dropped() > 0 {
		return nil
	}
	var texts []string
	check := func(text string, c counters.Choice) {
		if !slices.ContainsFunc(w.latest.Series(), func(s *counters.Series) bool { return counters.Selection{c}.Contains(&s.Last) }) {
			texts = append(texts, text)
		}
	}
	for _, c := range w.chosen {
		if len(c.Counters) == 0 {
			check(c.Provider, c)
		}
		for _, name := range c.Counters {
			one := c
			one.Counters = []string{name}
			check(c.Provider+"["+name+"]", one)
		}
	}
	return texts
}

// noticeInterval adds a notice when the interval in use is not the requested
// one.
func (w *watcher) noticeInterval(v *counters.Value) {
	if w.session.ID == "" || v.Asked == 0 || v.Asked == w.interval {
		return
	}
	w.notice(fmt.Sprintf("%s of %s come every %v, not every %v: another client requested that interval",
		v.Source, display.Printable(v.Provider), v.Asked, w.interval))
}

// notice adds a notice that is to be printed, once.
func (w *watcher) notice(text string) {
	const maxNotices = 100
	if len(w.notices) < maxNotices && !slices.Contains(w.notices, text) {
		w.notices = append(w.notices, text)
	}
}

// printNotices prints the notices since its last call.
func (w *watcher) printNotices(p *run.Program) {
	for ; w.printed < len(w.notices); w.printed++ {
		p.Complain("%s", w.notices[w.printed])
	}
}

// sum prints at the end the number of values and events that were left out.
func (w *watcher) sum(p *run.Program) {
	w.printNotices(p)
	if w.bad > 0 {
		p.Complain("warning: %s malformed, the first: %v", display.Counted(w.bad, "event"), w.firstBad)
	}
	w.mu.Lock() // --listen still answers requests
	n, silent := w.latest.Dropped(), w.silent()
	none := len(w.latest.Series()) == 0
	w.mu.Unlock()
	if len(silent) > 0 && !none && !w.out.lists() { // otherwise reportEmpty names them
		p.Complain("note: instruments without a value: %s", display.Printable(strings.Join(silent, ", ")))
	}
	if n > 0 {
		p.Complain("warning: %s left out: there are more time series than counters keeps", display.Counted(n, "value"))
	}
}

// pausing calls a function before each read of a stream, which may stay silent.
type pausing struct {
	src    io.Reader
	before func()
}

func (s *pausing) Read(b []byte) (int, error) {
	s.before()
	return s.src.Read(b)
}
