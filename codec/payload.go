package codec

import (
	"iter"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// EventSchema describes an event whose metadata in the trace has no name or
// fields.
type EventSchema struct {
	// Name is the name of the event.
	Name string
	// Fields are the fields of the payload, in order.
	Fields  []Field
	Version uint32 // version of the event that Fields belong to; not above the requested one
}

// fieldsView is the view of the payload for reading its fields.
type fieldsView struct {
	payload []byte  // its capacity is larger than its length, so that a number is one load
	nodes   []node  // the fields of plan under one reading
	plan    *plan   // nil: no fields are known
	tried   bool    // bad is known
	bad     rule.ID // why the payload does not fit, or None
	at      int     // where in the payload
	stream  *stream // counts the memory of a layout; nil in a clone
	steady  *plan   // plan, if nodes are of it for each event of its type; or nil
}

// Fields iterates over the fields of the payload in declared order, up to the
// first one that does not fit. FieldsError reports whether all fit. It
// allocates nothing if they do.
//
// Types that real writers encode in another way than the specification are read
// as those writers mean them (see Options.NoLeniency). Fields of events that
// the trace does not describe come from Options.Schemas.
func (e *Event) Fields() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		f, pos := e.fields(), 0
		nodes, size := f.nodes, len(f.payload)
		for i := range nodes {
			n, last := &nodes[i], false
			end := pos + int(n.size)
			if n.size < 0 || end > size {
				var fits fit
				if end, fits = f.pass(n, pos); fits == hole {
					pos = end
					continue
				}
				if last = fits >= partial; fits == short {
					return
				}
			}
			if !yield(n.name, Value{f, n, int32(pos), int32(end)}) || last {
				return
			}
			pos = end
		}
	}
}

// Field returns the first field whose name is name, and false if there is none or
// the payload ends before it. If the metadata declares one object without a name,
// as in self-describing .NET events, the fields of that object are found by
// their own names. Metadata.Field and Event.Value avoid the search.
func (e *Event) Field(name string) (Value, bool) {
	for field, v := range e.Fields() {
		if field == name {
			return v, true
		}
		if field == "" && len(e.fields().nodes) == 1 {
			for inner, v := range v.Fields() {
				if inner == name {
					return v, true
				}
			}
		}
	}
	return Value{}, false
}

// FieldsError returns an *Error if the payload does not fit the event's fields,
// with the broken rule and its place, otherwise nil. The first call for an
// event counts the error as a defect. ErrLimit means that the fields need more
// memory than Limits.Total: Reader.Events then ends with that error after the
// events that are already decoded.
func (e *Event) FieldsError() error {
	f := e.fields()
	if !f.tried {
		f.try()
	}
	if f.bad == rule.None {
		return nil
	}
	err := e.misfit(f)
	if !e.cloned() && !f.refused() {
		e.src.r.countMisfit(e, err)
	}
	return err
}

// misfit returns the error of an event whose payload does not fit.
func (e *Event) misfit(f *fieldsView) *Error {
	err := &Error{
		Offset: e.src.offset + int64(e.payload) + int64(f.at), Block: wire.KindEvent, BlockOffset: e.src.block,
		Row: NoRow, Rule: f.bad, Err: ErrDefect,
	}
	if f.refused() {
		err.Err = ErrLimit
	}
	return err
}

// fields returns the view of the payload, which is valid until the next event's
// is used. That of a clone is complete, so that goroutines can share it.
func (e *Event) fields() *fieldsView {
	if e.cloned() {
		return &e.src.held.clone.view
	}
	r := e.src.r
	if offset := e.Offset(); offset != r.viewed {
		r.viewed = offset
		f, payload := &r.view, e.src.body[e.payload:e.payload+e.size]
		m := e.Metadata()
		switch {
		case m == nil || m.plan == nil:
			f.set(r.planOf(e, m), payload)
		case m.plan == f.steady: // of the same type as the event before
			f.payload, f.tried = payload, false
		case r.steady(m.plan):
			f.payload, f.nodes, f.plan, f.steady, f.tried = payload, m.plan.first, m.plan, m.plan, false
		default:
			f.set(r.planOf(e, m), payload)
		}
	}
	return &r.view
}

// set makes the view that of a payload. Of several readings the first that
// consumes the payload exactly is chosen, the first of all when none does.
func (f *fieldsView) set(p *plan, payload []byte) {
	f.payload, f.nodes, f.plan, f.steady, f.tried = payload, nil, p, nil, false
	if p == nil {
		f.bad, f.tried = rule.None, true
		return
	}
	if p.first == nil {
		f.refuse()
		return
	}
	f.nodes = p.first
	switch {
	case len(p.readings) > 1:
		f.choose()
	case f.stream == nil:
	case p.lacking:
		f.countUndescribed()
	}
}

// countUndescribed counts an event that nothing describes, if it has a payload.
func (f *fieldsView) countUndescribed() {
	if len(f.payload) > 0 {
		f.stream.undescribed++
	}
}

// refuse makes the view one without fields, for lack of memory.
func (f *fieldsView) refuse() {
	f.nodes, f.bad, f.at, f.tried = nil, rule.LIM009, 0, true
}

func (f *fieldsView) refused() bool { return f.bad == rule.LIM009 }

func (f *fieldsView) choose() {
	var first fieldsView
	for i := range f.plan.readings {
		if !f.mayLayOut(i) {
			f.refuse()
			return
		}
		f.nodes = f.plan.layout(i)
		if f.try(); f.bad == rule.None {
			return
		}
		if i == 0 {
			first = *f
		}
	}
	*f = first
}

// countMisfit counts a payload that does not fit as a defect, once.
func (r *stream) countMisfit(e *Event, err *Error) {
	if r.lastMisfit == e.Offset() {
		return
	}
	r.lastMisfit = e.Offset()
	if !r.opt.Strict {
		r.count(*err)
		return
	}
	r.countLast(*err)
	r.owner.dropWaiting()
	r.next, r.ready, r.decoded, r.inRows = 0, 0, 0, false
}
