package check

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestIdleTime: a process may do nothing for days. More than 30 are no plausible clock.
func TestIdleTime(t *testing.T) {
	const day = 24 * 3600 * 1e9
	for _, c := range []struct {
		name     string
		idle     uint64
		warnings string
	}{
		{"two hours", 2 * 3600 * 1e9, ""},
		{"29 days", 29 * day, ""},
		{"31 days", 31 * day, "ORD-006 1"},
	} {
		r := check(t, sortedRows(false, []timed{{1, 200, true}, {1, 200 + c.idle, true}}), Options{})
		expect.Equal(t, c.name, counts(r, rule.Warning), c.warnings)
	}
}
