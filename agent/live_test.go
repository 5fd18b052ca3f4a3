//go:build linux

package agent_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	pb "github.com/google/pprof/profile"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestLiveExample runs the agent of the example: it finds a real process by its
// name, finds it again after a restart, and writes profiles that pprof can read.
func TestLiveExample(t *testing.T) {
	tier.NeedsNightly(t) // profiles processes for many seconds
	te := shared.OtherReader(t)
	root, err := exec.Command(te, "path").Output()
	expect.NoError(t, err)
	original := filepath.Join(strings.TrimSpace(string(root)), "apps", "corners")
	program := fmt.Sprintf("Agent%d", os.Getpid()) // a name that no other test has
	copied := t.TempDir()
	for _, ending := range []string{".dll", ".runtimeconfig.json"} {
		data, err := os.ReadFile(filepath.Join(original, "Corners"+ending))
		expect.NoError(t, err)
		expect.NoError(t, os.WriteFile(filepath.Join(copied, program+ending), data, 0o600))
	}
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		writeProfiles(ctx, program, folder)
	}()
	for range 2 {
		cmd := exec.Command(te, "run", filepath.Join(copied, program+".dll"), "loop", "300", "cpu")
		expect.NoError(t, cmd.Start())
		pattern := filepath.Join(folder, fmt.Sprintf("%d-wall-*.pb.gz", cmd.Process.Pid))
		var found []string
		for begun := time.Now(); len(found) == 0 && time.Since(begun) < 2*time.Minute; time.Sleep(50 * time.Millisecond) {
			found, _ = filepath.Glob(pattern)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if len(found) == 0 {
			t.Fatalf("no file %s", pattern)
		}
		defer checkProfile(t, found[0])
	}
	cancel()
	<-ended
}

// checkProfile checks a file after the agent has ended.
func checkProfile(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	expect.NoError(t, err)
	p, err := pb.ParseData(data)
	expect.NoError(t, err)
	if err == nil {
		expect.NoError(t, p.CheckValid())
		expect.AtLeast(t, "samples in "+path, len(p.Sample), 1)
	}
}
