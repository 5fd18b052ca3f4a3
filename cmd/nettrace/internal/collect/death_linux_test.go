package collect

import (
	"os/exec"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestDeathOf: the exit status tells a process that was killed from one that crashed.
func TestDeathOf(t *testing.T) {
	for command, want := range map[string]string{
		"kill -KILL $$": "the process was killed (signal 9, killed)", "kill -TERM $$": "the process was killed (signal 15, terminated)",
		"kill -ABRT $$": "the process crashed (signal 6, aborted)", "kill -SEGV $$": "the process crashed (signal 11, segmentation fault)",
		"exit 134": "the process ended with exit code 134",
	} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		_ = cmd.Run()
		expect.Contains(t, command, deathOf(cmd.ProcessState), want)
	}
}
