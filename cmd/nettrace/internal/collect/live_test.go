//go:build linux

package collect_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// cornersProviders are the sources of the scenario types, all of them.
const cornersProviders = "Corners-Manifest,Corners-ManifestSD,Corners-Self,Corners-Traits,Corners-ManySelf,Corners-Dup,Corners-DupSelf," +
	"Corners-BadDecimal,Corners-BadArray,Corners-BadDupId,Corners-BadDupName,Corners-BadMismatch,Corners-BadKeyword,Corners-BadCtor,Corners-BadThrow"

// TestCollectAttached records a process that runs and goes on.
func TestCollectAttached(t *testing.T) {
	app := proctest.RunCorners(t, nil, "loop", "20", "exc", "gc", "cpu")
	path := filepath.Join(t.TempDir(), "a.nettrace")
	code, stderr := collected(t, "-p", app.PID(), "-o", path, "--duration", "1s", "--stats")
	expect.Equal(t, "exit code", code, exit.Done)
	expect.Contains(t, "stderr", stderr, "memory ", "came after the stop")
	count := map[string]int{}
	for _, e := range agree(t, path, 0) {
		count[e.provider]++
	}
	noFinding(t, path)
	for _, name := range []string{provider.SampleProfiler, profiletrace.RuntimeName, profiletrace.RundownName} {
		t.Run(name, func(t *testing.T) {
			if count[name] == 0 {
				t.Errorf("no event of %s", name)
			}
		})
	}
	if code, stderr := collected(t, "-p", app.PID(), "-o", path, "--duration", "1s"); code != exit.Usage || !strings.Contains(stderr, "exists") {
		t.Errorf("over a file that exists: exit %d, stderr %q", code, stderr)
	}
	select {
	case <-app.Ended:
		t.Error("the process has ended")
	default:
	}
}

// TestCollectLiveDump records a heap dump of a process, which goes on.
func TestCollectLiveDump(t *testing.T) {
	app := proctest.RunCorners(t, nil, "loop", "20", "exc", "gc")
	dir := t.TempDir()
	thrown := profiletrace.RuntimeName + "/ExceptionThrown" // after it the program runs
	code, stderr := collected(t, "-p", app.PID(), "--providers", profiletrace.RuntimeName+":0x8000:2", "--stop-on", thrown, "-o", filepath.Join(dir, "first.nettrace"))
	if code != exit.Done {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	path := filepath.Join(dir, "dump.nettrace.zst")
	code, stderr = collected(t, "-p", app.PID(), "--profile", "gcdump", "-o", path)
	expect.Equal(t, "exit code", code, exit.Done)
	expect.Contains(t, "stderr", stderr, "dump of collection ", "; the process was paused for ")
	r := programtest.Run(t, nil, "heap", path, "--limit", "0", "--raw-names")
	r.Exits(t, exit.Done)
	expect.Contains(t, "types", r.Out, "System.String\n", "System.Threading.Thread\n")
	select {
	case <-app.Ended:
		t.Error("the process has ended")
	default:
	}
}

// TestCollectSuspended records a command from its first event on.
func TestCollectSuspended(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.nettrace")
	args := append([]string{"-o", path, "--providers", profiletrace.RuntimeName + ":0x1000000018:5", "--"}, proctest.CornersCommand(t, "hello")...)
	if code, stderr := collected(t, args...); code != exit.Done {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	var oldest, first *seen
	compiled := -1
	list := agree(t, path, 0)
	for i := range list {
		e := &list[i]
		if e.provider != profiletrace.RuntimeName {
			continue
		}
		if first == nil {
			first, oldest = e, e
		}
		if e.ticks < oldest.ticks {
			oldest = e
		}
		if e.id == 145 && compiled < 0 {
			compiled = i
		}
	}
	expect.NotZero(t, "first", first)
	expect.Stop(t)
	expect.Equal(t, "first.id", first.id, 187)
	expect.Equal(t, "oldest", oldest, first)
	expect.AtLeast(t, "compiled", compiled, 0)
}

// TestDefaultPortSuspended attaches to a process that waits on its default port:
// it is resumed once the session has started, and recorded from its first event.
func TestDefaultPortSuspended(t *testing.T) {
	shared.OtherReader(t) // its runtime is the one that is recorded
	path := filepath.Join(t.TempDir(), "d.nettrace")
	for _, c := range []struct {
		args []string
		want string // in standard output
	}{
		{[]string{"collect", "-o", path, "--providers", profiletrace.RuntimeName + ":0x1000000018:5"}, ""},
		{[]string{"events", "--provider", profiletrace.RuntimeName + ":0x8000:4", "--format", "ndjson"}, `"ExceptionThrown"`},
		{[]string{"counters", "--format", "csv"}, "CPU Usage (%)"},
	} {
		t.Run(c.args[0], func(t *testing.T) {
			app := proctest.RunCorners(t, []string{"DOTNET_DefaultDiagnosticPortSuspend=1"}, "loop", "3", "exc")
			cmd := programtest.Process(t, append(c.args, "-p", app.PID())...)
			var out, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &stderr
			if err := cmd.Run(); err != nil { // the process ends by itself when it was resumed
				t.Errorf("%v, stderr %q; want exit 0", err, stderr.String())
			}
			if !strings.Contains(out.String(), c.want) {
				t.Errorf("stdout has no %s: %.300s", c.want, out.String())
			}
		})
	}
	firstOfRuntime(t, path)
}

// TestCollectDeep compares the recording with the scenario's own output.
func TestCollectDeep(t *testing.T) {
	type line struct {
		NS    uint64
		What  string
		Shape string
		Depth int
	}
	dir := t.TempDir()
	path, truth := filepath.Join(dir, "d.nettrace"), filepath.Join(dir, "truth")
	t.Setenv("CORNERS_TRUTH", truth)
	args := append([]string{"-o", path, "--providers", provider.SampleProfiler + "," + profiletrace.RuntimeName + ":0x14C14FCCBD:5,Corners-Truth:FFFFFFFFFFFFFFFF:5", "--"}, proctest.CornersCommand(t, "deep")...)
	if code, stderr := collected(t, args...); code != exit.Done {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	lines, found := truthOf[line](t, truth), map[string]int{}
	first, last := ^uint64(0), uint64(0)
	for _, e := range agree(t, path, 0) {
		if e.provider == "Corners-Truth" {
			found[e.name]++
		}
		first, last = min(first, e.ticks), max(last, e.ticks)
	}
	want := map[string]int{}
	for _, l := range lines {
		if l.NS == 0 {
			continue
		}
		want[l.What]++
		if l.NS < first || l.NS > last {
			t.Errorf("%+v is outside of the recording", l)
		}
	}
	expect.NotZero(t, "want[\"enter\"]", want["enter"])
	expect.Equal(t, "found[\"Enter\"]", found["Enter"], want["enter"])
	expect.Equal(t, "found[\"Leave\"]", found["Leave"], want["leave"])
}

// unheard are the writes of the scenario types that no recording has: 24 with a
// payload over 65,536 bytes, which are lost, and 5 with a null that the runtime
// puts a message in place of.
var unheard = map[[2]string]int{
	{"Corners-Manifest", "Str"}: 4, {"Corners-Manifest", "Bytes"}: 7, {"Corners-Self", "BigStr"}: 3,
	{"Corners-Self", "BigBytes"}: 5, {"Corners-Self", "BigInts"}: 5,
	{"Corners-Manifest", "Mixed"}: 1, {"Corners-ManifestSD", "Strings"}: 2, {"Corners-ManifestSD", "Obj"}: 1,
	{"Corners-Self", "NestedNull"}: 1,
}

// TestCollectTypes counts the events that the scenario says it wrote.
func TestCollectTypes(t *testing.T) {
	type line struct {
		Provider, Event string
		Enabled         bool
		Threw           *string
	}
	dir := t.TempDir()
	path, truth := filepath.Join(dir, "t.nettrace"), filepath.Join(dir, "truth")
	t.Setenv("CORNERS_TRUTH", truth)
	var each []string
	for _, name := range strings.Split(cornersProviders, ",") {
		each = append(each, name+":FFFFFFFFFFFFFFFF:5")
	}
	args := append([]string{"-o", path, "--providers", strings.Join(each, ","), "--"}, proctest.CornersCommand(t, "types")...)
	if code, stderr := collected(t, args...); code != exit.Done || !strings.Contains(stderr, "25 events lost") {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	found := map[[2]string]int{}
	for _, e := range agree(t, path, 25) {
		found[[2]string{e.provider, e.name}]++
	}
	lines, missing := 0, map[[2]string]int{}
	for _, l := range truthOf[line](t, truth) {
		if l.Event == "" || !l.Enabled || l.Threw != nil {
			continue
		}
		lines++
		if found[[2]string{l.Provider, l.Event}]--; found[[2]string{l.Provider, l.Event}] < 0 {
			missing[[2]string{l.Provider, l.Event}]++
		}
	}
	if lines < 500 || !maps.Equal(missing, unheard) {
		t.Errorf("of %d lines of truth these are not in the recording: %v; want %v", lines, missing, unheard)
	}
}

// TestCollectPipe writes to standard output, while the command's goes elsewhere.
func TestCollectPipe(t *testing.T) {
	args := append([]string{"collect", "-o", "-", "--"}, proctest.CornersCommand(t, "hello")...)
	cmd := programtest.LongProcess(t, args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v, stderr %q", err, stderr.String())
	}
	if !strings.Contains(stderr.String(), "hello") {
		t.Errorf("the command's output is not in %q", stderr.String())
	}
	r := codec.NewReader(&out, codec.Options{})
	for _, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestCollectCode: the exit code is that of the command, if all was recorded.
func TestCollectCode(t *testing.T) {
	hello := proctest.CornersCommand(t, "hello")
	for _, c := range []struct {
		name, script string
		flag         string
		want         int
	}{
		{"its own", `"$@"; exit 7`, "--exit-code=child", 7},
		{"a signal", `"$@"; kill -KILL $$`, "--exit-code=child", 128 + 9},
		{"of the recording", `"$@"; exit 7`, "--exit-code=self", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "c.nettrace")
			args := append([]string{"-o", path, c.flag, "--", "sh", "-c", c.script, "sh"}, hello...)
			if code, stderr := collected(t, args...); code != c.want {
				t.Errorf("exit %d, want %d, stderr %q", code, c.want, stderr)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "n.nettrace")
	if code, stderr := collected(t, "-o", path, "--", "true"); code != exit.Usage || !strings.Contains(stderr, "ended before") {
		t.Errorf("no .NET at all: exit %d, stderr %q", code, stderr)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was made of nothing")
	}
}

// TestCollectKilled kills the process, and asks it to end, which .NET 10 leaves to
// the system: the file is intact, and the exit code reports that the recording is
// not complete.
func TestCollectKilled(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		t.Run(fmt.Sprint(signal), func(t *testing.T) {
			app := proctest.RunCorners(t, nil, "loop", "20", "exc", "gc", "cpu")
			path := filepath.Join(t.TempDir(), "k.nettrace")
			cmd := programtest.LongProcess(t, "collect", "-p", app.PID(), "-o", path)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitForSize(t, path, 20_000)
			_ = app.Process.Signal(signal)
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != exit.Broken || !strings.Contains(stderr.String(), "was killed") {
				t.Errorf("exit %d, stderr %q", code, stderr.String())
			}
			agree(t, path, 0)
			noFinding(t, path)
		})
	}
}

// TestCollectInterrupted: the first Ctrl-C stops, and the rundown comes.
func TestCollectInterrupted(t *testing.T) {
	app := proctest.RunCorners(t, nil, "loop", "20", "exc", "gc", "cpu")
	path := filepath.Join(t.TempDir(), "i.nettrace")
	cmd := programtest.LongProcess(t, "collect", "-p", app.PID(), "-o", path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForSize(t, path, 20_000)
	_ = cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v; want exit 0", err)
	}
	count := 0
	for _, e := range agree(t, path, 0) {
		if e.provider == profiletrace.RundownName {
			count++
		}
	}
	if count == 0 {
		t.Error("no rundown")
	}
}

// TestCollectTimeout ends the recording by timeout(1), which signals its child and
// then its process group: the rundown is recorded all the same.
func TestCollectTimeout(t *testing.T) {
	timeout, err := exec.LookPath("timeout")
	if err != nil {
		t.Skip(err)
	}
	app := proctest.RunCorners(t, nil, "loop", "30", "exc", "gc", "cpu")
	path := filepath.Join(t.TempDir(), "t.nettrace")
	cmd := exec.Command(timeout, "--preserve-status", "4", os.Args[0], "collect", "-p", app.PID(), "-o", path)
	cmd.Env = append(os.Environ(), "NETTRACE_TEST_MAIN=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the group is not that of the test
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForSize(t, path, 20_000)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v, stderr %q; want exit 0", err, stderr.String())
	}
	count := 0
	for _, e := range agree(t, path, 0) {
		if e.provider == profiletrace.RundownName {
			count++
		}
	}
	if count == 0 {
		t.Error("no rundown")
	}
}

// TestCollectStopped: a process under SIGSTOP does not answer; --drain bounds the
// waiting, and what came before is there.
func TestCollectStopped(t *testing.T) {
	app := proctest.RunCorners(t, nil, "loop", "20", "exc", "gc", "cpu")
	path := filepath.Join(t.TempDir(), "z.nettrace")
	cmd := programtest.LongProcess(t, "collect", "-p", app.PID(), "-o", path, "--drain", "1s")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForSize(t, path, 20_000)
	_ = app.Process.Signal(syscall.SIGSTOP)
	_ = cmd.Process.Signal(os.Interrupt)
	begun := time.Now()
	_ = cmd.Wait()
	code := cmd.ProcessState.ExitCode()
	expect.Equal(t, "exit code", code, exit.Broken)
	expect.Contains(t, "stderr", stderr.String(), "--drain")
	expect.AtMost(t, "time", time.Since(begun), 40*time.Second) // without --drain it is a minute
	readTrace(t, path)
}

// TestCollectStopOn stops at an event, by number and by name.
func TestCollectStopOn(t *testing.T) {
	app := proctest.RunCorners(t, nil, "loop", "120", "exc", "gc")
	for _, args := range [][]string{
		{"--stop-on", profiletrace.RuntimeName + "/80"},
		{"--stop-on", profiletrace.RuntimeName + "/GCStart:Depth=2"},
		{"--stopping-event-provider-name", profiletrace.RuntimeName, "--stopping-event-event-name", "GC/Start"},
	} {
		t.Run(testfile.CaseName(args...), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "o.nettrace")
			args = append(args, "-p", app.PID(), "-o", path, "--profile", "dotnet-common", "--duration", "90s")
			begun := time.Now()
			if code, stderr := collected(t, args...); code != exit.Done || time.Since(begun) > time.Minute {
				t.Errorf("exit %d after %v, stderr %q", code, time.Since(begun), stderr)
			}
			agree(t, path, 0)
		})
	}
}

// TestCollectMaxSize stops when so much has come.
func TestCollectMaxSize(t *testing.T) {
	app := proctest.RunCorners(t, nil, "loop", "20", "exc", "gc", "cpu")
	path := filepath.Join(t.TempDir(), "m.nettrace")
	code, stderr := collected(t, "-p", app.PID(), "-o", path, "--max-size", "100kB", "--rundown", "false")
	info, err := os.Stat(path)
	expect.NoError(t, err)
	expect.Equal(t, "exit code", code, exit.Done)
	expect.AtLeast(t, "info.Size()", info.Size(), 100_000)
	expect.AtMost(t, "info.Size()", info.Size(), 1_000_000)
	expect.Contains(t, "stderr", stderr, "without rundown")
	agree(t, path, 0)
}

// TestCollectFull: the file may not grow beyond a limit. It is intact, and the
// process goes on.
func TestCollectFull(t *testing.T) {
	app := proctest.RunCorners(t, nil, "loop", "20", "exc", "gc", "cpu")
	path := filepath.Join(t.TempDir(), "f.nettrace")
	cmd := exec.Command("sh", "-c", `ulimit -f 200; exec "$@"`, "sh", os.Args[0], "collect", "-p", app.PID(), "-o", path)
	cmd.Env = append(os.Environ(), "NETTRACE_TEST_MAIN=1")
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != exit.Broken || !strings.Contains(string(out), "file too large") {
		t.Errorf("exit %d, %s", code, out)
	}
	info, err := os.Stat(path)
	expect.NoError(t, err)
	expect.AtMost(t, "info.Size()", info.Size(), 200*1024)
	expect.AtLeast(t, "info.Size()", info.Size(), 50*1024)
	agree(t, path, 0)
	if app.ProcessState != nil {
		t.Error("the process has ended")
	}
}

// TestCollectOutputLost: a recording whose output is closed, removed or truncated
// meanwhile is not complete, and says why.
func TestCollectOutputLost(t *testing.T) {
	app := proctest.RunCorners(t, nil, "loop", "60", "exc", "gc", "cpu")
	t.Run("reader of standard output left", func(t *testing.T) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		cmd := programtest.Process(t, "collect", "-p", app.PID(), "-o", "-")
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = w, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != exit.Broken {
			t.Errorf("exit %d, want %d", code, exit.Broken)
		}
		if want := "the reader of standard output closed it before the end"; !strings.Contains(stderr.String(), want) {
			t.Errorf("stderr %q, want %q in it", stderr.String(), want)
		}
	})
	for _, c := range []struct {
		name, want string
		do         func(path string) error
	}{
		{"removed", "was removed, renamed or replaced while it was written", os.Remove},
		{"truncated", "another program truncated the file", func(path string) error { return os.Truncate(path, 0) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.nettrace")
			cmd := programtest.Process(t, "collect", "-p", app.PID(), "-o", path, "--max-size", "400kB")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for size := int64(0); size == 0; time.Sleep(time.Millisecond) {
				if info, err := os.Stat(path); err == nil {
					size = info.Size()
				}
			}
			if err := c.do(path); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != exit.Broken {
				t.Errorf("exit %d, want %d", code, exit.Broken)
			}
			if !strings.Contains(stderr.String(), c.want) {
				t.Errorf("stderr %q, want %q in it", stderr.String(), c.want)
			}
		})
	}
}

// TestCollectBegins: the first line says that the recording has begun, also where
// standard error is no terminal.
func TestCollectBegins(t *testing.T) {
	app := proctest.RunCorners(t, nil, "loop", "20", "gc")
	path := filepath.Join(t.TempDir(), "x.nettrace")
	_, stderr := collected(t, "-p", app.PID(), "-o", path, "--max-size", "20kB", "--rundown", "false", "--providers", "Microsoft-Windows-DotNETRuntime:1:4")
	want := "recording process " + app.PID() + " (Corners) into " + path
	for line := range strings.Lines(stderr) {
		if strings.Contains(line, want) {
			return
		}
	}
	t.Errorf("stderr %q, want %q in it", stderr, want)
}

// TestCollectRing writes the last part on SIGUSR1 and at the end.
func TestCollectRing(t *testing.T) {
	app := proctest.RunCorners(t, nil, "loop", "20", "exc", "gc", "cpu")
	ringOver(t, app, 500*time.Millisecond, 1500*time.Millisecond, 1500*time.Millisecond)
}

// TestCollectRingSize bounds the kept part by its size, without the rundown: half
// as much again comes. Nothing unloads code meanwhile: .NET 10 sometimes crashes in
// its own rundown then.
func TestCollectRingSize(t *testing.T) {
	const size = 1 << 20
	app := proctest.RunCorners(t, nil, "loop", "30", "exc", "gc", "cpu", "locks", "pool")
	path := filepath.Join(t.TempDir(), "r.nettrace")
	code, stderr := collected(t, "-p", app.PID(), "-o", path, "--ring", "1MiB", "--max-size", "1600kB", "--providers", profiletrace.RuntimeName+":0x14C14FCCBD:5,"+provider.SampleProfiler)
	if code != exit.Done {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var kept, rundown, last int64
	r := codec.NewBytesBlockReader(data, codec.Options{})
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		others := b.Kind != wire.KindEvent // than those of the rundown, of the session and of collect
		for e, ok := r.NextEvent(); ok; e, ok = r.NextEvent() {
			others = others || !slices.Contains([]string{profiletrace.RundownName, "Microsoft-DotNETCore-EventPipe", record.CollectorProvider}, e.Provider())
		}
		if last = b.Size; others {
			kept += b.Size
		} else {
			rundown += b.Size
		}
	}
	kept -= last // the sequence point that ends the file is not in the ring
	t.Logf("%d bytes kept, %d of rundown; %s", kept, rundown, stderr)
	expect.AtMost(t, "kept", kept, size)
	expect.AtLeast(t, "kept", kept, size/2)
	expect.NotZero(t, "rundown", rundown)
	agree(t, path, 0)
}

// ringOver keeps a ring of some length, has it written some time after the
// recording began and again some time after that, and looks at both files.
func ringOver(t *testing.T, app *proctest.Corner, length, before, after time.Duration, args ...string) {
	t.Helper()
	dir := t.TempDir()
	cmd := programtest.LongProcess(t, append([]string{"collect", "-p", app.PID(), "-o", filepath.Join(dir, "r.nettrace"), "--ring", length.String(), "--names", "late", "--stats"}, args...)...)
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	printed := func() string {
		text, _ := os.ReadFile(stderr.Name())
		return string(text)
	}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	proctest.WaitFor(t, func() bool { return strings.Contains(printed(), "recording process") })
	time.Sleep(before)
	_ = cmd.Process.Signal(syscall.SIGUSR1)
	written := func() []string {
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		return files
	}
	proctest.WaitFor(t, func() bool { return len(written()) > 0 })
	time.Sleep(after)
	_ = cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v, stderr %q", err, printed())
	}
	t.Log(printed())
	files := written()
	if len(files) != 2 {
		t.Fatalf("files: %q", files)
	}
	for _, path := range files {
		agree(t, path, 0)
		lookAtRing(t, path, length)
	}
}

// lookAtRing holds how long a ring's file is, and that its frames have names.
func lookAtRing(t *testing.T, path string, length time.Duration) {
	t.Helper()
	first, last, rundown := ^uint64(0), uint64(0), 0
	list, _ := readTrace(t, path)
	for _, e := range list {
		switch e.provider {
		case profiletrace.RundownName:
			rundown++
		case "Microsoft-DotNETCore-EventPipe", record.CollectorProvider: // of the session of the names; added by collect
		default:
			first, last = min(first, e.ticks), max(last, e.ticks)
		}
	}
	block := longestBlock(t, path)
	span := time.Duration(last - first)
	expect.NotZero(t, "last", last)
	expect.AtMost(t, "span", span, length+block)
	expect.NotZero(t, "rundown", rundown)
	noFinding(t, path)
	out, err := exec.Command(shared.OtherReader(t), "stacks", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	frames, stubs, nameless, example := 0, 0, 0, ""
	for line := range bytes.Lines(out) {
		for i, frame := range bytes.Split(bytes.TrimRight(line, "\n"), []byte("\t")) {
			if i < 4 {
				continue
			}
			frames++
			switch {
			case !bytes.Contains(frame, []byte("!0x")):
			case i == 4: // a sample in a stub of the runtime, which no rundown names
				stubs++
			default:
				nameless++
				example = string(line)
			}
		}
	}
	t.Logf("%s: %v, %d events, %d frames, %d of them in stubs", filepath.Base(path), time.Duration(last-first), len(list), frames, stubs)
	if nameless > 0 {
		t.Errorf("%s: %d of %d frames have no name, as in %s", path, nameless, frames, example)
	}
	expect.AtMost(t, "frames in stubs", stubs, frames/1000)
}

func longestBlock(t *testing.T, path string) (longest time.Duration) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := codec.NewBlockReader(io.Reader(f), codec.Options{})
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if b.MaxTimestamp > b.MinTimestamp {
			longest = max(longest, time.Duration(b.MaxTimestamp-b.MinTimestamp))
		}
	}
	return longest
}

// TestCollectTerminated: SIGTERM ends the session of a command before the command gets it, which
// dies of it without a rundown on .NET 10.
func TestCollectTerminated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.nettrace")
	args := append([]string{"collect", "-o", path, "--names", "late", "--exit-code", "self", "--"}, proctest.CornersCommand(t, "loop", "600", "exc", "gc")...)
	cmd := programtest.LongProcess(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForSize(t, path, 20_000)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v; want exit 0", err)
	}
	names := slices.ContainsFunc(agree(t, path, 0), func(e seen) bool { return e.provider == profiletrace.RundownName })
	expect.Equal(t, "rundown", names, true)
}
