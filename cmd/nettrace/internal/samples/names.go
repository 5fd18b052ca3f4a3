package samples

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/profile"
)

// WarnNames prints a warning if names are missing because the trace has no
// rundown. The samples of some types have states, which need names.
func WarnNames(p *run.Program, name string, n profile.NameSummary, types ...profile.Type) {
	text := NamesText(n)
	if text != "" && (slices.Contains(types, profile.Wall) || slices.Contains(types, profile.CPUApprox)) {
		text += "; a sample without names is running or native, even if its thread waits"
	}
	if text != "" {
		p.Complain("%v", input.FileError(name, errors.New(text)))
	}
}

// NamesText returns a sentence about frames without names, or "" if the trace
// has a rundown: then each method has a name.
func NamesText(n profile.NameSummary) string {
	if n.WithoutRundown == 0 {
		return ""
	}
	return UnnamedText(n) + ": the trace has no rundown, in which the runtime names its methods when a session ends"
}

// UnnamedText returns the shares of frames without names.
func UnnamedText(n profile.NameSummary) string {
	return fmt.Sprintf("%s of the frames (in %s of the samples) have no name", display.Percent(n.Unnamed, n.Frames), display.Percent(n.SamplesUnnamed, n.Samples))
}

// AppendNames appends the number of frames without a name.
func AppendNames(j *jsontext.Builder, n profile.NameSummary) {
	j.Key("names").Open('{')
	j.Key("frames").Number(n.Frames)
	j.Key("unnamed").Number(n.Unnamed)
	j.Key("samples").Number(n.Samples)
	j.Key("samplesUnnamed").Number(n.SamplesUnnamed)
	j.Key("unnamedWithoutRundown").Number(n.WithoutRundown)
	j.Close('}')
}
