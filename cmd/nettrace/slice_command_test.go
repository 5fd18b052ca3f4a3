package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSliceCommand compares the selected events of slices with those that events
// lists of the source under the same filters.
func TestSliceCommand(t *testing.T) {
	for _, c := range []struct{ name, filters, stderr string }{
		{"net10-types.v4", "", "net10-types.v4.nettrace: warning: 25 events lost in what is written"},
		{"net10-types.v4", "--provider Corners-Self,Corners-Many*", "warning: 25 events lost"},
		{"net10-types.v4", "--thread 21677", ""},
		{"net10-mix-gc.v4", "--from 100ms --to 900ms", "--format v6 records them"},
		{"net10-mix-gc.v4", "--from 100ms --to 900ms --format v6", ""},
		{"net10-mix-gc.v4", "--name GC* --id 1-40", ""},
		{"net10-netperf.v3", "--id 3-10", ""},
		{"onecollect-small.v6", "--process 42", ""},
		{"net10-killed-cut.v4", "--to 2s", "truncated stream"},
	} {
		src := file(t, c.name+".nettrace", plain(t, c.name))
		dst := filepath.Join(t.TempDir(), "part.nettrace.zst")
		r := nettrace(t, nil, append([]string{"slice", src, "-o", dst}, strings.Fields(c.filters)...)...)
		if want := boolCode(strings.Contains(c.stderr, "truncated")); r.code != want || (c.stderr == "") != (r.stderr == "") || !strings.Contains(r.stderr, c.stderr) {
			t.Errorf("%s %s: exit %d, %q", c.name, c.filters, r.code, r.stderr)
		}
		filters := strings.Fields(strings.TrimSuffix(c.filters, "--format v6"))
		wanted := nettrace(t, nil, append([]string{"events", "--payload", "--stacks", src}, filters...)...)
		part := nettrace(t, nil, append([]string{"events", "--payload", "--stacks", dst}, filters...)...)
		got, want := withoutLosses(part.out), withoutLosses(wanted.out)
		if strings.Count(got, "\n") == 0 {
			t.Errorf("%s %s: no events", c.name, c.filters)
		}
		if sameFormat := !strings.Contains(c.filters, "v6") && !strings.HasSuffix(c.name, "v3"); sameFormat && got != want || strings.Count(got, "\n") != strings.Count(want, "\n") {
			t.Errorf("%s %s: %d lines, want %d", c.name, c.filters, strings.Count(got, "\n"), strings.Count(want, "\n"))
		}
	}
}

// withoutLosses leaves out the lines that tell of losses: events tells of all.
func withoutLosses(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, " lost\n") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func boolCode(broken bool) int {
	if broken {
		return exitBroken
	}
	return exitDone
}

// TestSliceDropRundown leaves out the rundown and nothing else.
func TestSliceDropRundown(t *testing.T) {
	r := nettrace(t, plain(t, "net10-mix-gc.v4"), "slice", "-", "-o", "-", "--drop-rundown", "--format", "v6")
	if r.code != exitDone || !strings.Contains(r.stderr, "--drop-rundown left out 2,551 events for names") {
		t.Fatalf("exit %d, %q", r.code, r.stderr)
	}
	info := nettrace(t, []byte(r.out), "info", "-")
	if strings.Contains(info.out, "Rundown") || !strings.Contains(info.out, "format      6.0") || !strings.Contains(info.out, "ProcessInfo") {
		t.Error(info.out)
	}
}

// TestSliceSplit writes parts that together are the file.
func TestSliceSplit(t *testing.T) {
	dir := t.TempDir()
	src := file(t, "a.nettrace", plain(t, "azmcp-net10-startup.v4"))
	for _, size := range []string{"100kB", "100ms"} {
		dst := filepath.Join(dir, "part-"+size+".nettrace.zst")
		if r := nettrace(t, nil, "slice", src, "-o", dst, "--split", size, "--drop-rundown"); r.code != exitDone || !strings.Contains(r.stderr, "stacks may have none") {
			t.Fatalf("%s: exit %d, %q", size, r.code, r.stderr)
		}
		var together strings.Builder
		parts := 0
		for ; ; parts++ {
			name := filepath.Join(dir, fmt.Sprintf("part-%s.%03d.nettrace.zst", size, parts+1))
			if _, err := os.Stat(name); err != nil {
				break
			}
			together.WriteString(nettrace(t, nil, "events", name).out)
		}
		whole := nettrace(t, nil, "slice", src, "-o", "-", "--drop-rundown")
		if want := nettrace(t, []byte(whole.out), "events", "-").out; parts < 2 || together.String() != want {
			t.Errorf("%s: %d parts of %d lines, want %d", size, parts, strings.Count(together.String(), "\n"), strings.Count(want, "\n"))
		}
		if r := nettrace(t, nil, "slice", src, "-o", dst, "--split", size); r.code != exitUsage || !strings.Contains(r.stderr, "exists") {
			t.Errorf("%s again: exit %d, %q", size, r.code, r.stderr)
		}
	}
	if rest, _ := filepath.Glob(filepath.Join(dir, ".*")); len(rest) > 0 {
		t.Errorf("left behind: %v", rest)
	}
}

// TestSliceRedact looks for command lines in what is written.
func TestSliceRedact(t *testing.T) {
	const line = "/tmp/apps/Corners/bin/Release/net10.0/Corners.dll"
	data := plain(t, "net10-mix-gc.v4")
	before := nettrace(t, data, "events", "--fields", "-").out
	r := nettrace(t, data, "slice", "-", "-o", "-", "--redact", "--redact-text", "Linux")
	after := nettrace(t, []byte(r.out), "events", "--fields", "-").out
	if r.code != exitDone || !strings.Contains(before, line) || strings.Contains(after, line) || strings.Contains(after, `"Linux"`) {
		t.Errorf("exit %d, %q; before %v, after %v", r.code, r.stderr, strings.Contains(before, line), strings.Contains(after, line))
	}
	if strings.Count(before, "\n") != strings.Count(after, "\n") || !strings.Contains(after, "/System.Private.CoreLib.dll") {
		t.Error("more is gone than folders and command lines")
	}
}

// TestSliceUsage refuses what makes no sense, before it touches anything.
func TestSliceUsage(t *testing.T) {
	src := file(t, "a.nettrace", plain(t, "onecollect-small.v6"))
	for _, flags := range []string{
		"--from 2s --to 1s", "--from x", "--format v3", "--split 0", "--split 3x", "--split 64", "--all-rundown --drop-rundown", "--split 5MB -o -", "--redact-text x", "--id 5-1",
		"--redact=everything", "--redact paths",
	} {
		out := filepath.Join(t.TempDir(), "o.nettrace")
		r := nettrace(t, nil, append([]string{"slice", src, "-o", out}, strings.Fields(flags)...)...)
		if _, err := os.Stat(out); r.code != exitUsage || r.stderr == "" || err == nil {
			t.Errorf("%s: exit %d, %q, %v", flags, r.code, r.stderr, err)
		}
	}
	if r := nettrace(t, nil, "slice", src, "-o", "-", "--format", "v4"); r.code != exitBroken || r.out != "" || !strings.Contains(r.stderr, "later version") {
		t.Errorf("v6 as v4: exit %d, %q", r.code, r.stderr)
	}
}
