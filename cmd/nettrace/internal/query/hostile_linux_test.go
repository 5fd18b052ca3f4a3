package query_test

import (
	"bytes"
	"os"
	"syscall"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// outOfMemory is the message about a statement that needs too much memory.
const outOfMemory = "out of memory"

// hostile are statements of a stranger, with the exit code and a part of the message.
var hostile = []struct {
	name, sql, message string
	code               int
}{
	{"attach", "ATTACH 'stranger.db' AS x", "begins with ATTACH", exit.Usage},
	{"attach after a comment", "/* SELECT */ ATTACH 'stranger.db' AS x", "begins with ATTACH", exit.Usage},
	{"attach after a query", "SELECT 1; ATTACH 'stranger.db' AS x", "several statements", exit.Usage},
	{"attach after a text", "SELECT ';'; ATTACH 'stranger.db' AS x", "several statements", exit.Usage},
	{"explain attach", "EXPLAIN ATTACH 'stranger.db' AS x", "begins with ATTACH", exit.Usage},
	{"vacuum into", "VACUUM INTO 'stranger.db'", "begins with VACUUM", exit.Usage},
	{"pragma", "PRAGMA query_only = 0", "begins with PRAGMA", exit.Usage},
	{"insert after with", "WITH a AS (SELECT 1) INSERT INTO gc SELECT * FROM a", "followed by INSERT", exit.Usage},
	{"delete after with", "WITH a AS (SELECT 1) DELETE FROM events", "followed by DELETE", exit.Usage},
	{"empty", " -- nothing", "the query is empty", exit.Usage},
	{"extension", "SELECT load_extension('stranger')", "not authorized", exit.Usage},
	{"large text", "SELECT printf('%20000000d', 1)", "too big", exit.Usage},
	{"large sum of texts", "SELECT group_concat(printf('%1000000d', id)) FROM events", "took longer than 300ms", exit.Broken},
	{"endless", "WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a) SELECT count(*) FROM a", "took longer than 300ms", exit.Broken},
	{"large sort", "WITH RECURSIVE a(n, b) AS (SELECT 1, zeroblob(1000000) UNION ALL SELECT n + 1, zeroblob(1000000) FROM a) SELECT n FROM a ORDER BY b", outOfMemory, exit.Broken},
	{"endless rows", "WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a) SELECT n FROM a ORDER BY n", "took longer than 300ms", exit.Broken},
	{"product", "SELECT count(*) FROM events a, events b, events c WHERE a.sequence + b.sequence = c.sequence", "took longer than 300ms", exit.Broken},
}

// TestHostile: a statement of a stranger writes no file, ends, and takes less than 200 MB.
func TestHostile(t *testing.T) {
	tier.NeedsCheck(t)      // it measures the memory of processes
	const limit = 200 << 10 // kB
	if shared.Race {
		t.Skip("the race detector changes the memory")
	}
	trace := traceFile(t, "net10-mix-gc.v4")
	for _, tc := range hostile {
		t.Run(tc.name, func(t *testing.T) {
			timeout := "300ms"
			if tc.message == outOfMemory { // and not written to a temporary file until then
				timeout = "20s"
			}
			cmd := programtest.Process(t, "query", "--timeout", timeout, trace, tc.sql)
			var stderr bytes.Buffer
			cmd.Stderr, cmd.Dir = &stderr, t.TempDir()
			_ = cmd.Run()
			expect.Equal(t, "exit code", cmd.ProcessState.ExitCode(), tc.code)
			programtest.WantText(t, "stderr", stderr.String(), tc.message)
			left, err := os.ReadDir(cmd.Dir)
			expect.NoError(t, err)
			expect.Len(t, "files", left, 0)
			usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
			expect.Equal(t, "has the peak of its memory", ok, true)
			expect.AtMost(t, "peak in kB", usage.Maxrss, limit)
		})
	}
}
