package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestMergeCommand merges files and finds each of them again by its process.
func TestMergeCommand(t *testing.T) {
	dst := filepath.Join(t.TempDir(), "both.nettrace.zst")
	r := nettrace(t, nil, "merge", archive(t, "azmcp-net10-startup.v4"), archive(t, "net10-types.v4"), "-o", dst)
	r.exits(t, exitDone)
	expect.Equal(t, "lines of stderr", strings.Count(r.stderr, "\n"), 1)
	expect.Contains(t, "stderr", r.stderr, "net10-types.v4.nettrace.zst: warning: 25 events lost")
	expect.Stop(t)
	info := nettrace(t, nil, "info", "--json", dst).out
	expect.Contains(t, "info", info, `"events":11312`, `"lost":"25"`, `"Source1.ProcessId":"3371"`, `"Source2.Name":"net10-types.v4.nettrace.zst"`, `"HardwareThreadCount":"2"`)
	one := nettrace(t, nil, "slice", dst, "-o", "-", "--process", "3371").out
	again := file(t, "one.nettrace", []byte(one))
	ignore := "properties,captureThread,lost,sequencePoints"
	if d := nettrace(t, nil, "diff", "--order", "time", "--ignore", ignore, archive(t, "azmcp-net10-startup.v4"), again); d.code != exitDone {
		t.Errorf("exit %d\n%s%s", d.code, d.out, d.stderr)
	}
}

// TestMergeTrouble: a source that is cut is merged as far as it goes; one that
// is none ends it, and nothing stays.
func TestMergeTrouble(t *testing.T) {
	cut, good := archive(t, "net10-killed-cut.v4"), archive(t, "net10-counters.v4")
	r := nettrace(t, nil, "merge", good, cut, "-o", "-")
	if r.code != exitBroken || !strings.Contains(r.stderr, "truncated stream") {
		t.Errorf("exit %d, %q", r.code, r.stderr)
	}
	if d := nettrace(t, []byte(r.out), "info", "--json", "-"); d.code != exitDone || !strings.Contains(d.out, `"events":10026`) {
		t.Errorf("exit %d, %q", d.code, d.stderr)
	}
	dst := filepath.Join(t.TempDir(), "o.nettrace")
	bad := file(t, "bad", []byte("this is no trace"))
	r = nettrace(t, nil, "merge", good, bad, "-o", dst)
	rest, _ := filepath.Glob(filepath.Join(filepath.Dir(dst), "*"))
	r.exits(t, exitBroken)
	expect.Len(t, "files left", rest, 0)
	expect.Contains(t, "stderr", r.stderr, "bad: ")
	if r := nettrace(t, nil, "merge", good, filepath.Join(t.TempDir(), "none"), "-o", dst); r.code != exitUsage {
		t.Errorf("exit %d, %q", r.code, r.stderr)
	}
}

// TestMergeOmits checks that events that v6 cannot hold are left out, named with
// the offset and the reason, and that the exit code is 1 though a file is written.
func TestMergeOmits(t *testing.T) {
	dst := filepath.Join(t.TempDir(), "o.nettrace")
	odd := filepath.Join("..", "..", "edit", "testdata", "merge-metadata-version.nettrace")
	r := nettrace(t, nil, "merge", odd, archive(t, "net10-counters.v4"), "-o", dst)
	if r.code != exitBroken {
		t.Errorf("got exit code %d, want %d", r.code, exitBroken)
	}
	want := "events left out, which the format cannot express: 9, the first at offset 5388: "
	if !strings.Contains(r.stderr, want) {
		t.Errorf("got stderr %q, want %q in it", r.stderr, want)
	}
	if info := nettrace(t, nil, "info", "--json", dst); info.code != exitDone || !strings.Contains(info.out, `"Source2.Name"`) {
		t.Errorf("info: exit code %d, %s", info.code, info.stderr)
	}
}

// TestMergeRepeated checks that a file given twice is a usage error.
func TestMergeRepeated(t *testing.T) {
	name := archive(t, "net10-counters.v4")
	link := filepath.Join(t.TempDir(), "link.zst")
	abs, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(abs, link); err != nil {
		t.Skip(err)
	}
	for _, files := range [][]string{{name, name}, {name, link}, {"-", name, "-"}} {
		t.Run(caseName(files...), func(t *testing.T) {
			r := nettrace(t, nil, append(append([]string{"merge"}, files...), "-o", "-")...)
			r.exits(t, exitUsage)
			expect.Equal(t, "stdout", r.out, "")
			if !strings.Contains(r.stderr, "twice") && !strings.Contains(r.stderr, "are the same file") {
				t.Errorf("stderr: got %q, want the repeated file", r.stderr)
			}
		})
	}
}
