package agent

import (
	"errors"
	"slices"
	"time"

	"github.com/nettrace-go/nettrace/agent/config"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// hidden is a process that is selected and whose diagnostics port cannot be found.
type hidden struct {
	reason  eventpipe.Reason
	printed bool
}

// surveyTime is the time between two surveys, which read files of all processes.
const surveyTime = 10 * time.Minute

// survey notes the processes in a list that are selected and cannot be reached, which the
// library leaves out, and prints once why. A process without a port may be starting: it
// counts when the next survey finds it so too.
func (h *handler) survey(list []eventpipe.Process) {
	h.mu.Lock()
	defer h.mu.Unlock()
	found := map[int]hidden{}
	for i := range list {
		p := &list[i]
		var u *eventpipe.UnreachableError
		if !errors.As(p.Err, &u) || !selected(h.config.Processes, p) {
			continue
		}
		before, known := h.hidden[p.PID]
		known = known && before.reason == u.Reason
		now := hidden{u.Reason, known && before.printed}
		if !now.printed && (known || u.Reason != eventpipe.NoSocket) {
			h.say("%s: not profiled: %s", title(p.Name, p), exit.Text(u))
			now.printed = true
		}
		found[p.PID] = now
	}
	h.hidden = found
}

// selected reports whether an entry of a configuration matches a process.
func selected(entries []config.Process, p *eventpipe.Process) bool {
	return slices.ContainsFunc(entries, func(entry config.Process) bool {
		s := entry.Selector()
		return s.Matches(p)
	})
}

// unreachable returns the number of selected processes that cannot be reached, by reason.
func (h *handler) unreachable() map[string]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	count := map[string]int{}
	for _, reason := range h.refused {
		count[reason.String()]++
	}
	for _, one := range h.hidden {
		if one.printed {
			count[one.reason.String()]++
		}
	}
	return count
}
