package change_test

import (
	"bytes"
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
