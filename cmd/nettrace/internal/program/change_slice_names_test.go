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
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestSliceNothing checks that a slice without events is an error that says why,
// and that no file is written.
func TestSliceNothing(t *testing.T) {
	src := testfile.New(t, "a.nettrace", testfile.Plain(t, "net10-mix-gc.v4"))
	for _, c := range []struct{ name, flags, want string }{
		{"before tick 0", "--from -200h --to -100h", "left out by --from, --to"},
		{"after the end", "--from 1h", "left out by --from"},
		{"no such provider", "--provider Nobody", "left out by --provider; other providers in the trace: Microsoft-DotNETCore-EventPipe"},
		{"only the rundown", "--provider *Rundown --drop-rundown", "more left out by --drop-rundown"},
		{"parts", "--from 1h --split 1MB", "left out by --from"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			r := programtest.Run(t, nil, append([]string{"slice", src, "-o", filepath.Join(dir, "o.nettrace")}, strings.Fields(c.flags)...)...)
			if r.Code != exit.Broken {
				t.Errorf("exit %d, want %d", r.Code, exit.Broken)
			}
			if !strings.Contains(r.Stderr, c.want) || strings.Count(r.Stderr, "\n") != 1 {
				t.Errorf("stderr %q, want one line with %q", r.Stderr, c.want)
			}
			if files, _ := os.ReadDir(dir); len(files) > 0 {
				t.Errorf("%v is written, want no file", files)
			}
		})
	}
}

// TestSliceNames checks that stacks of a slice have the names that they have in
// the source, whichever filter makes the slice.
func TestSliceNames(t *testing.T) {
	data := testfile.Plain(t, "net10-mix-gc.v4")
	src := testfile.New(t, "a.nettrace", data)
	frames := func(name string) map[string]bool {
		set := map[string]bool{}
		for line := range strings.Lines(programtest.Run(t, nil, "convert", name, "--format", "folded", "--type", "alloc", "-o", "-").Out) {
			stack := line[:strings.LastIndexByte(line, ' ')]
			for frame := range strings.SplitSeq(stack, ";") {
				set[frame] = true
			}
		}
		return set
	}
	whole := frames(src)
	for _, c := range []struct{ name, flags, stdin, stderr string }{
		{"time", "--from 75ms --to 90ms", "", "bounds"},
		{"time, v6", "--from 75ms --to 90ms --format v6", "", ""},
		{"provider", "--provider Microsoft-Windows-DotNETRuntime", "", ""},
		{"name", "--event GCAllocationTick,AllocationTick*,GC/AllocationTick", "", `warning: --event: "GC/AllocationTick" matches no event`},
		{"pipe", "--from 75ms --to 90ms --format v6", "pipe", "can be read only once"},
		{"pipe without bounds", "--event 10", "pipe", "can be read only once"},
		{"all of the rundown", "--from 75ms --to 90ms --format v6 --all-rundown", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dst := filepath.Join(t.TempDir(), "part.nettrace")
			from, stdin := src, []byte(nil)
			if c.stdin != "" {
				from, stdin = "-", data
			}
			r := programtest.Run(t, stdin, append([]string{"slice", from, "-o", dst}, strings.Fields(c.flags)...)...)
			r.Exits(t, exit.Done)
			r.Complains(t, c.stderr)
			expect.Stop(t)
			got := frames(dst)
			if len(got) < 4 {
				t.Errorf("%d frames, want more", len(got))
			}
			for frame := range got {
				if !whole[frame] {
					t.Errorf("frame %q is not in the source", frame)
				}
			}
		})
	}
}

// TestSliceSplitNames checks that every part names its stacks, and that --force
// removes the parts of an earlier run.
func TestSliceSplitNames(t *testing.T) {
	src := testfile.New(t, "a.nettrace", testfile.Plain(t, "net10-mix-gc.v4"))
	dir := t.TempDir()
	dst := filepath.Join(dir, "p.nettrace.gz")
	if r := programtest.Run(t, nil, "slice", src, "-o", dst, "--split", "20kB"); r.Code != exit.Done || r.Stderr != "" {
		t.Fatalf("exit %d, %q", r.Code, r.Stderr)
	}
	parts := partsOf(t, dst)
	if len(parts) < 4 {
		t.Fatalf("%d parts, want more", len(parts))
	}
	whole := programtest.Run(t, nil, "top", src, "--type", "alloc", "--limit", "1000").Out
	for _, part := range parts {
		top := programtest.Run(t, nil, "top", part, "--type", "alloc", "--limit", "1000")
		if top.Code != exit.Done { // a part without allocations
			continue
		}
		if got := strings.Count(top.Out, "?!0x"); got > strings.Count(whole, "?!0x") {
			t.Errorf("%s: %d frames without a name:\n%s", part, got, top.Out)
		}
	}
	other := filepath.Join(dir, "p.010x.nettrace.gz")
	if err := os.WriteFile(other, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if r := programtest.Run(t, nil, "slice", src, "-o", dst, "--split", "60kB"); r.Code != exit.Usage || !strings.Contains(r.Stderr, "p.001.nettrace.gz exists") {
		t.Errorf("without --force: exit %d, %q", r.Code, r.Stderr)
	}
	if got := partsOf(t, dst); len(got) != len(parts) {
		t.Errorf("without --force: %d parts, want the %d that were there", len(got), len(parts))
	}
	if r := programtest.Run(t, nil, "slice", src, "-o", dst, "--split", "60kB", "--force"); r.Code != exit.Done || r.Stderr != "" {
		t.Fatalf("with --force: exit %d, %q", r.Code, r.Stderr)
	}
	got := partsOf(t, dst)
	expect.NotZero(t, "len(got)", len(got))
	expect.Stop(t)
	expect.AtMost(t, "len(got)", len(got), len(parts)-1)
	expect.Equal(t, "the last part", filepath.Base(got[len(got)-1]), fmt.Sprintf("p.%03d.nettrace.gz", len(got)))
	if _, err := os.Stat(other); err != nil {
		t.Errorf("--force removed a file that is no part: %v", err)
	}
	if r := programtest.Run(t, testfile.Plain(t, "net10-mix-gc.v4"), "slice", "-", "-o", dst, "--split", "60kB", "--force"); r.Code != exit.Usage || !strings.Contains(r.Stderr, "twice") {
		t.Errorf("of a pipe: exit %d, %q", r.Code, r.Stderr)
	}
}

// partsOf returns the files that slice --split has written for DIR/p.nettrace, in their order.
func partsOf(t *testing.T, dst string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(filepath.Dir(dst), "p.[0-9][0-9][0-9].nettrace*"))
	expect.NoError(t, err)
	return names
}

// TestSliceInfo checks that info prints the bounds of a slice, and the duration
// without the rundown.
func TestSliceInfo(t *testing.T) {
	src := testfile.New(t, "a.nettrace", testfile.Plain(t, "net10-mix-gc.v4"))
	for _, c := range []struct{ name, flags, text, json string }{
		{"both", "--from 75ms --to 90ms", "slice       from 0.075000 s up to 0.090000 s of a recording", `"slice":{"from":"`},
		{"from", "--from 75ms", "slice       from 0.075000 s on of a recording", `"slice":{"from":"`},
		{"to", "--to 90ms", "slice       up to 0.090000 s of a recording", `"slice":{"to":"`},
		{"none", "--event 10", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dst := filepath.Join(t.TempDir(), "part.nettrace")
			args := append([]string{"slice", src, "-o", dst, "--format", "v6"}, strings.Fields(c.flags)...)
			if r := programtest.Run(t, nil, args...); r.Code != exit.Done {
				t.Fatalf("exit %d, %q", r.Code, r.Stderr)
			}
			text, json := programtest.Run(t, nil, "info", dst).Out, programtest.Run(t, nil, "info", "--json", dst).Out
			if !strings.Contains(text, c.text) || (c.text == "") != !strings.Contains(text, "\nslice ") {
				t.Errorf("info prints\n%s\nwant %q", text, c.text)
			}
			if !strings.Contains(json, c.json) || (c.json == "") != !strings.Contains(json, `"slice":`) {
				t.Errorf("info --json prints\n%s\nwant %q", json, c.json)
			}
			if c.name == "both" && !strings.Contains(text, "duration    0.014") {
				t.Errorf("info prints\n%s\nwant a duration of 14 ms", text)
			}
		})
	}
}

// TestSliceSplitValid checks parts against the specification: naming events of
// other parts must not break the rules for threads and sequence points.
func TestSliceSplitValid(t *testing.T) {
	tier.NeedsCheck(t) // it checks 10 MB
	src := testfile.New(t, "a.nettrace", testfile.Plain(t, "azmcp-net10-cpu.v4"))
	for _, format := range []string{"v4", "v6"} {
		t.Run(format, func(t *testing.T) {
			dst := filepath.Join(t.TempDir(), "p.nettrace")
			if r := programtest.Run(t, nil, "slice", src, "-o", dst, "--split", "1MB", "--format", format); r.Code != exit.Done || r.Stderr != "" {
				t.Fatalf("exit %d, %q", r.Code, r.Stderr)
			}
			for _, part := range partsOf(t, dst) {
				if r := programtest.Run(t, nil, "check", part); r.Code != exit.Done || !strings.Contains(r.Out, "no finding") {
					t.Errorf("%s: exit %d\n%s", filepath.Base(part), r.Code, r.Out)
				}
			}
		})
	}
}
