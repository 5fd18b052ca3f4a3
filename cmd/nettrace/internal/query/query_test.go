package query_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
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
	return parse(t, r.Out)
}

// objects runs a command and returns the JSON objects that it prints.
func objects(t *testing.T, args ...string) []map[string]any {
	t.Helper()
	r := programtest.Run(t, nil, args...)
	r.Exits(t, exit.Done)
	return parse(t, r.Out)
}

// parse returns the JSON objects of a text.
func parse(t *testing.T, out string) []map[string]any {
	t.Helper()
	var list []map[string]any
	d := json.NewDecoder(strings.NewReader(out))
	d.UseNumber()
	for d.More() {
		var one map[string]any
		expect.NoError(t, d.Decode(&one))
		expect.Stop(t)
		list = append(list, one)
	}
	return list
}

// sums adds up a number of some objects by a key made of texts.
func sums(list []map[string]any, number string, key ...string) map[string]int64 {
	found := map[string]int64{}
	for _, one := range list {
		var texts []string
		for _, k := range key {
			if one[k] == nil {
				one[k] = ""
			}
			texts = append(texts, fmt.Sprint(one[k]))
		}
		n, _ := one[number].(json.Number)
		value, _ := n.Int64()
		if value != 0 {
			found[strings.Join(texts, "|")] += value
		}
	}
	return found
}

// rowsOf returns the objects in a list of an object.
func rowsOf(t *testing.T, of map[string]any, key string) []map[string]any {
	t.Helper()
	var rows []map[string]any
	list, _ := of[key].([]any)
	for _, one := range list {
		row, ok := one.(map[string]any)
		expect.Equal(t, key+" has objects", ok, true)
		rows = append(rows, row)
	}
	return rows
}

// sameSums compares two sums.
func sameSums(t *testing.T, what string, got, want map[string]int64) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(want)) {
		expect.Equal(t, what+" of "+key, got[key], want[key])
	}
	expect.Equal(t, what+": rows", len(got), len(want))
}

// TestCommands: the ready queries have the numbers of the other commands.
func TestCommands(t *testing.T) {
	for _, name := range []string{"net10-mix-cpu.v4", "net10-mix-gc.v4", "net10-mix-locks.v4", "net10-counters.v4", "onecollect-small.v6"} {
		t.Run(name, func(t *testing.T) {
			trace := traceFile(t, name)
			sameEvents(t, trace)
			sameTop(t, trace)
			sameCollections(t, trace)
			sameCounters(t, trace)
		})
	}
}

// sameEvents compares with the command info.
func sameEvents(t *testing.T, trace string) {
	t.Helper()
	want := map[string]int64{}
	for _, p := range rowsOf(t, objects(t, "info", "--json", "--all", trace)[0], "providers") {
		for key, n := range sums(rowsOf(t, p, "types"), "events", "name") {
			want[fmt.Sprint(p["name"])+"|"+key] += n
		}
	}
	sameSums(t, "events", sums(query(t, trace, "events-by-type"), "events", "provider", "name"), want)
}

// sameTop compares with the command top, which shows another type of samples of a trace
// without samples of type wall.
func sameTop(t *testing.T, trace string) {
	t.Helper()
	var rows []map[string]any
	for _, one := range parse(t, programtest.Run(t, nil, "top", "--json", "--limit", "0", trace).Out) {
		if one["type"] == "wall" {
			rows = rowsOf(t, one, "rows")
		}
	}
	sameSums(t, "self", sums(query(t, trace, "top-self"), "self_ns", "name", "module"), sums(rows, "self", "name", "module"))
	sameSums(t, "total", sums(query(t, trace, "top-total"), "total_ns", "name", "module"), sums(rows, "total", "name", "module"))
}

// sameCollections compares with the command report gc.
func sameCollections(t *testing.T, trace string) {
	t.Helper()
	report := parse(t, programtest.Run(t, nil, "report", "gc", "--json", trace).Out)[0]
	want := rowsOf(t, report, "rows")
	got := query(t, trace, "gc")
	expect.Equal(t, "collections", len(got), len(want))
	for _, pair := range [][2]string{{"pause_ns", "pauseNs"}, {"heap_after_bytes", "heapAfterBytes"}, {"duration_ns", "durationNs"}} {
		sameSums(t, pair[0], sums(got, pair[0], "at_ns", "type"), sums(want, pair[1], "startNs", "type"))
	}
	pauses := query(t, trace, "SELECT 'all' AS k, sum(duration_ns) AS ns FROM pauses")
	sums := sums(query(t, trace, "SELECT 'all' AS k, sum(pause_ns) AS ns FROM gc"), "ns", "k")
	for _, p := range pauses {
		n, _ := p["ns"].(json.Number)
		value, _ := n.Int64()
		expect.Equal(t, "sum of the pauses", value, sums["all"])
	}
}

// sameCounters compares with the command counters. The values of EventCounters have one
// number each; the first value of a Meter has none.
func sameCounters(t *testing.T, trace string) {
	t.Helper()
	want := map[string]string{}
	for _, one := range parse(t, programtest.Run(t, nil, "counters", "--format", "json", trace).Out) {
		if one["type"] == "value" && one["source"] == "EventCounters" {
			value := one["value"]
			if value == nil {
				value = one["rate"]
			}
			want[fmt.Sprint(one["provider"], "|", one["name"])] += fmt.Sprint(value, " ")
		}
	}
	got := map[string]string{}
	for _, one := range query(t, trace, "SELECT provider, name, value FROM counters ORDER BY at_ns") {
		got[fmt.Sprint(one["provider"], "|", one["name"])] += fmt.Sprint(one["value"], " ")
	}
	for key, values := range want {
		expect.Equal(t, "values of "+key, got[key], values)
	}
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

// TestFiles: the threads of a second file are other threads, each with its own sums.
func TestFiles(t *testing.T) {
	cpu, locks := traceFile(t, "net10-mix-cpu.v4"), traceFile(t, "net10-mix-locks.v4")
	for _, tc := range []struct{ name, trace string }{{"threads", cpu}, {"waits", locks}} {
		t.Run(tc.name, func(t *testing.T) {
			once, twice := query(t, tc.trace, tc.name), query(t, tc.trace, tc.trace, tc.name)
			expect.AtLeast(t, "threads", len(once), 1)
			expect.Equal(t, "threads of two files", len(twice), 2*len(once))
			want := sums(once, "ns", "thread_id")
			for key := range want {
				want[key] *= 2
			}
			sameSums(t, "time", sums(twice, "ns", "thread_id"), want)
		})
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
