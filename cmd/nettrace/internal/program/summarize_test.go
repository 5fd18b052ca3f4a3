package program_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// traces returns a folder with copies of four traces, one of them truncated.
func traces(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"net10-mix-gc.v4", "net10-mix-locks.v4", "net10-types.v4", "onecollect-small.v6"} {
		data, err := os.ReadFile(testfile.Archive(t, name))
		expect.NoError(t, err)
		expect.NoError(t, os.WriteFile(filepath.Join(dir, name+".nettrace.zst"), data, 0o600))
	}
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("no trace"), 0o600))
	return dir
}

// made runs summarize and returns the summary.
func made(t *testing.T, args ...string) (name string, data []byte) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "out.nts")
	programtest.Run(t, nil, append(append([]string{"summarize"}, args...), "-o", name)...).Exits(t, exit.Done)
	data, err := os.ReadFile(name)
	expect.NoError(t, err)
	return name, data
}

// TestShards merges the summaries of shards, in another order: the result has the bytes of
// one run.
func TestShards(t *testing.T) {
	dir := traces(t)
	_, want := made(t, "--workers", "1", dir)
	_, two := made(t, "--workers", "2", dir)
	expect.Bytes(t, "with two workers", two, want)
	var names []string
	for i := range 3 {
		name, _ := made(t, "--shard", fmt.Sprintf("%d/3", 2-i), dir)
		names = append(names, name)
	}
	_, merged := made(t, append([]string{"--merge"}, names...)...)
	expect.Bytes(t, "merged shards", merged, want)
}

// TestShardsOfLink reads a folder that is a symbolic link.
func TestShardsOfLink(t *testing.T) {
	dir, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	data, err := os.ReadFile(testfile.Archive(t, "net10-types.v4"))
	expect.NoError(t, err)
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "a.nettrace.zst"), data, 0o600))
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	_, want := made(t, dir)
	_, got := made(t, link)
	expect.Bytes(t, "summary", got, want)
}

// TestReaders shows a summary with top and report.
func TestReaders(t *testing.T) {
	all, _ := made(t, traces(t))
	one, _ := made(t, testfile.Archive(t, "net10-mix-locks.v4"))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"top", all}, "4 files"},
		{[]string{"top", "--json", all}, `"files":4`},
		{[]string{"top", "--json", all}, `"lost":25`},
		{[]string{"top", "--type", "alloc", "--by", "class", all}, "class"},
		{[]string{"top", "--tree", "--type", "wait", all}, "Mix.Locks"},
		{[]string{"top", "--type", "lock", "--diff", one, all}, "before:"},
		{[]string{"report", all}, "gc pause"},
		{[]string{"report", "--json", all}, `"version":1`},
	} {
		t.Run(testfile.CaseName(c.args...), func(t *testing.T) {
			r := programtest.Run(t, nil, c.args...)
			r.Exits(t, exit.Done)
			expect.Contains(t, "output", r.Out, c.want)
		})
	}
}

// TestTop compares the methods of a summary of one trace with those of the trace.
func TestTop(t *testing.T) {
	for _, name := range []string{"net10-mix-cpu.v4", "net10-mix-locks.v4"} {
		for _, args := range [][]string{nil, {"--type", "wall"}, {"--type", "lock"}, {"--by", "module"}, {"--callers", "Enter"}} {
			t.Run(testfile.CaseName(append([]string{name}, args...)...), func(t *testing.T) {
				s, _ := made(t, testfile.Archive(t, name))
				top := append([]string{"top", "--json", "--limit", "0"}, args...)
				fromTrace := programtest.Run(t, nil, append(top, testfile.Archive(t, name))...)
				fromSummary := programtest.Run(t, nil, append(top, s)...)
				expect.Equal(t, "exit code", fromSummary.Code, fromTrace.Code)
				if rows(fromSummary.Out) != rows(fromTrace.Out) {
					t.Errorf("rows: got\n%.2000s\nwant\n%.2000s", rows(fromSummary.Out), rows(fromTrace.Out))
				}
			})
		}
	}
}

// rows returns the JSON text from the key "by" on.
func rows(text string) string {
	for i := range text {
		if len(text) >= i+5 && text[i:i+5] == `"by":` {
			return text[i:]
		}
	}
	return ""
}

// TestSummarizeMistakes tries command lines that cannot work, and files that cannot be read.
func TestSummarizeMistakes(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.nettrace")
	expect.NoError(t, os.WriteFile(broken, []byte("Nettrace"), 0o600))
	empty := t.TempDir()
	s, _ := made(t, testfile.Archive(t, "net10-mix-cpu.v4"))
	out := filepath.Join(dir, "out.nts")
	trace := testfile.Archive(t, "net10-mix-gc.v4")
	plain := testfile.New(t, "copy.nettrace", testfile.Plain(t, "net10-mix-gc.v4"))
	again, _ := made(t, testfile.Archive(t, "net10-mix-cpu.v4"), trace)
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no extension", []string{"summarize", trace, "-o", filepath.Join(dir, "x.json")}, exit.Usage, "does not end in .nts"},
		{"shard out of range", []string{"summarize", "--shard", "2/2", trace, "-o", out}, exit.Usage, "is not I/N"},
		{"merge of a shard", []string{"summarize", "--merge", "--shard", "0/2", s, "-o", out}, exit.Usage, "exclude each other"},
		{"workers of a merge", []string{"summarize", "--merge", "--workers", "2", s, "-o", out}, exit.Usage, "--workers has no effect with --merge"},
		{"a summary without --merge", []string{"summarize", s, "-o", out}, exit.Usage, "--merge adds up summaries"},
		{"a trace with --merge", []string{"summarize", "--merge", trace, "-o", out}, exit.Broken, "not a summary"},
		{"a folder without traces", []string{"summarize", empty, "-o", out}, exit.Usage, "no file in this folder"},
		{"a file twice", []string{"summarize", trace, trace, "-o", out}, exit.Usage, "given twice"},
		{"a copy in another compression", []string{"summarize", trace, plain, "-o", out}, exit.Usage, "the same trace twice"},
		{"a trace in two summaries", []string{"summarize", "--merge", s, again, "-o", out}, exit.Usage, "the same trace twice: 1 of 2 files"},
		{"a missing file", []string{"summarize", trace, "missing.nettrace", "-o", out}, exit.Usage, "missing.nettrace"},
		{"a malformed file", []string{"summarize", trace, broken, "-o", out, "--force"}, exit.Broken, "broken.nettrace: "},
		{"a flag without effect", []string{"top", "--thread", "1", s}, exit.Usage, "--thread: no effect"},
		{"a key that a summary lacks", []string{"top", "--by", "thread", s}, exit.Usage, "method, module, class"},
		{"no class", []string{"top", "--type", "wall", "--by", "class", s}, exit.Broken, "have no class"},
		{"a trace beside a summary", []string{"top", "--diff", trace, s}, exit.Usage, s + " is a summary and " + trace + " a trace, which cannot be compared"},
		{"a part of a report", []string{"report", "gc", s}, exit.Usage, "nettrace report"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, c.args...)
			r.Exits(t, c.code)
			expect.Contains(t, "stderr", r.Stderr, c.want)
		})
	}
	t.Run("the malformed file is in the summary", func(t *testing.T) {
		r := programtest.Run(t, nil, "report", out)
		expect.Contains(t, "report", r.Out, "broken.nettrace", "nothing")
	})
	t.Run("a merge of a summary with the malformed file", func(t *testing.T) {
		r := programtest.Run(t, nil, "summarize", "--merge", s, out, "-o", filepath.Join(dir, "merged.nts"))
		r.Exits(t, exit.Broken)
		expect.Contains(t, "stderr", r.Stderr, "1 file could not be read, or only in part")
	})
}

// TestNotATrace: commands that read traces say what a summary is, and which commands read it.
func TestNotATrace(t *testing.T) {
	s, _ := made(t, testfile.Archive(t, "net10-mix-locks.v4"))
	page := filepath.Join(t.TempDir(), "page.html")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"info", s}, exit.Broken, "nettrace top and nettrace report read it"},
		{[]string{"check", s}, exit.Broken, "nettrace top and nettrace report read it"},
		{[]string{"events", s}, exit.Broken, "nettrace top and nettrace report read it"},
		{[]string{"view", s}, exit.Broken, "nettrace top and nettrace report read it"},
		{[]string{"query", s, "top-self"}, exit.Broken, "nettrace top and nettrace report read it"},
		{[]string{"report", "--diff", s, "-o", page, s}, exit.Usage, "a summary has no page"},
		{[]string{"report", "-o", page, s}, exit.Usage, "a summary has no page"},
	} {
		t.Run(testfile.CaseName(c.args[:2]...), func(t *testing.T) {
			r := programtest.Run(t, nil, c.args...)
			r.Exits(t, c.code)
			expect.Contains(t, "stderr", r.Stderr, c.want)
			expect.Equal(t, "output", r.Out, "")
		})
	}
}

// TestFullDisk: a summary that cannot be written has another exit code than one of files that
// cannot be read, which is written.
func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full")
	}
	out := filepath.Join(t.TempDir(), "out.nts")
	expect.NoError(t, os.Symlink("/dev/full", out))
	programtest.Run(t, nil, "summarize", testfile.Archive(t, "net10-types.v4"), "-o", out).Exits(t, exit.Usage)
}
