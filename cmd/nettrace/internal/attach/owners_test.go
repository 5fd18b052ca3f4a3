package attach_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestWithOwners: a session of .NET 11 with contended locks asks for the events about threads, and
// for the threads at its end; what the user has chosen stays.
func TestWithOwners(t *testing.T) {
	for _, c := range []struct {
		name, version string
		keywords      uint64
		rundown       uint64
		none          bool

		wantKeywords, wantRundown uint64
	}{
		{"locks", "11.0.0", 0x4000, 0, false, 0x14000, 0x80030139},
		{"preview", "12.0.0-preview.1", 0x4000, 0, false, 0x14000, 0x80030139},
		{"no locks", "11.0.0", 0x1, 0, false, 0x1, 0},
		{"a rundown of one's own", "11.0.0", 0x4001, 0x10, false, 0x14001, 0x10},
		{"no rundown", "11.0.0", 0x4000, 0, true, 0x14000, 0},
		{"before", "10.0.12", 0x4000, 0, false, 0x4000, 0},
		{"unknown", "", 0x4000, 0, false, 0x4000, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := &attach.Process{Info: &eventpipe.ProcessInfo{Version: c.version}}
			cfg := eventpipe.SessionConfig{
				Providers:      []eventpipe.Provider{{Name: "Microsoft-Windows-DotNETRuntime", Keywords: c.keywords, Level: 4}},
				RundownKeyword: c.rundown, NoRundown: c.none,
			}
			got := a.WithOwners(cfg)
			expect.Equal(t, "keywords", got.Providers[0].Keywords, c.wantKeywords)
			expect.Equal(t, "rundown", got.RundownKeyword, c.wantRundown)
			expect.Equal(t, "keywords of the argument", cfg.Providers[0].Keywords, c.keywords)
		})
	}
}
