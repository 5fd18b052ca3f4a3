package check

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestManyCauses: what a rule reports beyond the bound on its causes counts for the last
// of them.
func TestManyCauses(t *testing.T) {
	c := collector{profile: Lint}
	for subject := range uint64(mostCauses + 50) {
		c.add(rule.EVB001, rule.Error, subject, int64(subject))
	}
	total := uint64(0)
	for _, f := range c.found {
		total += uint64(f.Count)
	}
	expect.Equal(t, "findings", len(c.found), mostCauses)
	expect.Equal(t, "reported", total, mostCauses+50)
	expect.Equal(t, "of the last", c.last[rule.EVB001].Count, 51)
}
