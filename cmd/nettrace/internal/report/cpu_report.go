package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/internal/blocking"
	"github.com/nettrace-go/nettrace/profile"
)

// cpuName is the name of the part cpu. Its samples are those of package profile: it is no part of
// package parts, whose parts read a trace together.
const cpuName = "cpu"

// cpuRow has the processor time of one method.
type cpuRow struct {
	Method  string `json:"method"`
	RawName string `json:"rawName"`
	Module  string `json:"module,omitempty"`
	Kind    string `json:"kind,omitempty"` // as in stacks --details
	SelfNs  int64  `json:"selfNs"`
	TotalNs int64  `json:"totalNs"` // with the methods that it called
	Samples int64  `json:"samples"` // of selfNs

	named, program bool // the method has a name, and is not of the framework
}

// cpuTotals are the sums of the rows. What a sampler does not show is unknown.
type cpuTotals struct {
	Sampler        any             `json:"sampler"` // "eventpipe", "perf", or both in a list
	RateHz         int64           `json:"rateHz,omitzero"`
	Samples        int64           `json:"samples"`
	CPUNs          int64           `json:"cpuNs"` // the sum of selfNs
	ManagedNs      analysis.Number `json:"managedNs,omitzero"`
	NativeNs       analysis.Number `json:"nativeNs,omitzero"`
	UnknownNs      analysis.Number `json:"unknownNs,omitzero"` // part of nativeNs in which the thread runs or waits
	KernelNs       analysis.Number `json:"kernelNs,omitzero"`
	GCNs           analysis.Number `json:"gcNs,omitzero"`
	JITNs          analysis.Number `json:"jitNs,omitzero"`
	SpinningNs     analysis.Number `json:"spinningNs,omitzero"` // beside cpuNs: of threads that wait
	NotSampledNs   analysis.Number `json:"notSampledNs,omitzero"`
	PollPercent    *float64        `json:"pollPercent,omitempty"`
	UnnamedPercent float64         `json:"unnamedPercent"` // of cpuNs, in code without a name
	ObservedNs     int64           `json:"observedNs"`     // length of the recording
	Threads        []cpuThread     `json:"threads"`
	OnlyExternal   bool            `json:"onlyExternal,omitempty"` // the runtime calls all samples external, as .NET 9 does
}

// cpuThread has the processor time of one thread.
type cpuThread struct {
	ThreadID uint64 `json:"threadId"`
	Name     string `json:"name,omitempty"`
	CPUNs    int64  `json:"cpuNs"`
	Samples  int64  `json:"samples"`
}

// cpuSums adds up the samples of one process.
type cpuSums struct {
	prof    *profile.Profile
	of      profile.Type
	rows    map[[3]string]*cpuRow
	threads map[int]*cpuThread
	seen    map[*cpuRow]int64 // number of the last sample that counts for it
	number  int64
	kinds   map[string]int64 // by kind of the innermost frame
	totals  cpuTotals
	unknown int64
	managed int64
	gc, jit int64
	pauses  []pauseSpan // of the collector; nil: not recorded
	unnamed int64
}

// cpuReports makes the reports about the processor time of each process. l has the samples of the operating
// system, and those of the sample profiler that run or may run.
func cpuReports(l *samples.Loaded) []analysis.Report {
	of := profile.Wall
	if slices.Contains(l.Kinds, profile.CPU) {
		of = profile.CPU
	}
	processes := map[uint64]*cpuSums{}
	threads := l.Threads()
	for s := range l.Totals(of) {
		id := threads[s.Thread].ProcessID
		sums := processes[id]
		if sums == nil {
			sums = newCPUSums(l, of)
			if of == profile.CPU {
				sums.pauses = pausesOf(l, id)
			}
			processes[id] = sums
		}
		sums.add(&s)
	}
	if len(processes) == 0 && l.Why(profile.Wall) == profile.Filtered { // all threads wait in all samples
		processes[0] = newCPUSums(l, of)
	}
	var list []analysis.Report
	ids := make([]uint64, 0, len(processes))
	for id := range processes {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		list = append(list, processes[id].report(l, id))
	}
	if list == nil {
		list = append(list, analysis.NotRecordedReport(cpuName, analysis.Missing("samples of the threads", "Microsoft-DotNETCore-SampleProfiler", 0, 4)))
	}
	return list
}

// pauseSpan is a pause by the garbage collector, in nanoseconds since the start.
type pauseSpan struct{ from, until int64 }

// pausesOf returns the pauses of a process in the order of time, nil if the trace has no events of
// collections.
func pausesOf(l *samples.Loaded, process uint64) []pauseSpan {
	var list []pauseSpan
	for s := range l.Samples(profile.GC) {
		if l.Threads()[s.Thread].ProcessID == process {
			from := l.Nanos(s.Ticks)
			list = append(list, pauseSpan{from, from + s.Value})
		}
	}
	slices.SortFunc(list, func(a, b pauseSpan) int { return cmp.Compare(a.from, b.from) })
	return list
}

// inPause reports whether a time is in a pause: native code that runs then is the collector.
func (c *cpuSums) inPause(ticks uint64) bool {
	at := c.prof.Nanos(ticks)
	n, _ := slices.BinarySearchFunc(c.pauses, at, func(p pauseSpan, at int64) int { return cmp.Compare(p.from, at+1) })
	return n > 0 && at < c.pauses[n-1].until
}

func newCPUSums(l *samples.Loaded, of profile.Type) *cpuSums {
	return &cpuSums{prof: l.Profile, of: of, rows: map[[3]string]*cpuRow{}, threads: map[int]*cpuThread{}, seen: map[*cpuRow]int64{}, kinds: map[string]int64{}}
}

// add adds samples with one stack.
func (c *cpuSums) add(s *profile.Total) {
	c.number++
	c.totals.Samples += s.Samples
	c.totals.CPUNs += s.Value
	thread := c.threads[s.Thread]
	if thread == nil {
		t := &c.prof.Threads()[s.Thread]
		thread = &cpuThread{ThreadID: t.ID, Name: t.Name}
		c.threads[s.Thread] = thread
	}
	thread.CPUNs += s.Value
	thread.Samples += s.Samples
	if c.of == profile.Wall {
		if s.Managed {
			c.managed += s.Value
		}
		if state, _ := c.prof.State(&s.Sample); state == profile.Native {
			c.unknown += s.Value
		}
	}
	stack := c.prof.Stack(s.Stack)
	gc, jit, inner, pausing := false, false, false, false
	for i, id := range stack {
		row := c.row(id)
		if i == 0 {
			row.SelfNs += s.Value
			row.Samples += s.Samples
			c.kinds[row.Kind] += s.Value
			if !row.named {
				c.unnamed += s.Value
			}
		}
		if c.seen[row] != c.number {
			c.seen[row] = c.number
			row.TotalNs += s.Value
		}
		if kind := row.Kind; !inner && kind != "kernel" {
			inner = true
			pausing = kind == "native" && c.inPause(s.Ticks)
		}
		jit = jit || strings.Contains(row.Module, "clrjit")
		gc = gc || strings.Contains(row.Module, "clrgc") || strings.Contains(row.RawName, "gc_heap::")
	}
	switch {
	case len(stack) == 0:
		c.unnamed += s.Value
	case jit:
		c.jit += s.Value
	case gc || pausing:
		c.gc += s.Value
	}
}

// row returns the row of a frame.
func (c *cpuSums) row(id profile.FrameID) *cpuRow {
	f := c.prof.Frame(id)
	function := c.prof.Function(f.Function)
	key := [3]string{function.Name, function.RawName, function.Module}
	row := c.rows[key]
	if row == nil {
		row = &cpuRow{
			Method: function.Name, RawName: function.RawName, Module: function.Module, Kind: samples.KindOf(c.prof, &f, function), named: function.Symbol != nil,
			program: function.Symbol != nil && !blocking.IsFramework(function.Symbol, function.Module),
		}
		c.rows[key] = row
	}
	return row
}

// report makes the report of a process.
func (c *cpuSums) report(l *samples.Loaded, process uint64) analysis.Report {
	report := analysis.NewReport(cpuName, process)
	if process == 0 {
		if id, ok := l.Trace.ProcessID(); ok {
			report = analysis.NewReport(cpuName, id)
		}
	}
	t := &c.totals
	t.ObservedNs = l.Nanos(l.End) - l.Nanos(l.Start)
	t.UnnamedPercent = round1(analysis.Percent(c.unnamed, t.CPUNs))
	switch {
	case c.of == profile.Wall:
		c.byRuntime(l, process)
	case slices.Contains(l.Kinds, profile.Wall):
		t.Sampler = []string{"perf", "eventpipe"}
		fallthrough
	default:
		c.bySystem()
	}
	t.Threads = []cpuThread{}
	for _, thread := range c.threads {
		t.Threads = append(t.Threads, *thread)
	}
	slices.SortFunc(t.Threads, func(a, b cpuThread) int {
		return cmp.Or(cmp.Compare(b.CPUNs, a.CPUNs), cmp.Compare(a.ThreadID, b.ThreadID))
	})
	rows := make([]cpuRow, 0, len(c.rows))
	for _, row := range c.rows {
		rows = append(rows, *row)
	}
	slices.SortFunc(rows, func(a, b cpuRow) int {
		return cmp.Or(cmp.Compare(b.SelfNs, a.SelfNs), cmp.Compare(b.TotalNs, a.TotalNs), cmp.Compare(a.RawName, b.RawName))
	})
	report.Rows, report.Totals = rows, t
	report.Findings = analysis.Findings(cpuRules, rows, t)
	return report
}

// byRuntime completes the totals of samples of the runtime's sample profiler.
func (c *cpuSums) byRuntime(l *samples.Loaded, process uint64) {
	t := &c.totals
	t.Sampler = "eventpipe"
	if l.Interval > 0 {
		t.RateHz = int64(math.Round(1e9 / float64(l.Interval)))
	}
	t.OnlyExternal = slices.ContainsFunc(l.OneCode(), func(o profile.OneCode) bool {
		return o.ProcessID == process && (o.ByRuntime || 2*o.Managed < o.Samples)
	})
	if !t.OnlyExternal {
		t.ManagedNs, t.NativeNs = analysis.Known(c.managed), analysis.Known(t.CPUNs-c.managed)
		t.UnknownNs = analysis.Known(c.unknown)
	}
	notSampled := int64(0)
	for i, thread := range l.Threads() {
		if thread.ProcessID == process {
			notSampled += l.NotSampled(i)
		}
	}
	t.NotSampledNs = analysis.Known(notSampled)
	for _, s := range l.TimeByState() {
		if s.State == profile.Spinning && process == 0 {
			t.SpinningNs = analysis.Known(s.Nanos)
		}
	}
	if polls := l.GCPolls(); polls.Managed > 0 {
		percent := round1(analysis.Percent(polls.AtPolls, polls.Managed))
		t.PollPercent = &percent
	}
}

// bySystem completes the totals of samples of the operating system.
func (c *cpuSums) bySystem() {
	t := &c.totals
	if t.Sampler == nil {
		t.Sampler = "perf"
	}
	if t.CPUNs > 0 {
		t.RateHz = int64(math.Round(1e9 * float64(t.Samples) / float64(t.CPUNs)))
	}
	kernel, managed := c.kinds["kernel"], c.kinds["managed"]
	t.KernelNs, t.ManagedNs, t.NativeNs = analysis.Known(kernel), analysis.Known(managed), analysis.Known(t.CPUNs-kernel-managed)
	t.JITNs = analysis.Known(c.jit)
	if c.pauses != nil {
		t.GCNs = analysis.Known(c.gc)
	}
	for _, row := range c.rows { // without symbols of the runtime its collector cannot be told apart
		if row.named && (strings.Contains(row.Module, "coreclr") || strings.Contains(row.Module, "clrgc")) {
			t.GCNs = analysis.Known(c.gc)
		}
	}
}

// round1 rounds to one digit after the point.
func round1(value float64) float64 { return math.Round(value*10) / 10 }

// minHotSamples is the number of samples from which a share is no accident, and minBusy the part of one
// processor that the process must use for its hot method to matter.
const (
	minHotSamples = 100
	minBusy       = 0.2
)

// cpuRules are the rules for findings.
var cpuRules = []analysis.Measured[cpuRow, cpuTotals]{
	{Rule: analysis.Rule{
		Name: "cpu-hot-method", Threshold: 50, Unit: "percent", Severity: analysis.Medium,
		Advice:  "Look at its callers, and at the lines of the method, for work that can be avoided or done once.",
		Command: "nettrace top --type cpu FILE",
	}, Measure: func(rows []cpuRow, t *cpuTotals) (float64, string) {
		if len(rows) == 0 || !rows[0].program || rows[0].Samples < minHotSamples || float64(t.CPUNs) < minBusy*float64(t.ObservedNs) {
			return 0, ""
		}
		share := analysis.Percent(rows[0].SelfNs, t.CPUNs)
		return share, fmt.Sprintf("%s has %.1f %% of the processor time: %s of %s", rows[0].Method, share, display.Milliseconds(float64(rows[0].SelfNs)/1e9), display.Milliseconds(float64(t.CPUNs)/1e9))
	}},
}
