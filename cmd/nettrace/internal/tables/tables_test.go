package tables_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/tables"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// write writes the tables of a trace, and returns the folder.
func write(t *testing.T, name, partition string) string {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace.nettrace")
	expect.NoError(t, os.WriteFile(trace, shared.Trace(t, name), 0o666))
	dir := filepath.Join(t.TempDir(), "out")
	warnings, err := tables.Run(t.Context(), &tables.Options{Name: trace, Dir: dir, Partition: partition})
	expect.NoError(t, err)
	expect.Equal(t, "warnings", strings.Join(warnings, "\n"), "")
	return dir
}

// collection has some columns of the table gc.
type collection struct {
	Time    int64  `parquet:"time,timestamp(nanosecond)"`
	Number  *int64 `parquet:"number"`
	Type    string `parquet:"type"`
	Induced bool   `parquet:"induced"`
	PauseNs *int64 `parquet:"pause_ns"`
}

// TestFiles: each table is a file whose values are those of the trace.
func TestFiles(t *testing.T) {
	dir := write(t, "net10-mix-gc.v4", "")
	rows, err := parquet.ReadFile[collection](filepath.Join(dir, "gc.parquet"))
	expect.NoError(t, err)
	expect.Stop(t)
	expect.AtLeast(t, "collections", len(rows), 3)
	expect.Equal(t, "number", *rows[1].Number, 2)
	expect.Equal(t, "type", rows[1].Type, "blocking")
	expect.Equal(t, "induced", rows[1].Induced, true)
	expect.Equal(t, "pause", *rows[1].PauseNs, 751372)
	for _, name := range []string{"events", "samples", "stacks", "counters", "Microsoft_Windows_DotNETRuntime_GCStart"} {
		_, err := os.Stat(filepath.Join(dir, name+".parquet"))
		expect.NoError(t, err)
	}
}

// TestNulls: a column with nulls has them and its values.
func TestNulls(t *testing.T) {
	dir := write(t, "net10-mix-gc.v4", "")
	rows, err := parquet.ReadFile[struct {
		Stack *int64 `parquet:"stack_id"`
	}](filepath.Join(dir, "events.parquet"))
	expect.NoError(t, err)
	count := map[bool]int{}
	for _, row := range rows {
		count[row.Stack != nil]++
	}
	expect.AtLeast(t, "events with a stack", count[true], 100)
	expect.AtLeast(t, "events without a stack", count[false], 100)
}

// TestColumns: the columns have the order, and the times the type, of the table.
func TestColumns(t *testing.T) {
	dir := write(t, "net10-mix-gc.v4", "")
	f, err := os.Open(filepath.Join(dir, "events.parquet"))
	expect.NoError(t, err)
	expect.Stop(t)
	defer f.Close()
	info, err := f.Stat()
	expect.NoError(t, err)
	p, err := parquet.OpenFile(f, info.Size())
	expect.NoError(t, err)
	expect.Stop(t)
	var names []string
	for _, c := range p.Schema().Columns() {
		names = append(names, c[0])
	}
	expect.Slices(t, "first columns", names[:4], []string{"id", "time", "at_ns", "type_id"})
	at, _ := p.Schema().Lookup("time")
	expect.Equal(t, "type of time", at.Node.Type().String(), "TIMESTAMP(isAdjustedToUTC=true,unit=NANOS)")
	expect.Equal(t, "time can be null", at.Node.Optional(), false)
	stack, _ := p.Schema().Lookup("stack_id")
	expect.Equal(t, "stack_id can be null", stack.Node.Optional(), true)
}

// TestPartition: the files are in folders by the name of the trace and the process.
func TestPartition(t *testing.T) {
	dir := write(t, "onecollect-small.v6", "file,process")
	var found []string
	expect.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			found = append(found, filepath.ToSlash(name))
		}
		return err
	}))
	for _, want := range []string{"threads/file=trace.nettrace/process_id=42/threads.parquet", "stacks/file=trace.nettrace/stacks.parquet"} {
		expect.Equal(t, want+" exists", slices.Contains(found, want), true)
	}
}

// TestRefused: wrong keys and files that exist are errors.
func TestRefused(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace.nettrace")
	expect.NoError(t, os.WriteFile(trace, shared.Trace(t, "net10-empty.v4"), 0o666))
	dir := t.TempDir()
	for _, tc := range []struct {
		name, partition, message string
		force                    bool
	}{
		{"unknown key", "thread", "is not file, process or file,process", false},
		{"first", "", "", false},
		{"second", "", "exists (--force replaces it)", false},
		{"forced", "", "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := tables.Run(t.Context(), &tables.Options{Name: trace, Dir: dir, Partition: tc.partition, Force: tc.force})
			got := ""
			if err != nil {
				got = err.Error()
			}
			expect.Contains(t, "error", got, tc.message)
			expect.Equal(t, "fails", err != nil, tc.message != "")
		})
	}
}

// TestOtherTrace: --force replaces the tables of one trace, also those that it has no rows
// of, and refuses a folder with tables of another one.
func TestOtherTrace(t *testing.T) {
	dir := t.TempDir()
	trace := filepath.Join(t.TempDir(), "trace.nettrace")
	expect.NoError(t, os.WriteFile(trace, shared.Trace(t, "net10-empty.v4"), 0o666))
	for _, name := range []string{"gc.parquet", "Other_Event.parquet", "notes.txt"} {
		expect.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o666))
	}
	o := &tables.Options{Name: trace, Dir: dir, Force: true}
	_, err := tables.Run(t.Context(), o)
	expect.Contains(t, "error", fmt.Sprint(err), "Other_Event.parquet is not a table of this trace")
	left, err := os.ReadDir(dir)
	expect.NoError(t, err)
	expect.Len(t, "files that remain", left, 3)
	expect.NoError(t, os.Remove(filepath.Join(dir, "Other_Event.parquet")))
	_, err = tables.Run(t.Context(), o)
	expect.NoError(t, err)
	_, err = os.Stat(filepath.Join(dir, "notes.txt"))
	expect.NoError(t, err)
}

// TestOldTables: a run that is refused or fails leaves the old tables, and a run that ends
// removes those of which the trace has no rows.
func TestOldTables(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace.nettrace")
	expect.NoError(t, os.WriteFile(trace, shared.Trace(t, "net10-empty.v4"), 0o666))
	dir := t.TempDir()
	old, blocked := filepath.Join(dir, "counters.parquet"), filepath.Join(dir, "events.parquet")
	expect.NoError(t, os.WriteFile(old, []byte("old"), 0o666))
	remains := func(when string) {
		t.Helper()
		got, err := os.ReadFile(old)
		expect.NoError(t, err)
		expect.Equal(t, when, string(got), "old")
	}
	o := &tables.Options{Name: trace, Dir: dir}
	_, err := tables.Run(t.Context(), o)
	expect.Contains(t, "error without --force", fmt.Sprint(err), "counters.parquet exists")
	remains("refused")
	left, err := os.ReadDir(dir)
	expect.NoError(t, err)
	expect.Len(t, "files of a run that is refused", left, 1)

	o.Force = true
	expect.NoError(t, os.MkdirAll(filepath.Join(blocked, "part"), 0o777))
	_, err = tables.Run(t.Context(), o)
	expect.Contains(t, "error at a folder", fmt.Sprint(err), "events.parquet is a folder")
	remains("failed")
	left, err = os.ReadDir(dir)
	expect.NoError(t, err)
	expect.Len(t, "files of a run that failed, and the folder", left, 2)

	expect.NoError(t, os.RemoveAll(blocked))
	_, err = tables.Run(t.Context(), o)
	expect.NoError(t, err)
	rows, err := parquet.ReadFile[struct{}](old)
	expect.NoError(t, err)
	expect.Equal(t, "old rows", len(rows), 0)
}

// TestChosenTables: with --tables only these tables are written, as without it, and the others
// remain.
func TestChosenTables(t *testing.T) {
	all := write(t, "net10-mix-gc.v4", "")
	trace := filepath.Join(t.TempDir(), "trace.nettrace")
	expect.NoError(t, os.WriteFile(trace, shared.Trace(t, "net10-mix-gc.v4"), 0o666))
	for _, c := range []struct {
		name, missing string
		tables, files []string
	}{
		{"events", "", []string{"events"}, []string{"events"}},
		{"samples and stacks", "", []string{"SAMPLES", "stacks", "samples"}, []string{"samples", "stacks"}},
		{"type", "", []string{"Microsoft_Windows_DotNETRuntime_GCStart"}, []string{"Microsoft_Windows_DotNETRuntime_GCStart"}},
		{
			"types and threads", "",
			[]string{"threads", "Microsoft_Windows_DotNETRuntime_GCStart", "Microsoft_Windows_DotNETRuntime_GCEnd"},
			[]string{"Microsoft_Windows_DotNETRuntime_GCEnd", "Microsoft_Windows_DotNETRuntime_GCStart", "threads"},
		},
		{"unknown", `the trace has no table "evnts"`, []string{"events", "evnts"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, other := range []string{"lost.parquet", "Other_Event.parquet"} {
				expect.NoError(t, os.WriteFile(filepath.Join(dir, other), []byte(other), 0o666))
			}
			o := &tables.Options{Name: trace, Dir: dir, Tables: c.tables}
			for _, o.Force = range []bool{false, true} {
				_, err := tables.Run(t.Context(), o)
				if c.missing != "" {
					expect.Contains(t, "error", fmt.Sprint(err), c.missing)
					continue
				}
				expect.NoError(t, err)
			}
			found, err := filepath.Glob(filepath.Join(dir, "*.parquet"))
			expect.NoError(t, err)
			expect.Len(t, "files", found, len(c.files)+2)
			for _, name := range c.files {
				got, err := os.ReadFile(filepath.Join(dir, name+".parquet"))
				expect.NoError(t, err)
				want, err := os.ReadFile(filepath.Join(all, name+".parquet"))
				expect.NoError(t, err)
				expect.Equal(t, name+" is that of all tables", bytes.Equal(got, want), true)
			}
			got, err := os.ReadFile(filepath.Join(dir, "lost.parquet"))
			expect.NoError(t, err)
			expect.Equal(t, "table that is not chosen", string(got), "lost.parquet")
		})
	}
}

// TestWorkers: the files are the same whether one goroutine reads the trace or several do.
func TestWorkers(t *testing.T) {
	for _, name := range []string{"net10-mix-gc.v4", "onecollect-small.v6", "net10-netperf.v3"} {
		t.Run(name, func(t *testing.T) {
			trace := filepath.Join(t.TempDir(), "trace.nettrace")
			expect.NoError(t, os.WriteFile(trace, shared.Trace(t, name), 0o666))
			one, several := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "out")
			warnings, err := tables.Run(t.Context(), &tables.Options{Name: trace, Dir: one, Workers: 1})
			expect.NoError(t, err)
			got, err := tables.Run(t.Context(), &tables.Options{Name: trace, Dir: several, Workers: 3})
			expect.NoError(t, err)
			got = slices.DeleteFunc(got, func(w string) bool { return strings.HasPrefix(w, note) })
			expect.Slices(t, "warnings", got, warnings)
			files, err := os.ReadDir(one)
			expect.NoError(t, err)
			expect.AtLeast(t, "files", len(files), 10)
			for _, f := range files {
				want, err := os.ReadFile(filepath.Join(one, f.Name()))
				expect.NoError(t, err)
				got, err := os.ReadFile(filepath.Join(several, f.Name()))
				expect.NoError(t, err)
				expect.Equal(t, f.Name()+" is the same", bytes.Equal(got, want), true)
			}
		})
	}
}

// TestOneWorker: a warning has the reason if one goroutine reads the trace although Workers is
// above 1.
func TestOneWorker(t *testing.T) {
	for _, c := range []struct {
		name   string
		trace  []byte
		tables []string
		want   []string
	}{
		{"version 3", shared.Trace(t, "net10-netperf.v3"), nil, []string{note + "it is neither an uncompressed file of version 4 to 6 nor compressed as zstd frames with sizes"}},
		{"no sequence points", shared.Stream(t, "probe-01a-v6-duplicate-sequence"), []string{"events"}, []string{note + "it has no sequence points between events"}},
		{"several", shared.Trace(t, "net10-mix-gc.v4"), []string{"events"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			trace := filepath.Join(t.TempDir(), "trace.nettrace")
			expect.NoError(t, os.WriteFile(trace, c.trace, 0o666))
			got, err := tables.Run(t.Context(), &tables.Options{Name: trace, Dir: filepath.Join(t.TempDir(), "out"), Tables: c.tables, Workers: 2})
			expect.NoError(t, err)
			expect.Slices(t, "warnings", got, c.want)
		})
	}
}

// note begins the warning that one goroutine has read the trace.
const note = "note: one goroutine reads it, not those of --workers, because "

// TestChosenExists: a chosen table that exists is not replaced without --force.
func TestChosenExists(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace.nettrace")
	expect.NoError(t, os.WriteFile(trace, shared.Trace(t, "net10-empty.v4"), 0o666))
	dir := t.TempDir()
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "lost.parquet"), nil, 0o666))
	_, err := tables.Run(t.Context(), &tables.Options{Name: trace, Dir: dir, Tables: []string{"events", "lost"}})
	expect.Contains(t, "error", fmt.Sprint(err), "lost.parquet exists (--force replaces it)")
}

// TestTableWithoutRows: --force removes the old table of a type of event that the trace describes
// and has no events of.
func TestTableWithoutRows(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace.nettrace")
	expect.NoError(t, os.WriteFile(trace, shared.Trace(t, "onecollect-small.v6"), 0o666))
	dir := t.TempDir()
	old := filepath.Join(dir, "Universal_Events_sched_x.parquet")
	expect.NoError(t, os.WriteFile(old, nil, 0o666))
	_, err := tables.Run(t.Context(), &tables.Options{Name: trace, Dir: dir, Force: true})
	expect.NoError(t, err)
	_, err = os.Stat(old)
	expect.ErrorIs(t, err, fs.ErrNotExist)
}

// TestLongPartition: the folder of a file with a long name has a name that file systems accept.
func TestLongPartition(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 240)+".nettrace")
	expect.NoError(t, os.WriteFile(long, shared.Trace(t, "net10-empty.v4"), 0o600))
	dir := t.TempDir()
	_, err := tables.Run(t.Context(), &tables.Options{Name: long, Dir: dir, Partition: "file"})
	expect.NoError(t, err)
	folders, err := filepath.Glob(filepath.Join(dir, "events", "file=xxx*"))
	expect.NoError(t, err)
	expect.Len(t, "folders", folders, 1)
}

// TestPartitionSchema: in the files of several traces a column can be null also if one of the
// traces has no null, and the values are the same.
func TestPartitionSchema(t *testing.T) {
	type event struct {
		ID   int64  `parquet:"id"`
		Time int64  `parquet:"time,timestamp(nanosecond)"`
		Name string `parquet:"name"`
	}
	var want []event
	for partition, path := range map[string]string{"": "events.parquet", "file": "events/file=trace.nettrace/events.parquet"} {
		path = filepath.Join(write(t, "net10-mix-gc.v4", partition), path)
		f, err := os.Open(path)
		expect.NoError(t, err)
		expect.Stop(t)
		info, err := f.Stat()
		expect.NoError(t, err)
		p, err := parquet.OpenFile(f, info.Size())
		expect.NoError(t, err)
		for _, column := range p.Schema().Fields() {
			if partition != "" && !column.Optional() {
				t.Errorf("%s is required", column.Name())
			}
		}
		f.Close()
		rows, err := parquet.ReadFile[event](path)
		expect.NoError(t, err)
		if want == nil {
			want = rows
		}
		expect.AtLeast(t, "events", len(rows), 1000)
		expect.Equal(t, "rows are equal", slices.Equal(rows, want), true)
	}
}
