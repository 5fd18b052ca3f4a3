package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestStored compares a few traces with their answers; package compare does so
// for all of them.
func TestStored(t *testing.T) {
	dir := t.TempDir()
	answer := shared.Oracle(t, "net10-empty.v4.events.tsv.zst")
	names := []string{
		"net10-empty.v4.nettrace.zst", "net10-killed.v4.nettrace.zst", "net10-netperf.v3.netperf.zst",
		"onecollect-overflow.v6.nettrace.zst", "onecollect-small.v6.nettrace.zst",
	}
	for _, name := range names {
		link(t, dir, "traces", name)
		if short, _, _ := strings.Cut(name, ".net"); short != "onecollect-overflow.v6" { // which has no answer
			link(t, dir, "oracle", short+".events.tsv.zst")
		}
	}
	t.Setenv("NETTRACE_SHARED", dir)
	code, out := runStored(t)
	expect.Equal(t, "exit code", code, 0)
	expect.Equal(t, "lines of stdout", strings.Count(out, "\n"), len(names))
	expect.Equal(t, "equal", strings.Count(out, "  equal\n"), 3)
	expect.Equal(t, "without an answer", strings.Count(out, "no answer is stored"), 1)
	expect.Equal(t, "found", strings.Count(out, "all events of the other reader found"), 1)

	// One digit of an answer is changed, and an answer is torn.
	path := filepath.Join(dir, "oracle", "net10-empty.v4.events.tsv.zst")
	answer[0] ^= 1
	replace(t, path, answer)
	if code, out := runStored(t); code != 1 || strings.Count(out, "differ in ticks") != 1 {
		t.Errorf("exit status %d\n%s", code, out)
	}
	replace(t, path, answer[:20])
	if code, out := runStored(t); code != 2 || !strings.Contains(out, "columns") {
		t.Errorf("exit status %d\n%s", code, out)
	}
}

func runStored(t *testing.T) (code int, output string) {
	t.Helper()
	var out bytes.Buffer
	code = run(nil, &out, &out)
	return code, out.String()
}

// link makes a file of the shared folder appear in another folder.
func link(t *testing.T, dir, folder, name string) {
	t.Helper()
	from, err := filepath.Abs(filepath.Join(shared.Dir(t), folder, name))
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, folder), 0o700)
	}
	if err == nil {
		err = os.Symlink(from, filepath.Join(dir, folder, name))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// replace puts a file in the place of a link.
func replace(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestUsage(t *testing.T) {
	t.Setenv("NETTRACE_SHARED", t.TempDir())
	for _, args := range [][]string{nil, {"no-such-file"}, {"a", "b"}} {
		t.Run(fmt.Sprint(args), func(t *testing.T) {
			var diag bytes.Buffer
			if code := run(args, io.Discard, &diag); code != 2 || diag.Len() == 0 {
				t.Errorf("exit status %d, %q", code, diag.String())
			}
		})
	}
}

// TestLive runs the other reader, on traces in the three forms that are opened.
func TestLive(t *testing.T) {
	needTE(t)
	t.Setenv("NETTRACE_SHARED", shared.Dir(t))
	for name, form := range map[string]string{"net10-counters.v4": "plain", "onecollect-small.v6": "gz"} {
		t.Run(name, func(t *testing.T) {
			trace := shared.Trace(t, name)
			if form == "gz" {
				trace = gzipped(t, trace)
			}
			code, out := ask(t, trace)
			if code != 0 || strings.Contains(out, "difference") {
				t.Errorf("exit status %d\n%s", code, out)
			}
		})
	}
	if code := run([]string{filepath.Join(shared.Dir(t), "traces", "net10-empty.v4.nettrace.zst")}, io.Discard, os.Stderr); code != 0 {
		t.Errorf("net10-empty.v4: exit status %d", code)
	}
}

// TestLiveDifference: readers that do not agree are reported.
func TestLiveDifference(t *testing.T) {
	needTE(t)
	t.Setenv("NETTRACE_SHARED", shared.Dir(t))

	// The other reader sees no event here: the rows are padded.
	code, out := ask(t, shared.Stream(t, "probe-03b-v4-uncompressed-payload5-padded-eventsize-without-pad"))
	expect.Equal(t, "exit code", code, 1)
	expect.Contains(t, "stdout", out, "ours:   2 events", "theirs: 0 events")

	// It reads types of any depth until its stack overflows; codec does not.
	code, out = ask(t, shared.Stream(t, "probe-05a-v6-nested-array-depth-001000"))
	if code != 1 || !strings.Contains(out, "differ in provider, id\n") {
		t.Errorf("exit status %d\n%s", code, out)
	}
}

func ask(t *testing.T, trace []byte) (code int, output string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(path, trace, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	code = run([]string{path}, &out, &out)
	return code, out.String()
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// needTE skips the test where the other reader cannot run, and in make test.
func needTE(t *testing.T) {
	t.Helper()
	tier.NeedsCheck(t) // the other reader does not run
	shared.OtherReader(t)
}
