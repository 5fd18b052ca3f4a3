package query_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// traceFile writes an uncompressed trace to a file.
func traceFile(t *testing.T, name string) string {
	t.Helper()
	return testfile.New(t, name+".nettrace", shared.Trace(t, name))
}

// query runs a query and returns its rows. Nothing is on standard error but about lost
// events and empty tables.
func query(t *testing.T, args ...string) []map[string]any {
	t.Helper()
	r := programtest.Run(t, nil, append([]string{"query", "--json"}, args...)...)
	if code := exit.Done; r.Out != "" || !strings.Contains(r.Stderr, "nothing to show") {
		r.Exits(t, code)
	}
	return programtest.Objects(t, r.Out)
}

// objects runs a command and returns the JSON objects that it prints.
func objects(t *testing.T, args ...string) []map[string]any {
	t.Helper()
	r := programtest.Run(t, nil, args...)
	r.Exits(t, exit.Done)
	return programtest.Objects(t, r.Out)
}

// TestErrors: a mistake has a message that says the next step.
func TestErrors(t *testing.T) {
	trace := traceFile(t, "net10-empty.v4")
	for _, tc := range []struct {
		name, message string
		args          []string
		code          int
	}{
		{"no file", "query takes at least one file", nil, exit.Usage},
		{"unknown table", "no such table: nowhere", []string{trace, "SELECT * FROM nowhere"}, exit.Usage},
		{"unknown column", "--schema FILE lists", []string{trace, "SELECT nowhere FROM gc"}, exit.Usage},
		{"list and schema", "--list excludes --schema", []string{"--list", "--schema"}, exit.Usage},
		{"negative time", "--timeout: -1s is negative", []string{"--timeout", "-1s", trace, "SELECT 1"}, exit.Usage},
		{"limit of the schema", "--limit applies to the rows of a query", []string{"--schema", "--limit", "3"}, exit.Usage},
		{"equal names in JSON", `two columns have the name "id"`, []string{"--json", trace, "SELECT a.id, b.id FROM events a, events b"}, exit.Usage},
		{"list of a file", "--list takes no files", []string{"--list", trace}, exit.Usage},
		{"typo in double quotes", "no such column: \"generaton\"", []string{trace, `SELECT count(*) FROM gc WHERE "generaton" = 2`}, exit.Usage},
		{"text in double quotes", "no such column: \"x\"", []string{trace, `SELECT "x"`}, exit.Usage},
		{"no file before the SQL", "the file is missing: nettrace query FILE...", []string{"SELECT 1"}, exit.Usage},
		{"no file before a ready query", "the file is missing: nettrace query FILE...", []string{"top-self"}, exit.Usage},
		{"file after the SQL", "the SQL is the last argument, after the files", []string{"SELECT 1", trace}, exit.Usage},
		{"file after a ready query", "the SQL is the last argument, after the files", []string{"top-self", trace}, exit.Usage},
		{"files around the SQL", "the SQL is the last argument, after the files", []string{trace, "SELECT 1", "-"}, exit.Usage},
		{"missing file", "no such file", []string{"missing.nettrace", "SELECT 1"}, exit.Usage},
		{"standard input twice", "standard input can be one of the files only", []string{"-", "-", "SELECT 1"}, exit.Usage},
		{"standard input for both", "pass the SQL after the files", []string{"-"}, exit.Usage},
		{"mistyped ready query", "top-slef is neither a file nor a ready query (nettrace query --list", []string{trace, "top-slef"}, exit.Usage},
		{"missing last file", "missing.nettrace is neither a file nor", []string{trace, "missing.nettrace"}, exit.Usage},
		{"no space", "incomplete input (1)\n", []string{trace, "SELECT-"}, exit.Usage},
		{"syntax", "syntax error (1)\n", []string{trace, "SELECT 1 1"}, exit.Usage},
		{"empty table", "the table locks has no rows", []string{trace, "SELECT * FROM locks"}, exit.Done},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := programtest.Run(t, nil, append([]string{"query"}, tc.args...)...)
			r.Exits(t, tc.code)
			r.Complains(t, tc.message)
		})
	}
}

// TestInputs: the statement and the trace can be on standard input, and several files are
// one table.
func TestInputs(t *testing.T) {
	trace := traceFile(t, "net10-mix-gc.v4")
	const count = "SELECT count(*) AS n FROM gc"
	want := fmt.Sprintf("%v", query(t, trace, count)[0]["n"])
	for _, tc := range []struct {
		name, stdin, out string
		args             []string
	}{
		{"statement on standard input", count, "n\n" + want + "\n", []string{"--format", "csv", trace}},
		{"trace on standard input", string(shared.Trace(t, "net10-mix-gc.v4")), "n\n" + want + "\n", []string{"--format", "csv", "-", count}},
		{"two files", "", "file_id,same\n1,1\n2,1\n", []string{"--format", "csv", trace, trace, "SELECT file_id, count(*) = " + want + " AS same FROM gc GROUP BY file_id"}},
		{"ids of two files", "", "n\n0\n", []string{"--format", "csv", trace, trace, "SELECT count(*) - count(DISTINCT a.id) AS n FROM events a JOIN events b ON b.id = a.id AND b.file_id = a.file_id"}},
		{"table", "", "a  b\n1  x\n", []string{trace, "SELECT 1 AS a, 'x' AS b"}},
		{"JSON", "", "{\"a\":null,\"b\":1.5}\n", []string{"--json", trace, "SELECT NULL AS a, 1.5 AS b"}},
		{"names in double quotes", "", "x y\n1\n", []string{"--format", "csv", trace, `SELECT sum("pause_ns") > 0 AS "x y" FROM "gc"`}},
		{"limit", "", "column1\n1\n", []string{"--format", "csv", "--limit", "1", trace, "VALUES (1), (2)"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := programtest.Run(t, []byte(tc.stdin), append([]string{"query"}, tc.args...)...)
			r.Exits(t, exit.Done)
			expect.Equal(t, "output", r.Out, tc.out)
		})
	}
}

// TestConditions: a condition that a table answers itself gives the rows that SQLite finds
// in all rows, where + hides the condition from the table.
func TestConditions(t *testing.T) {
	trace := traceFile(t, "net10-mix-gc.v4")
	list := []string{trace, trace}
	for _, where := range []string{
		"id = 7", "id = 7.0", "id = 7.5", "id = 0", "id = -1", "id IN (3, 1, 3, 1099511627777)", "id > 5 AND id <= 9", "id > 5.5 AND id < 9",
		"type_id = 2", "thread_id = (SELECT min(thread_id) FROM threads)", "at_ns > 1000000 AND at_ns <= 30000000", "at_ns >= 1000000 AND id < 50", "id = NULL", "id IS NULL",
		"stack_id = 1", "at_ns BETWEEN 9 AND 5", "time > 0", "id > 9223372036854775807", "id > -9223372036854775808", "id < -9223372036854775808",
	} {
		t.Run(where, func(t *testing.T) {
			const sum = "SELECT count(*) AS n, total(id) AS ids, total(at_ns) AS ns FROM events WHERE "
			hidden := strings.NewReplacer("id ", "+id ", "type_id", "+type_id", "thread_id =", "+thread_id =", "at_ns", "+at_ns", "time", "+time", "stack_id", "+stack_id").Replace(where)
			got, want := query(t, append(list, sum+where)...)[0], query(t, append(list, sum+hidden)...)[0]
			expect.Equal(t, "rows", fmt.Sprint(got), fmt.Sprint(want))
		})
	}
}

// TestList: 15 ready queries are listed, and each has an answer for a trace without events:
// but for those of events, what is missing.
func TestList(t *testing.T) {
	list := objects(t, "query", "--list", "--json")
	expect.Equal(t, "ready queries", len(list), 15)
	trace := traceFile(t, "net10-empty.v4")
	for _, q := range list {
		name := fmt.Sprint(q["query"])
		t.Run(name, func(t *testing.T) {
			r := programtest.Run(t, nil, "query", "--format", "csv", trace, name)
			code, message := exit.Broken, name+": nothing to show: no "
			if strings.HasPrefix(name, "events-") || name == "lost" {
				code, message = exit.Done, ""
			}
			r.Exits(t, code)
			expect.Contains(t, "stderr", r.Stderr, message)
			expect.AtLeast(t, "columns", strings.Count(r.Out, ","), 1)
			same := programtest.Run(t, nil, "query", "--format", "csv", trace, fmt.Sprint(q["sql"]))
			expect.Equal(t, "output of the SQL that is listed", same.Out, r.Out)
		})
	}
}

// TestSchema: the schema has each column with its unit, and those of the events of a file.
func TestSchema(t *testing.T) {
	r := programtest.Run(t, nil, "query", "--schema", "--format", "csv", traceFile(t, "net10-mix-gc.v4"))
	r.Exits(t, exit.Done)
	expect.Contains(t, "schema", r.Out, "\ngc,pause_ns,int,ns,sum of the pauses\n", "\nMicrosoft_Windows_DotNETRuntime_GCStart,Count,int,,")
}

// TestTyped: the fields of events are columns of a table, also for an event that the trace
// does not have.
func TestTyped(t *testing.T) {
	trace := traceFile(t, "net10-mix-gc.v4")
	got := query(t, trace, "SELECT s.Count AS number, e.name FROM microsoft_windows_dotnetruntime_gcstart s JOIN events e ON e.id = s.id ORDER BY s.id LIMIT 1")
	expect.Equal(t, "collection", fmt.Sprint(got), "[map[name:GCStart number:1]]")
	none := programtest.Run(t, nil, "query", trace, "SELECT * FROM Microsoft_Windows_DotNETRuntime_CodeSymbols")
	none.Exits(t, exit.Done)
	none.Complains(t, "the table Microsoft_Windows_DotNETRuntime_CodeSymbols has no rows")
}

// unsortedTrace is a trace whose events have the times 3, 1 and 2 seconds.
func unsortedTrace() []byte {
	b := gen.NewBuilder(gen.BuilderOptions{Trace: codec.Trace{TickFrequency: 1e9, PointerSize: 8}})
	id := b.Metadata(&codec.Metadata{Provider: "Test", EventID: 1, Name: "Step"})
	b.Thread(&codec.Thread{Index: 1, ProcessID: 7, ThreadID: 70, HasProcessID: true, HasThreadID: true})
	for _, second := range []uint64{3, 1, 2} {
		b.Event(&codec.EventRow{MetadataID: id, ThreadIndex: 1, CaptureThreadIndex: 1, Timestamp: second * 1e9})
		b.SequencePoint(second*1e9, 0)
	}
	return b.Trace().Bytes()
}

// TestUnsorted: bounds of times find all rows of a trace whose events are out of order.
func TestUnsorted(t *testing.T) {
	trace := testfile.New(t, "unsorted.nettrace", unsortedTrace())
	const sql = "SELECT count(*) FROM %s WHERE at_ns <= 2000000000 AND id > 1"
	for _, table := range []string{"events", "Test_Step"} {
		r := programtest.Run(t, nil, "query", "--format", "csv", trace, fmt.Sprintf(sql, table))
		expect.Equal(t, table, r.Out, "count(*)\n2\n")
	}
}

// TestManyNumbers: the time of a query does not grow with the number of known events times
// the number of words.
func TestManyNumbers(t *testing.T) {
	var b strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&b, "%d, w%d, ", i, i)
	}
	r := programtest.Run(t, nil, "query", "--timeout", "5s", traceFile(t, "net10-empty.v4"), "SELECT 1 /* no tables */ WHERE 1 IN (SELECT 1) AND 1 IN ("+b.String()+"1)")
	r.Complains(t, "no such column: w0")
}

// TestTruncated: every form of the command reports a truncated trace.
func TestTruncated(t *testing.T) {
	whole := shared.Trace(t, "net10-mix-gc.v4")
	trace := testfile.New(t, "truncated.nettrace", whole[:len(whole)-100])
	for _, args := range [][]string{{"--schema", trace}, {trace, "SELECT 1"}, {trace, "SELECT count(*) FROM events"}} {
		r := programtest.Run(t, nil, append([]string{"query"}, args...)...)
		r.Exits(t, exit.Broken)
		r.Complains(t, "truncated.nettrace: ")
		expect.Equal(t, "lines", strings.Count(r.Stderr, "\n"), 1)
	}
}

// zeros is an endless stream of zeros that counts what is read.
type zeros struct{ read atomic.Int64 }

func (z *zeros) Read(b []byte) (int, error) {
	if z.read.Add(int64(len(b))) > 256<<20 {
		return 0, io.EOF
	}
	clear(b)
	return len(b), nil
}

// TestNoTrace: standard input that is no trace is refused before it is in memory.
func TestNoTrace(t *testing.T) {
	var z zeros
	code := programtest.RunContext(t.Context(), []string{"query", "-", "SELECT 1"}, &z, io.Discard, io.Discard)
	expect.Equal(t, "exit code", code, exit.Broken)
	expect.AtMost(t, "bytes read", z.read.Load(), 64<<20)
}

// TestFileOfName: a ready query comes before a file with its name.
func TestFileOfName(t *testing.T) {
	trace := traceFile(t, "net10-mix-gc.v4")
	t.Chdir(t.TempDir())
	expect.NoError(t, os.WriteFile("gc", nil, 0o666))
	expect.AtLeast(t, "collections", len(query(t, trace, "gc")), 3)
}

// TestLongTable: rows of a table are printed before all of them are known.
func TestLongTable(t *testing.T) {
	const sql = "WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a) SELECT n FROM a"
	r, w := io.Pipe()
	go func() {
		programtest.RunContext(t.Context(), []string{"query", "--limit", "0", "--timeout", "1m", traceFile(t, "net10-empty.v4"), sql}, strings.NewReader(""), w, io.Discard)
		w.Close()
	}()
	lines := bufio.NewScanner(r)
	for i := range 20_001 {
		lines.Scan()
		want := "n"
		if i > 0 {
			want = fmt.Sprint(i)
		}
		if got := strings.TrimSpace(lines.Text()); got != want {
			t.Fatalf("line %d: got %q, want %q", i, got, want)
		}
	}
	r.Close() // which ends the query
}

// TestWorkers: the rows are the same whether one goroutine reads the trace or several do.
func TestWorkers(t *testing.T) {
	for _, name := range []string{"net10-mix-gc.v4", "net10-types.v4", "onecollect-small.v6"} {
		for _, sql := range []string{
			"SELECT * FROM events", "SELECT * FROM stacks JOIN functions ON functions.id = function_id", "SELECT * FROM samples", "SELECT * FROM gc",
			"SELECT * FROM event_types JOIN files", "SELECT * FROM lost",
		} {
			t.Run(name+"/"+sql, func(t *testing.T) {
				trace := testfile.New(t, "trace.nettrace", shared.Trace(t, name))
				one := programtest.Run(t, nil, "query", "--format", "csv", "--workers", "1", trace, sql)
				several := programtest.Run(t, nil, "query", "--format", "csv", "--workers", "3", trace, sql)
				expect.Equal(t, "exit code", several.Code, one.Code)
				expect.Equal(t, "stderr", several.Stderr, one.Stderr)
				expect.Equal(t, "output is equal", several.Out == one.Out, true)
				expect.AtLeast(t, "bytes", len(one.Out), 10)
			})
		}
	}
}

// TestOneWorker: the reason is printed if one goroutine reads the events although --workers asks
// for more.
func TestOneWorker(t *testing.T) {
	v3, drops := shared.Trace(t, "net10-netperf.v3"), testfile.Plain(t, "gen-drops.v4")
	for _, c := range []struct {
		name, path string
		stdin      []byte
		want       string
	}{
		{"version 3", testfile.New(t, "v3", v3), nil, "its format is version 3"},
		{"gzip", testfile.New(t, "gzip", testfile.Gzip(t, drops)), nil, `"nettrace convert" writes such a file`},
		{"standard input", "-", drops, "it is standard input"},
		{"no sequence points", testfile.New(t, "short", shared.Stream(t, "probe-01a-v6-duplicate-sequence")), nil, "it has no sequence points between events"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, c.stdin, "query", "--workers=2", c.path, "SELECT count(*) FROM events")
			expect.Equal(t, "exit code", r.Code, 0)
			expect.Contains(t, "stderr", r.Stderr, "note: one goroutine reads it", c.want)
		})
	}
}

// TestWorkersOfSchema: --workers is refused where no events are read.
func TestWorkersOfSchema(t *testing.T) {
	for _, flag := range []string{"--list", "--schema"} {
		r := programtest.Run(t, nil, "query", flag, "--workers=2")
		expect.Equal(t, "exit code", r.Code, 2)
		expect.Contains(t, "stderr", r.Stderr, "--workers applies to queries")
	}
}
