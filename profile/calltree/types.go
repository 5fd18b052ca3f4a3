package calltree

import "github.com/nettrace-go/nettrace/profile"

// Types returns chosen or, if it is empty, the first type of which the profile
// has samples.
func Types(p *profile.Profile, chosen []profile.Type) []profile.Type {
	if len(chosen) > 0 {
		return chosen
	}
	present := p.Types()
	return present[:min(len(present), 1)]
}

// Timed reports whether the values of a type are durations that begin at the
// ticks of their samples, so that a timeline can show them.
func Timed(t profile.Type) bool { return t.Value().Unit == "nanoseconds" }
