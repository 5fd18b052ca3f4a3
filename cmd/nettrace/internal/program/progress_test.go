package program

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/progress"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// hurried is a clock that is a second later each time.
func hurried() func() time.Time {
	now := time.Unix(0, 0)
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}

var percent = regexp.MustCompile(`([0-9]+)%`)

// TestProgress runs the commands that can take long. Each shows its progress where there
// is a terminal, and nothing elsewhere.
func TestProgress(t *testing.T) {
	a := testfile.New(t, "a.nettrace", testfile.Plain(t, "net10-mix-cpu.v4"))
	b := testfile.Archive(t, "net10-mix-cpu.v4")
	counters := testfile.New(t, "counters.nettrace", testfile.Plain(t, "net10-counters.v4"))
	of := func(bytes int64) string { return fmt.Sprintf(" of %.1f MiB [", float64(bytes)/(1<<20)) }
	size := func(name string) int64 {
		info, err := os.Stat(name)
		expect.NoError(t, err)
		return info.Size()
	}
	both := of(size(a) + size(b))
	no := []string{"--", os.Args[0], "-test.run=^$"} // a program that passes no case
	for _, c := range []struct {
		args  []string // OUT is replaced by the output
		shown string   // a part of a state
		min   int      // the number of states at least
	}{
		{[]string{"info", a}, " MiB [", 5},
		{[]string{"events", a}, " MiB [", 5},
		{[]string{"blocks", a}, " MiB [", 5},
		{[]string{"stacks", a}, " MiB [", 5},
		{[]string{"top", a}, " MiB [", 5},
		{[]string{"top", "--diff", b, a}, " MiB [", 5},
		{[]string{"counters", counters}, " MiB [", 1},
		{[]string{"report", "gc", a}, " MiB [", 5},
		{[]string{"heap", a}, " MiB [", 5},
		{[]string{"convert", a, "-o", "OUT.nettrace"}, " MiB [", 5},
		{[]string{"convert", a, "-o", "OUT.pb.gz"}, " MiB [", 5},
		{[]string{"slice", a, "-o", "OUT.nettrace", "--provider", "*"}, of(2 * size(a)), 10},
		{[]string{"slice", a, "-o", "OUT.nettrace", "--split", "1MB"}, of(2 * size(a)), 10},
		{[]string{"merge", a, b, "-o", "OUT.nettrace"}, both, 5},
		{[]string{"repair", a, "-o", "OUT.nettrace"}, " MiB [", 5},
		{[]string{"diff", a, b}, both, 5},
		{[]string{"check", a}, " MiB [", 5},
		{[]string{"check", a, b}, both, 5},
		{[]string{"bench", "--count", "3", a}, of(3 * size(a)), 3},
		{append([]string{"conformance", "run", "--only", "valid/netperf"}, no...), "3 of 3 cases, 3 failures [", 3},
		{append([]string{"conformance", "write", "--only", "valid/stack"}, no...), " failures [", 2},
	} {
		t.Run(testfile.CaseName(c.args...), func(t *testing.T) {
			try := func(terminal *progress.Terminal) (stdout, stderr string) {
				var out, problems bytes.Buffer
				args := slices.Clone(c.args)
				for i := range args {
					args[i] = strings.Replace(args[i], "OUT", filepath.Join(t.TempDir(), "out"), 1)
				}
				p := &run.Program{Stdout: &out, Stderr: &problems, Progress: terminal}
				execute(t.Context(), p, args)
				return out.String(), problems.String()
			}
			var screen bytes.Buffer
			stdout, _ := try(&progress.Terminal{W: &screen, Now: hurried()})
			states := percent.FindAllStringSubmatch(screen.String(), -1)
			expect.AtLeast(t, "states", len(states), c.min)
			expect.Stop(t)
			expect.Contains(t, "terminal", screen.String(), c.shown)
			last, _ := strconv.Atoi(states[len(states)-1][1])
			expect.AtLeast(t, "percent at the end", last, 90)
			expect.AtMost(t, "percent at the end", last, 100)
			elsewhere, stderr := try(nil)
			if c.args[0] != "bench" { // which prints times
				expect.Equal(t, "stdout", stdout, elsewhere)
			}
			expect.Lacks(t, "stderr", stderr, "\r", "%")
		})
	}
}

// TestProgressOfWorkers: the bar of a file that is searched, and read by several goroutines,
// does not move back.
func TestProgressOfWorkers(t *testing.T) {
	plain := testfile.Plain(t, "net10-mix-cpu.v4")
	encoder, err := zstd.NewWriter(nil)
	expect.NoError(t, err)
	var frames []byte
	for part := range slices.Chunk(plain, len(plain)/20+1) {
		frames = encoder.EncodeAll(part, frames)
	}
	damaged := slices.Clone(frames)
	damaged[len(damaged)/2] ^= 0x55
	for _, c := range []struct {
		name  string
		file  []byte
		total int
	}{
		{"plain", plain, len(plain)},
		{"frames without a seek table", frames, 2 * len(frames)},
		{"damaged frames", damaged, 2 * len(damaged)}, // read from the start after the index failed
	} {
		t.Run(c.name, func(t *testing.T) {
			var screen, out, problems bytes.Buffer
			p := &run.Program{Stdout: &out, Stderr: &problems, Progress: &progress.Terminal{W: &screen, Now: hurried()}}
			execute(t.Context(), p, []string{"events", "--format=ndjson", "--workers=2", testfile.New(t, "a.nettrace", c.file)})
			var shares []int
			for _, state := range percent.FindAllStringSubmatch(screen.String(), -1) {
				share, err := strconv.Atoi(state[1])
				expect.NoError(t, err)
				shares = append(shares, share)
			}
			expect.AtLeast(t, "states", len(shares), 5)
			expect.Equal(t, fmt.Sprint("ascending: ", shares), slices.IsSorted(shares), true)
			expect.Contains(t, "terminal", screen.String(), fmt.Sprintf(" of %.1f MiB [", float64(c.total)/(1<<20)))
		})
	}
}
