package symbols

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
)

// richPart is one part of JittedMethodRichDebugInfo.
type richPart struct {
	index uint32
	last  bool
	data  []byte
}

// takeRich keeps a part of JittedMethodRichDebugInfo: ClrInstanceID, MethodID,
// ReJITID, ILVersionID, the number of the part with the highest bit set in the
// last one, the number of bytes, and these.
func takeRich(t *Table, e *codec.Event, p *payload) bool {
	if !t.lines {
		return true
	}
	p.skip(2)
	k := bodyKey{p.uint64(), p.uint64()}
	p.skip(8)
	number, size := p.uint32(), p.uint32()
	from := p.pos
	if p.skip(int(min(size, 1<<20))); p.bad() {
		return false
	}
	s := t.space(Process(e))
	if s.inlines == nil {
		s.inlines = map[bodyKey][]richPart{}
	}
	s.inlines[k] = append(s.inlines[k], richPart{number &^ (1 << 31), number>>31 != 0, slices.Clone(p.b[from:p.pos])})
	t.hold(rowSize + int(size))
	return true
}

// The sizes of a node and of an entry of the map in JittedMethodRichDebugInfo.
const (
	richNode  = 8 + 4 + 4 + 4
	richEntry = 4 + 4 + 4 + 1
)

// readInlines joins the parts and reads them: the numbers of nodes and of
// entries, the nodes {MethodID, IL offset, first child, next sibling} and the
// entries {IL offset, node, native offset, source}. The IL offsets of nodes are
// not initialized in releases of the runtime. It returns nil if a part is missing
// or malformed.
func (t *Table) readInlines(s *space, parts []richPart) *Inlines {
	p := payload{b: joinParts(parts)}
	nodes, entries := int(p.uint32()), int(p.uint32())
	if p.bad() || nodes == 0 || nodes > len(p.b)/richNode || entries > len(p.b)/richEntry ||
		len(p.b)-p.pos < nodes*richNode+entries*richEntry {
		return nil
	}
	in := &Inlines{Methods: make([]InlinedMethod, nodes), Points: make([]InlinePoint, entries)}
	for i := range in.Methods {
		in.Methods[i].Parent = -1
	}
	siblings := make([]int, nodes)
	children := make([]int, nodes)
	for i := range in.Methods {
		t.nameInlined(s, &in.Methods[i], p.uint64())
		p.skip(4)
		children[i], siblings[i] = int(p.uint32()), int(p.uint32())
	}
	for i := range children {
		// A child comes after its parent and a sibling after the one before: a list ends.
		for c, before := children[i], i; c > before && c < nodes; c, before = siblings[c], c {
			in.Methods[c].Parent = i
		}
	}
	for i := range in.Points {
		q := &in.Points[i]
		q.IL, q.Method, q.Native = p.uint32(), int(p.uint32()), p.uint32()
		if p.skip(1); q.Method >= nodes {
			return nil
		}
	}
	slices.SortStableFunc(in.Points, func(a, b InlinePoint) int { return cmp.Compare(a.Native, b.Native) })
	return in
}

// joinParts returns the bytes of all parts, nil if one is missing.
func joinParts(parts []richPart) []byte {
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b richPart) int { return cmp.Compare(a.index, b.index) })
	var all []byte
	next := uint32(0)
	for _, one := range parts {
		switch one.index {
		case next:
			all = append(all, one.data...)
			if next++; one.last {
				return all
			}
		case next - 1: // the same part a second time
		default:
			return nil
		}
	}
	return nil
}

// nameInlined finds the name, token and module of a method by the runtime's id.
func (t *Table) nameInlined(s *space, m *InlinedMethod, method uint64) {
	if s.methods == nil {
		s.methods = map[uint64]methodOf{}
		for i := range s.rows {
			if r := &s.rows[i]; r.code != 0 {
				one := s.methods[r.method]
				one.code = r.code
				if r.function != 0 {
					one.function = r.function
				}
				s.methods[r.method] = one
			}
		}
		for _, d := range s.details {
			one := s.methods[d.method]
			one.token, one.module, one.generic = d.token, d.module, d.generic
			s.methods[d.method] = one
		}
	}
	one := s.methods[method]
	if one.function != 0 {
		m.Symbol = t.symbol(one.function - 1)
	}
	switch {
	case one.code != 0:
		k := &t.codes[one.code-1].key
		m.Token, m.Module = k.token, t.modules[k.module]
	case one.token != 0 && !one.generic:
		m.Token, m.Module = one.token, t.modules[t.module(s, one.module)]
	}
}

// methodOf is what the trace has of a method.
type methodOf struct {
	function, code uint32 // plus one, 0 for none
	token          uint32
	module         uint64
	generic        bool // module is the one that loaded the method, which may not declare it
}
