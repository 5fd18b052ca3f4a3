//go:build linux

package agent_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	pb "github.com/google/pprof/profile"

	"github.com/nettrace-go/nettrace/agent"
	"github.com/nettrace-go/nettrace/agent/config"
	"github.com/nettrace-go/nettrace/agent/delivery"
	receiver "github.com/nettrace-go/nettrace/agent/pyroscope"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// mark is a variable that only the processes of these tests have.
const mark = "NETTRACE_AGENT_TEST"

// TestLiveSums profiles a real process, pushes the profiles to a receiver of
// Pyroscope's protocol, and compares the sums by function with those of convert of
// the same recordings.
func TestLiveSums(t *testing.T) {
	tier.NeedsNightly(t) // profiles a process until all kinds have samples
	value := fmt.Sprint(os.Getpid(), "-sums")
	proctest.RunCorners(t, []string{mark + "=" + value}, "loop", "120", "exc", "cpu", "alloc", "lock", "wait")
	server := &pyroscope{}
	web := httptest.NewServer(server)
	defer web.Close()
	client, err := delivery.NewClient(config.Target{URL: web.URL})
	expect.NoError(t, err)
	defer client.Close()
	push := receiver.Push{Client: client}

	ctx, cancel := context.WithTimeout(t.Context(), proctest.Patience)
	defer cancel()
	var traces []*agent.Trace
	seen := map[agent.Kind]bool{}
	options := agent.Options{
		Selectors: []eventpipe.Selector{{Environment: map[string]string{mark: value}}}, Every: 2 * time.Second, Sample: time.Second,
		OnTrace: func(r *agent.Trace) { traces = append(traces, r) },
	}
	for w, err := range agent.Windows(ctx, options) {
		expect.NoError(t, err)
		if err != nil {
			continue
		}
		var body bytes.Buffer
		expect.NoError(t, w.Pprof.Write(&body))
		labels := map[string]string{"service_name": w.Program(), "pid": strconv.Itoa(w.Process.PID)}
		expect.NoError(t, push.Send(ctx, &delivery.Item{ID: w.ID("host"), Kind: w.Kind.String(), Labels: labels, Body: body.Bytes()}))
		if seen[w.Kind] = true; len(seen) == len(agent.AllKinds()) {
			break
		}
	}
	expect.NoError(t, server.errors())
	expect.Len(t, "kinds", server.kinds(), len(agent.AllKinds()))
	compared := 0
	for _, p := range server.list() {
		want := converted(t, traces, &p)
		got := sumsOf(p.profile, 0)
		expect.Equal(t, p.labels["__name__"]+": functions", len(got), len(want))
		for name, n := range want {
			compared++
			expect.Equal(t, p.labels["__name__"]+": "+name, got[name], n)
		}
	}
	t.Logf("%d profiles of %d recordings, %d sums", len(server.list()), len(traces), compared)
	expect.AtLeast(t, "compared sums", compared, 50)
}

// kinds returns the profiles by kind.
func (s *pyroscope) kinds() (names []string) {
	seen := map[string]bool{}
	for _, p := range s.list() {
		if name := p.labels["__name__"]; !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// valueNames are the names of values in files of convert, by kind.
var valueNames = map[string]string{
	"wall": "wall", "process_cpu": "cpu~", "memory": "alloc-size", "mutex": "lock-time", "block": "wait-time", "exceptions": "exception",
}

// converted returns the sums by function of the trace of a profile, as convert
// writes them.
func converted(t *testing.T, traces []*agent.Trace, p *pushed) map[string]int64 {
	t.Helper()
	kind, _ := agent.ParseKind(p.labels["__name__"])
	for _, r := range traces {
		if r.Start.UnixNano() != p.profile.TimeNanos || !contains(r.Kinds, kind) {
			continue
		}
		dir := t.TempDir()
		in, out := filepath.Join(dir, "a.nettrace"), filepath.Join(dir, "a.pb.gz")
		expect.NoError(t, os.WriteFile(in, r.Data, 0o600))
		args := append([]string{"convert", in, "-o", out, "--format", "pprof"}, bounds(t, r)...)
		programtest.Run(t, nil, args...).Exits(t, exit.Done)
		data, err := os.ReadFile(out)
		expect.NoError(t, err)
		made, err := pb.ParseData(data)
		expect.NoError(t, err)
		for i, v := range made.SampleType {
			if v.Type == valueNames[kind.String()] {
				return sumsOf(made, i)
			}
		}
		t.Fatalf("convert writes no %s", valueNames[kind.String()])
	}
	t.Fatalf("no trace of %s from %d", kind, p.profile.TimeNanos)
	return nil
}

func contains(list []agent.Kind, k agent.Kind) bool {
	for _, one := range list {
		if one == k {
			return true
		}
	}
	return false
}

// bounds returns the flags for the time of a trace.
func bounds(t *testing.T, r *agent.Trace) (flags []string) {
	t.Helper()
	trace, err := codec.NewBytesReader(r.Data, codec.Options{}).Trace()
	expect.NoError(t, err)
	if r.Time.HasFrom {
		flags = append(flags, "--from", trace.Since(r.Time.From).String())
	}
	if r.Time.HasTo {
		flags = append(flags, "--to", trace.Since(r.Time.To).String())
	}
	return flags
}

// sumsOf returns the values of the leaves of a profile by function, without 0.
func sumsOf(p *pb.Profile, value int) map[string]int64 {
	sums := map[string]int64{}
	for _, s := range p.Sample {
		if v := s.Value[value]; v != 0 {
			sums[s.Location[0].Line[0].Function.Name] += v
		}
	}
	return sums
}

// TestLiveRestarts kills and starts a process 50 times: the agent profiles each
// life, keeps no socket, and after the first 10 lives no memory.
func TestLiveRestarts(t *testing.T) {
	tier.NeedsNightly(t) // starts processes for minutes
	const lives, first = 50, 10
	value := fmt.Sprint(os.Getpid(), "-restarts")
	server := &pyroscope{}
	web := httptest.NewServer(server)
	defer web.Close()
	path := filepath.Join(t.TempDir(), "agent.yaml")
	text := fmt.Sprintf("processes: [{env: {%s: %q}, service_name: corners}]\nadmin: \"\"\ntargets: [{type: pyroscope, url: %q}]\n", mark, value, web.URL)
	expect.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	cmd := startAgent(t, path, io.Discard)
	var memory []int64
	var sockets []int
	for life := range lives {
		app := proctest.RunCorners(t, []string{mark + "=" + value}, "loop", "300", "cpu", "exc")
		begun := time.Now()
		proctest.WaitFor(t, func() bool { return server.profiled(app.PID(), "wall") })
		took := time.Since(begun)
		_ = app.Process.Kill()
		<-app.Ended
		proctest.WaitFor(t, func() bool { return socketsOf(t, cmd.Process.Pid) <= 1 }) // that to the server
		private, err := proctest.Private(cmd.Process.Pid)
		expect.NoError(t, err)
		memory, sockets = append(memory, private), append(sockets, socketsOf(t, cmd.Process.Pid))
		t.Logf("life %d: first profile after %v, memory %d kB, sockets %d", life+1, took.Round(time.Millisecond), private, sockets[life])
	}
	expect.NoError(t, server.errors())
	// The first lives fill what is used again: buffers, pools and the heap's spans.
	early, late := highest(memory[first:2*first]), highest(memory[lives-first:])
	t.Logf("memory: at most %d kB in the first %d lives, %d kB in the next %d, %d kB in the last %d", highest(memory[:first]), first, early, first, late, first)
	expect.AtMost(t, "memory in the last lives in kB", late, early*11/10)
	expect.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	expect.NoError(t, cmd.Wait())
}

func highest(list []int64) (n int64) {
	for _, v := range list {
		n = max(n, v)
	}
	return n
}

// startAgent starts the program with a configuration, and ends it with the test.
func startAgent(t *testing.T, path string, messages io.Writer) *exec.Cmd {
	t.Helper()
	return start(t, programtest.LongProcess(t, "agent", "--config", path), messages)
}

// start starts a command, and ends it with the test.
func start(t *testing.T, cmd *exec.Cmd, messages io.Writer) *exec.Cmd {
	t.Helper()
	cmd.Stderr = io.MultiWriter(os.Stderr, messages)
	expect.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// profiled reports whether there is a profile of a kind and a process.
func (s *pyroscope) profiled(pid, kind string) bool {
	for _, p := range s.list() {
		if p.labels["pid"] == pid && p.labels["__name__"] == kind {
			return true
		}
	}
	return false
}

// socketsOf returns the number of open sockets of a process.
func socketsOf(t *testing.T, pid int) (n int) {
	t.Helper()
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	expect.NoError(t, err)
	for _, link := range links {
		if to, _ := os.Readlink(link); strings.HasPrefix(to, "socket:") {
			n++
		}
	}
	return n
}
