//go:build linux

package main

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"
)

// firstOfRuntime demands that a file holds a process from its first event on.
func firstOfRuntime(t *testing.T, path string) {
	t.Helper()
	for _, e := range agree(t, path, 0) {
		if e.provider == runtimeName {
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
	hello := cornersCommand(t, "hello")
	for _, c := range []struct {
		flags []string
		files int
	}{
		{[]string{"--children"}, 2},
		{nil, 1},
	} {
		dir := t.TempDir()
		args := append(c.flags, "-o", filepath.Join(dir, "c.nettrace"), "--providers", runtimeName+":0x1000000018:5",
			"--", "sh", "-c", `"$@"; "$@"`, "sh")
		cmd := longProcess(t, append(append([]string{"collect"}, args...), hello...)...)
		out, err := cmd.Output()
		if err != nil || bytes.Count(out, []byte("hello")) != 2 {
			t.Errorf("%q: %v, stdout %q", c.flags, err, out)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "c*.nettrace"))
		if len(files) != c.files {
			t.Errorf("%q: files %q", c.flags, files)
		}
		for _, path := range files {
			firstOfRuntime(t, path)
		}
	}
}

// TestCollectKill ends the command with the recording.
func TestCollectKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.nettrace")
	args := append([]string{"-o", path, "--providers", runtimeName + ":0x8000:4", "--duration", "300ms", "--kill", "--"}, cornersCommand(t, "loop", "60", "exc")...)
	begun := time.Now()
	code, stderr := collected(t, args...)
	if code != exitDone || time.Since(begun) > 30*time.Second {
		t.Errorf("exit %d after %v, stderr %q", code, time.Since(begun), stderr)
	}
	if len(agree(t, path, 0)) == 0 {
		t.Error("no events")
	}
}

// TestCountersCommand watches a command from its start to its end.
func TestCountersCommand(t *testing.T) {
	command := cornersCommand(t, "loop", "3", "wait")
	cmd := longProcess(t, append([]string{"counters", "--format=csv", "--"}, command...)...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v; want exit 0", err)
	}
	for _, name := range []string{"dotnet.process.memory.working_set", "dotnet.process.cpu.count"} {
		if !bytes.Contains(out, []byte(name)) {
			t.Errorf("no %s in %s", name, out)
		}
	}
	if bytes.Contains(out, []byte("loop")) {
		t.Errorf("the command's output is among the values: %s", out)
	}
}
