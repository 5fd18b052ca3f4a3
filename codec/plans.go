package codec

// plans are those of metadata rows, for Limits.Total. They outlive the rows'
// place in the table, as the cache of rows does, up to its size.
type plans struct {
	rows  []*Metadata // that have or had a plan, some more than once
	bytes int64       // of the plans and, because rows keeps them, of the rows
}

const (
	planSize = 256 // bytes of a plan without its layouts
	nodeSize = 96  // of a layout, for each type
)

func (p *plans) held() int64 { return p.bytes + int64(cap(p.rows))*8 }

// spend forgets the plans when they are large: they are made anew where they are
// needed. The table of metadata has been cleared.
func (p *plans) spend() {
	if p.bytes <= internLimit {
		return
	}
	for _, m := range p.rows {
		m.plan = nil
	}
	p.rows, p.bytes = nil, 0
}

// drop forgets the plan of a row.
func (p *plans) drop(m *Metadata) {
	if m.plan != nil {
		p.bytes -= m.plan.held
		m.plan = nil
	}
}

// put makes made the plan of a row.
func (p *plans) put(m *Metadata, made *plan) {
	if m.plan == nil {
		p.rows = append(p.rows, m)
		p.bytes += m.cost
	}
	p.drop(m)
	m.plan = made
	p.bytes += made.held
}

// planOf returns the plan of m, the event's metadata, or nil.
func (r *stream) planOf(e *Event, m *Metadata) *plan {
	if m == nil {
		return nil
	}
	p := m.plan
	if p == nil || p.pointer != r.trace.PointerSize || r.dialect.indexed && len(m.Fields) == 0 && p.version != e.Version() {
		if p = r.makePlan(m, e.Version()); p.first != nil {
			r.plans.put(m, p)
		}
	}
	return p
}

// steady reports whether a plan needs no look at the event. A label may give the next
// event another version.
func (r *stream) steady(p *plan) bool {
	return p.steady && p.pointer == r.trace.PointerSize && !(p.known && r.dialect.indexed)
}

// makePlan makes the plan of a row, without any layout when there is no memory.
func (r *stream) makePlan(m *Metadata, version uint32) *plan {
	p := &plan{fields: m.Fields, version: version, pointer: r.trace.PointerSize, held: planSize}
	by := manner{noLeniency: r.opt.NoLeniency, dateTime16: r.dialect.indexed, counted8: r.counted8, logging: m.Provider == nullNames}
	if len(m.Fields) == 0 && r.opt.Schemas != nil && !r.opt.NoLeniency {
		if known, ok := r.opt.Schemas(m, version); ok {
			p.name, p.fields, p.known, by = known.Name, known.Fields, true, manner{}
		}
	}
	p.lacking = len(p.fields) == 0 && !r.HasSchemas()
	p.size = nodeSize * typesIn(p.fields)
	if !r.withinTotal(p.held + p.size) {
		return p
	}
	p.held += p.size
	p.compile(by)
	return p
}

// typesIn counts the types of a field list, nested ones and elements too.
func typesIn(fields []Field) int64 {
	n := int64(0)
	for i := range fields {
		for t := &fields[i].Type; t != nil; t = t.Element {
			n += 1 + typesIn(t.Fields)
		}
	}
	return n
}

// mayLayOut reports whether the layout of reading i exists, or there is memory
// for it.
func (f *fieldsView) mayLayOut(i int) bool {
	p, r := f.plan, f.stream
	if r == nil || p.layouts[i].Load() != nil {
		return true
	}
	if !r.withinTotal(p.size) {
		return false
	}
	p.held += p.size
	r.plans.bytes += p.size
	return true
}
