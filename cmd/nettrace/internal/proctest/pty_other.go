//go:build !linux

package proctest

import (
	"os/exec"
	"testing"
)

// RunInTerminal skips the test: it needs the pseudo terminals of Linux.
func RunInTerminal(t *testing.T, _ *exec.Cmd, _ int) string {
	t.Helper()
	t.Skip("the test needs a pseudo terminal of Linux")
	return ""
}
