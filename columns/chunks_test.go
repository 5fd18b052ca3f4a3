package columns_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/columns"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/longtrace"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/profile"
)

// openChunks returns the tables of a stream that some goroutines read.
func openChunks(b []byte, workers int, limits analysis.Limits) (*columns.Trace, error) {
	return columns.New(columns.Options{
		Open:     func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil },
		Chunks:   columns.Chunks{At: bytes.NewReader(b), Size: int64(len(b)), Workers: workers},
		Reader:   codec.Options{Schemas: clr.Schemas, OnError: codec.Skip},
		Profile:  profile.Limits{Samples: -1, Frames: -1, Stacks: -1},
		Analysis: limits,
	})
}

// sameTables compares the tables of a stream that three goroutines read with those that one
// reads. It reports whether several goroutines read it.
func sameTables(t *testing.T, b []byte, limits analysis.Limits) (chunked bool) {
	t.Helper()
	want, err := openChunks(b, 1, limits)
	if err != nil {
		t.Skipf("no tables: %v", err)
	}
	got, err := openChunks(b, 3, limits)
	expect.NoError(t, err)
	expect.Stop(t)
	prepareAll(t, want)
	prepareAll(t, got)
	for _, table := range tables(t, want) {
		other, err := got.Table(t.Context(), table.Name)
		expect.NoError(t, err)
		expect.Stop(t)
		sameData(t, got.Data(other), want.Data(table))
	}
	expect.Equal(t, "error", fmt.Sprint(got.Err()), fmt.Sprint(want.Err()))
	expect.Equal(t, "left out", got.LeftOut(), want.LeftOut())

	expect.Equal(t, "lost, of the last reader", got.Reader().Lost(), want.Reader().Lost())
	expect.Equal(t, "defects of the last reader", fmt.Sprint(got.Reader().Defects()), fmt.Sprint(want.Reader().Defects()))

	want, _ = openChunks(b, 1, limits)
	got, _ = openChunks(b, 3, limits)
	load(t, want, "events", "id")
	load(t, got, "events", "id")
	expect.Equal(t, "error of events", fmt.Sprint(got.Err()), fmt.Sprint(want.Err()))
	expect.Equal(t, "lost", got.Reader().Lost(), want.Reader().Lost())
	expect.Equal(t, "defects", fmt.Sprint(got.Reader().Defects()), fmt.Sprint(want.Reader().Defects()))
	_, chunked = got.Reader().(*codec.ChunkJoin)
	return chunked
}

// sameData compares the rows of a table.
func sameData(t *testing.T, got, want *columns.Data) {
	t.Helper()
	expect.Equal(t, "rows of "+want.Table.Name, got.Rows, want.Rows)
	expect.Stop(t)
	for _, c := range want.Table.Columns {
		is, was := got.Vector(c.Name), want.Vector(c.Name)
		for row := range want.Rows {
			if g, w := cell(is, c.Type, row), cell(was, c.Type, row); g != w && fmt.Sprint(g) != fmt.Sprint(w) { // but NaN is NaN
				t.Errorf("%s.%s: row %d: got %v, want %v", want.Table.Name, c.Name, row, g, w)
				break
			}
		}
	}
}

// TestChunks: the tables of a stream are the same whether one goroutine reads it or several do.
func TestChunks(t *testing.T) {
	divided := 0
	run := func(name string, b func(testing.TB, string) []byte) {
		t.Run(name, func(t *testing.T) {
			if sameTables(t, b(t, name), analysis.Limits{}) {
				divided++
			}
		})
	}
	for _, name := range shared.Small(t) {
		run(name, func(t testing.TB, name string) []byte { return shared.Trace(t, name) })
	}
	for _, entry := range shared.SmallCorpora(t) {
		if !entry.Recorded() {
			run(entry.Name, func(t testing.TB, name string) []byte { return shared.Trace(t, name) })
		}
	}
	streams := shared.Streams(t)
	if !tier.Check {
		streams = shared.First(streams, 40)
	}
	for _, name := range streams {
		run(name, func(t testing.TB, name string) []byte { return shared.Stream(t, name) })
	}
	many := 20
	if shared.Race { // few streams
		many = 3
	}
	expect.AtLeast(t, "streams that several goroutines read", divided, many)
}

// TestChunksOfLongTrace: the same for a trace with many sequence points, with and without
// limits.
func TestChunksOfLongTrace(t *testing.T) {
	short := shared.Trace(t, "net10-mix-gc.v4")
	long, err := longtrace.New(short, 3*int64(len(short)))
	expect.NoError(t, err)
	expect.Stop(t)
	b := make([]byte, long.Size())
	_, err = long.ReadAt(b, 0)
	expect.NoError(t, err)
	for _, c := range []struct {
		name   string
		limits analysis.Limits
	}{
		{"all", analysis.Limits{}},
		{"few stacks", analysis.Limits{Stacks: 20, Rows: 2}},
		{"few frames", analysis.Limits{Frames: 200}},
		{"few symbols", analysis.Limits{Symbols: 10_000}},
		{"few threads", analysis.Limits{Threads: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect.Equal(t, "several goroutines read", sameTables(t, b, c.limits), true)
		})
	}
}
