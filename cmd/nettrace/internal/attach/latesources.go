package attach

import (
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// lateMajor is the first version of .NET in which the sources of events begin up to 100 ms after the
// answer to a session: the first events can then be missing without a gap in their numbers.
const lateMajor = 11

const lateText = "note: .NET 11 and later turn the sources of events and counters on up to 100 ms after the start: what they send in that time can be missing, and is not counted as lost"

// LateSources returns a note if events of providers can be missing at the beginning of a
// session, "" otherwise and at each further call: not in a process that waits for the session at
// its start. Call it before Resume.
func (a *Process) LateSources(providers []eventpipe.Provider) string {
	if a.noted || a.Major() < lateMajor || a.Starting() || !slices.ContainsFunc(providers, isEventSource) {
		return ""
	}
	a.noted = true
	return lateText
}

// isEventSource reports whether a provider is managed code, not the runtime itself.
func isEventSource(p eventpipe.Provider) bool {
	return p.Name != provider.SampleProfiler && !strings.HasPrefix(p.Name, provider.Runtime)
}
