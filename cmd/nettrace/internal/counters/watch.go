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

// watcher takes the counters out of a stream, keeps the last values and hands
// those that are wanted to the output.
type watcher struct {
	out      counterSink
	chosen   counters.Selection // all when empty
	session  counters.Session
	any      bool // values of every session of Meters are taken
	interval time.Duration

	decoder  counters.Decoder
	notices  []string
	told     int   // of notices
	bad      int64 // events that do not say what they should
	firstBad error

	title string // of the process, "" of a file

	mu     sync.Mutex // guards what follows
	latest counters.Latest
	others []string // providers with counters that were not chosen
}

func newWatcher(o *options, session counters.Session) *watcher {
	return &watcher{out: noSink{}, chosen: o.chosen, session: session, any: o.anySession, interval: o.interval}
}

// errUnsuited says that the shared session runs with other settings.
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

// take does with a message what it is for.
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

// noticeTexts are said once of what goes wrong in the process.
var noticeTexts = map[counters.Kind]string{
	counters.TimeSeriesLimit: "the process has more time series than were asked for, and leaves some out (--max-time-series)",
	counters.HistogramLimit:  "the process has more histograms than were asked for, and leaves some out (--max-histograms)",
	counters.CallbackError:   "an instrument of the process failed: ",
	counters.SessionError:    "the process cannot report on its Meters: ",
}

func unsuitedText(m *counters.Mismatch) string {
	return fmt.Sprintf("the shared session runs with a refresh interval of %s s, %s time series and %s histograms, not with %s s, %s and %s: taken as it is",
		display.Printable(m.ExpectedRefreshInterval), display.Printable(m.ExpectedMaxTimeSeries), display.Printable(m.ExpectedMaxHistograms),
		display.Printable(m.RefreshSeconds), display.Printable(m.MaxTimeSeries), display.Printable(m.MaxHistograms))
}

func (w *watcher) measure(m *counters.Message) error {
	if len(w.chosen) > 0 && !w.chosen.Contains(&m.Value) {
		w.leaveOut(m.Value.Provider)
		return nil
	}
	w.heed(&m.Value)
	w.mu.Lock()
	w.latest.Add(m)
	w.mu.Unlock()
	return exit.WriteError(w.out.value(m))
}

// leaveOut notes the provider of a counter that was not chosen.
func (w *watcher) leaveOut(provider string) {
	const most = 20
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.others) < most && !slices.Contains(w.others, provider) {
		w.others = append(w.others, provider)
	}
}

// empty reports whether no value of a chosen counter has come.
func (w *watcher) empty() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.latest.Series()) == 0
}

// nothing explains why there is no value.
func (w *watcher) nothing() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case len(w.others) > 0:
		slices.Sort(w.others)
		return "no counter matches --counters; there are counters of " + display.Printable(strings.Join(w.others, ", "))
	case w.title != "":
		return "no value of the counters that were asked for: the process may have none of these names"
	}
	return "no counters: nobody asked for them when it was recorded"
}

// judgeEmpty reports that no value came, which is a failure.
func (w *watcher) judgeEmpty(p *run.Program, name string) {
	if w.empty() {
		p.Complain("%v", input.FileError(name, errors.New(w.nothing())))
		p.Raise(exit.Broken)
	}
}

// heed tells when the interval in force is not the one that was asked for.
func (w *watcher) heed(v *counters.Value) {
	if w.session.ID == "" || v.Asked == 0 || v.Asked == w.interval {
		return
	}
	w.notice(fmt.Sprintf("%s of %s come every %v, not every %v: another client asked for that",
		v.Source, display.Printable(v.Provider), v.Asked, w.interval))
}

// notice keeps what is to be told, once.
func (w *watcher) notice(text string) {
	const most = 100
	if len(w.notices) < most && !slices.Contains(w.notices, text) {
		w.notices = append(w.notices, text)
	}
}

// tell prints the notices that have come since it was last called.
func (w *watcher) tell(p *run.Program) {
	for ; w.told < len(w.notices); w.told++ {
		p.Complain("%s", w.notices[w.told])
	}
}

// sum tells at the end what was left out.
func (w *watcher) sum(p *run.Program) {
	w.tell(p)
	if w.bad > 0 {
		p.Complain("warning: %s not understood, the first: %v", display.Counted(w.bad, "event"), w.firstBad)
	}
	if n := w.latest.Dropped(); n > 0 {
		p.Complain("warning: %s left out: there are more time series than are kept", display.Counted(n, "value"))
	}
}

// pausing calls before each read of a stream that may stay silent.
type pausing struct {
	src    io.Reader
	before func()
}

func (s *pausing) Read(b []byte) (int, error) {
	s.before()
	return s.src.Read(b)
}
