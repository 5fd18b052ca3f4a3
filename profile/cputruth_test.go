package profile_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// cpuCall is a line of cpu-truth.truth.ndjson: a call of a method, with the
// processor time in nanoseconds that the program measured for it.
type cpuCall struct {
	Call string `json:"call"`
	Self int64  `json:"self"`
}

// measuredCPU returns the processor time of each method of cpu-truth without its
// callees.
func measuredCPU(t *testing.T) map[string]int64 {
	sums := map[string]int64{}
	for lines := json.NewDecoder(bytes.NewReader(shared.TruthFile(t, "cpu-truth.truth.ndjson"))); lines.More(); {
		var line cpuCall
		if err := lines.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if line.Call != "" {
			sums[line.Call] += line.Self
		}
	}
	return sums
}

// cpuSamples has the samples of cpu-truth of one method of its program.
type cpuSamples struct {
	managed  int64 // managed samples in which the method is the program's innermost frame
	external int64 // the same, external samples whose state is Running
	self     int64 // managed samples in which the method is the innermost frame
}

// samplesOfProgram counts the samples of cpu-truth by method of the program, and
// by leaf.
func samplesOfProgram(t *testing.T, opt profile.Options) (methods map[string]cpuSamples, leaves map[string]int64) {
	t.Helper()
	data := shared.TruthFile(t, "cpu-truth.v4.nettrace.zst")
	p, err := profile.FromReader(t.Context(), codec.NewReader(bytes.NewReader(data), codec.Options{}), opt)
	if err != nil {
		t.Fatal(err)
	}
	methods, leaves = map[string]cpuSamples{}, map[string]int64{}
	for s := range p.Samples(profile.Wall) {
		state, _ := p.State(&s)
		for i, f := range p.Stack(s.Stack) {
			symbol := p.Function(p.Frame(f).Function).Symbol
			if symbol == nil {
				continue
			}
			if s.Managed && i == 0 {
				leaves[symbol.Namespace+"."+symbol.Method]++
			}
			if symbol.Namespace != "CpuTruth" {
				continue
			}
			one := methods[symbol.Method]
			switch {
			case s.Managed && i == 0:
				one.self++
				one.managed++
			case s.Managed:
				one.managed++
			case state == profile.Running:
				one.external++
			}
			methods[symbol.Method] = one
			break
		}
	}
	return methods, leaves
}

// TestCPUTruth compares the samples of each method with the processor time that
// the program measured, with and without folding. ratio is the method's share of
// the managed samples by its share of the processor time: the sampler's own bias
// makes it differ from 1, and folding changes it for no method.
func TestCPUTruth(t *testing.T) {
	measured := measuredCPU(t)
	folded, leaves := samplesOfProgram(t, profile.Options{})
	plain, plainLeaves := samplesOfProgram(t, profile.Options{RuntimeHelpers: true})
	total, managed := int64(0), int64(0)
	for method, ns := range measured {
		total, managed = total+ns, managed+folded[method].managed
	}
	for _, c := range []struct {
		method string
		want   cpuSamples
		ratio  float64
	}{
		{"LoopD", cpuSamples{1993, 0, 1991}, 1.09},
		{"LoopC", cpuSamples{679, 0, 679}, 1.11},
		{"LoopB", cpuSamples{339, 0, 338}, 1.10},
		{"Inner", cpuSamples{331, 0, 327}, 1.08},
		{"CopyRefs", cpuSamples{232, 2, 1}, 1.10},
		{"CopyBytes", cpuSamples{20, 163, 1}, 0.12},
		{"LoopA", cpuSamples{128, 0, 128}, 0.83},
		{"Locks", cpuSamples{88, 0, 2}, 1.03},
		{"Sines", cpuSamples{57, 0, 57}, 0.49},
		{"NativeFill", cpuSamples{4, 0, 3}, 0.10},
	} {
		t.Run(c.method, func(t *testing.T) {
			got := folded[c.method]
			share := float64(got.managed) / float64(managed)
			ratio := share / (float64(measured[c.method]) / float64(total))
			t.Logf("%.1f ms, %d managed samples, %d of them self (%d with helpers), %d external and running", float64(measured[c.method])/1e6, got.managed, got.self, plain[c.method].self, got.external)
			expect.Equal(t, "samples", got, c.want)
			expect.Equal(t, "samples with helpers", plain[c.method], c.want)
			expect.AtLeast(t, "ratio", ratio, c.ratio-0.006)
			expect.AtMost(t, "ratio", ratio, c.ratio+0.006)
		})
	}
	const copies = "System.Buffer.BulkMoveWithWriteBarrierBatch"
	expect.Equal(t, "managed samples with the leaf "+copies, leaves[copies], 229)
	expect.Equal(t, "the same with helpers", plainLeaves[copies], 4)
}
