//go:build unix

package collect_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// recorded records a runtime that sends a trace into a new folder.
func recorded(t *testing.T, data []byte, name string, flags ...string) (dir string, r programtest.Result) {
	t.Helper()
	dir = t.TempDir()
	runtime := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}})
	args := []string{"collect", "--port", runtime.Address() + ",connect", "--duration", "1ms", "-o", filepath.Join(dir, name)}
	return dir, programtest.Run(t, nil, append(args, flags...)...)
}

// contents returns a file.
func contents(t *testing.T, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestConvert: the recording stays, and the second file is the one that the command for
// recordings makes from it.
func TestConvert(t *testing.T) {
	for _, c := range []struct {
		format, output string
		trace, second  string
		command        string
	}{
		{"pprof", "a.nettrace", "a.nettrace", "a.pb.gz", "convert"},
		{"Speedscope", "a.nettrace.zst", "a.nettrace.zst", "a.speedscope.json", "convert"},
		{"Chromium", "a", "a", "a.chromium.json", "convert"},
		{"folded", "a.txt", "a.nettrace", "a.txt", "convert"},
		{"pprof", "a.pprof", "a.nettrace", "a.pprof", "convert"},
		{"html", "a.nettrace", "a.nettrace", "a.html", "report"},
		{"html", "a.html", "a.nettrace", "a.html", "report"},
	} {
		t.Run(c.format+" "+c.output, func(t *testing.T) {
			dir, r := recorded(t, profiletrace.Trace(), c.output, "--format", c.format)
			r.Exits(t, exit.Done)
			expect.Contains(t, "stderr", r.Stderr, c.second+": written from ")
			trace, own := filepath.Join(dir, c.trace), filepath.Join(dir, "own")
			args := []string{c.command, trace, "-o", own + c.second[1:]}
			if c.command == "convert" {
				args = append(args, "--format", strings.ToLower(c.format))
			}
			programtest.Run(t, nil, args...).Exits(t, exit.Done)
			expect.Bytes(t, "second file", contents(t, dir, c.second), contents(t, own+c.second[1:]))
			entries, err := os.ReadDir(dir)
			expect.NoError(t, err)
			expect.Len(t, "files", entries, 3)
		})
	}
}

// TestConvertNothing: without samples the recording stays, and the reason is printed.
func TestConvertNothing(t *testing.T) {
	data := testfile.Plain(t, "net10-empty.v4")
	dir, r := recorded(t, data, "a.nettrace", "--format", "pprof")
	r.Exits(t, exit.Broken)
	expect.Contains(t, "stderr", r.Stderr, "a.pb.gz: not written: ", "nothing to show", "; the recording is in ")
	expect.Equal(t, "the recording is kept", bytes.Equal(contents(t, dir, "a.nettrace"), data), true)
	entries, err := os.ReadDir(dir)
	expect.NoError(t, err)
	expect.Len(t, "files", entries, 1)
}

// TestConvertKeeps: an existing second file is an error before the process is recorded,
// unless --force is given.
func TestConvertKeeps(t *testing.T) {
	runtime := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: profiletrace.Trace()}})
	dir := t.TempDir()
	second := filepath.Join(dir, "a.folded")
	if err := os.WriteFile(second, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"collect", "--port", runtime.Address() + ",connect", "--duration", "1ms", "-o", filepath.Join(dir, "a.nettrace"), "-f", "folded"}
	r := programtest.Run(t, nil, args...)
	r.Exits(t, exit.Usage)
	expect.Contains(t, "stderr", r.Stderr, "a.folded exists (--force replaces it)")
	expect.Len(t, "sessions", runtime.Sessions(), 0)
	programtest.Run(t, nil, append(args, "--force")...).Exits(t, exit.Done)
	expect.Contains(t, "second file", string(contents(t, second)), ";")
}

// TestConvertUsage: a format that cannot be made is an error of the command line.
func TestConvertUsage(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-f v6", "nettrace convert --format v6 converts it"},
		{"-f perf", "none of NetTrace, pprof, speedscope, chromium, perfetto, firefox, folded, cpuprofile, heapprofile, callgrind, perfscript, heapsnapshot, gcdump, html"},
		{"-f pprof -o -", "no -o -; nettrace convert reads standard input"},
		{"-f pprof --ring 10s", "no --ring"},
		{"-f pprof -o a.folded", "is that of folded"},
		{"-f heapsnapshot", "needs --profile gcdump"},
		{"-f pprof --profile gcdump", "use --format heapsnapshot"},
	} {
		t.Run(c.args, func(t *testing.T) {
			r := programtest.Run(t, nil, append([]string{"collect", "-p", "1"}, strings.Fields(c.args)...)...)
			r.Exits(t, exit.Usage)
			expect.Contains(t, "stderr", r.Stderr, c.want)
		})
	}
}
