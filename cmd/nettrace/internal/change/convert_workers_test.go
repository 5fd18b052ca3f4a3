package change_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestConvertWorkers: a .zst has the same bytes for each number of goroutines. The trace has
// over 64 MiB, so that there are two by default.
func TestConvertWorkers(t *testing.T) {
	size := int64(65 << 20)
	if shared.Race {
		size = 20 << 20 // the race detector makes compression much slower
	}
	trace, dir := testfile.Long(t, size), t.TempDir()
	var want []byte
	for _, n := range []string{"1", "0", "2", "3"} {
		out := filepath.Join(dir, n+".nettrace.zst")
		r := programtest.Run(t, nil, "convert", trace, "-o", out, "--workers", n)
		r.Exits(t, exit.Done)
		expect.Equal(t, "stderr", r.Stderr, "")
		got, err := os.ReadFile(out)
		expect.NoError(t, err)
		if want == nil {
			want = got
		}
		expect.Equal(t, "bytes of --workers "+n, string(got) == string(want), true)
	}
	expect.AtLeast(t, "bytes", len(want), 1<<20)
}

// TestConvertOneWorker: --workers is noted or refused where it has no effect.
func TestConvertOneWorker(t *testing.T) {
	for _, c := range []struct {
		name, out, workers string
		code               int
		stderr             string
	}{
		{"compressed", "x.nettrace.ZST", "2", exit.Done, ""},
		{"uncompressed", "x.nettrace", "2", exit.Done, "x.nettrace: note: one goroutine writes it, not those of --workers, because it is not a .zst"},
		{"gzip", "x.nettrace.gz", "3", exit.Done, "note: one goroutine writes it"},
		{"one", "x.nettrace", "1", exit.Done, ""},
		{"default", "x.nettrace", "0", exit.Done, ""},
		{"negative", "x.nettrace.zst", "-1", exit.Usage, "--workers: a number below 0"},
		{"heap dump", "x.heapsnapshot", "2", exit.Usage, "--workers does not apply to a heap dump"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), c.out)
			r := programtest.Run(t, testfile.Plain(t, "onecollect-small.v6"), "convert", "-", "-o", out, "--workers", c.workers)
			r.Exits(t, c.code)
			expect.Contains(t, "stderr", r.Stderr, c.stderr)
			if c.stderr == "" {
				expect.Equal(t, "stderr", r.Stderr, "")
			}
		})
	}
}

// TestConvertScale measures a .zst of a file of 1 GB with 1, 2 and 3 goroutines, for
// bench/SCALE.md.
func TestConvertScale(t *testing.T) {
	tier.NeedsNightly(t) // it takes a minute and 1 GB of disk
	program, trace, out := programtest.Build(t), testfile.Long(t, 1e9), filepath.Join(t.TempDir(), "out.nettrace.zst")
	var one time.Duration
	for _, n := range []int{1, 2, 3} {
		start := time.Now()
		cmd := exec.Command(program, "convert", trace, "-o", out, "--force", fmt.Sprint("--workers=", n))
		expect.NoError(t, cmd.Run())
		wall, cpu := time.Since(start), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
		if n == 1 {
			one = cpu
		}
		share := float64(cpu) / float64(one)
		t.Logf("| %d | %.1f s | %.2f s | %.2f |", n, wall.Seconds(), cpu.Seconds(), share)
		expect.AtMost(t, "processor time", share, 1.15)
	}
}
