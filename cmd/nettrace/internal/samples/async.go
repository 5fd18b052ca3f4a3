package samples

import (
	"fmt"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/profile"
)

// AsyncUsage is the help of the flag --async.
const AsyncUsage = "continue the stacks of tasks and async methods with the stacks of those that started or awaited them"

// AsyncHelp describes the flag --async.
const AsyncHelp = "With --async the stack of a task, or of an async method after an await, continues with the stack of\n" +
	"the method that started or awaited it, and so on, at most 32 times. It is joined by events of tasks\n" +
	"only, which nettrace collect --profile async records; a trace without them is an error. If several\n" +
	"methods await one task, which is ambiguous, or if the event is missing or events are lost, the stack\n" +
	"stays as recorded. The numbers of joined, ambiguous and unjoined samples are printed.\n"

// CheckAsync returns an error if stacks are to be joined and the trace does not
// have the events.
func CheckAsync(file string, p *profile.Profile, async bool) error {
	if !async || p.HasTaskEvents() {
		return nil
	}
	return exit.With(exit.Broken, input.FileError(file, fmt.Errorf("%w, as nettrace collect --profile async does", profile.ErrNoTaskEvents)))
}

// JoinsText returns a sentence about the stacks that --async joined, or an empty
// text for none.
func JoinsText(n profile.JoinSummary) string {
	if n == (profile.JoinSummary{}) {
		return ""
	}
	return fmt.Sprintf("async: the stacks of %s are joined, %s ambiguous, %s unjoined",
		display.Counted(n.Joined, "sample"), display.Grouped(n.Ambiguous), display.Grouped(n.Unjoined))
}
