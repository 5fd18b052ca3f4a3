package symbols

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Naming selects the naming events that parts of a trace need: those that name
// the addresses of a part's stacks and the part's processes. Naming events are
// the events that Table.Add uses, and those that describe AppDomains,
// processes, runtimes and threads.
//
// Add takes all naming events of the trace and Use the events of a part, in any
// order. After End, Needs reports which naming events a part needs. Before End
// it also reports true for events that a part may need.
//
// A part needs: the method events whose range contains an address of one of its
// stacks; method events that overlap those, because they bound the lifetime of
// a method; if a method event has no name, all events of that method; for an
// address in no method, the entry points and methods within 64 KB below it; the
// details, modules, assemblies and AppDomains of those methods; mappings and
// symbols (v6) that contain an address; and all events that describe its
// processes, their runtimes and threads. Of those methods it also needs
// what their source lines do: maps from native code to IL and what was stored of files.
//
// A Naming is for one goroutine. Use NewNaming to create one.
type Naming struct {
	spaces   map[uint64]*namingSpace // by process
	symbols  []naming                // of all processes (v6)
	parts    []*namingPart
	complete bool

	limit, held int64
	kinds       [256]namingResult // by the low bits of the metadata's id
}

type namingResult struct {
	metadata *codec.Metadata
	known    namingType
}

// namingSpace holds the naming events of one process. Rows are sorted by start
// once all are there, and reach[i] is the highest end of rows[:i+1].
type namingSpace struct {
	rows       []naming
	reach      []uint64
	entries    []naming
	details    []naming
	modules    []naming
	assemblies []naming
	mappings   []naming
}

// namingSize is the number of bytes that Naming holds for a naming event.
const namingSize = 72

// NewNaming returns a Naming without events. It keeps at most Options.Limit
// bytes.
func NewNaming(opt Options) *Naming {
	n := &Naming{spaces: map[uint64]*namingSpace{}, limit: opt.Limit}
	if n.limit <= 0 {
		n.limit = 256 << 20
	}
	return n
}

// mustBeMade panics for the zero Naming.
func (n *Naming) mustBeMade() {
	if n.spaces == nil {
		panic("symbols: the zero Naming is not usable: use NewNaming")
	}
}

// Names reports whether e is a naming event whose payload has all the fields of
// its type.
func (n *Naming) Names(e *codec.Event) bool {
	_, ok := n.read(e)
	return ok
}

// IsLines reports whether the events of a metadata row are those that a Table
// uses only with Options.Lines. It returns false if m is nil.
func IsLines(m *codec.Metadata) bool {
	return m != nil && handlers[clr.KindOf(m)].lines
}

// IsNaming reports whether the events of a metadata row are naming events that name something,
// regardless of their payloads: not those of IsLines. It returns false if m is nil.
func IsNaming(m *codec.Metadata) bool {
	if m == nil {
		return false
	}
	kind := clr.KindOf(m)
	_, ok := namingTypes[kind]
	return ok && !handlers[kind].lines
}

// read reads a naming event.
func (n *Naming) read(e *codec.Event) (what naming, ok bool) {
	known := n.typeOf(e)
	if known.kind == notNaming {
		return what, false
	}
	p := payload{b: e.Payload()}
	what.kind = known.kind
	known.read(e, &p, &what)
	return what, !p.bad()
}

func (n *Naming) typeOf(e *codec.Event) namingType {
	m := e.Metadata()
	if m == nil {
		return namingType{}
	}
	v := &n.kinds[m.ID%uint32(len(n.kinds))]
	if v.metadata != m {
		*v = namingResult{m, namingTypes[clr.KindOf(m)]}
	}
	return v.known
}

// Add adds an event of the trace if it is a naming event. It keeps no part of
// e. It returns an error if that would exceed Options.Limit.
func (n *Naming) Add(e *codec.Event) error {
	what, ok := n.read(e)
	if !ok {
		return nil
	}
	if n.held += namingSize; n.held > n.limit {
		n.mustBeMade()
		return &codec.LimitError{Name: "naming events", Size: n.held, Limit: n.limit}
	}
	n.complete = false
	s := n.space(Process(e))
	switch what.kind {
	case namesCode:
		s.rows = append(s.rows, what)
	case namesEntry:
		s.entries = append(s.entries, what)
	case namesDetails:
		s.details = append(s.details, what)
	case namesModule, namesDomainModule:
		s.modules = append(s.modules, what)
	case namesAssembly:
		s.assemblies = append(s.assemblies, what)
	case namesMapping:
		s.mappings = append(s.mappings, what)
	case namesSymbol:
		n.symbols = append(n.symbols, what)
	default:
		n.held -= namingSize
	}
	return nil
}

func (n *Naming) space(process uint64) *namingSpace {
	s := n.spaces[process]
	if s == nil {
		s = &namingSpace{}
		n.spaces[process] = s
		n.held += spaceSize
	}
	return s
}

// Use declares that a part contains e. e must not be a naming event that is
// only included for its names. Parts are numbered from 0. It returns an error
// if the addresses of all parts exceed Options.Limit.
func (n *Naming) Use(part int, e *codec.Event) error {
	n.mustBeMade()
	p := n.part(part)
	u := p.use(Process(e))
	before := u.wanted.size()
	for _, address := range e.Stack() {
		u.add(address)
	}
	if n.held += int64(8 * (u.wanted.size() - before)); n.held > n.limit {
		return &codec.LimitError{Name: "addresses of stacks", Size: n.held, Limit: n.limit}
	}
	return nil
}

func (n *Naming) part(number int) *namingPart {
	for len(n.parts) <= number {
		n.parts = append(n.parts, nil)
	}
	if n.parts[number] == nil {
		n.parts[number] = &namingPart{uses: map[uint64]*namingUse{}}
	}
	return n.parts[number]
}

// End declares that Add has received all naming events of the trace.
func (n *Naming) End() {
	for _, s := range n.spaces {
		s.sort()
	}
	for _, p := range n.parts {
		if p != nil {
			p.built = false
		}
	}
	n.complete = true
}

func (s *namingSpace) sort() {
	slices.SortStableFunc(s.rows, func(a, b naming) int { return compare(a.start, b.start) })
	s.reach = s.reach[:0]
	highest := uint64(0)
	for i := range s.rows {
		highest = max(highest, s.rows[i].end)
		s.reach = append(s.reach, highest)
	}
}

// Needs reports whether a part needs the naming event e.
func (n *Naming) Needs(part int, e *codec.Event) bool {
	what, ok := n.read(e)
	if !ok || part >= len(n.parts) || n.parts[part] == nil {
		return false
	}
	p := n.parts[part]
	if what.kind == namesSymbol || what.kind == namesMetadata {
		if !n.complete {
			return true
		}
		p.build(n)
		return p.needs(&what)
	}
	u := p.uses[Process(e)]
	switch {
	case u == nil:
		return false
	case !n.complete:
		return u.mayNeed(&what, n.space(Process(e)))
	}
	p.build(n)
	return u.needs(&what)
}

// Forget releases the data of a part.
func (n *Naming) Forget(part int) {
	if part < len(n.parts) && n.parts[part] != nil {
		for _, u := range n.parts[part].uses {
			n.held -= int64(8 * u.wanted.size())
		}
		n.parts[part] = nil
	}
}
