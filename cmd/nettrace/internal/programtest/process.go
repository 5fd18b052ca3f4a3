package programtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
)

// Process starts the program as a process of its own.
func Process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), proctest.Patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), "NETTRACE_TEST_MAIN=1")
	return cmd
}

// LongProcess starts the program as Process does, without a limit of its time.
func LongProcess(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), "NETTRACE_TEST_MAIN=1")
	return cmd
}

// Build builds the program with variables in the environment, and returns its path.
func Build(t *testing.T, env ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nettrace")
	cmd := exec.Command("go", "build", "-o", path, "github.com/nettrace-go/nettrace/cmd/nettrace")
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// ScriptProcess is like Process for a script, which runs programs in the background so that
// they ignore SIGINT at their start.
func ScriptProcess(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	program := Process(t, args...)
	cmd := exec.CommandContext(t.Context(), "sh", append([]string{"-c", `trap "" INT; exec "$0" "$@"`}, program.Args...)...)
	cmd.Env = program.Env
	return cmd
}
