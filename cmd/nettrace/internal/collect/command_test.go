//go:build linux

package collect_test

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// firstOfRuntime demands that a file holds a process from its first event on.
func firstOfRuntime(t *testing.T, path string) {
	t.Helper()
	for _, e := range agree(t, path, 0) {
		if e.provider == profiletrace.RuntimeName {
			if e.id != 187 {
				t.Errorf("%s: the first event of the runtime is %d", path, e.id)
			}
			return
		}
	}
	t.Errorf("%s has no event of the runtime", path)
}

// TestCollectChildren records each runtime that a command starts into a file of
// its own; without --children the later ones just go on.
func TestCollectChildren(t *testing.T) {
	hello := proctest.CornersCommand(t, "hello")
	for _, c := range []struct {
		flags []string
		files int
	}{
		{[]string{"--children"}, 2},
		{nil, 1},
	} {
		t.Run(testfile.CaseName(c.flags...), func(t *testing.T) {
			dir := t.TempDir()
			args := append(c.flags, "-o", filepath.Join(dir, "c.nettrace"), "--providers", profiletrace.RuntimeName+":0x1000000018:5",
				"--", "sh", "-c", `"$@"; "$@"`, "sh")
			cmd := programtest.LongProcess(t, append(append([]string{"collect"}, args...), hello...)...)
			out, err := cmd.Output()
			if err != nil || bytes.Count(out, []byte("hello")) != 2 {
				t.Errorf("%v, stdout %q", err, out)
			}
			files, _ := filepath.Glob(filepath.Join(dir, "c*.nettrace"))
			if len(files) != c.files {
				t.Errorf("files %q", files)
			}
			for _, path := range files {
				firstOfRuntime(t, path)
			}
		})
	}
}

// TestCollectBackground records a runtime that starts in the background and may
// connect after the command has ended, and resumes later ones: nothing stays
// suspended.
func TestCollectBackground(t *testing.T) {
	hello := proctest.CornersCommand(t, "hello")
	for _, c := range []struct {
		name, script string
		flags        []string
		files, runs  int
	}{
		{"the command ends first", `"$@" &`, nil, 1, 1},
		{"a later one after the command has ended", `(sleep 2; "$@") & "$@"`, nil, 1, 2},
		{"a later one is recorded too", `(sleep 2; "$@") & "$@"`, []string{"--children"}, 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			args := append([]string{"collect", "-o", filepath.Join(dir, "b.nettrace"), "--providers", profiletrace.RuntimeName + ":0x1000000018:5"}, c.flags...)
			cmd := programtest.LongProcess(t, append(append(args, "--", "sh", "-c", c.script, "sh"), hello...)...)
			cmd.WaitDelay = proctest.Patience // what stays suspended keeps the pipe open
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("%v, stderr %q; want exit 0", err, stderr.String())
			}
			if n := bytes.Count(out, []byte("hello")); n != c.runs {
				t.Errorf("%d programs have run to their end, want %d; stderr %q", n, c.runs, stderr.String())
			}
			files, _ := filepath.Glob(filepath.Join(dir, "b*.nettrace"))
			if len(files) != c.files {
				t.Errorf("files %q, want %d", files, c.files)
			}
			for _, path := range files {
				firstOfRuntime(t, path)
			}
		})
	}
}

// TestCollectLeft names a process that the command started and that still runs,
// and does not wait for its end.
func TestCollectLeft(t *testing.T) {
	args := []string{"collect", "-o", filepath.Join(t.TempDir(), "l.nettrace"), "--providers", profiletrace.RuntimeName + ":0x1000000018:5",
		"--", "sh", "-c", `sleep 600 >/dev/null 2>&1 & echo $!; "$@"`, "sh"}
	cmd := programtest.LongProcess(t, append(args, proctest.CornersCommand(t, "hello")...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%v, stderr %q; want exit 0", err, stderr.String())
	}
	pid, _, _ := strings.Cut(string(out), "\n")
	if number, err := strconv.Atoi(pid); err == nil {
		_ = syscall.Kill(number, syscall.SIGKILL)
	}
	if !strings.Contains(stderr.String(), "still run: "+pid+" (sleep)") {
		t.Errorf("stderr %q, want that process %s still runs", stderr.String(), pid)
	}
}

// TestCollectAbandoned: when the recording cannot begin, neither the command nor
// the runtime in a process that it started stays.
func TestCollectAbandoned(t *testing.T) {
	args := []string{"collect", "-o", filepath.Join(t.TempDir(), "a.nettrace"), "--providers", "A", "--buffering-mode", "Block",
		"--", "sh", "-c", `"$@"; echo survived`, "sh"} // Block takes .NET 11
	cmd := programtest.LongProcess(t, append(args, proctest.CornersCommand(t, "hello")...)...)
	cmd.WaitDelay = proctest.Patience // what stays keeps the pipe open
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code != exit.Version || errors.Is(err, exec.ErrWaitDelay) {
		t.Errorf("exit %d, %v, stderr %q; want exit 3 and no process left", code, err, stderr.String())
	}
	if len(out) > 0 {
		t.Errorf("stdout %q, want none: nothing was to run", out)
	}
}

// TestCollectKill ends the command with the recording.
func TestCollectKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.nettrace")
	args := append([]string{"-o", path, "--providers", profiletrace.RuntimeName + ":0x8000:4", "--duration", "300ms", "--kill", "--"}, proctest.CornersCommand(t, "loop", "60", "exc")...)
	begun := time.Now()
	code, stderr := collected(t, args...)
	if code != exit.Done || time.Since(begun) > 30*time.Second {
		t.Errorf("exit %d after %v, stderr %q", code, time.Since(begun), stderr)
	}
	if len(agree(t, path, 0)) == 0 {
		t.Error("no events")
	}
}

// TestCountersCommand watches a command from its start to its end.
func TestCountersCommand(t *testing.T) {
	command := proctest.CornersCommand(t, "loop", "3", "wait")
	cmd := programtest.LongProcess(t, append([]string{"counters", "--format=csv", "--"}, command...)...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v; want exit 0", err)
	}
	expect.Contains(t, "stdout", string(out), "Working Set (MB)", "CPU Usage (%)")
	if bytes.Contains(out, []byte("loop")) {
		t.Errorf("the command's output is among the values: %s", out)
	}
}
