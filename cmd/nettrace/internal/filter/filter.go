// Package filter has the flags that choose events: by provider, name, ID, level, keyword,
// thread, process and time.
package filter

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// Criteria are the flags that choose events.
type Criteria struct {
	Providers []string // globs
	Names     []string // globs of names of events
	IDs       []string // numbers and ranges
	Threads   []string // numbers and ranges
	Processes []string // numbers and ranges
	Level     string   // the highest: a number or a name; empty: any
	Keywords  string   // a mask, of which an event must have a bit; empty: any
}

// Filter chooses events. An event must match every criterion that is given, and one of
// its values.
type Filter struct {
	providers, names        patterns
	ids, threads, processes ranges
	level                   uint64
	hasLevel                bool
	keywords                uint64
	hasKeywords             bool
	time                    codec.TimeRange

	// verdicts on metadata rows, by the low bits of their id
	verdicts [256]verdict

	missed missed
}

// verdict says whether events of a metadata row can match, by provider, name
// and id.
type verdict struct {
	metadata *codec.Metadata
	version  uint32
	match    bool
}

// Parse makes a filter of the flags.
func (o *Criteria) Parse() (*Filter, error) {
	f := &Filter{hasLevel: o.Level != "", hasKeywords: o.Keywords != ""}
	var err error
	for _, step := range []func() error{
		func() error { f.providers, err = parsePatterns("provider", o.Providers); return err },
		func() error { f.names, err = parsePatterns("name", o.Names); return err },
		func() error { f.ids, err = ParseRanges("id", o.IDs); return err },
		func() error { f.threads, err = ParseRanges("thread", o.Threads); return err },
		func() error { f.processes, err = ParseRanges("process", o.Processes); return err },
		func() error { f.level, err = parseLevel(o.Level); return err },
		func() error { f.keywords, err = ParseNumber("keyword", o.Keywords); return err },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// SetTime makes the filter match events of a time range only.
func (f *Filter) SetTime(r codec.TimeRange) { f.time = r }

// AboutThreads reports whether the filter chooses events by thread or process.
func (f *Filter) AboutThreads() bool { return f.threads != nil || f.processes != nil }

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
	case !f.threads.match(e.ThreadID()):
		f.missed.count[byThread]++
	case !f.processes.match(e.ProcessID()):
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
	if f.providers == nil && f.names == nil && f.ids == nil {
		return true
	}
	m := e.Metadata()
	if m == nil {
		return false
	}
	v := &f.verdicts[e.MetadataID%uint32(len(f.verdicts))]
	if version := e.Version(); v.metadata != m || v.version != version {
		match := f.providers.match(m.Provider)
		if !match {
			f.missed.provider(m.Provider)
		}
		match = match && f.names.match(ndjson.EventName(m, version)) && f.ids.match(uint64(m.EventID), true)
		*v = verdict{m, version, match}
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
	return ParseNumber("level", text)
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
