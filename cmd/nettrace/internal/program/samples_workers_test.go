package program_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// sameWithWorkers compares the results with one goroutine and with several.
func sameWithWorkers(t *testing.T, args ...string) {
	t.Helper()
	programtest.SameWithWorkers(t, 16, args...)
	expect.Stop(t)
}

// TestWorkers: the output does not depend on the number of goroutines.
func TestWorkers(t *testing.T) {
	streams, list := 40, []string{"gen-drops.v6", "net10-mix-gc.v4", "net10-tpl-activities.v4", "net10-netperf.v3", "net10-killed-cut.v4", "onecollect-small.v6"}
	if !tier.Check {
		streams, list = 5, list[:2]
	}
	paths := map[string]string{}
	for _, name := range shared.First(shared.Streams(t), streams) {
		paths[name] = testfile.New(t, name, shared.Stream(t, name))
	}
	for _, name := range list {
		paths[name] = testfile.New(t, name, shared.Trace(t, name))
	}
	for name, path := range paths {
		t.Run(name, func(t *testing.T) {
			sameWithWorkers(t, "top", path)
			sameWithWorkers(t, "top", path, "--json", "--type=wall")
			sameWithWorkers(t, "top", path, "--async", "--from=10ms")
			sameWithWorkers(t, "threadtime", path)
			sameWithWorkers(t, "convert", path, "--output=-", "--format=pprof")
			sameWithWorkers(t, "convert", path, "--output=-", "--format=speedscope")
			sameWithWorkers(t, "convert", path, "--output=-", "--format=chromium")
		})
	}
}

// TestOneWorkerNoted: the reason is printed if one goroutine reads the trace although
// --workers asks for more.
func TestOneWorkerNoted(t *testing.T) {
	plain := shared.Trace(t, "net10-mix-gc.v4")
	for _, c := range []struct {
		name, path string
		stdin      []byte
		flags      []string
		want       string
	}{
		{"version 3", testfile.New(t, "v3", shared.Trace(t, "net10-netperf.v3")), nil, nil, "because its format is version 3"},
		{"packed version 3", testfile.New(t, "v3.gz", testfile.Gzip(t, shared.Trace(t, "net10-netperf.v3"))), nil, nil, `because its format is version 3; "nettrace convert" writes a later one`},
		{"gzip", testfile.New(t, "gzip", testfile.Gzip(t, plain)), nil, nil, "nettrace convert --preserve"},
		{"pipe", "-", plain, nil, "because it is not a regular file"},
		{"selection", testfile.New(t, "plain", plain), nil, []string{"--event=10"}, "because --provider and --event are for one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, args := range [][]string{{"top", c.path}, {"convert", c.path, "-o", filepath.Join(t.TempDir(), "out.folded")}} {
				r := programtest.Run(t, c.stdin, slices.Concat(args, c.flags, []string{"--workers=2"})...)
				expect.Equal(t, "exit code", r.Code, exit.Done)
				expect.Contains(t, "stderr", r.Stderr, "note: one goroutine reads it, not those of --workers, ", c.want)
			}
			r := programtest.Run(t, c.stdin, append([]string{"top", c.path}, c.flags...)...)
			expect.Lacks(t, "stderr without --workers", r.Stderr, "note: one")
		})
	}
}

// TestWorkersRefused: commands for which --workers has no meaning.
func TestWorkersRefused(t *testing.T) {
	path := testfile.New(t, "plain", testfile.Plain(t, "gen-drops.v4"))
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"negative", []string{"top", path, "--workers=-1"}, "--workers: a number below 0"},
		{"process", []string{"top", "-p", "1", "--workers=2"}, "--workers needs a file"},
		{"heap dump", []string{"convert", path, "-o", "x.heapsnapshot", "--workers=2"}, "--workers does not apply to a heap dump"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, c.args...)
			expect.Equal(t, "exit code", r.Code, exit.Usage)
			expect.Contains(t, "stderr", r.Stderr, c.want)
		})
	}
}
