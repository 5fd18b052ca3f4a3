package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// loadCPU reads the samples of a shared trace as report cpu does.
func loadCPU(t *testing.T, path string) *samples.Loaded {
	t.Helper()
	opt := profile.Options{States: cpuStates, Limits: profile.LargeLimits()}
	p, err := profile.FromReader(t.Context(), codec.NewReader(bytes.NewReader(shared.File(t, path)), codec.Options{}), opt)
	expect.NoError(t, err)
	return &samples.Loaded{Profile: p, Kinds: p.Types()}
}

// TestCPUOfVersions: the report of a program with a known hot method, on each version of the runtime. .NET 9
// calls all samples external: what is managed is unknown there.
func TestCPUOfVersions(t *testing.T) {
	for _, path := range []string{
		"truth/cpu-truth.v4.nettrace.zst", "net11/truth/net11-cpu-truth.v4.nettrace.zst", "replay/truth/cpu-truth-net31.v4.nettrace.zst",
		"replay/truth/cpu-truth-net8.v4.nettrace.zst", "replay/truth/cpu-truth-net9.v4.nettrace.zst",
	} {
		reports := cpuReports(loadCPU(t, path))
		expect.Len(t, path+": reports", reports, 1)
		rows, totals := reports[0].Rows.([]cpuRow), reports[0].Totals.(*cpuTotals)
		expect.Equal(t, path+": hottest", rows[0].Method, "CpuTruth.LoopD(Log)")
		expect.Equal(t, path+": raw name", rows[0].RawName, "cpu-truth!CpuTruth.LoopD(class Log)")
		self, count, threads := int64(0), int64(0), int64(0)
		for _, row := range rows {
			self, count = self+row.SelfNs, count+row.Samples
			expect.AtLeast(t, path+": total of "+row.Method, row.TotalNs, row.SelfNs)
		}
		for _, thread := range totals.Threads {
			threads += thread.CPUNs
		}
		expect.Equal(t, path+": sum of the methods", self, totals.CPUNs)
		expect.Equal(t, path+": sum of the samples", count, totals.Samples)
		expect.Equal(t, path+": sum of the threads", threads, totals.CPUNs)
		managed, known := totals.ManagedNs.Get()
		native, _ := totals.NativeNs.Get()
		expect.Equal(t, path+": managed code is known", known, path != "replay/truth/cpu-truth-net9.v4.nettrace.zst")
		if known {
			expect.Equal(t, path+": managed and native", managed+native, totals.CPUNs)
		}
		expect.Equal(t, path+": the collector, which is not sampled", totals.GCNs, analysis.Number{})
		expect.Len(t, path+": findings", reports[0].Findings, 0)
	}
}

// TestCPUClocks: processor time by samples of the operating system is that of the clocks of the process and of its threads;
// of the runtime's samples it is at least that, because a thread that is ready to run counts as running.
func TestCPUClocks(t *testing.T) {
	for _, name := range []string{"rt-net10-perfmap", "rt-net11-perfmap", "rt-net10-plain", "dt-net10-cpu"} {
		totals := cpuReports(loadCPU(t, "perf/v6/"+name+".v6.nettrace.zst"))[0].Totals.(*cpuTotals)
		process, clocks := clocksOf(t, "perf/v6/"+name+".truth.ndjson")
		kernel, _ := totals.KernelNs.Get()
		within(t, name+": process", totals.CPUNs, process.ProcessCPUMs*1e6, 0.03)
		within(t, name+": kernel", kernel, process.ProcessKernelMs*1e6, 0.06)
		found := 0
		for _, thread := range totals.Threads {
			if clock, ok := clocks[thread.ThreadID]; ok {
				found++
				within(t, fmt.Sprintf("%s: thread %d", name, thread.ThreadID), thread.CPUNs, clock, 0.06)
			}
		}
		expect.Equal(t, name+": threads with a clock", found, len(clocks))
	}
	for _, name := range []string{"truth/cpu-truth", "net11/truth/net11-cpu-truth", "replay/truth/cpu-truth-net31", "replay/truth/cpu-truth-net8", "replay/truth/cpu-truth-net9"} {
		_, clocks := clocksOf(t, name+".truth.ndjson")
		for _, thread := range cpuReports(loadCPU(t, name+".v4.nettrace.zst"))[0].Totals.(*cpuTotals).Threads {
			expect.AtLeast(t, fmt.Sprintf("%s: thread %d", name, thread.ThreadID), float64(thread.CPUNs), clocks[thread.ThreadID])
		}
	}
}

// clock is a line of a truth: about the process, or about a thread.
type clock struct {
	ProcessCPUMs, ProcessKernelMs float64
	Thread                        uint64
	Name                          string
	CPU                           float64
}

// clocksOf returns the first line of a truth, and the processor time of its threads in nanoseconds.
func clocksOf(t *testing.T, path string) (process clock, threads map[uint64]float64) {
	t.Helper()
	threads = map[uint64]float64{}
	for line := range bytes.Lines(shared.File(t, path)) {
		var c clock
		expect.NoError(t, json.Unmarshal(line, &c))
		switch {
		case c.ProcessCPUMs > 0:
			process = c
		case c.Name != "":
			threads[c.Thread] = c.CPU
		}
	}
	return process, threads
}

// within fails if a value differs from a measured one by more than a part of it.
func within(t *testing.T, what string, got int64, want, part float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > part*want {
		t.Errorf("%s: %d ns, measured %.0f", what, got, want)
	}
}

// TestCPUWithoutSamples: a trace without samples says what records them.
func TestCPUWithoutSamples(t *testing.T) {
	reports := cpuReports(loadCPU(t, "apps/pwsh-net11-http.v4.nettrace.zst"))
	expect.Equal(t, "recorded", reports[0].Recorded(), false)
	expect.Contains(t, "advice", reports[0].NotRecorded[0].Command, "Microsoft-DotNETCore-SampleProfiler")
}

// TestCPUFinding: a method of the program with half of the time is a finding, unless the program is mostly idle, or the
// samples are few.
func TestCPUFinding(t *testing.T) {
	rows := []cpuRow{{Method: "App.Work()", SelfNs: 600, Samples: 500, program: true}}
	for name, c := range map[string]struct {
		change func(row *cpuRow, t *cpuTotals)
		want   int
	}{
		"hot":         {func(*cpuRow, *cpuTotals) {}, 1},
		"few samples": {func(row *cpuRow, _ *cpuTotals) { row.Samples = 50 }, 0},
		"idle":        {func(_ *cpuRow, t *cpuTotals) { t.ObservedNs = 100_000 }, 0},
		"framework":   {func(row *cpuRow, _ *cpuTotals) { row.program = false }, 0},
		"not hot":     {func(row *cpuRow, _ *cpuTotals) { row.SelfNs = 400 }, 0},
	} {
		row, totals := rows[0], cpuTotals{CPUNs: 1000, ObservedNs: 2000}
		c.change(&row, &totals)
		expect.Len(t, name, analysis.Findings(cpuRules, []cpuRow{row}, &totals), c.want)
	}
}
