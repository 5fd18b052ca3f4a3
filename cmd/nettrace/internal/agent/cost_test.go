//go:build linux

package agent_test

import (
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// The providers of the agent's sessions, in the form of dotnet-trace, which cannot leave
// single events out. Its names come from the rundown at its end.
const (
	agentEvents  = "Microsoft-Windows-DotNETRuntime:0xC000000C000:5"
	agentSamples = "Microsoft-DotNETCore-SampleProfiler:0xF00000000000:4"
)

// TestLiveCost measures the agent beside dotnet-trace in the same minute: both start at
// the same time, have sessions in the same processes with the same providers, and end at
// the same time. The agent pushes its profiles to a local server; dotnet-trace, one for
// each process, writes files. Their processor time includes start and end, and their
// memory is the peak of what is resident. The requirement counts a page that several
// processes share, such as of a library of .NET, for each of them; the test prints the
// memory with such pages in equal parts too. The agent takes samples for 2 s of every 10 unless the case says otherwise,
// dotnet-trace all the time. The measurement counts only if the agent profiled each process
// for the whole time. The requirement is that of 8 processes. With one process the test only
// prints what both use: most of it are the programs themselves and, on a busy machine, the
// look at all processes each second.
func TestLiveCost(t *testing.T) {
	tier.NeedsNightly(t) // records for minutes
	binary := programtest.Build(t, "CGO_ENABLED=0")
	for _, c := range []struct {
		name        string
		processes   int
		config      string        // of the agent
		sample      time.Duration // of the agent in each window
		providers   string        // of dotnet-trace
		cpu, memory float64       // required parts of what dotnet-trace uses; 0: none
	}{
		{"one process", 1, "", 2 * time.Second, agentEvents + "," + agentSamples, 0, 0},
		{"one process, events", 1, "profiles: [memory, mutex, block, exceptions]\n", 0, agentEvents, 0, 0},
		{"one process, samples all the time", 1, "sample: 10s/10s\n", 10 * time.Second, agentEvents + "," + agentSamples, 0, 0},
		{"8 processes", 8, "", 2 * time.Second, agentEvents + "," + agentSamples, 0.5, 0.4},
	} {
		t.Run(c.name, func(t *testing.T) {
			const length, every = time.Minute, 10 * time.Second
			value := fmt.Sprint(os.Getpid(), "-cost")
			server := &pyroscope{small: true}
			web := httptest.NewServer(server)
			defer web.Close()
			path := filepath.Join(t.TempDir(), "agent.yaml")
			text := fmt.Sprintf("processes: [{env: {%s: %q}}]\nadmin: \"\"\ntargets: [{type: pyroscope, url: %q}]\n", mark, value, web.URL) + c.config
			expect.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			var theirs []*exec.Cmd
			var pids []string
			for i := range c.processes {
				app := proctest.RunCorners(t, []string{mark + "=" + value}, "loop", "600", "exc", "wait", "lock")
				pids = append(pids, app.PID())
				theirs = append(theirs, exec.Command(shared.OtherReader(t), "trace", "collect", "-p", app.PID(), "--providers", c.providers,
					"-o", filepath.Join(t.TempDir(), strconv.Itoa(i)+".nettrace")))
			}
			used := measured(t, length, append(theirs, exec.Command(binary, "agent", "--config", path)))
			own, other := used[c.processes], cost{}
			for _, u := range used[:c.processes] {
				other.add(u)
			}
			cpu, memory := own.cpu.Seconds()/other.cpu.Seconds(), float64(own.peak)/float64(other.peak)
			parted := float64(own.parted) / float64(other.parted)
			t.Logf("agent: %v; dotnet-trace: %v; processor time %.2f, memory %.2f, with shared pages in parts %.2f of dotnet-trace's", own, other, cpu, memory, parted)
			expect.NoError(t, server.errors())
			for _, pid := range pids {
				// A window can pass before the agent is attached, and samples of the last one can be missing.
				events, samples := server.covered(pid, "exceptions"), server.covered(pid, "wall")
				t.Logf("PID %s: profiles of %v of events and of %v of samples", pid, events, samples)
				expect.AtLeast(t, "time in profiles of events of PID "+pid, events, length-every)
				expect.AtLeast(t, "time in profiles of samples of PID "+pid, samples, c.sample*(length/every-2))
			}
			if c.cpu > 0 {
				expect.AtMost(t, "part of dotnet-trace's processor time", cpu, c.cpu)
				expect.AtMost(t, "part of dotnet-trace's memory", memory, c.memory)
			}
		})
	}
}

// cost is what a process used.
type cost struct {
	cpu          time.Duration
	peak, parted int64 // memory in kB: with shared pages, and with its part of them
}

func (c *cost) add(o cost) {
	c.cpu, c.peak, c.parted = c.cpu+o.cpu, c.peak+o.peak, c.parted+o.parted
}

func (c cost) String() string {
	return fmt.Sprintf("processor time %v, memory %d kB, with shared pages in parts %d kB", c.cpu, c.peak, c.parted)
}

// measured runs commands at the same time, interrupts them after a time, and returns what
// each has used.
func measured(t *testing.T, length time.Duration, cmds []*exec.Cmd) []cost {
	t.Helper()
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, syscall.SIGINT) // or the commands of a test in the background ignore it
	for _, cmd := range cmds {
		start(t, cmd, io.Discard)
	}
	signal.Stop(interrupts)
	used := make([]cost, len(cmds))
	var watching sync.WaitGroup
	for i, cmd := range cmds {
		watching.Go(func() {
			for {
				peak, err := proctest.HighWater(cmd.Process.Pid)
				parted, err2 := proctest.Parted(cmd.Process.Pid)
				if err != nil || err2 != nil {
					return // it has ended
				}
				used[i].peak, used[i].parted = max(used[i].peak, peak), max(used[i].parted, parted)
				time.Sleep(200 * time.Millisecond) // the kernel looks at all pages
			}
		})
	}
	time.Sleep(length)
	for _, cmd := range cmds {
		expect.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	}
	for i, cmd := range cmds {
		expect.NoError(t, cmd.Wait())
		used[i].cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	watching.Wait()
	return used
}
