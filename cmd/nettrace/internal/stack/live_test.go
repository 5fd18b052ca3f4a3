//go:build linux

package stack_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// printed is a sample as stack prints it in JSON.
type printed struct {
	ProcessID int
	Ticks     uint64 `json:",string"`
	Threads   int
	Groups    []group
}

type group struct {
	State, Cause string
	Threads      []struct {
		ThreadID uint64
		Name     string
	}
	Frames []string
}

// parse returns the samples of the standard output of stack.
func parse(t *testing.T, out string) (list []printed) {
	t.Helper()
	for line := range strings.Lines(out) {
		var s printed
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		list = append(list, s)
	}
	return list
}

// of returns the group of a thread with this name, or nil.
func (s *printed) of(name string) *group {
	g, _ := s.find(func(_ uint64, other string) bool { return other == name })
	return g
}

// find returns the group of the first thread for which is returns true, and its name.
func (s *printed) find(is func(id uint64, name string) bool) (*group, string) {
	for i := range s.Groups {
		for _, t := range s.Groups[i].Threads {
			if is(t.ThreadID, t.Name) {
				return &s.Groups[i], t.Name
			}
		}
	}
	return nil, ""
}

// has reports whether a frame begins with a text.
func (g *group) has(method string) bool {
	return slices.ContainsFunc(g.Frames, func(f string) bool { return strings.HasPrefix(f, method) })
}

// deadlocked starts a process and waits until its threads wait for each other. It returns
// their stacks then.
func deadlocked(t *testing.T) (*proctest.Corner, printed) {
	t.Helper()
	tier.NeedsCheck(t) // starts a .NET process
	app := proctest.RunTruth(t, nil, "deadlock", "cycle", "600000", "monitor")
	var s printed
	proctest.WaitFor(t, func() bool {
		r := programtest.Run(t, nil, "stack", "-p", app.PID(), "--json")
		r.Exits(t, exit.Done)
		s = parse(t, r.Out)[0]
		g := s.of("bystander")
		return g != nil && g.State == "blocked"
	})
	return app, s
}

// TestLive prints the stacks of a deadlocked process, and the reason when a signal has
// stopped it.
func TestLive(t *testing.T) {
	app, s := deadlocked(t)
	for _, name := range []string{"two-1", "two-2", "three-1", "three-2", "three-3"} {
		t.Run(name, func(t *testing.T) {
			g := s.of(name)
			if g == nil {
				t.Fatal("the thread is not in the sample")
			}
			expect.Equal(t, "state", g.State+" "+g.Cause, "blocked lock")
			expect.Equal(t, "a frame has Deadlock.HoldAndWant", g.has("Deadlock.HoldAndWant"), true)
			expect.Len(t, "threads of the group", g.Threads, 5)
		})
	}
	expect.Equal(t, "process", s.ProcessID, app.Process.Pid)
	t.Run("text", func(t *testing.T) {
		r := programtest.Run(t, nil, "stack", "-p", app.PID(), "--count", "2", "--every", "1ms", "--depth", "2")
		r.Exits(t, exit.Done)
		expect.Contains(t, "stdout", r.Out, "7 threads in 3 groups", "5 threads blocked (lock): ", " two-1, ", "... 3 more frames")
		expect.Equal(t, "samples", strings.Count(r.Out, "process "+app.PID()), 2)
	})
	t.Run("stopped", func(t *testing.T) {
		if err := app.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		r := programtest.Run(t, nil, "stack", "-p", app.PID())
		r.Exits(t, exit.Usage)
		expect.Contains(t, "stderr", r.Stderr, "it does not answer: a signal has stopped it")
	})
}

// TestLiveSuspended: a process that is suspended at its start has no stacks.
func TestLiveSuspended(t *testing.T) {
	tier.NeedsCheck(t) // starts a .NET process
	app := proctest.RunTruth(t, []string{"DOTNET_DefaultDiagnosticPortSuspend=1"}, "deadlock", "cycle", "600000", "monitor")
	r := programtest.Run(t, nil, "stack", "-p", app.PID())
	r.Exits(t, exit.Usage)
	expect.Contains(t, "stderr", r.Stderr, "it is suspended at its start")
}

// long skips a test that takes more than ten seconds.
func long(t *testing.T) {
	t.Helper()
	tier.NeedsNightly(t) // takes more than ten seconds
}

// TestLiveOtherReader: the stacks are those that the other reader has of a recording.
func TestLiveOtherReader(t *testing.T) {
	long(t)
	app, _ := deadlocked(t)
	te := shared.OtherReader(t)
	trace := filepath.Join(t.TempDir(), "a.nettrace")
	if out, err := exec.Command(te, "trace", "collect", "-p", app.PID(), "--providers", "Microsoft-DotNETCore-SampleProfiler:0:4", "--duration", "00:00:00:01", "-o", trace).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(te, "stacks", trace, "Microsoft-DotNETCore-SampleProfiler").Output()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		want[strings.Join(cells[3:], "\t")] = true
	}
	r := programtest.Run(t, nil, "stack", "-p", app.PID(), "--json", "--raw-names")
	r.Exits(t, exit.Done)
	got := map[string]bool{}
	for _, g := range parse(t, r.Out)[0].Groups {
		for _, thread := range g.Threads {
			got[strings.Join(append([]string{fmt.Sprint(thread.ThreadID)}, g.Frames...), "\t")] = true
		}
	}
	expect.Slices(t, "stacks", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
}

// causes are the causes of the kinds of waits of wait-truth; spin does not wait.
var causes = map[string]string{
	"sleep": "sleep", "monitor-timeout": "monitor", "monitor-pulse": "monitor", "event": "handle", "event-timeout": "handle", "event-slim": "event",
	"semaphore-slim": "semaphore", "semaphore": "handle", "join": "join", "task": "task", "task-result": "task", "task-all": "task", "task-any": "task",
	"task-delay": "task", "handle-any": "handle", "handle-all": "handle", "countdown": "event", "barrier": "event", "collection": "semaphore",
	"lock": "lock", "lock-try": "lock", "lock-class": "lock", "lock-shared": "lock", "read-lock": "handle", "mutex": "handle", "pipe": "io", "socket": "io",
	"spin": "",
}

// wait is a line of wait-truth: what a thread did from Begin to End.
type wait struct {
	Wait, Role, Method, Name string
	Thread, Begin, End       uint64
}

// waits returns the waits that the process prints at its end.
func waits(t *testing.T, app *proctest.Corner) (list []wait) {
	t.Helper()
	for line := range app.Lines {
		var w wait
		if !strings.HasPrefix(line, `{"wait":`) {
			continue
		}
		if err := json.Unmarshal([]byte(line), &w); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if w.Role == "waiter" {
			list = append(list, w)
		}
	}
	return list
}

// preparing are the causes of a thread that is about to wait, or has just waited: the class
// library spins before it waits, and sleeps in between.
var preparing = []string{"", "spin wait", "sleep"}

// TestLiveWaits samples a process that waits in known places, one at a time: in each
// sample within a wait its thread has the method that it printed, and no wrong cause. Each
// kind has a sample with its cause: a process has few samples on a busy machine, and then
// others follow.
func TestLiveWaits(t *testing.T) {
	long(t)
	missing := maps.Clone(causes)
	for run := 1; run <= 5 && len(missing) > 0 && !t.Failed(); run++ {
		app := proctest.RunTruth(t, nil, "wait-truth", "2", "7", "2000")
		r := programtest.Run(t, nil, "stack", "-p", app.PID(), "--json", "--every", "50ms")
		r.Exits(t, exit.Broken) // at the end of the process
		samples := parse(t, r.Out)
		for _, w := range waits(t, app) {
			t.Run(w.Name, func(t *testing.T) {
				if checkWait(t, &w, samples) {
					delete(missing, w.Wait)
				}
			})
		}
		t.Logf("process %d: %d samples; kinds without a sample: %d; %s", run, len(samples), len(missing), r.Stderr)
	}
	expect.Slices(t, "kinds without a sample that has the cause", slices.Sorted(maps.Keys(missing)), nil)
}

// checkWait checks the samples within a wait, and reports whether one has its cause.
func checkWait(t *testing.T, w *wait, samples []printed) (met bool) {
	t.Helper()
	for i := range samples {
		if s := &samples[i]; s.Ticks < w.Begin || s.Ticks > w.End {
			continue
		}
		g, name := samples[i].find(func(id uint64, _ string) bool { return id == w.Thread })
		if g == nil {
			t.Fatalf("the thread is not in sample %d", i)
		}
		expect.Equal(t, "name", name, w.Name[:min(len(w.Name), 15)])
		expect.Equal(t, "the stack has "+w.Method, g.has("WaitTruth."+w.Method), true)
		if g.Cause == causes[w.Wait] {
			met = true
		} else if !slices.Contains(preparing, g.Cause) {
			t.Errorf("cause in sample %d: got %q, want %q", i, g.Cause, causes[w.Wait])
		}
	}
	return met
}
