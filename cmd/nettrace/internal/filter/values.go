package filter

import "fmt"

// The flags with lists.
const (
	providerValues = iota
	eventValues
	threadValues
	processValues
	listFlags
)

// values are the values of a flag with a list, and which of them matched an event.
type values struct {
	flag    string
	texts   []string
	matched []bool
}

func newValues(flag string, texts []string) values {
	return values{flag, texts, make([]bool, len(texts))}
}

// mark marks the values that match, and reports whether any does.
func (v *values) mark(match func(i int) bool) bool {
	found := false
	for i := range v.matched {
		if match(i) {
			v.matched[i], found = true, true
		}
	}
	return found
}

// numbers are the ranges of a flag, with the last number and whether it matched: events of
// one thread often follow each other.
type numbers struct {
	ranges
	values    *values
	last      uint64
	known, in bool
}

// matchEvent reports whether the number of an event is in one of the ranges, and marks those.
func (n *numbers) matchEvent(number uint64, known bool) bool {
	if n.ranges == nil {
		return true
	}
	if number != n.last || known != n.known {
		n.last, n.known = number, known
		n.in = n.values.mark(func(i int) bool { return n.ranges[i:i+1].match(number, known) })
	}
	return n.in
}

// Unmatched returns a warning for each value of a list that matched no event.
func (f *Filter) Unmatched() []string {
	var texts []string
	for _, v := range f.values {
		for i, text := range v.texts {
			if !v.matched[i] {
				texts = append(texts, fmt.Sprintf("warning: --%s: %q matches no event", v.flag, text))
			}
		}
	}
	return texts
}
