package trigger

import (
	"strconv"
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestGlob matches texts with asterisks.
func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true},
		{"", "a", false},
		{"a", "a", true},
		{"a", "ab", false},
		{"*", "", true},
		{"a*", "ab", true},
		{"a*", "ba", false},
		{"*a", "ba", true},
		{"*a", "ab", false},
		{"a*a", "a", false},
		{"a*a", "aa", true},
		{"*ab*b", "ab", false},
		{"*ab*b", "xabxb", true},
		{"*a*b*", "ba", false},
		{"*a*b*", "xaxbx", true},
	} {
		t.Run(c.pattern+" "+c.text, func(t *testing.T) {
			p := glob(c.pattern)
			expect.Equal(t, "matches", p.matches([]byte(c.text)), c.want)
		})
	}
}

// TestPairsForget: nothing is kept of intervals that have ended, of those that
// began before the recording neither.
func TestPairsForget(t *testing.T) {
	var p pairs
	p.event(1, stops, 50)
	p.event(1, starts, 100)
	p.event(1, stops, 150)
	expect.Equal(t, "open intervals", len(p.open), 0)
}

// TestPairsForgotten counts the open intervals that are removed.
func TestPairsForgotten(t *testing.T) {
	var p pairs
	for key := range uint64(maxPairs) + 1 {
		p.event(key, starts, 1)
	}
	expect.Equal(t, "forgotten intervals", p.forgotten, maxPairs)
}

// TestStatusBounds: the counts of the bounds are in Status.
func TestStatusBounds(t *testing.T) {
	rules := []*Rule{parsed(t, "My-Source/load > 1"), parsed(t, "request > 2s")}
	m := NewMatcher(rules, Options{})
	for i := range maxSeries {
		m.states[0].series[counters.Key{Name: strconv.Itoa(i)}] = over{}
	}
	m.value(m.states[0], &counters.Message{Value: counters.Value{Provider: "My-Source", Name: "load", Value: counters.Number{Float64: 2, Valid: true}}})
	m.spans[rules[1].spans].forgotten = 3
	expect.Equal(t, "values left out", m.Status()[0].LeftOut, 1)
	expect.Equal(t, "requests forgotten", m.Status()[1].Forgotten, 3)
}

func parsed(t *testing.T, text string) *Rule {
	t.Helper()
	rule, err := Parse(text)
	expect.NoError(t, err)
	return rule
}
