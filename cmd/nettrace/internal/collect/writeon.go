package collect

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/analysis/trigger"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/units"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// The defaults of the flags about rules.
const (
	defaultCooldown = time.Minute
	defaultMaxFiles = 20
)

// writing has the flags about rules.
type writing struct {
	writeOn  []string
	cooldown time.Duration
	maxFiles int
	maxDisk  string

	rules    []*trigger.Rule // of writeOn
	added    []eventpipe.Provider
	maxBytes int64 // of maxDisk; 0: no bound
}

// checkRules parses the flags about rules. changed reports whether a flag was
// given.
func (o *options) checkRules(changed func(flag string) bool) (err error) {
	if len(o.writeOn) == 0 {
		for _, flag := range []string{"cooldown", "max-files", "max-disk"} {
			if changed(flag) {
				return fmt.Errorf("--%s has no effect without --write-on", flag)
			}
		}
		return nil
	}
	switch {
	case o.ring == "":
		return errors.New("--write-on needs --ring: the part that is written (--ring 60s)")
	case o.output == output.Stdout:
		return errors.New("--write-on writes files: no -o -")
	case o.cooldown < 0:
		return fmt.Errorf("--cooldown: %v is negative", o.cooldown)
	case o.maxFiles < 0:
		return fmt.Errorf("--max-files: %d is negative", o.maxFiles)
	}
	if o.maxDisk != "" {
		if o.maxBytes, err = units.ParseSize(o.maxDisk); err != nil {
			return exit.Named("--max-disk", err)
		}
	}
	for _, text := range o.writeOn {
		rule, err := trigger.Parse(text)
		if err != nil {
			return withNearest("--write-on", err)
		}
		o.rules = append(o.rules, rule)
	}
	return nil
}

// addRules adds what the rules need to the session.
func (o *options) addRules() (err error) {
	if len(o.rules) == 0 {
		return nil
	}
	o.session.Providers, o.added, err = trigger.Session(o.rules, o.session.Providers)
	return withNearest("--write-on", err)
}

// addMeters adds the Meters of the rules to the session of a process. The
// settings are those of the shared session if one is running.
func (r *recording) addMeters(cfg *eventpipe.SessionConfig) {
	chosen := trigger.Meters(r.o.rules)
	if len(chosen) == 0 {
		return
	}
	r.meters = r.a.CounterSession()
	added := eventpipe.Provider{
		Name: counters.MetersProvider, Keywords: counters.MetersKeywords, Level: counters.Level,
		Arguments: r.meters.Arguments(chosen, counters.Settings{}),
	}
	cfg.Providers = append(cfg.Providers[:len(cfg.Providers):len(cfg.Providers)], added)
}

// printAdded prints what the rules added to the session.
func (r *recording) printAdded() {
	var texts []string
	for _, p := range r.o.added {
		text := p.Name
		if p.Keywords != 0 || p.Arguments == "" {
			text += fmt.Sprintf(":0x%x:%d", p.Keywords, p.Level)
		}
		texts = append(texts, text)
	}
	for _, c := range trigger.Meters(r.o.rules) {
		texts = append(texts, fmt.Sprintf(`%s[%s]`, c.Provider, strings.Join(c.Counters, ",")))
	}
	if texts != nil {
		r.p.Complain("the rules add to the session: %s", strings.Join(texts, ", "))
	}
}

// ruleWatch checks the rules of a recording, and writes the ring when one becomes
// true.
type ruleWatch struct {
	r       *recording
	matcher *trigger.Matcher
	fired   chan trigger.Firing
	quit    chan struct{}
	done    chan struct{}
	left    []trigger.Firing // that no file has, when run has returned
	written bool             // all files were written
	blind   bool             // a rule saw no values because the process reports no Meters, when end has returned

	refused bool // the process reports no Meters
	checked bool // that counters have values
}

// maxFired bounds the firings that wait for a file.
const maxFired = 1000

// settleTime is the time between a firing and the file. A runtime sends its
// events every 100 ms, those of one thread after those of another one: the file
// shall have the events of all threads.
const settleTime = 250 * time.Millisecond

// watchRules starts a ruleWatch.
func (r *recording) watchRules() *ruleWatch {
	w := &ruleWatch{r: r, fired: make(chan trigger.Firing, maxFired), quit: make(chan struct{}), done: make(chan struct{}), written: true}
	w.matcher = trigger.NewMatcher(r.o.rules, trigger.Options{Cooldown: r.o.cooldown, OnFire: w.fire, OnMessage: w.message})
	go w.run()
	return w
}

// fire handles a rule that became true. It does not block: the process waits for
// the reader of its stream.
func (w *ruleWatch) fire(f trigger.Firing) {
	select {
	case w.fired <- f:
	default: // a file that waits to be written has this moment too
	}
}

// message handles a message about Meters.
func (w *ruleWatch) message(m counters.Message) {
	if relation := w.r.meters.Classify(&m); !w.refused && (relation == counters.Refused || relation == counters.OtherSettings) {
		w.refused = true
		w.r.p.Complain("warning: %s: another client receives the Meters of the process: rules about Meters see no values", w.r.a.Title)
	}
	if m.Kind == counters.SessionError && !w.refused {
		w.refused = true
		w.r.p.Complain("warning: %s: the process cannot report on its Meters: %s", w.r.a.Title, m.Text)
	}
}

// run writes files until quit is closed.
func (w *ruleWatch) run() {
	defer close(w.done)
	for {
		select {
		case f := <-w.fired:
			w.left = append(w.left, f)
		case <-w.quit:
			w.takeFired()
			return
		}
		select {
		case <-time.After(settleTime):
		case <-w.quit:
			w.takeFired()
			return
		}
		w.takeFired()
		w.printFired()
		why := moment{reasonRule, w.left}
		w.left = nil
		w.written = w.r.dump(why) && w.written
	}
}

// takeFired takes the firings that came meanwhile.
func (w *ruleWatch) takeFired() {
	for {
		select {
		case f := <-w.fired:
			w.left = append(w.left, f)
		default:
			return
		}
	}
}

// printFired prints the first firing of each rule that no file has.
func (w *ruleWatch) printFired() {
	var printed []*trigger.Rule
	for _, f := range w.left {
		if !slices.Contains(printed, f.Rule) {
			printed = append(printed, f.Rule)
			w.r.p.Complain("%s: rule %q at %s: %s", w.r.a.Title, f.Rule, f.Time.Local().Format("15:04:05.000"), f.Text)
		}
	}
}

// end ends the watch. It returns the firings that no file has.
func (w *ruleWatch) end() []trigger.Firing {
	close(w.quit)
	<-w.done
	w.printFired()
	for _, s := range w.matcher.Status() {
		text := fmt.Sprintf("rule %q was true %s", s.Rule, times(s.Fired+s.Suppressed))
		if s.Suppressed > 0 {
			text += fmt.Sprintf(", of which %s in its cooldown", times(s.Suppressed))
		}
		if s.Seen == 0 && s.Rule.IsCounter() {
			text += ": the process sent no value of the counter"
			w.blind = w.blind || w.refused
		}
		if s.LeftOut > 0 {
			text += fmt.Sprintf("; not compared: %s of more than 10,000 time series", display.Counted(s.LeftOut, "value"))
		}
		if s.Forgotten > 0 {
			text += fmt.Sprintf("; not compared: %s, more than 65,536 were open at once", display.Counted(s.Forgotten, "interval"))
		}
		w.r.p.Complain("%s: %s", w.r.a.Title, text)
	}
	return w.left
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// silentAfter is the time without a value after which a counter probably does not
// exist.
const silentAfter = 15 * time.Second

// checkSilent prints a warning for each rule about a counter without values, once.
func (w *ruleWatch) checkSilent() {
	if w.checked || time.Since(w.r.started) < silentAfter {
		return
	}
	w.checked = true
	for _, s := range w.matcher.Status() {
		if s.Seen == 0 && s.Rule.IsCounter() {
			w.r.p.Complain("warning: %s: rule %q: the process has sent no value so far: check the name (nettrace counters --counters)", w.r.a.Title, s.Rule)
		}
	}
}

// storeName returns the stem and the extension of the names of the files.
func (r *recording) storeName() (stem, extension string) {
	if r.o.ownName {
		return r.a.ProgramName(), ".nettrace"
	}
	return r.o.stem, r.o.extension
}
