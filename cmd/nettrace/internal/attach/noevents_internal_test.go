package attach

import (
	"testing"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestSilence: the level is named where it can be the reason, and a recording without its end
// does not say that nothing happened.
func TestSilence(t *testing.T) {
	session := []eventpipe.Provider{{Name: "Low", Level: 4}, {Name: "High", Level: 5}, {Name: "All"}, {Name: provider.Runtime, Level: 4}}
	for _, name := range []string{"High", "All", provider.Runtime} {
		expect.Equal(t, "reason of "+name, silence(true, session, []string{name}), "none happened, or the process has no such provider")
	}
	expect.Contains(t, "reason", silence(true, session, []string{"low"}), "none happened, their level is above that of the flags (self-describing events have level 5")
	expect.Contains(t, "reason at a crash", silence(false, session, []string{"High"}), "the last 100 ms may be missing")
	expect.Lacks(t, "reason at a crash", silence(false, session, []string{"High"}), "none happened")
}
