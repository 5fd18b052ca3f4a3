package change_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/conformance/check"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// TestMergePerf: records of perf and the trace of a session become one trace without a
// finding, in which all samples are, native code has the names of its files, managed code
// those of the session, and no time is counted twice.
func TestMergePerf(t *testing.T) {
	perf := filepath.Join(shared.Dir(t), "perf")
	base := filepath.Join(perf, "pairs", "native10-997")
	out := filepath.Join(t.TempDir(), "both.nettrace")
	r := programtest.Run(t, nil, "merge", base+".v4.nettrace.zst", base+".perf.ndjson.zst", "-o", out,
		"--symbols", filepath.Join(perf, "bin"), "--kallsyms", filepath.Join(perf, "pairs", "kallsyms.txt"))
	r.Exits(t, exit.Done)
	expect.Contains(t, "stderr", r.Stderr, "5,128 samples of processor time")
	data, err := os.ReadFile(out)
	expect.NoError(t, err)
	report, err := check.Stream(bytes.NewReader(data), check.Options{})
	expect.NoError(t, err)
	for _, f := range report.Findings {
		t.Errorf("%+v", f)
	}
	p, err := profile.FromReader(t.Context(), codec.NewBytesReader(data, input.ReaderOptions(false)), profile.Options{Limits: profile.LargeLimits()})
	expect.NoError(t, err)
	names := map[string]int64{}
	samples, sum := 0, int64(0)
	for s := range p.Samples(profile.CPU) {
		samples++
		sum += s.Value
		for _, f := range p.Stack(s.Stack) {
			names[p.Function(p.Frame(f).Function).Name]++
		}
	}
	expect.Equal(t, "samples", samples, 5128)
	expect.Equal(t, "processor time", sum, 5128*1003009)
	for range p.Samples(profile.CPUApprox) {
		t.Fatal("the processor time is counted twice")
	}
	for name, want := range map[string]int64{"burn_alu": 700, "local_slice": 150, "Program.NativeAlu(Log)": 300, "do_syscall_64": 700, "Program.KernelReadZero(Log)": 300} {
		expect.AtLeast(t, name, names[name], want)
	}
	switches := 0
	for range p.Samples(profile.Switch) {
		switches++
	}
	expect.AtLeast(t, "switches", switches, 1000)
}

// TestMergeBlocked: the time without a processor is that which the program noted for its waits,
// within 1 ms in 95 % of them; a thread that lost its processor is runnable. With stacks of the
// switches the time has a cause and a place, and with records of wakings the thread that the
// program says ended the wait, but for a lock that three threads hand on.
func TestMergeBlocked(t *testing.T) {
	for _, c := range []struct {
		pair   string
		stacks bool
		woken  int // waits ended by the thread that the program says
	}{{"wait10-switch", false, 23}, {"wait11-switch-user", false, 0}, {"wait10-cs", true, 0}} {
		t.Run(c.pair, func(t *testing.T) {
			base := filepath.Join(shared.Dir(t), "perf", "pairs", c.pair)
			out := filepath.Join(t.TempDir(), "both.nettrace")
			programtest.Run(t, nil, "merge", base+".v4.nettrace.zst", base+".perf.ndjson.zst", "-o", out,
				"--kallsyms", filepath.Join(filepath.Dir(base), "kallsyms.txt")).Exits(t, exit.Done)
			data, err := os.ReadFile(out)
			expect.NoError(t, err)
			p, err := profile.FromReader(t.Context(), codec.NewBytesReader(data, input.ReaderOptions(false)), profile.Options{Limits: profile.LargeLimits()})
			expect.NoError(t, err)
			first := ^uint64(0)
			for s := range p.Samples(profile.Switch) {
				first = min(first, s.Ticks)
			}
			lines, runnable, causes := map[uint64][]profile.ThreadSpan{}, int64(0), map[string]int{}
			for i, thread := range p.Threads() {
				lines[thread.ID] = p.TimeLine(i)
				for _, s := range lines[thread.ID] {
					if s.State == profile.Runnable {
						runnable += s.Nanos
					}
					causes[s.Cause]++
				}
			}
			waits, near, woken, wokenByOther, placed := 0, 0, 0, 0, 0
			text, err := os.ReadFile(base + ".truth.ndjson")
			expect.NoError(t, err)
			for line := range bytes.Lines(text) {
				var w struct {
					Wait       string
					Thread     uint64
					Begin, End uint64
					By         uint64
				}
				if json.Unmarshal(line, &w) != nil || w.Wait == "" || w.Wait == "spin" || w.Begin < first || len(lines[w.Thread]) == 0 {
					continue
				}
				off, waker, place := uint64(0), uint64(0), profile.StackID(0)
				for _, s := range lines[w.Thread] {
					if from, until := max(s.From, w.Begin), min(s.Until, w.End); from < until && s.State != profile.Running && s.State != profile.Runnable {
						off += until - from
						if s.WokenBy != 0 {
							waker = s.WokenBy
							expect.Equal(t, "woken in the wait", s.From < s.Woken && s.Woken < s.Until, true)
						}
						place = max(place, s.Stack)
					}
				}
				switch {
				case w.By == 0 || waker == 0:
				case waker == w.By:
					woken++
				default:
					wokenByOther++
				}
				if place != 0 {
					placed++
				}
				waits++
				if w.End-w.Begin-off < 1e6 {
					near++
				}
			}
			t.Logf("%d of %d waits", near, waits)
			expect.AtLeast(t, "waits", waits, 70)
			expect.AtLeast(t, "waits within 1 ms, in percent", 100*near/waits, 95)
			expect.AtLeast(t, "runnable, in ns", runnable, 1)
			expect.Equal(t, "waits ended by the thread of the program", woken, c.woken)
			expect.AtMost(t, "waits ended by another thread", wokenByOther, 2)
			if c.stacks {
				expect.AtLeast(t, "waits with a place", placed, waits-3) // of two threads there are no records
				expect.AtLeast(t, "spans in the futex of the kernel", causes["futex"], 70)
				expect.AtLeast(t, "spans with the cause of a stack", causes["input or output"], 1)
			}
		})
	}
}
