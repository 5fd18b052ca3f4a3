package symbols

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Options configure a Table. The zero value is right for most programs.
type Options struct {
	// Limit bounds the estimated bytes of rows and names in memory. 0 means 256
	// MiB.
	Limit int64
	// Lines keeps what Frame.Code has: the bodies of methods and their maps from
	// native code to IL. Default: off.
	Lines bool
}

// Table has the methods, modules, mappings and processes of a trace. It is for
// one goroutine. Use NewTable to create one.
type Table struct {
	texts     texts
	functions []function // by number
	numbers   map[function]uint32
	symbols   []*Symbol // by number of the function, after the first use
	modules   []*Module // by number; 0 is none
	spaces    map[uint64]*space
	last      *space // of the last event or question
	universal universal

	lines       bool
	codes       []*Code // by number
	codeNumbers map[codeKey]uint32
	precompiled []*Code        // some of each image
	witnesses   map[uint32]int // their number by module

	limit     int64
	held      int64 // bytes, estimated
	malformed int64
	dropped   int64

	kinds   kinds
	scratch []byte
	around  []lifetime
}

// function is a method or native function: numbers of its texts and its module.
//
// shown is the name for users, 0 if it is made of the others.
type function struct{ module, namespace, name, signature, shown uint32 }

// kinds has the handlers of metadata rows, by the low bits of their ids.
type kinds [256]struct {
	metadata *codec.Metadata
	handler
}

// of returns the handler of a metadata row, which has no function for events that name
// nothing.
func (k *kinds) of(m *codec.Metadata) *handler {
	v := &k[m.ID%uint32(len(k))]
	if v.metadata != m {
		v.metadata, v.handler = m, handlers[clr.KindOf(m)]
	}
	return &v.handler
}

// handler handles the events of one type.
type handler struct {
	code    bool // they are about a range of code:
	kind    rowKind
	verbose bool // with names
	lines   bool // only for Options.Lines

	// take handles other events. It returns false when the payload is malformed.
	take func(t *Table, e *codec.Event, p *payload) bool
}

// names reports whether the events name addresses.
func (h *handler) names() bool { return h.code || h.take != nil }

// NewTable returns an empty Table.
func NewTable(opt Options) *Table {
	t := &Table{
		numbers: map[function]uint32{}, spaces: map[uint64]*space{},
		modules: make([]*Module, 1), limit: opt.Limit, lines: opt.Lines,
	}
	if t.lines {
		t.codeNumbers, t.witnesses = map[codeKey]uint32{}, map[uint32]int{}
	}
	if t.limit <= 0 {
		t.limit = 256 << 20
	}
	t.texts.init()
	return t
}

// mustBeMade panics for the zero Table.
func (t *Table) mustBeMade() {
	if t.spaces == nil {
		panic("symbols: the zero Table is not usable: use NewTable")
	}
}

// Process returns the key of the process of an event: its id, 0 if the trace
// does not have it.
func Process(e *codec.Event) uint64 {
	id, _ := e.ProcessID()
	return id
}

// Add adds an event if it is one that names addresses, and reports whether it
// is. It keeps no part of e. Events may be in file order or in time order.
func (t *Table) Add(e *codec.Event) bool {
	m := e.Metadata()
	if m == nil {
		return false
	}
	h := t.kinds.of(m)
	if !h.names() || h.lines && !t.lines {
		return false
	}
	if t.full() {
		return true
	}
	p := payload{b: e.Payload()}
	if h.code {
		c, ok := h.readCode(e.Timestamp, Process(e), &p)
		t.count(ok && t.addCode(&c))
	} else {
		t.count(h.take(t, e, &p))
	}
	return true
}

// full reports whether an event is ignored because of Options.Limit, and counts it then.
func (t *Table) full() bool {
	if t.held < t.limit {
		return false
	}
	t.mustBeMade()
	t.dropped++
	return true
}

// count counts an event whose payload is malformed.
func (t *Table) count(ok bool) {
	if !ok {
		t.malformed++
	}
}

// Malformed returns the number of events with truncated or invalid payloads,
// which were ignored.
func (t *Table) Malformed() int64 { return t.malformed }

// Dropped returns the number of events that were ignored because of
// Options.Limit.
func (t *Table) Dropped() int64 { return t.dropped }

// HasRundown reports whether the trace has events of the rundown of a process,
// in which the runtime names all loaded methods. A session that ends normally
// has one unless it was disabled.
func (t *Table) HasRundown(process uint64) bool {
	s := t.spaces[process]
	return s != nil && s.rundown
}

// AddWanted registers an address for Lookup. It must be called before Add
// receives the rundown at the trace's end. A second call for an address is
// cheap.
func (t *Table) AddWanted(process, address uint64) {
	t.space(process).wanted.add(address)
}

// space returns the address space of a process.
func (t *Table) space(process uint64) *space {
	if s := t.last; s != nil && s.process == process {
		return s
	}
	s := t.spaces[process]
	if s == nil {
		t.mustBeMade()
		s = &space{process: process, modules: map[uint64]uint32{}}
		t.spaces[process] = s
		t.hold(spaceSize)
	}
	t.last = s
	return s
}

// hold accounts for bytes that are kept.
func (t *Table) hold(n int) { t.held += int64(n) }

// Estimated memory of rows without their texts.
const (
	spaceSize    = 512
	rowSize      = 48
	functionSize = 56
	moduleSize   = 256
)

// text returns the number of a text.
func (t *Table) text(b []byte) uint32 {
	before := len(t.texts.bytes)
	id := t.texts.put(b)
	if added := len(t.texts.bytes) - before; added > 0 {
		t.hold(added + 12)
	}
	return id
}

// function returns the number of a function.
func (t *Table) function(f function) uint32 {
	n, known := t.numbers[f]
	if !known {
		n = uint32(len(t.functions))
		t.functions = append(t.functions, f)
		t.numbers[f] = n
		t.hold(functionSize)
	}
	return n
}
