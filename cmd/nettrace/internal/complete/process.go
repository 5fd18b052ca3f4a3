package complete

import (
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// patience is the time in which a process must answer.
const patience = 250 * time.Millisecond

// reachable returns the processes that have a diagnostics port. One that does not answer
// in time is among them.
func reachable(cmd *cobra.Command) []attach.Candidate {
	all, _ := attach.Candidates(cmd.Context(), patience)
	var list []attach.Candidate
	for _, c := range all {
		if c.PID != 0 && c.Address != "" {
			list = append(list, c)
		}
	}
	return list
}

// processIDs returns the PIDs of processes.
func processIDs(cmd *cobra.Command, _ []string) (words []word) {
	for _, c := range reachable(cmd) {
		words = append(words, word{strconv.Itoa(c.PID), c.Program() + ": " + c.Command()})
	}
	return words
}

// programs returns the names of processes that --name accepts, with the PIDs.
func programs(cmd *cobra.Command, _ []string) (words []word) {
	for _, c := range reachable(cmd) {
		name, about := c.Program(), strconv.Itoa(c.PID)+": "+c.Command()
		if len(eventpipe.Named([]eventpipe.Process{c.Process}, name)) == 0 {
			name = c.Name
		}
		i := slices.IndexFunc(words, func(w word) bool { return w.text == name })
		if i < 0 {
			words = append(words, word{name, about})
		} else {
			words[i].about += "; " + about
		}
	}
	return words
}
