package tracedoc

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestWarnings: a document says what top says of the trace: time not sampled, truncated stacks, GC polls,
// names that are missing, what tells on .NET 9 whether a thread runs; not the error that ended the trace,
// which it has elsewhere.
func TestWarnings(t *testing.T) {
	for name, want := range map[string]string{
		"defects/turn3/frozen.nettrace":               "not sampled: ",
		"traces/net10-deep.v4.nettrace.zst":           "samples with a stack truncated at 100 frames: ",
		"traces/net10-mix-cpu.v4.nettrace.zst":        "CPU samples were taken at GC polls",
		"traces/net10-killed-cut.v4.nettrace.zst":     "have no name: the trace has no rundown",
		"replay/truth/cpu-truth-net9.v4.nettrace.zst": "as .NET 9 does: the innermost frame decides",
	} {
		p := &run.Program{Stderr: io.Discard}
		s, _, err := Read(t.Context(), p, filepath.Join(shared.Dir(t), filepath.FromSlash(name)), Reading{})
		expect.NoError(t, err)
		text := strings.Join(s.Warnings, "\n")
		expect.Contains(t, name, text, want)
		if s.Error != "" && strings.Contains(text, s.Error) {
			t.Errorf("%s: the error is in %q", name, text)
		}
	}
}
