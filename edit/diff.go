package edit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// DiffOptions configure Diff. The zero value compares everything in the order
// of the Readers.
type DiffOptions struct {
	// Ignore has the names of properties that are not compared; see DiffFields.
	Ignore []string
	// ByTime is for Readers that return events in time order. Events with the
	// same timestamp are then compared as a set, because their order depends on
	// the version.
	ByTime bool
}

// Difference is the result of Diff.
type Difference struct {
	// Events are the numbers of events in the two streams.
	Events [2]int64
	// First is the number of the first different event, from 0, in the order of
	// reading. -1 means that all are equal.
	First int64
	// Fields are the names of the different properties of that event: "end" if
	// one stream has no such event.
	Fields []string
	// Values has the values in A and in B of those Fields that are properties of
	// the event's metadata or threads. For other Fields compare A and B.
	Values []ValueDifference
	// A and B are the events with number First, nil after the end of a stream.
	A, B *codec.Event
	// Trace has one text for each difference between the traces themselves,
	// with both values.
	Trace []string
	// NotCompared counts properties that one stream has and that the version of
	// the other one cannot express. They are no differences.
	NotCompared []Change
	// Providers are the providers of the events, in the order of their first
	// event.
	Providers []ProviderCount
}

// ValueDifference is a property with both values as text.
type ValueDifference struct {
	Field string // see DiffFields
	A, B  string // in the first and the second stream
}

// ProviderCount is the number of events of one provider in the two streams.
type ProviderCount struct {
	// Provider is the provider's name.
	Provider string
	// Events are the numbers of events in the first and the second stream.
	Events [2]int64
}

// Equal reports whether the streams have no difference.
func (d *Difference) Equal() bool { return d.First < 0 && len(d.Trace) == 0 }

// String describes the differences, one on each line.
func (d *Difference) String() string {
	var b strings.Builder
	for _, what := range d.Trace {
		fmt.Fprintln(&b, what)
	}
	if d.First >= 0 {
		fmt.Fprintf(&b, "event %d: %s\n", d.First, strings.Join(d.Fields, ", "))
	}
	for _, v := range d.Values {
		fmt.Fprintf(&b, "%s: %s and %s\n", v.Field, v.A, v.B)
	}
	fmt.Fprintf(&b, "%d and %d events", d.Events[0], d.Events[1])
	return b.String()
}

// Diff compares two streams by meaning. Their versions can differ. It compares
// events one by one in the order of the Readers, with their metadata (name,
// fields, message, description, attributes, GUID of the provider), threads
// (including name and attributes), labels, stacks and payloads; and the clock,
// properties, sequence points (time, flags, threads with their sequence
// numbers) and losses of the traces. It reads both streams to their ends. It
// keeps one event of each in memory, or those with the same timestamp.
//
// It does not compare the encoding: blocks, ids, order of rows in tables,
// compression. It does not compare metadata and threads that no event refers
// to.
//
// Properties that the version of one stream cannot express are not compared,
// but counted in Difference.NotCompared. A stream that ends too early is no
// difference if the events are the same; its Reader has the error. Diff returns
// an error if a stream has no Trace block, or if a Reader is not complete: see
// codec.Reader.Complete. A Reader with Options.NoStacks is accepted if
// Ignore contains "stack".
func Diff(ctx context.Context, a, b *codec.Reader, opt DiffOptions) (*Difference, error) {
	if a == b {
		return nil, errors.New("edit: cannot compare a Reader with itself: Diff needs two Readers")
	}
	d := &differ{ctx: ctx, opt: opt, found: Difference{First: -1}, at: map[string]int{}, fields: map[*codec.Metadata]*comparableFields{}}
	d.side[0].r, d.side[1].r = a, b
	var traces [2]*codec.Trace
	for i := range d.side {
		if err := d.ready(d.side[i].r); err != nil {
			return nil, err
		}
		var err error
		if traces[i], err = d.side[i].r.Trace(); err != nil {
			return nil, err
		}
		d.side[i].trace, d.side[i].format = traces[i], traces[i].Format
	}
	d.choose()
	d.traces(traces)
	d.collectPoints()
	d.events()
	if d.err != nil {
		return nil, d.err
	}
	d.finishPoints()
	d.losses()
	for i := range d.side {
		d.side[i].r.OnSequencePoint(nil)
	}
	d.found.NotCompared = d.notCompared.list
	return &d.found, nil
}

// differ walks through two streams.
type differ struct {
	ctx   context.Context
	steps int
	err   error // the cause of the context
	opt   DiffOptions
	found Difference
	side  [2]diffSide
	check []diffField
	whole map[string]bool // the compared properties of the traces
	// skipped are the properties that one of the versions cannot express.
	skipped map[string]bool
	at      map[string]int // position of a provider in found.Providers
	index   int64          // of the next events

	notCompared changes
	fields      map[*codec.Metadata]*comparableFields
	pair        [2]*codec.Metadata // whose fields were compared last, and are equal
	points      int                // sequence points that were compared
	pointed     bool               // one was found to be different
}

// diffSide is one of the streams, and the event that comes next.
type diffSide struct {
	r        *codec.Reader
	trace    *codec.Trace
	format   wire.Format
	next     *codec.Event // nil at the end
	counted  []diffField  // its properties that the other version cannot express
	points   []diffPoint  // that wait for those of the other stream
	waiting  int          // those, and their threads
	metadata *codec.Metadata
	provider int // of the metadata, in found.Providers
}

// ready returns an error when r does not return everything that is compared.
// Stacks may be left out when they are ignored.
func (d *differ) ready(r *codec.Reader) error {
	err := r.Complete()
	if errors.Is(err, codec.ErrNoStacks) && slices.Contains(d.opt.Ignore, "stack") {
		return r.AtStart()
	}
	return err
}

// choose makes the lists of compared properties and of properties that are only
// counted.
func (d *differ) choose() {
	d.whole, d.skipped = make(map[string]bool), make(map[string]bool)
	for _, f := range diffFields {
		if slices.Contains(d.opt.Ignore, f.name) {
			continue
		}
		missing := false
		for i := range d.side {
			mine, other := d.side[i].format, d.side[1-i].format
			if !f.placed(other) {
				missing = true
			}
			if f.beyond != nil && (!f.placed(other) && f.placed(mine) || f.limited != nil && f.limited(mine, other)) {
				d.side[i].counted = append(d.side[i].counted, f)
			}
		}
		if missing {
			d.skipped[f.name] = true
			continue
		}
		if d.whole[f.name] = true; f.same != nil {
			d.check = append(d.check, f)
		}
	}
}

// count counts the properties of an event that the other version cannot express.
func (d *differ) count(i int, e *codec.Event) {
	for k := range d.side[i].counted {
		if f := &d.side[i].counted[k]; f.beyond(d, e) {
			d.notCompared.add(fmt.Sprintf("%s of events (v%d cannot express it)", f.name, d.side[1-i].format.Major), 1)
		}
	}
}

// exempt reports whether a field of two events is not compared because one of
// the versions cannot express the value of the other event.
func (d *differ) exempt(f *diffField, a, b *codec.Event) bool {
	return f.limited != nil && (f.limited(d.side[0].format, d.side[1].format) && f.beyond(d, a) ||
		f.limited(d.side[1].format, d.side[0].format) && f.beyond(d, b))
}

// step reads the next event of a stream, and counts it.
func (d *differ) step(i int) {
	s := &d.side[i]
	if d.steps%eventsBetweenChecks == 0 && d.err == nil && d.ctx.Err() != nil {
		d.err = context.Cause(d.ctx)
	}
	if d.steps++; d.err != nil {
		s.next = nil
		return
	}
	e, ok := s.r.Next()
	if s.next = e; !ok {
		s.next = nil
		return
	}
	d.found.Events[i]++
	d.count(i, e)
	if m := e.Metadata(); m != s.metadata || m == nil {
		s.metadata, s.provider = m, d.provider(e.Provider())
	}
	d.found.Providers[s.provider].Events[i]++
}

func (d *differ) provider(name string) int {
	at, ok := d.at[name]
	if !ok {
		at = len(d.found.Providers)
		d.at[name] = at
		d.found.Providers = append(d.found.Providers, ProviderCount{Provider: name})
	}
	return at
}

// events compares the events up to the first difference, and counts the others.
func (d *differ) events() {
	d.step(0)
	d.step(1)
	for a, b := d.side[0].next, d.side[1].next; a != nil || b != nil; a, b = d.side[0].next, d.side[1].next {
		switch {
		case d.found.First >= 0:
			d.skip(0)
			d.skip(1)
		case a != nil && b != nil && d.same(a, b):
			d.index++
			d.step(0)
			d.step(1)
		case d.opt.ByTime && a != nil && b != nil && a.Timestamp == b.Timestamp:
			d.moment(a.Timestamp)
		default:
			d.differs(a, b)
		}
	}
}

// skip reads a stream to its end.
func (d *differ) skip(i int) {
	for d.side[i].next != nil {
		d.step(i)
	}
}

func (d *differ) same(a, b *codec.Event) bool {
	for i := range d.check {
		if f := &d.check[i]; !f.same(d, a, b) && !d.exempt(f, a, b) {
			return false
		}
	}
	return true
}

// differs keeps the first difference.
func (d *differ) differs(a, b *codec.Event) {
	d.found.First = d.index
	if a != nil {
		d.found.A = a.Clone()
	}
	if b != nil {
		d.found.B = b.Clone()
	}
	if a == nil || b == nil {
		d.found.Fields = []string{"end"}
		return
	}
	for i := range d.check {
		f := &d.check[i]
		if f.same(d, a, b) || d.exempt(f, a, b) {
			continue
		}
		d.found.Fields = append(d.found.Fields, f.name)
		if f.text != nil {
			d.found.Values = append(d.found.Values, ValueDifference{f.name, f.text(a), f.text(b)})
		}
	}
}

// maxAtOneTime bounds the events of one moment that are compared as a set.
const maxAtOneTime = 1 << 14

// moment compares the rest of the events of one moment as a set.
func (d *differ) moment(ticks uint64) {
	var lists [2][]*codec.Event
	for i := range d.side {
		for e := d.side[i].next; e != nil && e.Timestamp == ticks && len(lists[i]) < maxAtOneTime; e = d.side[i].next {
			lists[i] = append(lists[i], e.Clone())
			d.step(i)
		}
	}
	rest := lists[1]
	for _, a := range lists[0] {
		at := slices.IndexFunc(rest, func(b *codec.Event) bool { return d.same(a, b) })
		if at < 0 {
			d.differs(a, closest(a, rest))
			return
		}
		rest = slices.Delete(rest, at, at+1)
		d.index++
	}
	if len(rest) > 0 {
		d.differs(nil, rest[0])
	}
}

// traces compares the properties of the traces.
func (d *differ) traces(traces [2]*codec.Trace) {
	a, b := traces[0], traces[1]
	clock := func(t *codec.Trace) string {
		return fmt.Sprintf("%s at %d, %d Hz, pointers of %d bytes", t.SyncTime.Format("2006-01-02T15:04:05.999Z"), t.SyncTicks, t.TickFrequency, t.PointerSize)
	}
	d.traceDiffers("clock", clock(a), clock(b))
	x, y := a.Properties, b.Properties
	if d.mixed() && d.whole["properties"] {
		x, y = d.numericProperties(0), d.numericProperties(1)
		x, y = d.bothHave(x, y), d.bothHave(y, x)
	}
	if !slices.Equal(x, y) {
		d.traceDiffers("properties", fmt.Sprintf("%q", x), fmt.Sprintf("%q", y))
	}
}

// numericProperties are the properties of a trace that all versions can
// express, in one order. The others are counted.
func (d *differ) numericProperties(i int) []codec.KeyValue {
	var list []codec.KeyValue
	for _, key := range []string{codec.ProcessIDKey, codec.HardwareThreadCountKey, codec.ExpectedCPUSamplingRateKey} {
		value, ok := d.side[i].trace.Property(key)
		if _, err := strconv.ParseUint(value, 10, 32); ok && err == nil {
			list = append(list, codec.KeyValue{Key: key, Value: value})
		}
	}
	d.notCompared.add(fmt.Sprintf("properties (v%d cannot express them)", d.side[1-i].format.Major), len(d.side[i].trace.Properties)-len(list))
	return list
}

// bothHave returns the properties of list whose keys are in other too.
func (d *differ) bothHave(list, other []codec.KeyValue) []codec.KeyValue {
	return slices.DeleteFunc(slices.Clone(list), func(p codec.KeyValue) bool {
		return !slices.ContainsFunc(other, func(o codec.KeyValue) bool { return o.Key == p.Key })
	})
}

// losses compares the lost events of the traces, when both are read.
func (d *differ) losses() {
	if d.skipped["lost"] {
		d.notCompared.add("lost events (v3 cannot express them)", int(d.side[0].r.Lost()+d.side[1].r.Lost()))
	}
	d.traceDiffers("lost", fmt.Sprint(d.side[0].r.Lost()), fmt.Sprint(d.side[1].r.Lost()))
}

func (d *differ) traceDiffers(name, a, b string) {
	if d.whole[name] && a != b {
		d.found.Trace = append(d.found.Trace, fmt.Sprintf("%s: %s and %s", name, a, b))
	}
}

// closest returns the event to show next to one that has no equal.
func closest(a *codec.Event, list []*codec.Event) *codec.Event {
	for _, b := range list {
		if a.Provider() == b.Provider() && a.ID() == b.ID() && a.ThreadIndex == b.ThreadIndex {
			return b
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[0]
}
