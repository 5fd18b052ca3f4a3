package query

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/columns"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// sourceOf returns the source of a trace.
func sourceOf(t *testing.T, name string) *source {
	t.Helper()
	data := testfile.Plain(t, name)
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	trace, err := columns.New(columns.Options{Open: open})
	expect.NoError(t, err)
	return &source{ctx: t.Context(), traces: []*columns.Trace{trace}, tables: map[string]*table{}}
}

// engineOf returns the engine of a source.
func engineOf(t *testing.T, s *source) *engine {
	t.Helper()
	e, err := newEngine(context.Background(), s)
	expect.NoError(t, err)
	expect.Stop(t)
	return e
}

// answerOf returns the number in the first row of a query, and its error.
func answerOf(e *engine, sql string) (n int64, err error) {
	rows, err := e.query(context.Background(), sql)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() && err == nil {
		err = rows.Scan(&n)
	}
	if err == nil {
		err = rows.Err()
	}
	return n, err
}

// TestPanic: a panic of a table ends the query with an error, and the engine can be closed.
func TestPanic(t *testing.T) {
	s := sourceOf(t, "net10-empty.v4")
	e := engineOf(t, s)
	s.traces[0] = nil
	_, err := answerOf(e, "SELECT count(*) FROM events")
	e.close()
	expect.Contains(t, "error", err.Error(), "panic: runtime error", "goroutine")
}

// TestHeap: a statement about more rows may use more memory.
func TestHeap(t *testing.T) {
	s := sourceOf(t, "net10-mix-cpu.v4")
	e := engineOf(t, s)
	defer e.close()
	expect.Equal(t, "before", s.heap, 128<<20)
	n, err := answerOf(e, "SELECT count(*) FROM events")
	expect.NoError(t, err)
	expect.Equal(t, "after", s.heap, 128<<20+64*n)
}
