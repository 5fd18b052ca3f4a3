package eventpipe_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// release is a program of the npm registry with a runtime of its own, and the
// commands that the runtime supports.
type release struct {
	spec, file string // of the package; npm's name of its archive
	program    string // in the archive
	args       []string
	version    string // from ProcessInfo; empty if unsupported
	dumps      bool   // createdump is in the archive
}

// releases stay alive because the server reads its standard input, and the
// other program a pipe that nobody writes to.
var releases = []release{
	{"@microsoft/sarif-multitool-linux@4.2.2", "microsoft-sarif-multitool-linux-4.2.2.tgz", "Sarif.Multitool",
		[]string{"rewrite", "input.sarif", "-o", "output.sarif", "--log", "ForceOverwrite"}, "", false},
	{"@microsoft/sarif-multitool-linux@5.7.0", "microsoft-sarif-multitool-linux-5.7.0.tgz", "Sarif.Multitool",
		[]string{"rewrite", "input.sarif", "-o", "output.sarif", "--log", "ForceOverwrite"}, "8.0.", false},
	{"@azure/mcp-linux-x64@0.5.0", "azure-mcp-linux-x64-0.5.0.tgz", "dist/azmcp",
		[]string{"server", "start"}, "9.0.", true},
	{"@azure/mcp-template-linux-x64@0.0.12-alpha.6621500", "azure-mcp-template-linux-x64-0.0.12-alpha.6621500.tgz", "dist/mcptmp",
		[]string{"server", "start"}, "10.0.", false},
}

// TestRuntimes sends every command to the runtimes of .NET Core 3.1 and .NET
// 8, 9 and 10. It downloads 207 MB when it runs for the first time.
func TestRuntimes(t *testing.T) {
	tier.NeedsNightly(t) // 207 MB of programs are needed
	if runtime.GOARCH != "amd64" {
		t.Skipf("the programs are for amd64, not %s", runtime.GOARCH)
	}
	for _, r := range releases {
		t.Run(strings.TrimSuffix(r.file, ".tgz"), func(t *testing.T) {
			program := r.get(t)
			t.Run("attach", func(t *testing.T) { r.attach(t, program) })
			t.Run("launch", func(t *testing.T) { r.launch(t, program) })
		})
	}
}

// get unpacks the archive, which npm fetches unless it is there.
func (r *release) get(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cache = filepath.Join(cache, "nettrace-runtimes")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(cache, r.file)
	if _, err := os.Stat(archive); err != nil {
		pack := exec.Command("npm", "pack", "--silent", r.spec)
		pack.Dir = cache
		if out, err := pack.CombinedOutput(); err != nil {
			t.Skipf("%v: %v: %s", pack, err, out)
		}
	}
	dir := t.TempDir()
	if out, err := exec.Command("tar", "-xzf", archive, "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	program := filepath.Join(dir, "package", r.program)
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	if r.dumps {
		if err := os.Chmod(filepath.Join(filepath.Dir(program), "createdump"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return program
}

// command starts nothing yet. The program waits for input and ends with it.
func (r *release) command(t *testing.T, program string) *exec.Cmd {
	t.Helper()
	dir, err := os.MkdirTemp("", "rt") // its port is there: a name of 108 bytes would be too long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := syscall.Mkfifo(filepath.Join(dir, "input.sarif"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, r.args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1", "AZURE_MCP_COLLECT_TELEMETRY=false")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// major is the release of the runtime.
func (r *release) major() int {
	for number, prefix := range map[int]string{8: "8.", 9: "9.", 10: "10."} {
		if strings.HasPrefix(r.version, prefix) {
			return number
		}
	}
	return 3
}

// can tests that a command works from a release on, and returns UnsupportedError
// before.
func (r *release) can(t *testing.T, name string, since int, err error) {
	t.Helper()
	var unsupported *eventpipe.UnsupportedError
	able := r.major() >= since
	if able && err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if !able && !errors.As(err, &unsupported) {
		t.Errorf("%s: %v", name, err)
	}
}

func (r *release) attach(t *testing.T, program string) {
	cmd := r.command(t, program)
	launch(t, cmd)
	var p *eventpipe.Process
	eventually(t, func() (found bool) {
		var err error
		p, err = eventpipe.Find(cmd.Process.Pid)
		return err == nil
	})
	c, ctx := p.Client(), t.Context()
	info, err := c.ProcessInfo(ctx)
	r.can(t, "ProcessInfo", 5, err)
	if err == nil {
		if !strings.HasPrefix(info.Version, r.version) {
			t.Errorf("Version: got %q, want the prefix %q", info.Version, r.version)
		}
		expect.Equal(t, "PID", info.PID, p.PID)
		expect.Equal(t, "Architecture", info.Architecture, "x64")
		expect.Equal(t, "PortableRID", info.PortableRID, "linux-x64")
	}
	t.Logf("ProcessInfo: %+v, %v", info, err)
	r.can(t, "SetEnvironment", 6, c.SetEnvironment(ctx, "NETTRACE_TEST", "1"))
	vars, err := c.Environment(ctx)
	r.can(t, "Environment", 6, err)
	if err == nil && !slices.Contains(vars, "NETTRACE_TEST=1") {
		t.Errorf("Environment: %q", vars)
	}
	r.can(t, "Resume", 5, c.Resume(ctx))
	t.Cleanup(func() { removePerfMaps(p.PID) })
	r.can(t, "EnablePerfMap", 8, c.EnablePerfMap(ctx, eventpipe.PerfMapNames))
	r.can(t, "DisablePerfMap", 8, c.DisablePerfMap(ctx))
	r.sessions(t, p)
	r.dump(t, p)
}

func removePerfMaps(pid int) {
	files, _ := filepath.Glob("/tmp/perf*")
	for _, file := range files {
		if strings.Contains(file, "-"+strconv.Itoa(pid)+".") {
			os.Remove(file)
		}
	}
}

// sessions starts a session for each setting that requires a later
// CollectTracing.
func (r *release) sessions(t *testing.T, p *eventpipe.Process) {
	provider := runtimeEvents.Providers
	filtered := slices.Clone(provider)
	filtered[0].Filter = &eventpipe.EventFilter{IDs: []uint32{80}}
	for _, c := range []struct {
		name  string
		cfg   eventpipe.SessionConfig
		since int
		want  eventpipe.Command
	}{
		{"plain", eventpipe.SessionConfig{Providers: provider}, 3, eventpipe.CollectTracing2},
		{"netperf", eventpipe.SessionConfig{Providers: provider, Format: eventpipe.NetPerf}, 3, eventpipe.CollectTracing2},
		{"no-rundown", eventpipe.SessionConfig{Providers: provider, NoRundown: true}, 3, eventpipe.CollectTracing2},
		{"no-stacks", eventpipe.SessionConfig{Providers: provider, NoStacks: true}, 9, eventpipe.CollectTracing3},
		{"keyword", eventpipe.SessionConfig{Providers: provider, RundownKeyword: 1}, 9, eventpipe.CollectTracing4},
		{"filter", eventpipe.SessionConfig{Providers: filtered}, 10, eventpipe.CollectTracing5},
		{"block", eventpipe.SessionConfig{Providers: provider, BlockWhenFull: true}, 11, eventpipe.CollectTracing6},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := p.Client().StartSession(t.Context(), c.cfg)
			r.can(t, c.name, c.since, err)
			if err != nil {
				t.Logf("%s: %v", c.name, err)
				return
			}
			data := recordReal(t, s, func() {
				if err := s.Stop(within(t, 30*time.Second)); err != nil {
					t.Error(err)
				}
			})
			events := count(t, data)["all"]
			t.Logf("%s (%v): %d bytes, %d events", c.name, s.Command, len(data), events)
			expect.Equal(t, "s.Command", s.Command, c.want)
			expect.NotZero(t, "events", events)
			expect.Equal(t, "bytes.HasSuffix(data, []byte{1})", bytes.HasSuffix(data, []byte{1}), true)
		})
	}
}

// dump writes a dump, or tests the error why it cannot.
func (r *release) dump(t *testing.T, p *eventpipe.Process) {
	file := filepath.Join(filepath.Dir(p.Address), "dump")
	err := p.Client().WriteDump(t.Context(), eventpipe.DumpConfig{Path: file, Type: eventpipe.DumpNormal})
	info, missing := os.Stat(file)
	switch {
	case err == nil && (missing != nil || info.Size() == 0):
		t.Errorf("no dump: %v", missing)
	case err == nil:
		t.Logf("a dump of %d bytes", info.Size())
	case r.dumps:
		t.Errorf("WriteDump: %v", err)
	default:
		t.Logf("WriteDump: %v", err)
	}
	var unsupported *eventpipe.UnsupportedError
	err = p.Client().WriteDump(t.Context(), eventpipe.DumpConfig{Path: file, Type: eventpipe.DumpNormal, CrashReport: true})
	if errors.As(err, &unsupported) != (r.major() < 6) {
		t.Errorf("a dump with a crash report: %v", err)
	}
}

// launch records from the first event, which requires .NET 5.
func (r *release) launch(t *testing.T, program string) {
	if r.major() < 5 {
		t.Skip("this runtime makes no reverse connections")
	}
	cmd := r.command(t, program)
	launched, err := eventpipe.Launch(within(t, 20*time.Second), cmd, eventpipe.LaunchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := withTimeouts(launched.Runtime.Client(), longTimeout)
	s, err := c.StartSession(t.Context(), runtimeEvents)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Resume(t.Context()); err != nil {
		t.Error(err)
	}
	data := recordUntil(t, s, runs, func() {
		if err := s.Stop(within(t, 30*time.Second)); err != nil {
			t.Error(err)
		}
	})
	cmd.Process.Kill()
	launched.Wait()
	t.Logf("%d bytes, %d events", len(data), count(t, data)["all"])
	if first := firstEvent(t, data); first != runtimeStart {
		t.Errorf("the runtime's first event is %d", first)
	}
}
