package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// join joins samples, stacks and functions.
const join = "FROM samples s JOIN stacks k ON k.id = s.stack_id JOIN functions f ON f.id = k.function_id "

// TestPlan: SQLite gets what it needs for a plan without sorts, and without passes through a
// table for each row of another one.
func TestPlan(t *testing.T) {
	trace := traceFile(t, "net10-mix-cpu.v4")
	for _, tc := range []struct{ name, sql, plan string }{
		{"a join begins with the samples", "SELECT s.id, f.name " + join, "SCAN s, 0:; SCAN k, 1:=; SCAN f, 1:="},
		{"groups by an id are in its order", "SELECT f.id, count(*) " + join + "GROUP BY f.id", "SCAN f, 0:; SCAN k, 4:=; SCAN s, 10:="},
		{"groups by a text are sorted", "SELECT f.name, count(*) " + join + "GROUP BY f.name", "SCAN s, 0:; SCAN k, 1:=; SCAN f, 1:=; SORT GROUP BY"},
		{"the last rows are the first ones", "SELECT id FROM events ORDER BY id DESC, at_ns LIMIT 5", "SCAN events, 0:-"},
		{"other columns are sorted", "SELECT id FROM events ORDER BY sequence, id", "SCAN events, 0:; SORT ORDER BY"},
		{"a table of one row for each id is left out if it is not used", "SELECT s.id FROM samples s LEFT JOIN stacks k ON k.id = s.stack_id", "SCAN s, 0:"},
		{"types of events come first if groups are by type", "SELECT y.id, count(*) FROM events e JOIN event_types y ON y.id = e.type_id GROUP BY y.id", "SCAN y, 0:; SCAN e, 4:="},
		{"events are counted by type without a sort", "SELECT * FROM events_by_type", "CO-ROUTINE events_by_type; SCAN t, 0:; SCAN e, 4:=; SCAN events_by_type"},
		{"bounds of a time come first", "SELECT s.id, f.name " + join + "WHERE s.at_ns > 5 AND s.at_ns < 9", "SCAN s, 3:><; SCAN k, 1:=; SCAN f, 1:="},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, row := range query(t, trace, "EXPLAIN QUERY PLAN "+tc.sql) {
				text := strings.Replace(fmt.Sprint(row["detail"]), " VIRTUAL TABLE INDEX ", ", ", 1)
				got = append(got, strings.Replace(text, "USE TEMP B-TREE FOR ", "SORT ", 1))
			}
			expect.Equal(t, "plan", strings.Join(got, "; "), tc.plan)
		})
	}
}

// TestOrder: rows in the order of their ids are those that SQLite sorts, where + hides the order
// from the table.
func TestOrder(t *testing.T) {
	trace := traceFile(t, "net10-mix-gc.v4")
	list := []string{trace, traceFile(t, "net10-mix-locks.v4"), trace}
	for _, from := range []string{
		"events WHERE at_ns > 30000000 AND at_ns < 90000000", "samples WHERE thread_id = (SELECT min(thread_id) FROM samples)", "functions", "frames WHERE id = 3",
		"stacks WHERE parent_id = 1", "Microsoft_Windows_DotNETRuntime_GCStart", "event_types WHERE id = '3'", "locks",
	} {
		for _, direction := range []string{"ASC", "DESC"} {
			t.Run(from+" "+direction, func(t *testing.T) {
				sql := "SELECT id, file_id FROM " + from + " ORDER BY %sid " + direction
				want := query(t, append(list, fmt.Sprintf(sql, "+"))...)
				expect.AtLeast(t, "rows", len(want), 1)
				expect.Equal(t, "rows", fmt.Sprint(query(t, append(list, fmt.Sprintf(sql, ""))...)), fmt.Sprint(want))
			})
		}
	}
}

// TestIDsOfEvents: the ids of the events of one type are not the numbers of its rows.
func TestIDsOfEvents(t *testing.T) {
	b := gen.NewBuilder(gen.BuilderOptions{Trace: codec.Trace{TickFrequency: 1e9, PointerSize: 8}})
	step := b.Metadata(&codec.Metadata{Provider: "Test", EventID: 1, Name: "Step"})
	stop := b.Metadata(&codec.Metadata{Provider: "Test", EventID: 2, Name: "Stop"})
	b.Thread(&codec.Thread{Index: 1, ProcessID: 7, ThreadID: 70, HasProcessID: true, HasThreadID: true})
	for i, id := range []uint32{step, stop, step, step} {
		b.Event(&codec.EventRow{MetadataID: id, ThreadIndex: 1, CaptureThreadIndex: 1, Timestamp: uint64(i)})
	}
	trace := testfile.New(t, "steps.nettrace", b.Trace().Bytes())
	for id, want := range []int{0, 1, 0, 1, 1, 0} {
		t.Run(fmt.Sprint(id), func(t *testing.T) {
			expect.Len(t, "rows", query(t, trace, fmt.Sprint("SELECT id FROM Test_Step WHERE id = ", id)), want)
		})
	}
}
