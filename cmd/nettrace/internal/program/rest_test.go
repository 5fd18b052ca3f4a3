package program_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestAfterEndMark: each command that reads a trace to its end mark prints how many bytes
// follow.
func TestAfterEndMark(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := testfile.Plain(t, "net10-mix-gc.v4")
	packed, err := os.ReadFile(testfile.Archive(t, "net10-mix-gc.v4"))
	if err != nil {
		t.Fatal(err)
	}
	once := write("once.nettrace", plain)
	twice := map[string]string{
		"plain": write("twice.nettrace", bytes.Repeat(plain, 2)), "zstd": write("twice.nettrace.zst", bytes.Repeat(packed, 2)),
	}
	out := filepath.Join(dir, "out.nettrace")
	for _, c := range []struct {
		args string
		code int
	}{
		{"events", exit.Done}, {"events --format ndjson --workers 2", exit.Done}, {"info", exit.Done}, {"blocks", exit.Done},
		{"top --type alloc", exit.Done}, {"top --type alloc --workers 2", exit.Done},
		{"report", exit.Done}, {"report --workers 2", exit.Done}, {"query FILE gc", exit.Done}, {"query --workers 2 FILE gc", exit.Done},
		{"stacks", exit.Done}, {"threadtime", exit.Done}, {"bench --count 1", exit.Done}, {"diff " + once, exit.Done},
		{"convert -o " + out, exit.Done}, {"slice -o " + out, exit.Done}, {"merge -o " + out, exit.Done},
		{"summarize -o " + filepath.Join(dir, "out.nts"), exit.Broken},
	} {
		for how, path := range twice {
			t.Run(testfile.CaseName(strings.ReplaceAll(c.args, dir, ""), how), func(t *testing.T) {
				args := strings.Fields(c.args)
				if at := slices.Index(args, "FILE"); at >= 0 {
					args[at] = path
				} else {
					args = append(args, path)
				}
				if strings.Contains(c.args, " -o ") {
					args = append(args, "--force")
				}
				r := programtest.Run(t, nil, args...)
				expect.Equal(t, "exit code", r.Code, c.code)
				expect.Contains(t, "stderr", strings.ReplaceAll(r.Stderr, ",", ""), "738782 bytes after the end mark are not read")
			})
		}
	}
	t.Run("stdin", func(t *testing.T) {
		r := programtest.Run(t, bytes.Repeat(plain, 2), "events", "-")
		expect.Contains(t, "stderr", r.Stderr, "bytes after the end mark are not read")
	})
	t.Run("one trace", func(t *testing.T) {
		r := programtest.Run(t, nil, "events", once)
		expect.Equal(t, "stderr", r.Stderr, "")
	})
	t.Run("limit", func(t *testing.T) {
		r := programtest.Run(t, nil, "events", "--limit", "1", twice["plain"])
		expect.Equal(t, "stderr", r.Stderr, "")
	})
}

// TestRestOfMalformed: a trace that is not read completely has a message with the number of
// bytes and the command that can recover rows.
func TestRestOfMalformed(t *testing.T) {
	const block, row = 187170, 1903
	framing := bytes.Clone(testfile.Plain(t, "net10-mix-gc.v4"))
	framing[block] = 0xFF
	bad := append(bytes.Clone(testfile.Plain(t, "onecollect-small.v6")), "rest"...)
	bad[row+4] = 0xFF
	dir := t.TempDir()
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"error", "warning: 551,612 bytes after the error are not read: nettrace repair", framing},
		{"bad block", "warning: 4 bytes after the end mark are not read, which may be a part of the bad block: nettrace repair", bad},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, verb := range []string{"events", "report", "info", "query"} {
			t.Run(testfile.CaseName(c.name, verb), func(t *testing.T) {
				args := []string{verb, path}
				if verb == "query" {
					args = append(args, "select count(*) from events")
				}
				r := programtest.Run(t, nil, args...)
				expect.Equal(t, "exit code", r.Code, exit.Broken)
				expect.Contains(t, "stderr", r.Stderr, c.want)
			})
		}
	}
}

// TestUndefinedMetadata: the commands that leave out events of undefined metadata count them.
func TestUndefinedMetadata(t *testing.T) {
	const metadataBlock = 118
	data := bytes.Clone(testfile.Plain(t, "onecollect-small.v6"))
	data[metadataBlock+3] = 99 // a block of unknown kind
	dir := t.TempDir()
	path, sums := filepath.Join(dir, "unknown.nettrace"), filepath.Join(dir, "sums.nts")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"report", "events left out, of undefined metadata: 25, the first: NT-REF-001 at offset 2056", []string{"report", path}},
		{"query", "events left out, of undefined metadata: 25, the first: NT-REF-001 at offset 2056", []string{"query", path, "select count(*) from events"}},
		{"summarize", "25 events of undefined metadata are left out; the first: ", []string{"summarize", path, "-o", sums}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, c.args...)
			expect.Equal(t, "exit code", r.Code, exit.Broken)
			expect.Contains(t, "stderr", r.Stderr, c.want)
		})
	}
	t.Run("report of the summary", func(t *testing.T) {
		r := programtest.Run(t, nil, "report", sums)
		expect.Contains(t, "stderr", r.Stderr, "warning: 1 file could not be read, or only in part")
	})
}

// TestLostOfSummary: summarize and the commands that read its result print how many events are
// lost.
func TestLostOfSummary(t *testing.T) {
	sums := filepath.Join(t.TempDir(), "lost.nts")
	for _, args := range [][]string{{"summarize", testfile.Archive(t, "net10-burst-dropped.v4"), "-o", sums}, {"report", sums}, {"report", "--json", sums}} {
		t.Run(strings.Join(args[:len(args)-1], " "), func(t *testing.T) {
			r := programtest.Run(t, nil, args...)
			expect.Equal(t, "exit code", r.Code, exit.Done)
			expect.Contains(t, "stderr", r.Stderr, "warning: 557,340 events lost")
		})
	}
}
