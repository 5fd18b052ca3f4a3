package browser

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// Size of the trace of the budgets.
const (
	budgetSamples, budgetNodes, budgetMethods, budgetThreads = 1_000_000, 200_000, 20_000, 32
	budgetDepth                                              = 50
)

// longTest skips a test that takes longer than CI has time for.
func longTest(t *testing.T) {
	t.Helper()
	tier.NeedsNightly(t) // takes a minute
}

// budgetTrace writes the trace of the budgets: a tree of calls with random parents and
// methods, of which random nodes are sampled.
func budgetTrace(t *testing.T) string {
	t.Helper()
	const nodes = budgetNodes + 1000 // two children of a node can have the same method
	random, m := rand.New(rand.NewPCG(1, 2)), tracetest.New(wire.V4)
	for i := range budgetMethods {
		name := text16(fmt.Sprintf("Namespace%d.Type%d", i%40, i%1500))
		m.Add(tracetest.Event{At: 1, Thread: 1, ID: 143, Version: 2, Payload: []any{
			uint64(i + 1), uint64(1), method(i), uint32(0x100), uint32(i), uint32(0), name, text16(fmt.Sprintf("Method%d", i)), text16("void (int)"), uint16(0), uint64(0)}})
	}
	parents, depths := make([]int, nodes+1), make([]int, nodes+1)
	leaf := slices.Repeat([]bool{true}, nodes+1)
	addresses := make([]uint64, nodes+1)
	for i := 1; i <= nodes; i++ {
		for parents[i] = max(0, i-1-random.IntN(4000)); depths[parents[i]] >= budgetDepth; {
			parents[i] = random.IntN(i)
		}
		depths[i], leaf[parents[i]] = depths[parents[i]]+1, false
		addresses[i] = method(random.IntN(budgetMethods)) + 0x10
	}
	var stacks []uint32
	for i := 1; i <= nodes; i++ {
		if leaf[i] || i%10 == 0 {
			var stack []uint64
			for at := i; at > 0; at = parents[at] {
				stack = append(stack, addresses[at])
			}
			stacks = append(stacks, m.Stack(stack))
		}
	}
	sampler := m.Metadata(&codec.Metadata{Provider: "Microsoft-DotNETCore-SampleProfiler", Version: 1, Level: 4})
	for i := range budgetSamples {
		stack := stacks[i%len(stacks)]
		if i > len(stacks) {
			stack = stacks[random.IntN(len(stacks))]
		}
		m.Now = uint64(1000 * (1 + i/budgetThreads))
		m.Event(&codec.EventRow{MetadataID: sampler, CaptureThreadIndex: uint64(100 + i%budgetThreads), ThreadIndex: uint64(100 + i%budgetThreads),
			Timestamp: m.Now, Processor: wire.UnknownProcessor, StackID: stack, Payload: tracetest.Pack(uint32(2))})
	}
	return written(t, m)
}

// method returns the address of a method.
func method(i int) uint64 { return uint64(0x100000 + 0x1000*i) }

// smallest returns the smallest of some numbers, which it prints.
func smallest(t *testing.T, what string, list []float64) float64 {
	t.Helper()
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		load = []byte("unknown")
	}
	t.Logf("%s: %.1f of %.1f; load average %s", what, slices.Min(list), list, strings.TrimSpace(string(load)))
	return slices.Min(list)
}

// Test39: the budgets of a page with 1,000,000 samples. Times are the smallest of five
// runs, in ms of processor time of the page: the time on the clock depends on what else
// the machine does, and is printed.
func Test39Budgets(t *testing.T) {
	longTest(t)
	address, _ := serve(t, budgetTrace(t), "--page", "flame", "--type", "wall")
	var first, clock []float64
	firstDrawing := func(t *testing.T) *page {
		before := rendererTime(t)
		p := open(t, address)
		var at float64
		p.evaluate(t, "performance.getEntriesByName('first-contentful-paint')[0].startTime", &at)
		p.frame(t)
		first, clock = append(first, rendererTime(t)-before), append(clock, at)
		return p
	}
	for range 4 {
		t.Run("first drawing", func(t *testing.T) { firstDrawing(t) }) // its end closes the page
	}
	p := firstDrawing(t)
	smallest(t, "first drawing on the clock", clock)
	expect.AtMost(t, "ms to the first drawing", smallest(t, "first drawing", first), 2000)
	var size struct{ Samples, Nodes, Functions, Threads int }
	p.evaluate(t, "(h => ({Samples: h.types[0].offsets[h.types[0].offsets.length-1], Nodes: h.nodes, Functions: h.functions, Threads: h.threads.length}))(nettrace.head())", &size)
	expect.AtLeast(t, "samples", size.Samples, budgetSamples)
	expect.AtLeast(t, "nodes", size.Nodes, budgetNodes)
	expect.AtLeast(t, "functions", size.Functions, budgetMethods*99/100)
	expect.AtLeast(t, "threads", size.Threads, budgetThreads)
	var idle []float64
	for range 5 {
		busy, _ := p.drawn(t, "0")
		idle = append(idle, busy)
	}
	nothing := smallest(t, "measuring itself", idle)
	for _, c := range []struct {
		name string
		does string // address or statement; %d is the number of the run
		most float64
	}{
		{"range", "#/flame?type=wall&from=1%ds&to=2%ds", 100},
		{"range, table", "#/top?type=wall&from=1%ds&to=2%ds", 100},
		{"thread", "#/top?type=wall&thread=10%d", 100},
		{"state", "#/top?type=wall&state=running&thread=10%d", 100},
		{"leaf up", "#/flame?type=wall&up=1&from=1%ds", 100},
		{"hide", "#/flame?type=wall&hide=Type1%d", 300},
		{"group", "#/flame?type=wall&group=namespace&hide=Type2%d", 300},
		{"search", "(i => { i.value = 'Method1%d'; i.dispatchEvent(new Event('input', {bubbles: true})) })(document.querySelector('input[type=search]'))", 50},
		{"hover", "(c => { const r = c.getBoundingClientRect(), at = {clientX: r.left + 100 + 100*%d, clientY: r.top + 70, bubbles: true}; " +
			"c.dispatchEvent(new PointerEvent('pointermove', at)); c.dispatchEvent(new MouseEvent('mousemove', at)) })(document.querySelector('.flame canvas'))", 16},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.evaluate(t, "(location.hash = '#/flame?type=wall', '')", new(string))
			p.frame(t)
			var list, clock []float64
			for run := range 5 {
				statement := strings.ReplaceAll(c.does, "%d", strconv.Itoa(run))
				if statement[0] == '#' {
					statement = "location.hash = " + quoted(statement)
				}
				busy, wall := p.drawn(t, statement)
				list, clock = append(list, busy-nothing), append(clock, wall)
			}
			smallest(t, c.name+" on the clock", clock)
			expect.AtMost(t, "ms", smallest(t, c.name, list), c.most)
		})
	}
	t.Run("memory", func(t *testing.T) {
		used := p.heap(t)
		expect.AtMost(t, "MB of the heap", smallest(t, "heap", []float64{used / 1e6}), 200)
		expect.AtMost(t, "MB of the renderer at its peak", smallest(t, "renderer", []float64{rendererPeak(t) / 1e6}), 500)
	})
}

// drawn runs a statement and returns the ms of processor time and on the clock until the
// page has drawn what it changes.
func (p *page) drawn(t *testing.T, statement string) (busy, clock float64) {
	t.Helper()
	const wait = `(async () => {
		const tick = () => new Promise(done => { const channel = new MessageChannel(); channel.port1.onmessage = done; channel.port2.postMessage(0) })
		const begun = performance.now(); %s
		for (let frames = 0; frames < 3; frames++) {
			await new Promise(done => requestAnimationFrame(done))
			await tick(); await tick()
		}
		return JSON.stringify(performance.now() - begun)
	})()`
	before := rendererTime(t)
	var text string
	err := chromedp.Run(p.ctx, chromedp.Evaluate(fmt.Sprintf(wait, statement), &text, awaited))
	if err != nil {
		t.Fatal(err)
	}
	busy = rendererTime(t) - before
	if clock, err = strconv.ParseFloat(text, 64); err != nil {
		t.Fatal(err)
	}
	return busy, clock
}

// renderers returns the process ids of the browser's renderers.
func renderers(t *testing.T) (list []string) {
	t.Helper()
	browser := strconv.Itoa(chromedp.FromContext(chromium).Browser.Process().Pid)
	out, err := exec.Command("ps", "-eo", "pid=,ppid=,args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	parents, isRenderer := map[string]string{}, []string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		parents[fields[0]] = fields[1]
		if strings.Contains(line, "--type=renderer") {
			isRenderer = append(isRenderer, fields[0])
		}
	}
	for _, pid := range isRenderer {
		for at := pid; at != "" && at != "1"; at = parents[at] {
			if at == browser {
				list = append(list, pid)
			}
		}
	}
	return list
}

// rendererTime returns the processor time of the main threads of all renderers in ms. One
// that has ended does not count.
func rendererTime(t *testing.T) (ms float64) {
	t.Helper()
	for _, pid := range renderers(t) {
		text, err := os.ReadFile(filepath.Join("/proc", pid, "task", pid, "schedstat"))
		if err != nil {
			continue // it has ended
		}
		ns, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseFloat(ns, 64)
		if err != nil {
			t.Fatal(err)
		}
		ms += n / 1e6
	}
	return ms
}

// rendererPeak returns the peak resident memory of the largest renderer, in bytes.
func rendererPeak(t *testing.T) float64 {
	t.Helper()
	peak := 0.0
	for _, pid := range renderers(t) {
		status, err := os.ReadFile(filepath.Join("/proc", pid, "status"))
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(status), "VmHWM:")
		if fields := strings.Fields(rest); len(fields) > 0 {
			kb, err := strconv.ParseFloat(fields[0], 64)
			if err != nil {
				t.Fatal(err)
			}
			peak = max(peak, kb*1024)
		}
	}
	return peak
}

// TestReportSizes: a report has at most 170 kB and 4/3 of the compressed data, and the time to
// write it is bounded.
func TestReportSizes(t *testing.T) {
	for _, c := range []struct {
		name string
		most int64 // bytes
	}{{"roslyn-net10-cpu.v4", 450_000}, {"aspnet-net10.v4", 550_000}} {
		t.Run(c.name, func(t *testing.T) {
			if !slices.Contains(shared.Traces(t), c.name) {
				t.Skipf("no trace %s", c.name)
			}
			trace := traceFile(t, c.name)
			out := strings.TrimSuffix(trace, ".nettrace") + ".html"
			var cpu []float64
			for range 3 {
				cmd := exec.Command(nettrace, "report", "--force", "-o", out, trace)
				if text, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 1 {
					t.Fatalf("%v\n%s", err, text)
				}
				cpu = append(cpu, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
				if cpu[len(cpu)-1] <= 1 {
					break
				}
			}
			report, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(string(report), `id="data">`)
			data, _, _ := strings.Cut(rest, "<")
			t.Logf("%d bytes, %d of compressed data", len(report), len(data)*3/4)
			expect.AtMost(t, "seconds of processor time", smallest(t, "seconds", cpu), 1)
			expect.AtMost(t, "bytes", int64(len(report)), c.most)
			expect.AtMost(t, "bytes besides the data", len(report)-len(data), 200_000) // those of the script and the style sheet
		})
	}
}
