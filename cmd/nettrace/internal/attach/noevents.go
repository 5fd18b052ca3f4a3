package attach

import (
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// NoEvents returns which of the providers that the user asked for sent no event, with the
// possible reasons, or "" if each sent one. sent are the providers with events, and session those
// that were requested. A stream that is not complete may lack the last events.
func NoEvents(asked, sent []string, complete bool, session []eventpipe.Provider) string {
	var silent []string
	for _, name := range asked {
		same := func(other string) bool { return strings.EqualFold(other, name) }
		if !slices.ContainsFunc(sent, same) && !slices.ContainsFunc(silent, same) {
			silent = append(silent, name)
		}
	}
	if silent == nil {
		return ""
	}
	return "no event of " + strings.Join(silent, ", ") + ": " + silence(complete, session, silent)
}

// silence returns the possible reasons why providers sent no event. The events of a
// self-describing EventSource have level 5 unless it says otherwise. A runtime sends what it
// has every 100 ms.
func silence(complete bool, session []eventpipe.Provider, silent []string) string {
	text := "none happened"
	if !complete {
		text = "none was sent before the end (the last 100 ms may be missing)"
	}
	low := slices.ContainsFunc(session, func(p eventpipe.Provider) bool {
		return p.Level > 0 && p.Level < 5 && !strings.EqualFold(p.Name, provider.Runtime) &&
			slices.ContainsFunc(silent, func(name string) bool { return strings.EqualFold(name, p.Name) })
	})
	if low {
		text += ", their level is above that of the flags (self-describing events have level 5: NAME:KEYWORDS:5)"
	}
	return text + ", or the process has no such provider"
}
