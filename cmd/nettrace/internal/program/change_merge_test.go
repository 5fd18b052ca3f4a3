package program_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestMergeCommand merges files and finds each of them again by its process.
func TestMergeCommand(t *testing.T) {
	dst := filepath.Join(t.TempDir(), "both.nettrace.zst")
	r := programtest.Run(t, nil, "merge", testfile.Archive(t, "azmcp-net10-startup.v4"), testfile.Archive(t, "net10-types.v4"), "-o", dst)
	r.Exits(t, exit.Done)
	expect.Equal(t, "lines of stderr", strings.Count(r.Stderr, "\n"), 1)
	expect.Contains(t, "stderr", r.Stderr, "net10-types.v4.nettrace.zst: warning: 25 events lost")
	expect.Stop(t)
	info := programtest.Run(t, nil, "info", "--json", dst).Out
	expect.Contains(t, "info", info, `"events":11312`, `"lost":"25"`, `"Source1.ProcessId":"3371"`, `"Source2.Name":"net10-types.v4.nettrace.zst"`, `"HardwareThreadCount":"2"`)
	one := programtest.Run(t, nil, "slice", dst, "-o", "-", "--process", "3371").Out
	again := testfile.New(t, "one.nettrace", []byte(one))
	ignore := "properties,captureThread,lost,sequencePoints"
	if d := programtest.Run(t, nil, "diff", "--order", "time", "--ignore", ignore, testfile.Archive(t, "azmcp-net10-startup.v4"), again); d.Code != exit.Done {
		t.Errorf("exit %d\n%s%s", d.Code, d.Out, d.Stderr)
	}
}

// TestMergeTrouble: a source that is cut is merged as far as it goes; one that
// is none ends it, and nothing stays.
func TestMergeTrouble(t *testing.T) {
	cut, good := testfile.Archive(t, "net10-killed-cut.v4"), testfile.Archive(t, "net10-counters.v4")
	r := programtest.Run(t, nil, "merge", good, cut, "-o", "-")
	if r.Code != exit.Broken || !strings.Contains(r.Stderr, "truncated stream") {
		t.Errorf("exit %d, %q", r.Code, r.Stderr)
	}
	if d := programtest.Run(t, []byte(r.Out), "info", "--json", "-"); d.Code != exit.Done || !strings.Contains(d.Out, `"events":10026`) {
		t.Errorf("exit %d, %q", d.Code, d.Stderr)
	}
	dst := filepath.Join(t.TempDir(), "o.nettrace")
	bad := testfile.New(t, "bad", []byte("this is no trace"))
	r = programtest.Run(t, nil, "merge", good, bad, "-o", dst)
	rest, _ := filepath.Glob(filepath.Join(filepath.Dir(dst), "*"))
	r.Exits(t, exit.Broken)
	expect.Len(t, "files left", rest, 0)
	expect.Contains(t, "stderr", r.Stderr, "bad: ")
	if r := programtest.Run(t, nil, "merge", good, filepath.Join(t.TempDir(), "none"), "-o", dst); r.Code != exit.Usage {
		t.Errorf("exit %d, %q", r.Code, r.Stderr)
	}
}

// TestMergeOmits checks that events that v6 cannot hold are left out, named with
// the offset and the reason, and that the exit code is 1 though a file is written.
func TestMergeOmits(t *testing.T) {
	dst := filepath.Join(t.TempDir(), "o.nettrace")
	odd := filepath.Join("..", "..", "..", "..", "edit", "testdata", "merge-metadata-version.nettrace")
	r := programtest.Run(t, nil, "merge", odd, testfile.Archive(t, "net10-counters.v4"), "-o", dst)
	if r.Code != exit.Broken {
		t.Errorf("got exit code %d, want %d", r.Code, exit.Broken)
	}
	want := "events left out, which the format cannot express: 9, the first at offset 5388: "
	if !strings.Contains(r.Stderr, want) {
		t.Errorf("got stderr %q, want %q in it", r.Stderr, want)
	}
	if info := programtest.Run(t, nil, "info", "--json", dst); info.Code != exit.Done || !strings.Contains(info.Out, `"Source2.Name"`) {
		t.Errorf("info: exit code %d, %s", info.Code, info.Stderr)
	}
}

// TestMergeRepeated checks that a file given twice is a usage error.
func TestMergeRepeated(t *testing.T) {
	name := testfile.Archive(t, "net10-counters.v4")
	link := filepath.Join(t.TempDir(), "link.zst")
	abs, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(abs, link); err != nil {
		t.Skip(err)
	}
	for _, files := range [][]string{{name, name}, {name, link}, {"-", name, "-"}} {
		t.Run(testfile.CaseName(files...), func(t *testing.T) {
			r := programtest.Run(t, nil, append(append([]string{"merge"}, files...), "-o", "-")...)
			r.Exits(t, exit.Usage)
			expect.Equal(t, "stdout", r.Out, "")
			if !strings.Contains(r.Stderr, "twice") && !strings.Contains(r.Stderr, "are the same file") {
				t.Errorf("stderr: got %q, want the repeated file", r.Stderr)
			}
		})
	}
}

// TestMergeOneProcess: files with the same process id are one process, which a note says,
// or two with --separate.
func TestMergeOneProcess(t *testing.T) {
	a := testfile.Archive(t, "net10-mix-gc.v4")
	stream := testfile.Plain(t, "net10-mix-gc.v4")
	b := testfile.New(t, "second.nettrace", stream)
	for _, c := range []struct {
		name  string
		flags []string
		want  string // in stderr
		ids   int    // processes in the result
	}{
		{"one", nil, "second.nettrace: note: it has the process id", 1},
		{"separate", []string{"--separate"}, "processes with another id, because a source before has a process with theirs: 1", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			dst := filepath.Join(t.TempDir(), "both.nettrace")
			r := programtest.Run(t, nil, append([]string{"merge", a, b, "-o", dst}, c.flags...)...)
			r.Exits(t, exit.Done)
			expect.Contains(t, "stderr", r.Stderr, c.want)
			expect.Equal(t, "lines of stderr", strings.Count(r.Stderr, "\n"), 1)
			out := programtest.Run(t, nil, "report", "gc", "--json", dst).Out
			expect.Equal(t, "reports", strings.Count(out, "\n"), c.ids)
		})
	}
}
