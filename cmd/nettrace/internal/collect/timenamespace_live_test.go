//go:build linux

package collect_test

import (
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/machine"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/profile"
)

// TestTimeNamespace records a program whose clock is 5,000 s ahead of ours: the samples of perf
// and the processor times of threads have the times of its clock.
func TestTimeNamespace(t *testing.T) {
	tier.NeedsCheck(t)
	machine.TimeNamespaces(t)
	permitted(t)
	load := filepath.Join(shared.Dir(t), "defects", "turn3", "programs", "Load.dll")
	for _, c := range []struct {
		args []string
		unit profile.Type
	}{
		{[]string{"--cpu-sampler", "perf"}, profile.CPU},
		{nil, profile.CPUApprox},
	} {
		path := filepath.Join(t.TempDir(), "a.nettrace")
		args := append([]string{"collect", "-o", path, "--duration", "1s"}, c.args...)
		args = append(args, "--", "unshare", "--time", "--monotonic", "5000", "--fork", "--kill-child", shared.OtherReader(t), "run", load, "1", "5")
		if out, err := programtest.LongProcess(t, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		p, _ := samplesOf(t, path)
		used := int64(0)
		for s := range p.Samples(c.unit) {
			used += s.Value
		}
		const atLeast = 200e6 // of more than one second of processor time, on a busy machine
		if used < atLeast {
			t.Errorf("%v: %d ns of processor time in the session, want at least %.0f", c.args, used, atLeast)
		}
	}
}
