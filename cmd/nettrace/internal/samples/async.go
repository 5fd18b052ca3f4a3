package samples

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/profile"
)

// AsyncFlags holds the values of the flags about the stacks of async code.
type AsyncFlags struct {
	Async    bool // stacks must be joined
	Physical bool // stacks are as recorded
}

// AddFlags adds these flags.
func (o *AsyncFlags) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.Async, "async", false, "continue the stacks of tasks and async methods with the stacks of those that started or awaited them")
	f.BoolVar(&o.Physical, "physical", false, "show the stacks of threads as they were, also if the trace has records of the async profiler")
	cmd.MarkFlagsMutuallyExclusive("async", "physical")
}

// Given returns the name of the flag that is given, "" for none.
func (o AsyncFlags) Given() string {
	switch {
	case o.Async:
		return "async"
	case o.Physical:
		return "physical"
	}
	return ""
}

// AsyncHelp describes the flags --async and --physical.
const AsyncHelp = "The stack of an async method after an await ends in the runtime. If the trace has records of the\n" +
	"async profiler of .NET 11, it continues with the methods that await it, and with what created their\n" +
	"chain; --physical leaves it as it was recorded. For other traces --async joins it with the stack of\n" +
	"the method that started or awaited it, and so on, at most 32 times, by events of tasks. They do not\n" +
	"show awaits of methods that are compiled with runtime-async. nettrace collect --profile async\n" +
	"records both; with --async a trace without them is an error. A stack stays as recorded if what\n" +
	"awaits it is ambiguous, or if records or events are missing. The numbers of samples are printed.\n"

// CheckAsync returns an error if stacks are to be joined and the trace does not
// have the events.
func CheckAsync(file string, p *profile.Profile, async bool) error {
	if !async || p.JoinedBy() != profile.NoJoins {
		return nil
	}
	return exit.With(exit.Broken, input.FileError(file, fmt.Errorf("%w, as nettrace collect --profile async does", profile.ErrNoTaskEvents)))
}

// JoinsText returns a sentence about the stacks of samples that were joined, or an empty
// text if none of them could be.
func JoinsText(p *profile.Profile, types ...profile.Type) string {
	n, by := p.CountJoins(types...), p.JoinedBy()
	if by == profile.NoJoins || n == (profile.JoinSummary{Physical: n.Physical}) {
		return ""
	}
	parts := []string{
		fmt.Sprintf("the stacks of %s are joined", display.Counted(n.Joined, "sample")), display.Grouped(n.Ambiguous) + " ambiguous", display.Grouped(n.Unjoined) + " unjoined",
	}
	if by == profile.ByAsyncProfiler {
		parts = append(parts, display.Grouped(n.NotCovered)+" not covered")
	}
	return fmt.Sprintf("async (%v): %s, %s physical", by, strings.Join(parts, ", "), display.Grouped(n.Physical))
}

// FaultText returns a sentence about records of the async profiler that cannot be read,
// or an empty text.
func FaultText(p *profile.Profile) string {
	n, err := p.AsyncFaults()
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s of the async profiler cannot be read to its end, the first one because: %v", display.Counted(n, "buffer"), err)
}

// AppendJoins appends the numbers of samples by what was done to join their stacks, if
// any could be.
func AppendJoins(j *jsontext.Builder, p *profile.Profile, t profile.Type) {
	by := p.JoinedBy()
	if by == profile.NoJoins {
		return
	}
	n := p.CountJoins(t)
	j.Key("async").Open('{')
	j.Key("source").Text(by.String())
	j.Key("joined").Number(n.Joined)
	j.Key("ambiguous").Number(n.Ambiguous)
	j.Key("unjoined").Number(n.Unjoined)
	if by == profile.ByAsyncProfiler {
		j.Key("notCovered").Number(n.NotCovered)
	}
	j.Key("physical").Number(n.Physical)
	j.Close('}')
}
