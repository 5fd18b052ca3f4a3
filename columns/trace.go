package columns

import (
	"context"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/counters"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/profile"
)

// Options configure New.
type Options struct {
	// Open opens the uncompressed stream of the trace. It is called for each pass.
	Open func() (io.ReadCloser, error)
	// Name is the name of the file, for the table files.
	Name string
	// Reader are the options of the readers. Order has no effect.
	Reader codec.Options
	// Profile bounds the samples, and Analysis the other tables.
	Profile profile.Limits
	// Analysis bounds the memory of all tables but those of samples.
	Analysis analysis.Limits
}

// Trace reads the tables of one trace. It is for one goroutine.
type Trace struct {
	opt    Options
	tables []*Table
	byName map[string]*Table
	last   *codec.Reader
	err    error // that ended New or a pass before the end of the trace

	read     source // what is read
	events   *eventColumns
	analysis *analysis.Trace
	gc       []analysis.Report
	requests []analysis.Report
	counters counters.Values
	profile  *profile.Profile
	stacks   *profileStacks
	samples  *sampleColumns // nil until sampleRows makes it
	marks    []mark
	tree     stackTree
	data     map[*Table]*Data
	fields   map[*Table]LeftOutFields
	header   *codec.Trace

	described *described
}

// Data has the rows of a table.
type Data struct {
	Table *Table // of the rows
	Rows  int    // number of rows

	vectors []*Vector // by column, nil for a column that was not requested
}

// Vector returns the values of a column, nil if there is no such column or Load did
// not get its name.
func (d *Data) Vector(column string) *Vector {
	if i := d.Table.Column(column); i >= 0 {
		return d.vectors[i]
	}
	return nil
}

// New reads the types of events that a trace describes. On an error of the stream
// the Trace has what comes before it; the Trace is nil if the stream has no header.
func New(ctx context.Context, opt Options) (*Trace, error) {
	t := &Trace{opt: opt, byName: map[string]*Table{}, data: map[*Table]*Data{}, fields: map[*Table]LeftOutFields{}}
	t.tables = slices.Clone(tables)
	described, err := t.describe(ctx)
	if described == nil {
		return nil, err
	}
	t.header, t.described, t.err = described.header, described, err
	t.tables = append(t.tables, described.list...)
	for _, table := range t.tables {
		t.byName[strings.ToLower(table.Name)] = table
	}
	return t, err
}

// Tables returns the tables that every trace has. The caller must not modify them.
func Tables() []*Table { return tables }

// Tables returns the tables of the trace: those of the function Tables, and those of the
// types of events that it describes.
func (t *Trace) Tables() []*Table { return t.tables }

// Table returns the table with a name; upper and lower case are the same. Beside
// Tables, it finds those of known events that the trace does not describe: they have
// no rows.
func (t *Trace) Table(name string) (*Table, bool) {
	lower := strings.ToLower(name)
	table := t.byName[lower]
	if table == nil {
		table = knownTables()[lower]
	}
	return table, table != nil
}

// Reader returns the Reader of the last pass: its errors, defects and losses. It is
// nil before the first one.
func (t *Trace) Reader() *codec.Reader { return t.last }

// Err returns the error that ended New or a pass before the end of the trace: the tables
// have the rows before it.
func (t *Trace) Err() error { return t.err }

// Load reads columns of a table, all if no name is given. A name that no column has is an
// UnknownColumnError. Load reads what several calls
// need only once if Prepare got their names before.
func (t *Trace) Load(ctx context.Context, table string, columns ...string) (*Data, error) {
	found, ok := t.Table(table)
	if !ok {
		return nil, &UnknownTableError{table}
	}
	want := Want{Table: found}
	for _, name := range columns {
		i := found.Column(name)
		if i < 0 {
			return nil, &UnknownColumnError{found.Name, name}
		}
		want.Columns = append(want.Columns, i)
	}
	if err := t.Prepare(ctx, []Want{want}); err != nil {
		return nil, err
	}
	return t.Data(found), nil
}

// Data returns the rows of a table that Prepare read, nil for another one.
func (t *Trace) Data(table *Table) *Data { return t.data[table] }

// Forget releases the rows of a table.
func (t *Trace) Forget(table *Table) { delete(t.data, table) }

// Want is a table with the columns that are used.
type Want struct {
	Table   *Table // of Trace.Tables or Trace.Table
	Columns []int  // positions, nil for all
}

// uses reports whether a column is used.
func (w *Want) uses(column int) bool { return w.Columns == nil || slices.Contains(w.Columns, column) }

// Prepare reads the tables of a list, in as few passes as possible. The error is the
// context's cause or that of Options.Open; errors of the stream are in Err.
func (t *Trace) Prepare(ctx context.Context, list []Want) error {
	needs, typed := source(0), []*typedColumns(nil)
	for i := range list {
		if t.complete(&list[i]) {
			continue
		}
		needs |= t.needs(&list[i])
		if list[i].Table.typed != nil {
			typed = append(typed, newTyped(list[i].Table.typed, &list[i], t.opt.Reader.Schemas))
		}
	}
	if needs&(fromProfile|fromMarks)&^t.read != 0 {
		if err := t.readProfile(ctx, needs); err != nil {
			return err
		}
	}
	if needs&ofAnalysis&^t.read != 0 || len(typed) > 0 {
		if err := t.readAnalysis(ctx, needs, typed); err != nil {
			return err
		}
	}
	for i := range list {
		t.fill(&list[i])
	}
	for _, one := range typed {
		t.data[one.want.Table], t.fields[one.want.Table] = one.data(), one.leftOut()
	}
	return nil
}

// needs returns what a table and its columns are made from.
func (t *Trace) needs(w *Want) source {
	needs := w.Table.needs
	for i := range w.Table.Columns {
		if w.uses(i) && w.Table.Columns[i].Of == "stacks" && needs&fromEvents != 0 {
			needs |= fromStacks
		}
	}
	if needs&fromStacks != 0 { // stacks of samples have the lower numbers
		needs |= fromProfile | fromEvents
	}
	return needs
}

// complete reports whether a table was read with these columns.
func (t *Trace) complete(w *Want) bool {
	d := t.data[w.Table]
	if d == nil {
		return false
	}
	for i, v := range d.vectors {
		if v == nil && w.uses(i) {
			return false
		}
	}
	return true
}

// fill makes the vectors of a table of which everything is read. Vectors that it has
// stay.
func (t *Trace) fill(w *Want) {
	if w.Table.fill == nil || t.complete(w) {
		return
	}
	old := t.data[w.Table]
	uses := func(i int) bool { return w.uses(i) || old != nil && old.vectors[i] != nil }
	d := &Data{Table: w.Table}
	d.vectors, d.Rows = w.Table.fill(t, uses)
	t.data[w.Table] = d
}

// sync returns the sync time in nanoseconds since 1970.
func (t *Trace) sync() int64 { return syncNs(t.header.SyncTime) }

// open starts a pass.
func (t *Trace) open(order codec.Order) (*codec.Reader, io.Closer, error) {
	src, err := t.opt.Open()
	if err != nil {
		return nil, nil, err
	}
	opt := t.opt.Reader
	opt.Order = order
	t.last = codec.NewReader(src, opt)
	return t.last, src, nil
}

// ended keeps the error of a pass. It returns the error if it is not one of the
// stream, or if the pass has no result.
func (t *Trace) ended(ctx context.Context, result bool, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !result:
		return err
	case err != nil:
		t.err = err
	}
	return nil
}

// readProfile reads the samples.
func (t *Trace) readProfile(ctx context.Context, needs source) error {
	withMarks := needs&fromMarks != 0
	r, src, err := t.open(codec.FileOrder)
	if err != nil {
		return err
	}
	defer src.Close()
	p, err := profile.FromReader(ctx, r, profile.Options{Limits: t.opt.Profile, Marks: withMarks})
	if err := t.ended(ctx, p != nil, err); err != nil {
		return err
	}
	t.profile = p
	t.stacks = &profileStacks{tree: &t.tree, p: p, frames: map[profile.FrameID]uint32{}, nodes: map[profile.StackID]uint32{}}
	t.samples = nil
	if needs&fromSamples != 0 {
		t.sampleRows()
	} else {
		t.stacks.number()
	}
	t.read |= fromProfile
	if withMarks {
		t.marks = marksOf(p)
		t.read |= fromMarks
	}
	return nil
}

// sampleRows returns the samples of the Profile.
func (t *Trace) sampleRows() *sampleColumns {
	if t.samples == nil {
		t.samples = newSamples(t.profile, t.stacks)
	}
	return t.samples
}

// readAnalysis reads what one pass of package analysis reads.
func (t *Trace) readAnalysis(ctx context.Context, needs source, typed []*typedColumns) error {
	needs &^= t.read
	events := &eventColumns{store: needs&(fromEvents|fromStacks) != 0, stacks: needs&fromStacks != 0}
	list := []analysis.Part{events}
	for _, one := range typed {
		one.events = events
		list = append(list, one)
	}
	gcPart, requestPart := gc.New(), requests.New()
	for _, part := range []struct {
		of   source
		part analysis.Part
	}{{fromGC, gcPart}, {fromRequests, requestPart}, {fromCounters, &t.counters}} {
		if needs&part.of != 0 {
			list = append(list, part.part)
		}
	}
	r, src, err := t.open(codec.ByTime)
	if err != nil {
		return err
	}
	defer src.Close()
	trace, err := analysis.Read(ctx, r, analysis.Options{Parts: list, Limits: t.opt.Analysis})
	if err := t.ended(ctx, trace != nil, err); err != nil {
		return err
	}
	t.read |= needs & ofAnalysis
	if needs&fromGC != 0 {
		t.gc = gcPart.Reports(trace)
	}
	if needs&fromRequests != 0 {
		t.requests = requestPart.Reports(trace)
	}
	if events.store {
		t.events, t.analysis = events, trace
	}
	if events.stacks {
		events.node = t.tree.eventStacks(trace, events.firsts)
	}
	return nil
}

// syncNs returns the sync time in nanoseconds since 1970, 0 if the trace has none that
// 64 bits can express.
func syncNs(sync time.Time) int64 {
	n, _ := unixNs(sync)
	return n
}

// unixNs returns a time in nanoseconds since 1970. ok is false if 64 bits cannot express
// it.
func unixNs(at time.Time) (n int64, ok bool) {
	if at.Before(time.Unix(0, math.MinInt64)) || at.After(time.Unix(0, math.MaxInt64)) {
		return 0, false
	}
	return at.UnixNano(), true
}
