package profile_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/profile"
)

// TestNames counts frames without names.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		trace   string
		unnamed bool
		rundown bool
	}{
		{"net10-mix-cpu.v4", false, true},
		{"azmcp-net10-dropped.v4", true, false},
		{"dotnetdiag-net5-webapp.v4", true, true}, // names were lost
	} {
		t.Run(c.trace, func(t *testing.T) {
			got := read(t, c.trace, profile.Options{}).Names(profile.Wall)
			if got.Frames == 0 || got.Samples == 0 {
				t.Errorf("%+v: no frames", got)
			}
			if (got.Unnamed > 0) != c.unnamed || (got.SamplesUnnamed > 0) != c.unnamed {
				t.Errorf("%+v: unnamed frames: want %v", got, c.unnamed)
			}
			if (got.WithoutRundown > 0) != (c.unnamed && !c.rundown) {
				t.Errorf("%+v: a rundown: want %v", got, c.rundown)
			}
		})
	}
}
