//go:build linux

package collect_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/conformance/check"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/perf"
	"github.com/nettrace-go/nettrace/profile"
)

// permitted skips a test where perf may not record the kernel.
func permitted(t *testing.T) {
	t.Helper()
	r, err := perf.Start(perf.Options{PID: os.Getpid()})
	if err != nil {
		t.Skip(err)
	}
	defer r.Close()
	if !r.Scope().Kernel {
		t.Skip(r.Scope().Why)
	}
}

// samplesOf checks a trace and returns its samples of processor time.
func samplesOf(t *testing.T, path string) (*profile.Profile, []profile.Sample) {
	t.Helper()
	data, err := os.ReadFile(path)
	expect.NoError(t, err)
	report, err := check.Stream(bytes.NewReader(data), check.Options{})
	expect.NoError(t, err)
	for _, f := range report.Findings {
		t.Errorf("%+v", f)
	}
	p, err := profile.FromReader(t.Context(), codec.NewBytesReader(data, codec.Options{}), profile.Options{Limits: profile.LargeLimits()})
	expect.NoError(t, err)
	var list []profile.Sample
	for s := range p.Samples(profile.CPU) {
		list = append(list, s)
	}
	return p, list
}

// TestPerfTruth records a program that measures the processor time of its calls: the shares of
// the samples in each method, by the clock, are those of the time within 3 points (half the
// sum of the differences), and the methods of managed and native code are in the stacks.
func TestPerfTruth(t *testing.T) {
	tier.NeedsCheck(t)
	permitted(t)
	folder := t.TempDir()
	path, truth := filepath.Join(folder, "c.nettrace"), filepath.Join(folder, "truth")
	bin := filepath.Join(shared.Dir(t), "perf", "bin")
	cmd := programtest.LongProcess(t, "collect", "--profile", "cpu", "-o", path,
		"--", shared.OtherReader(t), "run", filepath.Join(bin, "native-truth.dll"), truth, "3", "20", filepath.Join(bin, "libburn-fp.so"), "0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	type call struct {
		Call       string
		Thread     uint64
		Begin, End uint64
		CPU, Self  float64
	}
	var calls []call
	f, err := os.Open(truth)
	expect.NoError(t, err)
	defer f.Close()
	total := 0.0
	shares := map[string]float64{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var one call
		if json.Unmarshal(lines.Bytes(), &one) != nil || one.Call == "" {
			continue
		}
		calls = append(calls, one)
		shares[one.Call] += one.Self
		total += one.Self
	}
	p, samples := samplesOf(t, path)
	counts, inStack, n := map[string]float64{}, 0.0, 0.0
	for i := range samples {
		s := &samples[i]
		var in *call
		for at := range calls {
			c := &calls[at]
			if c.Thread == p.Threads()[s.Thread].ID && c.Begin <= s.Ticks && s.Ticks <= c.End && (in == nil || c.Begin >= in.Begin) {
				in = c
			}
		}
		if in == nil {
			continue
		}
		counts[in.Call]++
		n++
		for _, f := range p.Stack(s.Stack) {
			if strings.HasPrefix(p.Function(p.Frame(f).Function).Name, "Program."+in.Call+"(") {
				inStack++
				break
			}
		}
	}
	expect.AtLeast(t, "samples in calls", int64(n), 500)
	difference := 0.0
	for name, share := range shares {
		difference += math.Abs(share/total-counts[name]/n) / 2
	}
	t.Logf("%.0f samples, half the sum of differences %.2f points, method in the stack %.1f %%", n, 100*difference, 100*inStack/n)
	expect.AtMost(t, "difference in hundredths of a point", int64(10000*difference), 300)
	expect.AtLeast(t, "samples with the method in the stack, in percent", int64(100*inStack/n), 92)
}

// TestPerfNative records a program without a runtime, whose end ends the recording.
func TestPerfNative(t *testing.T) {
	tier.NeedsCheck(t)
	permitted(t)
	path := filepath.Join(t.TempDir(), "c.nettrace")
	program := exec.CommandContext(t.Context(), filepath.Join(shared.Dir(t), "perf", "bin", "cburn-fp"), "1", "60")
	expect.NoError(t, program.Start())
	cmd := programtest.LongProcess(t, "collect", "--native", "-p", strconv.Itoa(program.Process.Pid), "-o", path)
	go program.Wait()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	expect.Contains(t, "output", string(out), "the process has ended")
	p, samples := samplesOf(t, path)
	expect.AtLeast(t, "samples", int64(len(samples)), 100)
	names := map[string]bool{}
	for i := range samples {
		for _, f := range p.Stack(samples[i].Stack) {
			names[p.Function(p.Frame(f).Function).Name] = true
		}
	}
	for _, name := range []string{"burn_alu", "main", "do_syscall_64"} {
		expect.Equal(t, name, names[name], true)
	}
}

// TestPerfExec records a process that is stopped, goes on and becomes another program: its
// samples have the names of that one.
func TestPerfExec(t *testing.T) {
	tier.NeedsCheck(t)
	permitted(t)
	path := filepath.Join(t.TempDir(), "c.nettrace")
	program := exec.CommandContext(t.Context(), "sh", "-c", `read line; exec "$0" 1 30`, filepath.Join(shared.Dir(t), "perf", "bin", "cburn-fp"))
	in, err := program.StdinPipe()
	expect.NoError(t, err)
	expect.NoError(t, program.Start())
	expect.NoError(t, program.Process.Signal(syscall.SIGSTOP))
	cmd := programtest.LongProcess(t, "collect", "--native", "-p", strconv.Itoa(program.Process.Pid), "-o", path)
	messages, err := cmd.StderrPipe()
	expect.NoError(t, err)
	expect.NoError(t, cmd.Start())
	last := ""
	for lines := bufio.NewScanner(messages); lines.Scan(); {
		if last = lines.Text(); strings.Contains(last, "recording into") {
			expect.NoError(t, program.Process.Signal(syscall.SIGCONT))
			_, err := in.Write([]byte("\n"))
			expect.NoError(t, err)
			go program.Wait()
		}
	}
	expect.NoError(t, cmd.Wait())
	expect.Contains(t, "last message", last, "the process has ended")
	p, samples := samplesOf(t, path)
	expect.AtLeast(t, "samples", int64(len(samples)), 50)
	names := map[string]bool{}
	for i := range samples {
		for _, f := range p.Stack(samples[i].Stack) {
			names[p.Function(p.Frame(f).Function).Name] = true
		}
	}
	expect.Equal(t, "burn_alu", names["burn_alu"], true)
}
