package program_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestSliceCommand compares the selected events of slices with those that events
// lists of the source under the same filters.
func TestSliceCommand(t *testing.T) {
	for _, c := range []struct{ name, filters, stderr string }{
		{"net10-types.v4", "", "net10-types.v4.nettrace: warning: 25 events lost within the slice"},
		{"net10-types.v4", "--provider Corners-Self,Corners-Many*", "warning: 25 events lost"},
		{"net10-types.v4", "--thread 21677", ""},
		{"net10-mix-gc.v4", "--from 100ms --to 900ms", "--format v6 records them"},
		{"net10-mix-cpu.v4", "--from 4s --to 4.5s", "--format v6 records them"}, // a naming event of the last thread is later
		{"net10-mix-gc.v4", "--from 100ms --to 900ms --format v6", ""},
		{"net10-mix-gc.v4", "--event GC* --event 1-40", ""},
		{"net10-netperf.v3", "--event 3-10", ""},
		{"onecollect-small.v6", "--process 42", ""},
		{"net10-killed-cut.v4", "--to 2s", "truncated stream"},
	} {
		t.Run(fmt.Sprintf("%s %s", c.name, c.filters), func(t *testing.T) {
			src := testfile.New(t, c.name+".nettrace", testfile.Plain(t, c.name))
			dst := filepath.Join(t.TempDir(), "part.nettrace.zst")
			r := programtest.Run(t, nil, append([]string{"slice", src, "-o", dst}, strings.Fields(c.filters)...)...)
			r.Exits(t, boolCode(strings.Contains(c.stderr, "truncated")))
			r.Complains(t, c.stderr)
			filters := strings.Fields(strings.TrimSuffix(c.filters, "--format v6"))
			wanted := programtest.Run(t, nil, append([]string{"events", "--payload", "--stacks", src}, filters...)...)
			part := programtest.Run(t, nil, append([]string{"events", "--payload", "--stacks", dst}, filters...)...)
			got, want := linesOf(part.Out), linesOf(wanted.Out)
			if strings.Count(got, "\n") == 0 {
				t.Error("no events")
			}
			sameFormat := !strings.Contains(c.filters, "v6") && !strings.HasSuffix(c.name, "v3")
			if sameFormat && got != want {
				t.Error("other lines than those of the source")
			}
			expect.Equal(t, "lines", strings.Count(got, "\n"), strings.Count(want, "\n"))
		})
	}
}

// linesOf removes the lines about losses, because events reports all of them, and ProcessInfo,
// which gets the time of the end of a slice.
func linesOf(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, " lost\n") && !strings.Contains(line, "ProcessInfo") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func boolCode(broken bool) int {
	if broken {
		return exit.Broken
	}
	return exit.Done
}

// TestSliceDropRundown leaves out the rundown and nothing else.
func TestSliceDropRundown(t *testing.T) {
	r := programtest.Run(t, testfile.Plain(t, "net10-mix-gc.v4"), "slice", "-", "-o", "-", "--drop-rundown", "--format", "v6")
	if r.Code != exit.Done || !strings.Contains(r.Stderr, "--drop-rundown left out 2,551 events for names") {
		t.Fatalf("exit %d, %q", r.Code, r.Stderr)
	}
	info := programtest.Run(t, []byte(r.Out), "info", "-")
	expect.Lacks(t, "stdout", info.Out, "Rundown")
	expect.Contains(t, "stdout", info.Out, "format      6.0", "ProcessInfo")
}

// TestSliceSplit writes parts that together are the file.
func TestSliceSplit(t *testing.T) {
	dir := t.TempDir()
	src := testfile.New(t, "a.nettrace", testfile.Plain(t, "azmcp-net10-startup.v4"))
	for _, size := range []string{"100kB", "100ms"} {
		t.Run(size, func(t *testing.T) {
			dst := filepath.Join(dir, "part-"+size+".nettrace.zst")
			if r := programtest.Run(t, nil, "slice", src, "-o", dst, "--split", size, "--drop-rundown"); r.Code != exit.Done || !strings.Contains(r.Stderr, "stacks may have none") {
				t.Fatalf("exit %d, %q", r.Code, r.Stderr)
			}
			var together strings.Builder
			parts := 0
			for ; ; parts++ {
				name := filepath.Join(dir, fmt.Sprintf("part-%s.%03d.nettrace.zst", size, parts+1))
				if _, err := os.Stat(name); err != nil {
					break
				}
				together.WriteString(programtest.Run(t, nil, "events", name).Out)
			}
			whole := programtest.Run(t, nil, "slice", src, "-o", "-", "--drop-rundown")
			if want := programtest.Run(t, []byte(whole.Out), "events", "-").Out; parts < 2 || together.String() != want {
				t.Errorf("%d parts of %d lines, want %d", parts, strings.Count(together.String(), "\n"), strings.Count(want, "\n"))
			}
			if r := programtest.Run(t, nil, "slice", src, "-o", dst, "--split", size); r.Code != exit.Usage || !strings.Contains(r.Stderr, "exists") {
				t.Errorf("again: exit %d, %q", r.Code, r.Stderr)
			}
		})
	}
	if rest, _ := filepath.Glob(filepath.Join(dir, ".*")); len(rest) > 0 {
		t.Errorf("files left: %v", rest)
	}
}

// TestSliceRedact looks for command lines in what is written.
func TestSliceRedact(t *testing.T) {
	const line = "/tmp/apps/Corners/bin/Release/net10.0/Corners.dll"
	data := testfile.Plain(t, "net10-mix-gc.v4")
	before := programtest.Run(t, data, "events", "--fields", "-").Out
	r := programtest.Run(t, data, "slice", "-", "-o", "-", "--redact", "--redact-text", "Linux", "--redact-text", "Linuxx, x")
	after := programtest.Run(t, []byte(r.Out), "events", "--fields", "-").Out
	r.Exits(t, exit.Done)
	expect.Contains(t, "before", before, line)
	expect.Lacks(t, "after", after, line, `"Linux"`)
	expect.Contains(t, "stderr", r.Stderr, `warning: --redact-text: "Linuxx, x" is in no value that is kept: nothing was replaced for it`+"\n")
	expect.Lacks(t, "stderr", r.Stderr, `"Linux"`)
	if strings.Count(before, "\n") != strings.Count(after, "\n") || !strings.Contains(after, "/System.Private.CoreLib.dll") {
		t.Error("more is gone than folders and command lines")
	}
}

// TestSliceUsage refuses what makes no sense, before it touches anything.
func TestSliceUsage(t *testing.T) {
	src := testfile.New(t, "a.nettrace", testfile.Plain(t, "onecollect-small.v6"))
	for _, flags := range []string{
		"--from 2s --to 1s", "--from x", "--format v3", "--split 0", "--split 3x", "--split 64", "--all-rundown --drop-rundown", "--split 5MB -o -", "--redact-text x", "--event 5-1",
		"--redact=everything", "--redact paths",
	} {
		t.Run(flags, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "o.nettrace")
			r := programtest.Run(t, nil, append([]string{"slice", src, "-o", out}, strings.Fields(flags)...)...)
			_, err := os.Stat(out)
			r.Exits(t, exit.Usage)
			expect.NotZero(t, "stderr", r.Stderr)
			expect.NotZero(t, "error", err)
		})
	}
	r := programtest.Run(t, nil, "slice", src, "-o", "-", "--format", "v4")
	r.Exits(t, exit.Broken)
	expect.Equal(t, "stdout", r.Out, "")
	expect.Contains(t, "stderr", r.Stderr, "later version")
}
