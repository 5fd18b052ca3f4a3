package proctest

import (
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// GrowthTime returns the time for which the memory of a program is measured. Only make
// nightly has that much.
func GrowthTime(t *testing.T) time.Duration {
	t.Helper()
	tier.NeedsNightly(t)
	return 10 * time.Minute
}

// CheckGrowth reads the private memory of the command for a time. The memory may not grow
// from the second to the last third of the time: the first one fills what the command keeps.
func (m *Tmux) CheckGrowth(length time.Duration) {
	m.t.Helper()
	pid := m.PID()
	var highest [3]int64 // kB in each third of the time
	for begun := time.Now(); time.Since(begun) < length; time.Sleep(100 * time.Millisecond) {
		kB, err := Private(pid)
		expect.NoError(m.t, err)
		third := min(int(3*time.Since(begun)/length), 2)
		highest[third] = max(highest[third], kB)
	}
	m.t.Logf("highest private memory in each third of %v: %d kB", length, highest)
	expect.AtMost(m.t, "kB in the last third", highest[2], highest[1]+highest[1]/4)
}
