//go:build linux

package collect_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// fired is a rule in a sidecar.
type fired struct {
	Rule string
	Time time.Time
	Text string

	written time.Time
	trace   string
}

// firedRules returns the rules of all sidecars of a folder, by time.
func firedRules(t *testing.T, folder string) (list []fired) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	expect.NoError(t, err)
	for _, name := range names {
		data, err := os.ReadFile(name)
		expect.NoError(t, err)
		var content struct {
			Trace    string
			Written  time.Time
			Triggers []fired
		}
		expect.NoError(t, json.Unmarshal(data, &content))
		expect.Equal(t, "trace of the sidecar", content.Trace+".json", filepath.Base(name))
		for _, f := range content.Triggers {
			f.written, f.trace = content.Written, filepath.Join(folder, content.Trace)
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b fired) int { return a.Time.Compare(b.Time) })
	return list
}

// hasEventAt reports whether a complete trace has an event of a time.
func hasEventAt(t *testing.T, path string, at time.Time) bool {
	t.Helper()
	data, err := os.ReadFile(path)
	expect.NoError(t, err)
	found := false
	for e, err := range codec.NewBytesReader(data, codec.Options{}).Events() {
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		found = found || e.Time().Equal(at)
	}
	return found
}

// checkFired checks each firing: its file is written within 2 s and has the
// moment, and the rule does not fire again in its cooldown.
func checkFired(t *testing.T, list []fired, cooldown time.Duration) {
	t.Helper()
	last, longest := map[string]time.Time{}, time.Duration(0)
	for _, f := range list {
		longest = max(longest, f.written.Sub(f.Time))
		expect.AtMost(t, f.Rule+": time to the file", f.written.Sub(f.Time), 2*time.Second)
		expect.Equal(t, f.Rule+": the file has the moment", hasEventAt(t, f.trace, f.Time), true)
		if before, ok := last[f.Rule]; ok {
			expect.AtLeast(t, f.Rule+": time since it fired", f.Time.Sub(before), cooldown)
		}
		last[f.Rule] = f.Time
	}
	t.Logf("%d firings, at most %v to the file", len(list), longest)
}

// liveRules are rules that a process fulfils which throws, collects and sends
// requests.
var liveRules = []string{
	"System.Runtime/cpu-usage > 1 for 2s", "System.Runtime/dotnet.process.cpu.count >= 1", "System.Runtime/loh-size >= 0",
	"ExceptionThrown:ExceptionType=*Exception > 1/s", "gc-pause > 1us", "client-request > 1us", "threadpool-queue >= 0", "working-set > 1MB",
}

// TestCollectWriteOn runs a short recording with a rule about an event and one
// about pauses.
func TestCollectWriteOn(t *testing.T) {
	tier.NeedsCheck(t) // takes 2 s
	app := proctest.RunCorners(t, nil, "loop", "20", "exc", "gc")
	folder := t.TempDir()
	code, stderr := collected(t, "-p", app.PID(), "--providers", "Corners-Nobody", "--ring", "60s", "--duration", "2s", "-o", filepath.Join(folder, "r.nettrace"),
		"--write-on", "ExceptionThrown", "--write-on", "gc-pause > 1us")
	expect.Equal(t, "exit code", code, exit.Done)
	expect.Contains(t, "stderr", stderr, "the rules add to the session: Microsoft-Windows-DotNETRuntime:0x8000:", "Microsoft-Windows-DotNETRuntime:0x1:4")
	list := firedRules(t, folder)
	checkFired(t, list, time.Minute)
	expect.Equal(t, "rules that fired", len(list), 2)
}

// TestCollectRules runs each kind of rule.
func TestCollectRules(t *testing.T) {
	tier.NeedsNightly(t)
	app := proctest.RunCorners(t, nil, "loop", "60", "exc", "gc", "http", "cpu")
	folder := t.TempDir()
	args := []string{"-p", app.PID(), "--profile", "flight", "--ring", "60s", "--duration", "15s", "--cooldown", "4s", "-o", filepath.Join(folder, "r.nettrace")}
	for _, rule := range liveRules {
		args = append(args, "--write-on", rule)
	}
	code, stderr := collected(t, args...)
	expect.Equal(t, "exit code", code, exit.Done)
	list := firedRules(t, folder)
	checkFired(t, list, 4*time.Second)
	for _, rule := range liveRules {
		if !slices.ContainsFunc(list, func(f fired) bool { return f.Rule == rule }) {
			t.Errorf("%s did not fire; stderr %s", rule, stderr)
		}
	}
}

// TestCollectMaxDisk writes many files into a small space.
func TestCollectMaxDisk(t *testing.T) {
	tier.NeedsNightly(t)
	const bound = 5_000_000
	app := proctest.RunCorners(t, nil, "loop", "60", "exc", "gc")
	folder := t.TempDir()
	highest := proctest.WatchBytes(folder)
	code, stderr := collected(t, "-p", app.PID(), "--profile", "flight", "--ring", "1s", "--duration", "12s", "--cooldown", "0s", "--max-disk", fmt.Sprint(bound, "B"),
		"--max-files", "0", "-o", filepath.Join(folder, "r.nettrace"), "--write-on", "gc-pause > 1us", "--write-on", "ExceptionThrown")
	most := highest()
	expect.Equal(t, "exit code", code, exit.Done)
	expect.AtMost(t, "highest number of bytes", most, bound)
	expect.AtLeast(t, "files that were written", strings.Count(stderr, ".nettrace: the last "), 3)
	files, _ := filepath.Glob(filepath.Join(folder, "*.nettrace"))
	t.Logf("%d bytes at most; %d files written, %d left", most, strings.Count(stderr, ".nettrace: the last "), len(files))
	for _, name := range files {
		if _, err := os.Stat(name + ".json"); err != nil {
			t.Errorf("no sidecar: %v", err)
		}
		hasEventAt(t, name, time.Time{})
	}
}
