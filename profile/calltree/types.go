package calltree

import "github.com/nettrace-go/nettrace/profile"

// Types are the types to show: those that are chosen or, where none is, the
// first that the profile has samples of, which is wall time if there is any.
func Types(p *profile.Profile, chosen []profile.Type) []profile.Type {
	if len(chosen) > 0 {
		return chosen
	}
	present := p.Types()
	return present[:min(len(present), 1)]
}

// Timed says whether the values of a type are durations that begin at the ticks
// of their samples, so that they can be drawn along a line of time.
func Timed(t profile.Type) bool { return t.Value().Unit == "nanoseconds" }
