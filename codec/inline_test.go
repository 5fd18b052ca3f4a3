package codec_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/internal/traces"
)

// inlined are the functions that run once for an event or a field: a call of each
// would cost as much as its work.
var inlined = []string{
	"(*Reader).Events", "(*Reader).Events.func1", "(*Event).Payload", "(*Event).Metadata", "(*Event).ID", "(*Event).Sorted",
	"(*Event).Offset", "(*Event).Fields", "(*Event).Fields.func1", "Value.IsText", "Value.Bytes", "zeroUnits",
	"reach.has", "(*stackTable).get",
}

// TestInlined checks the compiler's inlining decisions.
func TestInlined(t *testing.T) {
	if !traces.Check {
		t.Skip("make check runs it")
	}
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	can := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), ": can inline "); ok {
			can[name] = true
		}
	}
	for _, name := range inlined {
		t.Run(name, func(t *testing.T) {
			if !can[name] {
				t.Errorf("%s is not inlined", name)
			}
		})
	}
}
