package columns_test

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/columns"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/profile"
)

// open returns the tables of a trace.
func open(t testing.TB, b []byte) *columns.Trace {
	t.Helper()
	trace, err := columns.New(columns.Options{
		Open:    func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil },
		Reader:  codec.Options{Schemas: clr.Schemas, OnError: codec.Skip},
		Profile: profile.Limits{Samples: -1, Frames: -1, Stacks: -1},
	})
	if trace == nil {
		t.Fatal(err)
	}
	return trace
}

// tables returns the tables of a trace.
func tables(t testing.TB, trace *columns.Trace) []*columns.Table {
	t.Helper()
	list, err := trace.Tables(t.Context())
	expect.NoError(t, err)
	return list
}

// load returns a table with all columns.
func load(t testing.TB, trace *columns.Trace, table string, names ...string) *columns.Data {
	t.Helper()
	d, err := trace.Load(t.Context(), table, names...)
	expect.NoError(t, err)
	expect.Stop(t)
	return d
}

// text returns a value of a table for a comparison.
func text(d *columns.Data, column string, row int) any {
	return cell(d.Vector(column), d.Table.Columns[d.Table.Column(column)].Type, row)
}

// cell is text for a column that has been found.
func cell(v *columns.Vector, of columns.Type, row int) any {
	switch {
	case v.Null(row):
		return nil
	case of == columns.Float:
		return v.Float(row)
	case of == columns.Text:
		return v.Text(row)
	}
	return v.Int(row)
}

// TestEvents compares the events and their stacks with those that a Reader delivers.
func TestEvents(t *testing.T) {
	for _, name := range []string{"net10-mix-cpu.v4", "net10-types.v4", "net10-netperf.v3", "onecollect-small.v6", "onecollect-overflow.v6"} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			b := shared.Trace(t, name)
			trace := open(t, b)
			events, stacks, frames := load(t, trace, "events"), load(t, trace, "stacks"), load(t, trace, "frames")
			r := codec.NewBytesReader(b, codec.Options{Schemas: clr.Schemas, OnError: codec.Skip, Order: codec.ByTime})
			row := 0
			for ev := range r.Events() {
				if ev == nil || ev.Metadata() == nil {
					continue
				}
				if row == events.Rows {
					t.Fatalf("rows: got %d, want more", row)
				}
				sameEvent(t, ev, events, row)
				if got := addresses(events, stacks, frames, row); !slices.Equal(got, ev.Stack()) {
					t.Fatalf("stack of row %d: got %x, want %x", row, got, ev.Stack())
				}
				expect.Stop(t)
				row++
			}
			expect.Equal(t, "rows", events.Rows, row)
		})
	}
}

// sameEvent compares a row with an event.
func sameEvent(t *testing.T, ev *codec.Event, events *columns.Data, row int) {
	t.Helper()
	m := ev.Metadata()
	expect.Equal(t, "id", events.Vector("id").Int(row), int64(row)+1)
	expect.Equal(t, "provider", events.Vector("provider").Text(row), m.Provider)
	expect.Equal(t, "name", events.Vector("name").Text(row), ev.Name())
	expect.Equal(t, "event_id", events.Vector("event_id").Int(row), int64(m.EventID))
	expect.Equal(t, "offset", events.Vector("offset").Int(row), ev.Offset())
	expect.Equal(t, "payload_bytes", events.Vector("payload_bytes").Int(row), int64(len(ev.Payload())))
	expect.Equal(t, "sequence", events.Vector("sequence").Int(row), int64(ev.Sequence))
	if at := ev.Time(); !at.IsZero() {
		expect.Equal(t, "time", events.Vector("time").Int(row), at.UnixNano())
	}
	if id, ok := ev.ThreadID(); ok {
		expect.Equal(t, "thread_id", events.Vector("thread_id").Int(row), int64(id))
	}
}

// addresses returns the stack of an event, leaf first.
func addresses(events, stacks, frames *columns.Data, row int) []uint64 {
	if events.Vector("stack_id").Null(row) {
		return nil
	}
	var list []uint64
	for id := events.Vector("stack_id").Int(row); ; {
		frame := stacks.Vector("frame_id").Int(int(id) - 1)
		list = append(list, uint64(frames.Vector("address").Int(int(frame)-1)))
		if stacks.Vector("parent_id").Null(int(id) - 1) {
			return list
		}
		id = stacks.Vector("parent_id").Int(int(id) - 1)
	}
}

// TestFields compares the columns of each type of events with the fields that a Reader
// decodes.
func TestFields(t *testing.T) {
	for _, name := range []string{"net10-types.v4", "net10-http.v4"} {
		t.Run(name, func(t *testing.T) {
			b := shared.Trace(t, name)
			trace := open(t, b)
			prepareAll(t, trace)
			events, types := load(t, trace, "events"), load(t, trace, "event_types")
			r := codec.NewBytesReader(b, codec.Options{Schemas: clr.Schemas, OnError: codec.Skip, Order: codec.ByTime})
			rows := map[*columns.Data]int{}
			row := 0
			for ev := range r.Events() {
				typeID := events.Vector("type_id").Int(row)
				d := load(t, trace, types.Vector("table_name").Text(int(typeID)-1))
				at := rows[d]
				rows[d]++
				row++
				expect.Equal(t, "id", d.Vector("id").Int(at), int64(row))
				for field, v := range ev.Fields() {
					if d.Table.Column(field) >= 0 && d.Table.Column(field) < 5 { // a common column has the name
						field += "_2"
					}
					if d.Vector(field) != nil {
						sameField(t, d, field, at, v)
					}
				}
				expect.Stop(t)
			}
			for d, n := range rows {
				expect.Equal(t, "rows of "+d.Table.Name, d.Rows, n)
			}
			expect.AtLeast(t, "events", row, 100)
		})
	}
}

// sameField compares a field with the value of its column.
func sameField(t *testing.T, d *columns.Data, field string, row int, v codec.Value) {
	t.Helper()
	what := d.Table.Name + "." + field
	switch got := text(d, field, row); d.Table.Columns[d.Table.Column(field)].Type {
	case columns.Int, columns.Bool:
		expect.Equal(t, what, got, any(v.Int64()))
	case columns.Float:
		expect.Equal(t, what, fmt.Sprint(got), fmt.Sprint(v.Float64())) // NaN is not equal to itself
	case columns.Text:
		expect.Equal(t, what, got, any(v.String()))
	case columns.Time:
		want := any(nil)
		if at, ok := v.Time(); ok && at.Year() >= 1678 && at.Year() <= 2261 {
			want = at.UnixNano()
		}
		expect.Equal(t, what, got, want)
	}
}

// TestSamples compares the sums of the samples and their leaves with those of package
// profile.
func TestSamples(t *testing.T) {
	for _, name := range []string{"net10-mix-cpu.v4", "net10-mix-locks.v4", "net10-alloc-sampled.v4", "onecollect-small.v6"} {
		t.Run(name, func(t *testing.T) {
			b := shared.Trace(t, name)
			r := codec.NewBytesReader(b, codec.Options{Schemas: clr.Schemas, OnError: codec.Skip})
			p, err := profile.FromReader(t.Context(), r, profile.Options{})
			expect.NoError(t, err)
			want := map[[2]string]int64{}
			for _, of := range p.Types() {
				for s := range p.Samples(of) {
					if of != profile.CPUApprox {
						want[[2]string{of.String(), leaf(p, &s)}] += s.Value
					}
				}
			}
			got := leaves(t, open(t, b))
			expect.Equal(t, "types and functions", len(got), len(want))
			for key, value := range want {
				expect.Equal(t, key[0]+" "+key[1], got[key], value)
			}
		})
	}
}

// leaf returns the name of the innermost function of a sample.
func leaf(p *profile.Profile, s *profile.Sample) string {
	if stack := p.Stack(s.Stack); len(stack) > 0 {
		return p.Function(p.Frame(stack[0]).Function).RawName
	}
	return ""
}

// leaves adds up the samples of a trace by type and innermost function.
func leaves(t *testing.T, trace *columns.Trace) map[[2]string]int64 {
	samples, stacks, functions := load(t, trace, "samples"), load(t, trace, "stacks"), load(t, trace, "functions")
	sums := map[[2]string]int64{}
	for row := range samples.Rows {
		name := ""
		if id := samples.Vector("stack_id"); !id.Null(row) {
			name = functions.Vector("raw_name").Text(int(stacks.Vector("function_id").Int(int(id.Int(row))-1)) - 1)
		}
		sums[[2]string{samples.Vector("type").Text(row), name}] += samples.Vector("value").Int(row)
	}
	return sums
}

// TestTables loads every table of the traces, with one column and with all.
func TestTables(t *testing.T) {
	const large = 2 << 20 // bytes
	for _, name := range shared.Traces(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			b := shared.Trace(t, name)
			if len(b) > large {
				t.Skip("the trace is larger than 2 MB: its tables take seconds")
			}
			trace := open(t, b)
			prepareAll(t, trace)
			for _, table := range tables(t, trace) {
				checkTable(t, trace.Data(table))
			}
			events := load(t, trace, "events").Rows
			expect.Equal(t, "events of one column", load(t, open(t, b), "events", "id").Rows, events)
		})
	}
}

// prepareAll reads all tables at once.
func prepareAll(t *testing.T, trace *columns.Trace) {
	t.Helper()
	var all []columns.Want
	for _, table := range tables(t, trace) {
		all = append(all, columns.Want{Table: table})
	}
	expect.NoError(t, trace.Prepare(t.Context(), all))
}

// checkTable reads each value, and checks the order of the columns that are sorted.
func checkTable(t *testing.T, d *columns.Data) {
	t.Helper()
	for _, c := range d.Table.Columns {
		v := d.Vector(c.Name)
		for row := range d.Rows {
			_ = text(d, c.Name, row)
			if c.Sorted && row > 0 && v.Int(row) < v.Int(row-1) {
				t.Errorf("%s.%s: row %d: got %d after %d, want sorted values", d.Table.Name, c.Name, row, v.Int(row), v.Int(row-1))
				return
			}
		}
	}
}

// TestNames: names of tables and columns are unique without regard to case, and each
// column has a description.
func TestNames(t *testing.T) {
	for _, table := range columns.Tables() {
		t.Run(table.Name, func(t *testing.T) {
			seen := map[string]bool{}
			for _, c := range table.Columns {
				expect.Equal(t, "second column "+c.Name, seen[c.Name], false)
				expect.NotZero(t, "description of "+c.Name, c.Doc)
				seen[c.Name] = true
			}
		})
	}
}

// TestKnownTable: a known event that the trace does not have has a table without rows.
func TestKnownTable(t *testing.T) {
	d := load(t, open(t, shared.Trace(t, "net10-empty.v4")), "microsoft_windows_dotnetruntime_gcstart")
	expect.Equal(t, "rows", d.Rows, 0)
	expect.AtLeast(t, "column Count", d.Table.Column("Count"), 1)
}

// TestUnknownTable: a name that no table has is an error.
func TestUnknownTable(t *testing.T) {
	_, err := open(t, shared.Trace(t, "net10-empty.v4")).Load(t.Context(), "nothing")
	if err == nil {
		t.Fatal("no error")
	}
	expect.Equal(t, "error", err.Error(), `columns: no table "nothing"`)
}

// TestMemory: events without the fields of their types take at most 300 bytes each.
func TestMemory(t *testing.T) {
	tier.NeedsCheck(t) // it measures the memory of the process
	if shared.Race {
		t.Skip("the race detector changes the memory")
	}
	b := shared.Trace(t, "azmcp-net10-cpu.v4")
	var trace *columns.Trace
	used := measure(func() { trace = open(t, b); load(t, trace, "events") })
	events := load(t, trace, "events").Rows
	expect.AtMost(t, "bytes for each event", float64(used)/float64(events), 300)
	expect.AtLeast(t, "events", events, 10000)
	runtime.KeepAlive(trace)
}

// measure returns the bytes that remain in use after a function.
func measure(do func()) uint64 {
	var before, after runtime.MemStats
	for range 3 { // pools are emptied by the second collection
		runtime.GC()
	}
	runtime.ReadMemStats(&before)
	do()
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&after)
	return after.HeapAlloc - before.HeapAlloc
}

// TestOneRounding: samples and marks have the times of their events where a tick is no whole
// number of nanoseconds.
func TestOneRounding(t *testing.T) {
	b := gen.NewBuilder(gen.BuilderOptions{Trace: codec.Trace{SyncTicks: 1, TickFrequency: 3_579_545, PointerSize: 8}})
	sample := b.Metadata(&codec.Metadata{Provider: "Microsoft-DotNETCore-SampleProfiler"})
	step := b.Metadata(&codec.Metadata{Provider: "Test", EventID: 1, Name: "Step"})
	b.Thread(&codec.Thread{Index: 1, ProcessID: 7, ThreadID: 70, HasProcessID: true, HasThreadID: true})
	for i := range uint64(50) {
		b.Now = 100 + 7*i
		row := codec.EventRow{MetadataID: sample, ThreadIndex: 1, CaptureThreadIndex: 1, Timestamp: b.Now, Payload: []byte{2, 0, 0, 0}}
		if i%2 == 1 {
			row.MetadataID, row.Payload = step, nil
		}
		b.Event(&row)
	}
	trace := open(t, b.Trace().Bytes())
	known := map[int64]bool{}
	events := load(t, trace, "events")
	for row := range events.Rows {
		known[events.Vector("at_ns").Int(row)] = true
	}
	for _, name := range []string{"samples", "marks"} {
		d := load(t, trace, name)
		expect.AtLeast(t, name, d.Rows, 20)
		for row := range d.Rows {
			at := d.Vector("at_ns").Int(row)
			expect.Equal(t, fmt.Sprint(name, " at ", at, " have an event"), known[at], true)
		}
	}
}

// TestUnknownColumn: a name that no column has is an error.
func TestUnknownColumn(t *testing.T) {
	_, err := open(t, shared.Trace(t, "net10-empty.v4")).Load(t.Context(), "gc", "number", "nothing")
	expect.Equal(t, "error", fmt.Sprint(err), `columns: no column "nothing" in table "gc"`)
}
