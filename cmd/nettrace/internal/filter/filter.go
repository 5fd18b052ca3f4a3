// Package filter has the flags that choose events: by provider, name, ID, level, keyword,
// thread, process and time.
package filter

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// Criteria are the values of the flags that choose events.
type Criteria struct {
	Providers []string // names or globs, each with commas between several
	Events    []string // ids, ranges of ids, and names or globs
	Threads   []string // ids or ranges of ids
	Processes []string // likewise
	Level     string   // the highest: a number or a name; empty: any
	Keywords  string   // a mask, of which an event must have a bit; empty: any
	From, To  string   // the period, see ParseMoment
}

// AddFlags adds all of these flags to a command.
func (o *Criteria) AddFlags(cmd *cobra.Command) {
	o.AddEventFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.Level, "level", "", "only events of this `LEVEL` or more severe: critical (1), error (2), warning (3), informational (4) or verbose (5); events of level 0 always match")
	f.StringVar(&o.Keywords, "keyword", "", "events with a keyword of this `MASK`: 0x8010; events without keywords do not match")
}

// AddEventFlags adds the flags for the provider, event, thread, process and time.
func (o *Criteria) AddEventFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.Providers, "provider", nil, "`NAMES` or globs of providers: Microsoft-*,Contoso; letter case is ignored")
	f.StringSliceVar(&o.Events, "event", nil, "`IDS`, ranges, names or globs of events: 10,200-210,GC*; letter case is ignored")
	o.AddThreadFlags(cmd)
}

// AddThreadFlags adds the flags for the thread, process and time.
func (o *Criteria) AddThreadFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.Threads, "thread", nil, "operating-system `IDS` or ranges of threads: 12,100-200")
	f.StringSliceVar(&o.Processes, "process", nil, "operating-system `IDS` or ranges of processes: 12,100-200")
	f.StringVar(&o.From, "from", "", "leave out events before this `TIME`: a duration from the sync time (2s, 1m30s), or RFC 3339")
	f.StringVar(&o.To, "to", "", "leave out events at this `TIME` or later")
}

// Help is the paragraph about these flags in the help of a command.
const Help = "A filter takes a list with commas; repeating it adds to the list. An event must match one value of\n" +
	"each filter that is given."

// Filter chooses events. An event must match every criterion that is given, and one of
// its values.
type Filter struct {
	providers          patterns
	events             eventSet
	threads, processes numbers
	level              uint64
	hasLevel           bool
	keywords           uint64
	hasKeywords        bool
	time               codec.TimeRange

	// rowMatches on metadata rows, by the low bits of their id
	rowMatches [256]rowMatch

	missed missed
	values [listFlags]values
}

// rowMatch says whether events of a metadata row can match, by provider, name
// and id.
type rowMatch struct {
	metadata *codec.Metadata
	version  uint32
	match    bool
}

// Period returns the period of --from and --to.
func (o *Criteria) Period() (Period, error) { return ParsePeriod(o.From, o.To) }

// Parse makes a filter of the flags.
func (o *Criteria) Parse() (*Filter, error) {
	f := &Filter{hasLevel: o.Level != "", hasKeywords: o.Keywords != ""}
	providers := splitLists(o.Providers)
	if slices.Contains(providers, "") {
		return nil, errors.New("--provider: the value is empty")
	}
	var err error
	for _, step := range []func() error{
		func() error { f.providers, err = parsePatterns("provider", providers); return err },
		func() error { f.events, err = parseEvents(o.Events); return err },
		func() error { f.threads.ranges, err = ParseRanges("thread", o.Threads); return err },
		func() error { f.processes.ranges, err = ParseRanges("process", o.Processes); return err },
		func() error { f.level, err = parseLevel(o.Level); return err },
		func() error { f.keywords, err = ParseNumber("keyword", o.Keywords); return err },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	f.values = [listFlags]values{
		providerValues: newValues("provider", providers), eventValues: newValues("event", f.events.texts),
		threadValues: newValues("thread", o.Threads), processValues: newValues("process", o.Processes),
	}
	f.threads.values, f.processes.values = &f.values[threadValues], &f.values[processValues]
	return f, nil
}

// SetTime makes the filter match events of a time range only.
func (f *Filter) SetTime(r codec.TimeRange) { f.time = r }

// AboutThreads reports whether the filter chooses events by thread or process.
func (f *Filter) AboutThreads() bool { return f.threads.ranges != nil || f.processes.ranges != nil }

// MatchProvider reports whether events of a provider can match.
func (f *Filter) MatchProvider(name string) bool { return f.providers.match(name) }

// MatchThread reports whether events of a thread can match. id is used where the
// stream has no row for the thread, t is nil then.
func (f *Filter) MatchThread(id uint64, t *codec.Thread) bool {
	if t == nil {
		return f.threads.match(id, true)
	}
	return f.threads.match(t.ThreadID, t.HasThreadID) && (!t.HasProcessID || f.processes.match(t.ProcessID, true))
}

// Match reports whether an event is wanted, and counts those that are not.
func (f *Filter) Match(e *codec.Event) bool {
	switch {
	case !f.time.Contains(e.Timestamp):
		f.missed.atTime(e.Timestamp)
	case !f.matchType(e):
		f.missed.count[byType]++
	case f.hasLevel && uint64(e.Level()) > f.level:
		f.missed.count[byLevel]++
	case f.hasKeywords && e.Keywords()&f.keywords == 0:
		f.missed.count[byKeyword]++
	case !f.threads.matchEvent(e.ThreadID()):
		f.missed.count[byThread]++
	case !f.processes.matchEvent(e.ProcessID()):
		f.missed.count[byProcess]++
	default:
		return true
	}
	return false
}

// Given reports whether any flag of the filter was given.
func (f *Filter) Given() bool {
	for c := range criteria {
		if f.flags(c) != "" {
			return true
		}
	}
	return false
}

// matchType looks at what all events of a metadata row have in common, once for
// each row.
func (f *Filter) matchType(e *codec.Event) bool {
	if f.providers == nil && f.events.all() {
		return true
	}
	m := e.Metadata()
	if m == nil {
		return false
	}
	v := &f.rowMatches[e.MetadataID%uint32(len(f.rowMatches))]
	if version := e.Version(); v.metadata != m || v.version != version {
		match := f.providers == nil || f.values[providerValues].mark(func(i int) bool { return f.providers[i : i+1].match(m.Provider) })
		if !match {
			f.missed.provider(m.Provider)
		}
		match = match && (f.events.all() || f.events.mark(&f.values[eventValues], m.EventID, ndjson.EventName(m, version)))
		*v = rowMatch{m, version, match}
	}
	return v.match
}

// patterns are lower-case globs; none matches everything.
type patterns []string

// globText lets * and ? match a slash like any other character.
func globText(s string) string { return strings.ReplaceAll(strings.ToLower(s), "/", "\x00") }

func parsePatterns(flag string, list []string) (patterns, error) {
	var parsed patterns
	for _, text := range list {
		glob := globText(text)
		if _, err := path.Match(glob, ""); err != nil {
			return nil, fmt.Errorf("--%s: %q is no pattern", flag, text)
		}
		parsed = append(parsed, glob)
	}
	return parsed, nil
}

func (p patterns) match(s string) bool {
	text := globText(s)
	for _, glob := range p {
		if ok, _ := path.Match(glob, text); ok || glob == text {
			return true
		}
	}
	return p == nil
}

// ranges are numbers, from and to included; none matches everything, also what
// is unknown.
type ranges [][2]uint64

// eventSet is a choice of events by id or name. The zero value chooses all.
type eventSet struct {
	ids   ranges
	names patterns
	texts []string // of the ids and then of the names
}

// eventIDs matches an id, a range of ids, and a range without its end.
var eventIDs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?i)(0x[0-9a-f]+|[0-9]+)(-.*)?$`) })

// parseEvents reads the values of --event.
func parseEvents(list []string) (eventSet, error) {
	var ids, names []string
	for _, text := range list {
		if eventIDs().MatchString(text) {
			ids = append(ids, text)
		} else {
			names = append(names, text)
		}
	}
	s := eventSet{texts: slices.Concat(ids, names)}
	var err error
	if s.ids, err = ParseRanges("event", ids); err != nil {
		return s, err
	}
	s.names, err = parsePatterns("event", names)
	return s, err
}

// all reports whether the set has each event.
func (s *eventSet) all() bool { return s.ids == nil && s.names == nil }

// mark reports whether a set that is not all has an event, and marks the values that do.
func (s *eventSet) mark(v *values, id uint32, name string) bool {
	return v.mark(func(i int) bool {
		if n := i - len(s.ids); n >= 0 {
			return s.names[n : n+1].match(name)
		}
		return s.ids[i:i+1].match(uint64(id), true)
	})
}

// splitLists splits each text at its commas, and removes white space around the words.
func splitLists(lists []string) []string {
	var words []string
	for _, list := range lists {
		for word := range strings.SplitSeq(list, ",") {
			words = append(words, strings.TrimSpace(word))
		}
	}
	return words
}

// ParseRanges reads the numbers, and ranges such as 10-20, of a flag.
func ParseRanges(flag string, list []string) (ranges, error) {
	var parsed ranges
	for _, text := range list {
		low, high, isRange := strings.Cut(text, "-")
		if !isRange {
			high = low
		}
		from, err := ParseNumber(flag, low)
		if err != nil {
			return nil, err
		}
		to, err := ParseNumber(flag, high)
		if err != nil {
			return nil, err
		}
		if low == "" || high == "" || from > to {
			return nil, fmt.Errorf("--%s: %q is no range", flag, text)
		}
		parsed = append(parsed, [2]uint64{from, to})
	}
	return parsed, nil
}

func (r ranges) match(n uint64, known bool) bool {
	for _, span := range r {
		if known && n >= span[0] && n <= span[1] {
			return true
		}
	}
	return r == nil
}

// parseLevel reads a level by its number or its name.
func parseLevel(text string) (uint64, error) {
	names := []string{"always", "critical", "error", "warning", "informational", "verbose"}
	if i := slices.Index(names, strings.ToLower(text)); i >= 0 {
		return uint64(i), nil
	}
	n, err := ParseNumber("level", text)
	if err != nil {
		return 0, fmt.Errorf("--level: %q is neither a number nor one of %s", text, strings.Join(names[1:], ", "))
	}
	return n, nil
}

// ParseNumber reads a decimal number, or a hexadecimal one after 0x, of a flag. An empty
// text is 0.
func ParseNumber(flag, text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	digits, base := strings.TrimSpace(text), 10
	if lower := strings.ToLower(digits); strings.HasPrefix(lower, "0x") {
		digits, base = lower[2:], 16
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return 0, fmt.Errorf("--%s: %q is no number", flag, text)
	}
	return n, nil
}
