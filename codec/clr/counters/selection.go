package counters

import (
	"fmt"
	"slices"
	"strings"
)

// Selection selects the counters of all its choices. An empty Selection selects
// none.
type Selection []Choice

// Choice selects counters of a source.
type Choice struct {
	Provider string   // name of an EventSource or a Meter; with * at its end, all names with that prefix
	Counters []string // names of counters; empty means all
	// EventCountersOnly excludes the Meter with that name.
	EventCountersOnly bool
}

// Default returns the default selection of counters: the EventCounters of System.Runtime.
// It has no Meters: while a session records Meters, a process can hang at its end.
func Default() Selection { return Selection{{Provider: "System.Runtime", EventCountersOnly: true}} }

// String returns the selection in the form of ParseSelection.
func (s Selection) String() string {
	var words []string
	for i := range s {
		word := s[i].Provider
		if s[i].EventCountersOnly {
			word = eventCountersPrefix + word
		}
		if len(s[i].Counters) > 0 {
			word += "[" + strings.Join(s[i].Counters, ",") + "]"
		}
		words = append(words, word)
	}
	return strings.Join(words, ",")
}

// eventCountersPrefix is the prefix of the name of a provider whose Meter is not
// wanted.
const eventCountersPrefix = `EventCounters\`

// ParseSelection parses the syntax of dotnet-counters:
// "Provider,Provider[counter,counter],EventCounters\Provider".
func ParseSelection(text string) (Selection, error) {
	var s Selection
	for rest := strings.TrimSpace(text); ; {
		end := strings.IndexAny(rest, ",[]")
		name, list := rest, ""
		switch {
		case end < 0:
			rest = ""
		case rest[end] == ']':
			return nil, fmt.Errorf("%q: a ] without a [", text)
		case rest[end] == ',':
			name, rest = rest[:end], rest[end+1:]
		default:
			closing := strings.IndexByte(rest, ']')
			if closing < 0 {
				return nil, fmt.Errorf("%q: a [ without a ]", text)
			}
			name, list, rest = rest[:end], rest[end+1:closing], strings.TrimSpace(rest[closing+1:])
			if rest != "" && rest[0] != ',' {
				return nil, fmt.Errorf("%q: no comma after a ]", text)
			}
			if list = strings.TrimSpace(list); list == "" {
				return nil, fmt.Errorf("%q: nothing between [ and ]", text)
			}
			rest = strings.TrimPrefix(rest, ",")
		}
		choice, err := newChoice(name, list)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		s = append(s, choice)
		if rest = strings.TrimSpace(rest); rest == "" {
			return s, nil
		}
	}
}

func newChoice(name, list string) (c Choice, err error) {
	c.Provider, c.EventCountersOnly = strings.CutPrefix(strings.TrimSpace(name), eventCountersPrefix)
	if c.Provider == "" {
		return c, fmt.Errorf("a provider without a name")
	}
	if list == "" {
		return c, nil
	}
	for counter := range strings.SplitSeq(list, ",") {
		if counter = strings.TrimSpace(counter); counter == "" {
			return c, fmt.Errorf("a counter of %s without a name", c.Provider)
		}
		c.Counters = append(c.Counters, counter)
	}
	return c, nil
}

// Contains reports whether a value belongs to a selected counter.
func (s Selection) Contains(v *Value) bool {
	return slices.ContainsFunc(s, func(c Choice) bool {
		return c.has(v.Provider) && !(c.EventCountersOnly && v.Source == Meters) &&
			(len(c.Counters) == 0 || slices.Contains(c.Counters, v.Name))
	})
}

func (c *Choice) has(provider string) bool {
	if start, ok := strings.CutSuffix(c.Provider, "*"); ok {
		return strings.HasPrefix(provider, start)
	}
	return c.Provider == provider
}

// EventSources returns the providers of EventCounters to request from a runtime
// of a major version, each once. It leaves out names with *, which cannot be
// requested. From .NET 9 on, System.Runtime is also a Meter with the same
// values; its EventCounters are requested only if they are selected by name.
func (s Selection) EventSources(major int) []string {
	const asMeter, since = "System.Runtime", 9
	var names []string
	for i := range s {
		c := &s[i]
		if strings.HasSuffix(c.Provider, "*") || slices.Contains(names, c.Provider) {
			continue
		}
		if c.Provider == asMeter && major >= since && len(c.Counters) == 0 && !c.EventCountersOnly {
			continue
		}
		names = append(names, c.Provider)
	}
	return names
}

// Meters reports whether the selection has a Meter.
func (s Selection) Meters() bool { return s.metrics() != "" }

// metrics is the list of Meters and instruments in the form of the provider
// System.Diagnostics.Metrics.
func (s Selection) metrics() string {
	var words []string
	for i := range s {
		c := &s[i]
		switch {
		case c.EventCountersOnly:
		case len(c.Counters) == 0:
			words = append(words, c.Provider)
		default:
			for _, name := range c.Counters {
				words = append(words, c.Provider+`\`+name)
			}
		}
	}
	return strings.Join(words, ",")
}
