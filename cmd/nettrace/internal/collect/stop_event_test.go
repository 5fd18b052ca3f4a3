package collect_test

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
)

// TestCollectStopOnUsage: collect refuses it before it connects.
func TestCollectStopOnUsage(t *testing.T) {
	for _, flags := range [][]string{
		{"--stop-on", "Nobody/1"},
		{"--stopping-event-provider-name", profiletrace.RuntimeName, "--stopping-event-event-name", "GC/Begin"},
	} {
		t.Run(flags[0], func(t *testing.T) {
			r := programtest.Run(t, nil, append([]string{"collect", "-p", "999999999"}, flags...)...)
			if r.Code != exit.Usage {
				t.Errorf("exit %d, want %d", r.Code, exit.Usage)
			}
			if want := "the nearest: "; !strings.Contains(r.Stderr, want) {
				t.Errorf("stderr %q, want %q in it", r.Stderr, want)
			}
		})
	}
}
