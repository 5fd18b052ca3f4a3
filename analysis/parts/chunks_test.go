package parts_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/chunks"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/longtrace"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// options are those of the readers of a stream.
func options() codec.Options {
	return codec.Options{
		Schemas: clr.Schemas, OnError: codec.Skip, Order: codec.ByTime,
		Limits: codec.Limits{Block: 1 << 30, Total: 1 << 30, Fields: 1 << 16},
	}
}

// text returns the reports of a trace, and what Trace has about it.
func text(t *analysis.Trace, list []analysis.Part, err error) []string {
	lines := []string{
		fmt.Sprint("error ", err),
		fmt.Sprint("from ", t.Start, " to ", t.End, ", lost ", t.Lost, ", out of order ", t.OutOfOrder, ", truncated ", t.Truncated),
		fmt.Sprint("left out ", t.LeftOut, ", losses left out ", t.LossesLeftOut),
	}
	for _, l := range t.Losses {
		lines = append(lines, fmt.Sprintf("loss %+v", l))
	}
	for _, id := range t.Processes() {
		from, to := t.Bounds(id)
		lines = append(lines, fmt.Sprint("process ", id, " from ", from, " to ", to))
	}
	for _, p := range list {
		for _, r := range p.Reports(t) {
			lines = append(lines, string(r.JSON("trace")))
		}
	}
	return lines
}

// sameReports compares the reports of a stream that several goroutines read with those that
// one reads. It reports whether several read it.
func sameReports(t *testing.T, b []byte, limits analysis.Limits) bool {
	t.Helper()
	size := int64(len(b))
	index := chunks.NewIndex(bytes.NewReader(b), size, options())
	if index == nil {
		return false
	}
	list := parts.All()
	trace, err := analysis.Read(t.Context(), codec.NewBytesReader(b, options()), analysis.Options{Parts: list, Limits: limits})
	if trace == nil {
		return false
	}
	want := text(trace, list, err)
	for _, workers := range []int{1, 2, 7} {
		list := parts.All()
		trace, _, err := analysis.ReadChunks(t.Context(), analysis.Chunks{Index: index, Size: size, Workers: workers}, analysis.Options{Parts: list, Limits: limits})
		got := text(trace, list, err)
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Errorf("%d workers, line %d:\n got %.3000s\nwant %.3000s", workers, i, line(got, i), line(want, i))
				break
			}
		}
	}
	return len(index.Chunks(codec.TimeRange{}, 1)) > 1
}

func line(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing"
}

// TestChunks: the reports of a stream are the same whether one goroutine reads it or several do.
func TestChunks(t *testing.T) {
	divided := 0
	run := func(name string, b func(testing.TB, string) []byte) {
		t.Run(name, func(t *testing.T) {
			if sameReports(t, b(t, name), analysis.Limits{}) {
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
	for _, name := range shared.Streams(t) {
		run(name, func(t testing.TB, name string) []byte { return shared.Stream(t, name) })
	}
	many := 20
	if shared.Race { // few streams
		many = 3
	}
	expect.AtLeast(t, "streams that several goroutines read", divided, many)
}

// TestChunksOfLongTrace: the same for traces with many sequence points, with and without limits.
func TestChunksOfLongTrace(t *testing.T) {
	for _, name := range []string{"net10-mix-gc.v4", "net10-mix-locks.v4"} {
		short := shared.Trace(t, name)
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
			t.Run(name+"/"+c.name, func(t *testing.T) {
				expect.Equal(t, "several goroutines read", sameReports(t, b, c.limits), true)
			})
		}
	}
}
