//go:build linux

package collect_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/profile"
)

// truthLine is a line of the output of cpu-truth: a call of a method, or the
// processor time of a thread, in nanoseconds.
type truthLine struct {
	Call, Name string
	Thread     uint64
	Begin, End uint64
	CPU, Self  int64
}

// TestThreadTimesTruth records a program that measures the processor time of its
// threads and methods: the times of threads agree within 3 %, and those of methods
// are nearer with the times of threads than without.
func TestThreadTimesTruth(t *testing.T) {
	tier.NeedsNightly(t)
	path := filepath.Join(t.TempDir(), "c.nettrace")
	dll := filepath.Join(shared.Dir(t), "truth", "bin", "cpu-truth.dll")
	cmd := programtest.LongProcess(t, "collect", "-o", path, "--providers", provider.SampleProfiler+":0:4,"+provider.Runtime+":0x10:5",
		"--", shared.OtherReader(t), "run", dll, "36", "100")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v, stderr %q; want exit %d", err, stderr.String(), exit.Done)
	}
	var lines []truthLine
	for d := json.NewDecoder(&out); d.More(); {
		var line truthLine
		var wrong *json.UnmarshalTypeError // the last line has a boolean
		if err := d.Decode(&line); err != nil && !errors.As(err, &wrong) {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	compareThreads(t, data, lines)
	compareMethods(t, data, lines)
}

// compareThreads prints and checks the processor time of each thread, between its
// first and its last call.
func compareThreads(t *testing.T, data []byte, lines []truthLine) {
	t.Log("| thread | measured ms | by ThreadTime ms | difference % |")
	for _, thread := range lines {
		if thread.Name == "" {
			continue
		}
		window := codec.TimeRange{From: math.MaxUint64, HasFrom: true, HasTo: true}
		measured := int64(0)
		for _, call := range lines {
			if call.Call != "" && call.Thread == thread.Thread {
				window.From, window.To = min(window.From, call.Begin), max(window.To, call.End)
				measured += call.Self
			}
		}
		got := int64(0)
		p := profileOf(t, data, profile.Options{Time: window, Types: []profile.Type{profile.CPUApprox}})
		for s := range p.Samples(profile.CPUApprox) {
			if p.Threads()[s.Thread].ID == thread.Thread {
				got += s.Value
			}
		}
		off := 100 * float64(got-thread.CPU) / float64(thread.CPU)
		t.Logf("| %s | %.1f | %.1f | %+.2f |", thread.Name, float64(thread.CPU)/1e6, float64(got)/1e6, off)
		if math.Abs(off) > 3 {
			t.Errorf("thread %s: %.1f ms, the program measured %.1f", thread.Name, float64(got)/1e6, float64(thread.CPU)/1e6)
		}
	}
}

// compareMethods prints the shares of methods with and without the times of
// threads, and checks that their error is smaller with them.
func compareMethods(t *testing.T, data []byte, lines []truthLine) {
	truth := map[string]int64{}
	for _, line := range lines {
		if line.Call != "" {
			truth[line.Call] += line.Self
		}
	}
	with := methodTimes(profileOf(t, data, profile.Options{}), truth, profile.CPUApprox)
	without := methodTimes(profileOf(t, withoutTimes(t, data), profile.Options{}), truth, profile.CPUApprox)
	t.Log("| method | measured % | with % | without % |")
	var errorWith, errorWithout float64
	for _, method := range slices.SortedFunc(maps.Keys(truth), func(a, b string) int { return int(truth[b] - truth[a]) }) {
		x, y, z := share(truth, method), share(with, method), share(without, method)
		t.Logf("| %s | %.2f | %.2f | %.2f |", method, x, y, z)
		errorWith, errorWithout = errorWith+math.Abs(x-y)/2, errorWithout+math.Abs(x-z)/2
	}
	t.Logf("wrong by %.2f points with the times of threads, %.2f without", errorWith, errorWithout)
	if errorWith >= errorWithout {
		t.Errorf("methods are wrong by %.2f points with the times of threads, want less than %.2f", errorWith, errorWithout)
	}
}

func share(of map[string]int64, method string) float64 {
	total := int64(0)
	for _, n := range of {
		total += n
	}
	return 100 * float64(of[method]) / float64(total)
}

func profileOf(t *testing.T, data []byte, opt profile.Options) *profile.Profile {
	t.Helper()
	p, err := profile.FromReader(t.Context(), codec.NewBytesReader(data, codec.Options{}), opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// withoutTimes is a trace in which the provider of the times has another name.
func withoutTimes(t *testing.T, data []byte) []byte {
	t.Helper()
	wide := func(s string) (b []byte) {
		for _, c := range s {
			b = append(b, byte(c), 0)
		}
		return b
	}
	return bytes.ReplaceAll(data, wide("Nettrace-Collector"), wide("Nettrace-Xollector"))
}

// methodTimes are the times of the innermost methods of the program.
func methodTimes(p *profile.Profile, truth map[string]int64, of profile.Type) map[string]int64 {
	sums := map[string]int64{}
	for s := range p.Samples(of) {
		for _, f := range p.Stack(s.Stack) {
			symbol := p.Function(p.Frame(f).Function).Symbol
			if symbol == nil || symbol.Namespace != "CpuTruth" {
				continue
			}
			if _, known := truth[symbol.Method]; known {
				sums[symbol.Method] += s.Value
				break
			}
		}
	}
	return sums
}
