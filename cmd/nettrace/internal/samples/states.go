package samples

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/profile"
)

// stateNames are the values of --state.
func stateNames() []string {
	var names []string
	for _, s := range profile.States() {
		names = append(names, s.String())
	}
	return names
}

// WorkFlags holds the values of the flags that separate work from waiting, and
// from what the runtime does.
type WorkFlags struct {
	RuntimeHelpers bool // keeps their frames
	states         []string
}

// AddFlags adds these flags.
func (o *WorkFlags) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.RuntimeHelpers, "runtime-helpers", false, "keep the frames of the runtime's helpers, which are otherwise folded into their callers")
	f.StringSliceVar(&o.states, "state", nil, "only samples of the sample profiler in this `STATE`: "+strings.Join(stateNames(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(stateNames(), cobra.ShellCompDirectiveNoFileComp))
}

// States returns the states of --state.
func (o *WorkFlags) States() ([]profile.State, error) {
	var list []profile.State
	for _, name := range o.states {
		state, ok := profile.StateByName(name)
		if !ok {
			return nil, fmt.Errorf("--state: %q is none of %s", name, strings.Join(stateNames(), ", "))
		}
		list = append(list, state)
	}
	return list, nil
}

// ByDefault reports whether no flag chooses types or states of samples, so that DefaultStates
// apply.
func (o *Selection) ByDefault() bool {
	return o.Kind == "" && !o.SelectsEvents() && len(o.work.states) == 0 && len(o.class) == 0
}

// sampleStates returns the states of --state, or the default.
func (o *Selection) sampleStates(types []profile.Type) ([]profile.State, error) {
	if o.ByDefault() {
		return o.DefaultStates, nil
	}
	list, err := o.work.States()
	if len(list) > 0 && types != nil && !slices.ContainsFunc(types, Sampled) && !slices.Contains(types, profile.Event) {
		return nil, errors.New("--state: " + onlyStates + ", and events of the sample profiler")
	}
	return list, err
}

// Sampled reports whether the sample profiler makes the samples of a type.
func Sampled(t profile.Type) bool { return t == profile.Wall || t == profile.CPUApprox }

// minPolls is the share of samples at GC polls, in percent, above which
// PollsText returns a sentence.
const minPolls = 5

// PollsText returns a sentence about the samples that were taken at GC polls, or
// an empty text.
func (l *Loaded) PollsText(types []profile.Type) string {
	if !slices.ContainsFunc(types, Sampled) {
		return ""
	}
	polls := l.GCPolls()
	if polls.AtPolls*100 <= polls.Managed*minPolls {
		return ""
	}
	return fmt.Sprintf("%.0f %% of CPU samples were taken at GC polls: the callers are where threads could be stopped; "+
		"time spent just before may be counted there", 100*float64(polls.AtPolls)/float64(polls.Managed))
}

// OneCodeText returns a sentence about the processes whose samples the writer
// does not divide into managed and external code, or an empty text.
func OneCodeText(p *profile.Profile, types []profile.Type) string {
	if !slices.ContainsFunc(types, Sampled) {
		return ""
	}
	var parts []string
	for _, c := range p.OneCode() {
		if c.ByRuntime {
			return "the runtime calls all samples external, as .NET 9 does: the innermost frame decides whether a thread runs, and calls of native code count as running"
		}
		code, n := "managed", c.Managed
		if 2*n < c.Samples {
			code, n = "external", c.Samples-c.Managed
		}
		text := fmt.Sprintf("%s of the samples are in %s code", display.Percent(n, c.Samples), code)
		if c.ProcessID != 0 {
			text = fmt.Sprintf("process %d: %s", c.ProcessID, text)
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + ": the writer of the trace does not tell running and waiting apart"
}

// AppendOneCode adds onlyExternal to an object if the runtime of a process calls all samples
// external: what runs is then told by frames, and native code that waits counts as running.
func AppendOneCode(j *jsontext.Builder, p *profile.Profile) {
	if slices.ContainsFunc(p.OneCode(), func(c profile.OneCode) bool { return c.ByRuntime }) {
		j.Key("onlyExternal").Bool(true)
	}
}

// StatesTexts returns lines with the time in each state: one for threads that
// work or wait, one for idle threads and one for threads that spin. Their sum is
// the wall time.
func (l *Loaded) StatesTexts(types []profile.Type) []string {
	if !slices.Contains(types, profile.Wall) {
		return nil
	}
	var parts, lines []string
	for _, t := range l.TimeByState() {
		if t.Samples == 0 {
			continue
		}
		text := fmt.Sprintf("%s %s", t.State, Amount(t.Nanos, profile.Wall))
		switch t.State {
		case profile.Idle:
			lines = append(lines, text+": threads of the runtime and the class library without work")
		case profile.Spinning:
			lines = append(lines, text+": processor time of threads that wait, most often idle ones of the pool")
		case profile.Native:
			parts = append(parts, text+" (runs or waits, unknown)")
		default:
			parts = append(parts, text)
		}
	}
	if len(parts) > 0 {
		lines = append([]string{"states: " + strings.Join(parts, ", ")}, lines...)
	}
	return lines
}

// AnyState reports whether the trace has samples of the sample profiler, in any
// state.
func (l *Loaded) AnyState() bool {
	for _, t := range l.TimeByState() {
		if t.Samples > 0 {
			return true
		}
	}
	return false
}

// StatesHelp describes the states of samples.
const StatesHelp = "A sample of the sample profiler has a state, by its type and its innermost named frame: running;\n" +
	"native, which is code outside of .NET that runs or waits; waiting; blocked on a lock; spinning,\n" +
	"which is processor time of threads that wait, most often of the pool; idle, which are threads of\n" +
	"the pool, timers, sockets and finalizers without work. The head of the output has the sum of each;\n" +
	"--state selects.\n"

// HelpersHelp describes the frames that are folded into their callers.
func HelpersHelp() string {
	text := "Frames of the runtime that are folded into their callers, unless --runtime-helpers is given:\n"
	for _, h := range profile.RuntimeHelpers() {
		for _, m := range h.Methods {
			text += "  " + m + "\n"
		}
		var types []string
		for _, t := range h.Types {
			types = append(types, t.String())
		}
		text += "    in samples of " + strings.Join(types, ", ") + ": " + h.Reason + "\n"
	}
	return text
}
