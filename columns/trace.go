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
	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/analysis/spans"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/chunks"
	"github.com/nettrace-go/nettrace/profile"
)

// Options configure New.
type Options struct {
	// Open opens the uncompressed stream of the trace. It is called for each pass.
	Open func() (io.ReadCloser, error)
	// Name is the name of the file, for the table files.
	Name string
	// Chunks, if set, is the same stream, for several goroutines.
	Chunks Chunks
	// Reader are the options of the readers. Order has no effect.
	Reader codec.Options
	// Profile bounds the samples, and Analysis the other tables.
	Profile profile.Limits
	// Analysis bounds the memory of all tables but those of samples.
	Analysis analysis.Limits
}

// Chunks is an uncompressed stream that several goroutines read at the same time. The tables
// are those that one goroutine reads. One reads a stream of version 3, and of one without
// sequence points what is not made of samples.
type Chunks struct {
	At      io.ReaderAt // nil: one goroutine reads
	Size    int64       // bytes of the stream
	Workers int         // goroutines that read
}

// Reader has what is wrong with a trace that was read: a codec.Reader or a codec.ChunkJoin.
type Reader interface {
	Trace() (*codec.Trace, error) // the header
	Err() error                   // the error that ended the pass
	BadBlocks() (int, error)      // number and first error of blocks that were skipped
	Defects() []codec.Defect      // violations of rules that do not end the pass
	Lost() uint64                 // number of lost events
	// TrailingBytes returns the number of bytes after the end mark. The error is nil, or that
	// of the stream.
	TrailingBytes() (int64, error)
}

// Trace reads the tables of one trace. It is for one goroutine.
type Trace struct {
	opt    Options
	header *codec.Trace
	fixed  map[string]*Table // those of every trace, by name in lower case
	last   Reader
	err    error  // that ended a pass before the end of the trace
	serial string // of Undivided

	described *described // nil until a table of a type of events is needed

	read     source // what is read
	events   *eventColumns
	analysis *analysis.Trace
	gc       []analysis.Report
	requests []analysis.Report
	spans    []analysis.Report
	counters counters.Values
	profile  *profile.Profile
	stacks   *profileStacks
	samples  *sampleColumns // nil until sampleRows makes it
	marks    []mark
	tree     stackTree
	data     map[*Table]*Data
	fields   map[*Table]LeftOutFields
	noStacks int64 // events whose stack is left out
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

// New reads the header of a trace. The error is that of Options.Open, or of a stream
// without a header.
func New(opt Options) (*Trace, error) {
	src, err := opt.Open()
	if err != nil {
		return nil, err
	}
	defer src.Close()
	header, err := codec.NewReader(src, opt.Reader).Trace()
	if err != nil {
		return nil, err
	}
	t := &Trace{opt: opt, header: header, fixed: map[string]*Table{}, data: map[*Table]*Data{}, fields: map[*Table]LeftOutFields{}}
	for _, table := range tables() {
		t.fixed[table.Name] = table
	}
	return t, nil
}

// Names counts the frames without names in the samples, none before samples are read.
func (t *Trace) Names() profile.NameSummary {
	if t.profile == nil {
		return profile.NameSummary{}
	}
	return t.profile.Names(sampleTypes...)
}

// Tables returns the tables that every trace has. The caller must not modify them.
func Tables() []*Table { return tables() }

// Tables returns the tables of the trace: those of the function Tables, and those of the
// types of events that it describes. The first call reads the trace once. The error is the
// context's cause or that of Options.Open; errors of the stream are in Err.
func (t *Trace) Tables(ctx context.Context) ([]*Table, error) {
	if err := t.describe(ctx); err != nil {
		return nil, err
	}
	return slices.Concat(tables(), t.described.list), nil
}

// Table returns the table with a name; upper and lower case are the same. Beside
// Tables, it finds those of known events that the trace does not describe: they have
// no rows. It reads the trace as Tables does, but not for a table that every trace has.
// The error is an UnknownTableError or one of Tables.
func (t *Trace) Table(ctx context.Context, name string) (*Table, error) {
	lower := strings.ToLower(name)
	if table := t.fixed[lower]; table != nil {
		return table, nil
	}
	if err := t.describe(ctx); err != nil {
		return nil, err
	}
	if table := t.described.byName[lower]; table != nil {
		return table, nil
	}
	if table := knownTables()[lower]; table != nil {
		return table, nil
	}
	return nil, &UnknownTableError{name}
}

// Reader returns the Reader of the last pass: its errors, defects and losses. It is
// nil before the first one.
func (t *Trace) Reader() Reader { return t.last }

// Undivided returns why one goroutine has read the trace although Options.Chunks has several
// Workers, to follow "because". It returns "" if several have, or if nothing was read.
func (t *Trace) Undivided() string { return t.serial }

// Err returns the error that ended a pass before the end of the trace: the tables have the
// rows before it.
func (t *Trace) Err() error { return t.err }

// Load reads columns of a table, all if no name is given. A name that no column has is an
// UnknownColumnError. Load reads what several calls
// need only once if Prepare got their names before.
func (t *Trace) Load(ctx context.Context, table string, columns ...string) (*Data, error) {
	found, err := t.Table(ctx, table)
	if err != nil {
		return nil, err
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
	if needs&fromTypes != 0 {
		if err := t.describe(ctx); err != nil {
			return err
		}
	}
	if needs&ofAnalysis&^t.read != 0 || len(typed) > 0 {
		if err := t.readAnalysis(ctx, needs, typed); err != nil {
			return err
		}
	}
	if needs&ofProfile&^t.read != 0 {
		if err := t.readProfile(ctx, needs); err != nil {
			return err
		}
	}
	if needs&fromStacks&^t.read != 0 {
		t.stacks.number()
		t.read |= fromStacks
	}
	for i := range list {
		t.fill(&list[i])
	}
	for _, one := range typed {
		t.data[one.want.Table], t.fields[one.want.Table] = one.data(t.sync()), one.leftOut()
	}
	return nil
}

// needs returns what a table and its columns are made from.
func (t *Trace) needs(w *Want) source {
	needs := w.Table.needs
	for i := range w.Table.Columns {
		if !w.uses(i) {
			continue
		}
		c := &w.Table.Columns[i]
		needs |= c.needs
		switch {
		case c.Of != "stacks":
		case needs&fromEvents != 0:
			needs |= fromStackColumn | fromEventStacks
		default:
			needs |= fromStacks
		}
	}
	if needs&fromStacks != 0 { // stacks of events have the lower numbers
		needs |= fromProfile | fromEventStacks
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
func (t *Trace) sync() int64 { return syncNs(t.header) }

// open starts a pass.
func (t *Trace) open(order codec.Order) (*codec.Reader, io.Closer, error) {
	src, err := t.opt.Open()
	if err != nil {
		return nil, nil, err
	}
	opt := t.opt.Reader
	opt.Order = order
	r := codec.NewReader(src, opt)
	t.last = r
	return r, &pass{r, src}, nil
}

// pass is the stream of a Reader.
type pass struct {
	r   *codec.Reader
	src io.Closer
}

// Close first reads the bytes after the end mark, for Reader.TrailingBytes.
func (p *pass) Close() error {
	_, _ = p.r.TrailingBytes()
	return p.src.Close()
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
	withMarks, withOwners := needs&fromMarks != 0, (needs|t.read)&fromOwners != 0
	p, err := t.sample(ctx, profile.Options{Limits: t.opt.Profile, Marks: withMarks, Requests: withOwners})
	if err := t.ended(ctx, p != nil, err); err != nil {
		return err
	}
	t.profile = p
	t.stacks = &profileStacks{tree: &t.tree, p: p, frames: map[profile.FrameID]uint32{}}
	t.samples = nil
	if needs&fromSamples != 0 {
		t.sampleRows()
	}
	t.read = t.read&^fromStacks | fromProfile
	if withOwners {
		t.read |= fromOwners
	}
	if withMarks {
		t.marks = marksOf(p)
		t.read |= fromMarks
	}
	return nil
}

// sample reads the trace as a Profile, with several goroutines if Options.Chunks allows it.
func (t *Trace) sample(ctx context.Context, opt profile.Options) (*profile.Profile, error) {
	if index := t.index(codec.FileOrder); index != nil {
		p, join, err := profile.FromChunks(ctx, profile.Chunks{Index: index, Size: t.opt.Chunks.Size, Workers: t.opt.Chunks.Workers}, opt)
		t.last = join
		return p, err
	}
	r, src, err := t.open(codec.FileOrder)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return profile.FromReader(ctx, r, opt)
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
	column := needs&fromStackColumn != 0
	needs &^= t.read
	events := &eventColumns{store: needs&(fromEvents|fromStackColumn) != 0}
	events.stacks = events.store && column
	events.number = events.stacks || needs&fromEventStacks != 0
	events.typed = typed
	list := []analysis.Part{events}
	gcPart, requestParts, spanPart := gc.New(), requestParts(), spans.New()
	for _, part := range []struct {
		of    source
		parts []analysis.Part
	}{{fromGC, []analysis.Part{gcPart}}, {fromRequests, requestParts}, {fromSpans, []analysis.Part{spanPart}}, {fromCounters, []analysis.Part{&t.counters}}} {
		if needs&part.of != 0 {
			list = append(list, part.parts...)
		}
	}
	trace, err := t.analyze(ctx, analysis.Options{Parts: list, Limits: t.opt.Analysis})
	if err := t.ended(ctx, trace != nil, err); err != nil {
		return err
	}
	t.read |= needs & ofAnalysis
	if needs&fromGC != 0 {
		t.gc = gcPart.Reports(trace)
	}
	if needs&fromRequests != 0 {
		for _, part := range requestParts {
			t.requests = part.Reports(trace) // those of the last one stay
		}
	}
	if needs&fromSpans != 0 {
		t.spans = spanPart.Reports(trace)
	}
	if events.store {
		t.events = events
	}
	if events.store || events.number {
		t.analysis = trace
	}
	if events.number {
		events.node, t.noStacks = t.tree.eventStacks(trace, events.firsts), trace.LeftOut.Stacks
	}
	return nil
}

// requestParts returns the part requests, after those that it takes facts from.
func requestParts() []analysis.Part {
	list := parts.With(requests.Name)
	list[len(list)-1].(*requests.Part).Details = true
	return list
}

// analyze reads the trace, with several goroutines if Options.Chunks allows it.
func (t *Trace) analyze(ctx context.Context, opt analysis.Options) (*analysis.Trace, error) {
	if index := t.index(codec.ByTime); index != nil {
		trace, join, err := analysis.ReadChunks(ctx, analysis.Chunks{Index: index, Size: t.opt.Chunks.Size, Workers: t.opt.Chunks.Workers}, opt)
		t.last = join
		return trace, err
	}
	r, src, err := t.open(codec.ByTime)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return analysis.Read(ctx, r, opt)
}

// index returns the index of the file for several goroutines, nil if one reads it: also if
// there is only one chunk. It sets serial.
func (t *Trace) index(order codec.Order) *codec.Index {
	c := &t.opt.Chunks
	if c.At == nil || c.Workers < 2 {
		return nil
	}
	opt := t.opt.Reader
	opt.Order = order
	index := chunks.NewIndex(c.At, c.Size, opt)
	switch {
	case index == nil:
		t.serial = chunks.WhyNone(t.header)
	case len(index.Chunks(codec.TimeRange{}, 1)) >= 2:
	case order == codec.ByTime:
		t.serial = "it has no sequence points between events"
		return nil
	default:
		t.serial = "it has one block"
		return nil
	}
	return index
}

// noSync is the sync time of a trace whose clock is impossible: it has no tick frequency, or 64
// bits cannot express its times.
const noSync = math.MinInt64

// syncNs returns the sync time in nanoseconds since 1970, or noSync.
func syncNs(header *codec.Trace) int64 {
	n, ok := unixNs(header.SyncTime)
	if !ok || header.TickFrequency == 0 {
		return noSync
	}
	return n
}

// utc returns a time in nanoseconds since 1970, at so many of them after the sync time, or nil.
func utc(sync, at int64) any {
	if sum := sync + at; sync != noSync && (sum >= sync) == (at >= 0) {
		return sum
	}
	return nil
}

// times returns the column of times at so many nanoseconds after the sync time.
func times(at []int64, sync int64) *Vector {
	if sync != noSync {
		return &Vector{Ints: at, Base: sync}
	}
	nulls := make([]bool, len(at))
	for i := range nulls {
		nulls[i] = true
	}
	return &Vector{Ints: at, Nulls: nulls}
}

// unixNs returns a time in nanoseconds since 1970. ok is false if 64 bits cannot express
// it.
func unixNs(at time.Time) (n int64, ok bool) {
	if at.Before(time.Unix(0, math.MinInt64)) || at.After(time.Unix(0, math.MaxInt64)) {
		return 0, false
	}
	return at.UnixNano(), true
}
