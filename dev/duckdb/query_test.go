//go:build cgo

package duckdb

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
)

// traces are the traces of corpora that are compared. Together they have rows for each of
// the ready queries.
var traces = []string{
	"net10-mix-cpu.v4", "net10-mix-gc.v4", "net10-mix-locks.v4", "net10-counters.v4", "net10-http.v4", "net10-burst-dropped.v4",
}

// row is a row of a result by column, with values that normal made.
type row map[string]string

// TestQueries: DuckDB over the Parquet files answers each ready query as nettrace query
// does.
func TestQueries(t *testing.T) {
	dir := t.TempDir()
	build(t, dir)
	queries := parse(t, output(t, dir, "query", "--list", "--json"))
	if len(queries) != 15 {
		t.Errorf("%d ready queries, want 15", len(queries))
	}
	empty := map[string]bool{}
	for _, q := range queries {
		empty[q["query"]] = true
	}
	for _, name := range traces {
		trace := filepath.Join("..", "..", "corpora", name+".nettrace.zst")
		db := open(t, dir, trace)
		for _, q := range queries {
			t.Run(name+"/"+q["query"], func(t *testing.T) {
				want := parse(t, output(t, dir, "query", "--json", trace, q["query"]))
				same(t, ask(t, db, q["sql"]), want)
				empty[q["query"]] = empty[q["query"]] && len(want) == 0
			})
		}
		db.Close()
	}
	for name, is := range empty {
		if is {
			t.Errorf("%s: no trace has rows", name)
		}
	}
}

// build builds the program.
func build(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-o", dir, "./cmd/nettrace")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "GOWORK=", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
}

// output runs the program nettrace and returns its standard output. The exit code 1 means
// that a trace has no rows for a ready query.
func output(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(filepath.Join(dir, "nettrace"), args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && (cmd.ProcessState.ExitCode() != 1 || !strings.Contains(stderr.String(), "nothing to show")) {
		t.Fatalf("nettrace %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return stdout.Bytes()
}

// open writes the tables of a trace and returns a database with them, and with the views
// of nettrace query.
func open(t *testing.T, dir, trace string) *sql.DB {
	t.Helper()
	name, _, _ := strings.Cut(filepath.Base(trace), ".nettrace")
	tables := filepath.Join(dir, name)
	output(t, dir, "convert", trace, "-o", tables, "--format", "parquet")
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // a database in memory is that of a connection
	statements := []string{"SET default_null_order = 'nulls_first_on_asc_last_on_desc'"}
	files, err := filepath.Glob(filepath.Join(tables, "*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		table := strings.TrimSuffix(filepath.Base(file), ".parquet")
		statements = append(statements, fmt.Sprintf(`CREATE VIEW "%s" AS SELECT *, 1 AS file_id FROM '%s'`, table, file))
	}
	for _, view := range parse(t, output(t, dir, "query", "--json", trace, "SELECT sql FROM sqlite_schema WHERE type = 'view'")) {
		statements = append(statements, view["sql"])
	}
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return db
}

// ask returns the rows of a query of DuckDB.
func ask(t *testing.T, db *sql.DB, statement string) (list []row) {
	t.Helper()
	rows, err := db.Query(statement)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	values, pointers := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		pointers[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			t.Fatal(err)
		}
		one := row{}
		for i, name := range names {
			one[name] = normal(t, values[i])
		}
		list = append(list, one)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// parse returns the objects of a text, one on each line.
func parse(t *testing.T, text []byte) (list []row) {
	t.Helper()
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		d.UseNumber()
		var values map[string]any
		if err := d.Decode(&values); err != nil {
			t.Fatal(err)
		}
		one := row{}
		for name, value := range values {
			one[name] = normal(t, value)
		}
		list = append(list, one)
	}
	return list
}

// normal returns a value as a text that does not depend on the type of a number. Floating-point
// numbers have 12 digits: the engines add up in different orders.
func normal(t *testing.T, value any) string {
	t.Helper()
	switch x := value.(type) {
	case nil:
		return "null"
	case string:
		return x
	case int32, int64, *big.Int:
		return fmt.Sprint(x)
	case json.Number:
		if n, err := x.Int64(); err == nil {
			return normal(t, n)
		}
		f, err := x.Float64()
		if err != nil {
			t.Fatal(err)
		}
		return normal(t, f)
	case float64:
		if n := int64(x); float64(n) == x {
			return normal(t, n)
		}
		return strconv.FormatFloat(x, 'g', 12, 64)
	}
	t.Fatalf("a value of type %T", value)
	return ""
}

// same compares rows in any order: the queries order rows that differ, and rows that are
// equal in what they order by have no order.
func same(t *testing.T, got, want []row) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("DuckDB has %d rows, nettrace %d", len(got), len(want))
		return
	}
	for _, list := range [][]row{got, want} {
		slices.SortFunc(list, func(a, b row) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	for i := range got {
		if !maps.Equal(got[i], want[i]) {
			t.Errorf("row %d\nDuckDB   %v\nnettrace %v", i, got[i], want[i])
			return
		}
	}
}
