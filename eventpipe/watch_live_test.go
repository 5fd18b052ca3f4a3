//go:build linux

package eventpipe_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestWatchRunning starts and kills a .NET program several times: Watch yields each
// life, and a session starts within 3 s of the start of the program. The shortest
// time counts, because a busy machine starts a program in seconds.
func TestWatchRunning(t *testing.T) {
	tier.NeedsNightly(t) // starts processes for seconds
	te := shared.OtherReader(t)
	root, err := exec.Command(te, "path").Output()
	expect.NoError(t, err)
	dll := filepath.Join(strings.TrimSpace(string(root)), "apps", "corners", "Corners.dll")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var cmd *exec.Cmd
	var begun time.Time
	start := func() {
		cmd = exec.Command(te, "run", dll, "loop", "60", "exc")
		cmd.Env = append(os.Environ(), "WATCHED=yes")
		begun = time.Now()
		expect.NoError(t, cmd.Start())
	}
	start()
	const lives = 5
	came, gone, shortest := 0, 0, time.Hour
	for change, err := range eventpipe.Watch(ctx, eventpipe.Selector{Name: "Corners", Environment: map[string]string{"WATCHED": "yes"}}) {
		expect.NoError(t, err)
		if change.Gone {
			if gone++; gone == lives {
				cancel()
				break
			}
			start()
			continue
		}
		came++
		expect.Equal(t, "PID", change.Process.PID, cmd.Process.Pid)
		session, err := change.Process.Client().StartSession(ctx, runtimeEvents)
		took := time.Since(begun)
		t.Logf("life %d: a session after %v", came, took)
		expect.NoError(t, err)
		shortest = min(shortest, took)
		if err == nil {
			session.Close()
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	expect.AtMost(t, "shortest time to a session", shortest, 3*time.Second)
	expect.Equal(t, "processes that came", came, lives)
	expect.Equal(t, "processes that went", gone, lives)
}
