package compare

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// rowsOf reads a trace of the corpora, with some changes.
func rowsOf(t *testing.T, name string, change func([]byte)) []Row {
	t.Helper()
	trace := shared.Trace(t, name)
	if change != nil {
		change(trace)
	}
	rows, err := Read(codec.NewBytesReader(trace, codec.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// answerOf writes rows as a complete answer, and parses it.
func answerOf(t *testing.T, rows []Row) []Row {
	t.Helper()
	var table strings.Builder
	for _, r := range rows {
		r.Silent = 0
		table.WriteString(r.String())
		table.WriteByte('\n')
	}
	answer, err := Parse(table.String())
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestEqual(t *testing.T) {
	for _, name := range []string{"net10-types.v4", "net10-tpl-activities.v4", "net10-netperf.v3", "onecollect-small.v6"} {
		t.Run(name, func(t *testing.T) {
			rows := rowsOf(t, name, nil)
			answer := answerOf(t, rows)
			slices.Reverse(answer)
			if d := Compare(rows, answer, false); len(d) != 0 {
				t.Errorf("%d differences, the first: %v", len(d), d[0])
			}
		})
	}
}

// A change of a column in one line is found, in that line and no other.
func TestChangedColumn(t *testing.T) {
	all := [][]Row{rowsOf(t, "net10-tpl-activities.v4", nil), rowsOf(t, "onecollect-small.v6", nil)}
	changes := [len(columnNames)]func(*Row){
		func(r *Row) { r.Ticks++ }, func(r *Row) { r.Provider += "x" }, func(r *Row) { r.ID++ },
		func(r *Row) { r.Version++ }, func(r *Row) { r.Opcode++ }, func(r *Row) { r.Level++ },
		func(r *Row) { r.Keywords ^= 1 << 63 }, func(r *Row) { r.Thread++ }, func(r *Row) { r.Process++ },
		func(r *Row) { r.Processor++ }, func(r *Row) { r.Size++ }, func(r *Row) { r.PayloadSum++ },
		func(r *Row) { r.Depth++ }, func(r *Row) { r.StackSum++ },
		func(r *Row) { r.Activity[15]++ }, func(r *Row) { r.Related[0]++ },
	}
	for i, change := range changes {
		t.Run(columnNames[i], func(t *testing.T) {
			column := Columns(1) << i
			rows, line := all[0], -1
			for trace := 0; trace < len(all) && line < 0; trace++ {
				rows = all[trace]
				line = slices.IndexFunc(rows, func(r Row) bool {
					return r.Silent&column == 0 && (column != StackSum || r.Depth > 0)
				})
			}
			if line < 0 {
				t.Errorf("%v: never compared", column)
				return
			}
			answer := answerOf(t, rows)
			change(&answer[line])
			d := Compare(rows, answer, false)
			expect.Len(t, "d", d, 1)
			expect.NotZero(t, "d[0].Ours", d[0].Ours)
			expect.Stop(t)
			expect.NotZero(t, "d[0].Theirs", d[0].Theirs)
			expect.Equal(t, "d[0].Columns", d[0].Columns, column)
			expect.Equal(t, "d[0].Ours.Place", d[0].Ours.Place, rows[line].Place)

			// Columns that are left out may change.
			reduced := slices.Clone(rows)
			reduced[line].Silent |= column
			if d := Compare(reduced, answer, false); len(d) != 0 && column&(Ticks|ID|PayloadSum) == 0 {
				t.Errorf("%v of line %d is left out: found %v", column, line+1, d)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	rows := rowsOf(t, "net10-types.v4", nil)
	answer := answerOf(t, rows)
	const at = 1000

	less := slices.Delete(slices.Clone(rows), at, at+1)
	d := Compare(less, answer, false)
	expect.Len(t, "d", d, 1)
	expect.Equal(t, "d[0].Ours", d[0].Ours, nil)
	expect.Equal(t, "d[0].Theirs.Place", d[0].Theirs.Place, at+1)
	if d := Compare(less, answer, true); len(d) != 1 {
		t.Errorf("an event is missing with a partial answer: %v", d)
	}

	short := slices.Delete(slices.Clone(answer), at, at+1)
	d = Compare(rows, short, false)
	expect.Len(t, "d", d, 1)
	expect.Equal(t, "d[0].Theirs", d[0].Theirs, nil)
	expect.Equal(t, "d[0].Ours.Place", d[0].Ours.Place, rows[at].Place)
	if d := Compare(rows, short, true); len(d) != 0 {
		t.Errorf("a line is missing, as it may: %v", d)
	}

	twice := slices.Insert(slices.Clone(rows), at, rows[at])
	if d := Compare(twice, answer, false); len(d) != 1 || d[0].Theirs != nil {
		t.Errorf("an event comes twice: %v", d)
	}
}

// A byte of the trace itself is changed.
func TestChangedByte(t *testing.T) {
	rows := rowsOf(t, "onecollect-small.v6", nil)
	last := rows[len(rows)-1]
	address := []byte{0, 0, 0, 0x81, 0xff, 0xff, 0xff, 0xff} // in the kernel
	for what, change := range map[string]struct {
		by      func([]byte)
		columns Columns
	}{
		"payload":         {func(b []byte) { b[last.Place-1] ^= 1 }, PayloadSum}, // of the row before
		"thread of a row": {func(b []byte) { b[last.Place+5] ^= 1 }, Thread},
		"address":         {func(b []byte) { b[bytes.Index(b, address)] ^= 1 }, StackSum},
		"a label":         {func(b []byte) { b[bytes.LastIndex(b, []byte("actual values"))]++ }, 0}, // not in the answer
	} {
		t.Run(what, func(t *testing.T) {
			changed := rowsOf(t, "onecollect-small.v6", change.by)
			d := Compare(changed, answerOf(t, rows), false)
			var columns Columns
			for _, difference := range d {
				columns |= difference.Columns
			}
			if columns&change.columns != change.columns || (len(d) == 0) != (change.columns == 0) {
				t.Error(d)
			}
		})
	}
}

// Where a column is left out for one of two events that look alike, each still
// gets the line it needs.
func TestMatching(t *testing.T) {
	open, strict := Row{Silent: Processor, Place: 1}, Row{Processor: 3, Place: 2}
	first, second := Row{Processor: 3, Place: 1}, Row{Processor: 7, Place: 2}
	if d := Compare([]Row{open, strict}, []Row{first, second}, false); len(d) != 0 {
		t.Errorf("found %v", d)
	}
	if d := Compare([]Row{strict, strict}, []Row{first, second}, false); len(d) != 1 || d[0].Columns != Processor {
		t.Errorf("found %v", d)
	}
}

func TestParse(t *testing.T) {
	const line = "-1\ta\\tb\\\\t\\n\t1\t2\t3\t4\t0xffffffffffffffff\t-1\t5\t6\t7\t00000008\t1\t000000ff\t" +
		"00010203-0405-0607-0809-0a0b0c0d0e0f\t-"
	rows, err := Parse(line + "\n")
	if err != nil {
		t.Fatal(err)
	}
	want := Row{
		Ticks: 1<<64 - 1, Provider: "a\tb\\t\n", ID: 1, Version: 2, Opcode: 3, Level: 4, Keywords: 1<<64 - 1,
		Thread: 1<<32 - 1, Process: 5, Processor: 6, Size: 7, PayloadSum: 8, Depth: 1, StackSum: 255,
		Activity: wire.GUID{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15}, Place: 1,
	}
	if len(rows) != 1 || rows[0] != want {
		t.Errorf("%+v, want %+v", rows, want)
	}
	for _, bad := range []string{
		strings.TrimSuffix(line, "\t-"), line + "\t-", strings.Replace(line, "\t6\t", "\t256\t", 1),
		strings.Replace(line, "0xff", "ff", 1), strings.Replace(line, "0e0f", "0e0", 1), strings.Replace(line, "-1", "x", 1),
	} {
		t.Run(fmt.Sprintf("%q", bad), func(t *testing.T) {
			if rows, err := Parse(line + "\n" + bad + "\n"); err == nil || !strings.Contains(err.Error(), "line 2") {
				t.Errorf("%+v, error %v", rows, err)
			}
		})
	}
}

func TestExceptions(t *testing.T) {
	for i := range Exceptions {
		t.Run(fmt.Sprintf("i=%v", i), func(t *testing.T) {
			x := &Exceptions[i]
			expect.NotZero(t, "x.Columns", x.Columns)
			expect.NotZero(t, "x.Reason", x.Reason)
			expect.Equal(t, "x.Columns&(Ticks|ID|PayloadSum)", x.Columns&(Ticks|ID|PayloadSum), 0)
		})
	}
}
