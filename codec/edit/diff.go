package edit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
)

// DiffOptions say what Diff compares. The zero value compares all that it knows.
type DiffOptions struct {
	// Ignore names what is not compared; see DiffFields.
	Ignore []string
	// ByTime says that the Readers give events in order of time: those of one
	// moment are compared as a set, because versions break ties otherwise.
	ByTime bool
}

// Difference is what Diff found.
type Difference struct {
	// Events are the numbers of events of the two streams.
	Events [2]int64
	// First is where they differ first: the number of the event, from 0 on, in
	// the order in which events are read; -1 when all are equal.
	First int64
	// Fields name what is different there: "end" where one stream has no event.
	Fields []string
	// A and B are the events that stand there, nil behind the last one.
	A, B *codec.Event
	// Whole tells what is different of the traces as a whole, with both values.
	Whole []string
	// Providers are those that events came from, in the order first met.
	Providers []ProviderCount
}

// ProviderCount is the number of events of a provider in the two streams.
type ProviderCount struct {
	Provider string
	Events   [2]int64
}

// Equal says whether no difference was found.
func (d *Difference) Equal() bool { return d.First < 0 && len(d.Whole) == 0 }

// String tells in a few lines what differs.
func (d *Difference) String() string {
	var b strings.Builder
	for _, what := range d.Whole {
		fmt.Fprintln(&b, what)
	}
	if d.First >= 0 {
		fmt.Fprintf(&b, "event %d: %s\n", d.First, strings.Join(d.Fields, ", "))
	}
	fmt.Fprintf(&b, "%d and %d events", d.Events[0], d.Events[1])
	return b.String()
}

// Diff compares two streams by what they say, whatever their versions: events
// one by one, in the order in which the Readers give them. It reads both to
// their ends and holds one event of each, or those of one moment.
//
// Where one of the two is v3, what v3 does not hold is not compared: sequence
// number, capture thread, processor and losses. What ended a stream too early
// its Reader tells; it is no difference if the events are the same. The error is
// that of a stream without a Trace block, or of a Reader that is not complete:
// see codec.Reader.Complete. With NoStacks, stacks must be ignored.
func Diff(a, b *codec.Reader, opt DiffOptions) (*Difference, error) {
	if a == b {
		return nil, errors.New("both streams have the same Reader")
	}
	d := &differ{opt: opt, found: Difference{First: -1}, at: map[string]int{}}
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
	}
	d.choose(traces)
	d.traces(traces)
	d.events()
	d.losses()
	return &d.found, nil
}

// differ walks through two streams.
type differ struct {
	opt   DiffOptions
	found Difference
	side  [2]diffSide
	check []diffField
	whole map[string]bool // what is compared of the traces as a whole
	at    map[string]int  // position of a provider in found.Providers
	index int64           // of the events that come next
}

// diffSide is one of the streams, and the event that comes next.
type diffSide struct {
	r        *codec.Reader
	next     *codec.Event // nil at the end
	metadata *codec.Metadata
	provider int // of the metadata, in found.Providers
}

// ready returns an error when r does not give all that is compared. Stacks may
// be left out when they are ignored.
func (d *differ) ready(r *codec.Reader) error {
	err := r.Complete()
	if errors.Is(err, codec.ErrNoStacks) && slices.Contains(d.opt.Ignore, "stack") {
		return r.AtStart()
	}
	return err
}

// choose makes the list of what is compared.
func (d *differ) choose(traces [2]*codec.Trace) {
	old := traces[0].Format.Major < 4 || traces[1].Format.Major < 4
	d.whole = make(map[string]bool)
	for _, f := range diffFields {
		if slices.Contains(d.opt.Ignore, f.name) || f.sequenced && old {
			continue
		}
		if d.whole[f.name] = true; f.same != nil {
			d.check = append(d.check, f)
		}
	}
}

// step goes to the next event of a stream, and counts it.
func (d *differ) step(i int) {
	s := &d.side[i]
	e, ok := s.r.Next()
	if s.next = e; !ok {
		s.next = nil
		return
	}
	d.found.Events[i]++
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

// skip goes to the end of a stream.
func (d *differ) skip(i int) {
	for d.side[i].next != nil {
		d.step(i)
	}
}

func (d *differ) same(a, b *codec.Event) bool {
	for i := range d.check {
		if !d.check[i].same(a, b) {
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
		if !d.check[i].same(a, b) {
			d.found.Fields = append(d.found.Fields, d.check[i].name)
		}
	}
}

// maxMoment bounds the events of one moment that are compared as a set.
const maxMoment = 1 << 14

// moment compares the rest of the events of one moment as a set.
func (d *differ) moment(ticks uint64) {
	var lists [2][]*codec.Event
	for i := range d.side {
		for e := d.side[i].next; e != nil && e.Timestamp == ticks && len(lists[i]) < maxMoment; e = d.side[i].next {
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

// closest is the event that is to be shown beside one that has no equal.
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
