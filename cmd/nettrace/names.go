package main

import (
	"errors"
	"fmt"

	"github.com/nettrace-go/nettrace/profile"
)

// warnNames says on standard error that names are missing because the trace has no
// rundown.
func (p *program) warnNames(name string, n profile.NameSummary) {
	if text := namesText(n); text != "" {
		p.complain("%v", fileError(name, errors.New(text)))
	}
}

// namesText is what is said of frames without names, "" where there is nothing to
// say: code of a process with a rundown has a name if it is a method.
func namesText(n profile.NameSummary) string {
	if n.WithoutRundown == 0 {
		return ""
	}
	return fmt.Sprintf("%s of the frames (in %s of the samples) have no name: the trace has no rundown, "+
		"in which the runtime names its methods when a session ends", percent(n.Unnamed, n.Frames), percent(n.SamplesUnnamed, n.Samples))
}

// jsonNames adds how many frames have no name.
func jsonNames(j *jsonText, n profile.NameSummary) {
	j.key("names").open('{')
	j.key("frames").number(n.Frames)
	j.key("unnamed").number(n.Unnamed)
	j.key("samples").number(n.Samples)
	j.key("samplesUnnamed").number(n.SamplesUnnamed)
	j.key("unnamedWithoutRundown").number(n.WithoutRundown)
	j.close('}')
}
