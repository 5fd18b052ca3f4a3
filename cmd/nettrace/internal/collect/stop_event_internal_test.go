package collect

import (
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestParseStop covers the flags of dotnet-trace.
func TestParseStop(t *testing.T) {
	for _, c := range []struct {
		name, text string
		flags      stoppingEvent
		want       string // "": an error
	}{
		{"provider, event and fields", "", stoppingEvent{"P", "GC/Start", "Depth:2,Reason:1"}, "P/GC/Start:Depth=2,Reason=1"},
		{"--stop-on", "P/80:a=1", stoppingEvent{}, "P/80:a=1"},
		{"both", "P/80", stoppingEvent{provider: "P"}, ""},
		{"event without provider", "", stoppingEvent{event: "E"}, ""},
		{"fields without event", "", stoppingEvent{provider: "P", payload: "a:1"}, ""},
		{"malformed fields", "", stoppingEvent{provider: "P", event: "E", payload: "a"}, ""},
		{"malformed --stop-on", "P", stoppingEvent{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := parseStop(c.text, c.flags)
			if c.want == "" {
				expect.Equal(t, "an error", err != nil, true)
				return
			}
			expect.NoError(t, err)
			expect.Stop(t)
			expect.Equal(t, "match", fmt.Sprint(m), c.want)
		})
	}
}
