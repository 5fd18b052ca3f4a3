package symbols

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
)

// entry is an entry point of code that was compiled ahead of time.
type entry struct {
	address  uint64
	method   uint64
	function uint32
}

// detail is the module that has loaded a method.
type detail struct {
	method, module uint64
	token          uint32
	generic        bool
}

// takeEntryPoint reads the start of code that was compiled ahead of time:
// MethodID, namespace, name, signature, address.
func takeEntryPoint(t *Table, e *codec.Event, p *payload) bool {
	s := t.space(Process(e))
	one := entry{method: p.uint64()}
	f, ok := t.method(s, 0, p)
	one.address, one.function = p.uint64(), f
	if !ok || p.bad() {
		return false
	}
	s.entries = append(s.entries, one)
	s.built = false
	t.hold(rowSize)
	return true
}

// takeDetails reads MethodID, TypeID, token, number of type parameters and the
// module that has loaded the method. For generic code that may be another module
// than the method's own.
func takeDetails(t *Table, e *codec.Event, p *payload) bool {
	one := detail{method: p.uint64()}
	p.skip(8)
	one.token = p.uint32()
	parameters := p.uint32()
	one.module = p.uint64()
	if p.bad() {
		return false
	}
	one.generic = parameters > 0
	if !one.generic || t.lines {
		s := t.space(Process(e))
		s.details = append(s.details, one)
		s.built = false
		t.hold(rowSize)
	}
	return true
}

// buildEntries sorts the entry points, and finds the modules of methods that are
// not generic.
func (t *Table) buildEntries(s *space) {
	slices.SortStableFunc(s.entries, func(a, b entry) int { return cmp.Compare(a.address, b.address) })
	if len(s.entries) == 0 || len(s.details) == 0 {
		return
	}
	modules := make(map[uint64]uint64, len(s.details))
	for _, d := range s.details {
		if !d.generic {
			modules[d.method] = d.module
		}
	}
	for i := range s.entries {
		one := &s.entries[i]
		f := t.functions[one.function]
		id, known := modules[one.method]
		if known && !bytes.ContainsRune(t.texts.get(f.namespace), '[') {
			f.module = t.module(s, id)
			one.function = t.function(f)
		}
	}
}

// maxEntryDistance is the maximum distance of an address from the entry point of
// its code.
const maxEntryDistance = 64 << 10

// byEntryPoint names an address by the nearest entry point below it, unless
// another known method begins in between.
func (t *Table) byEntryPoint(s *space, address uint64) (Frame, bool) {
	n := sortedBelow(len(s.entries), func(i int) bool { return s.entries[i].address <= address })
	if n == 0 {
		return Frame{}, false
	}
	entry := &s.entries[n-1]
	if address-entry.address > maxEntryDistance {
		return Frame{}, false
	}
	if below := s.code.below(address); below > 0 && s.code.reach[below-1] > entry.address {
		return Frame{}, false
	}
	symbol := t.symbol(entry.function)
	return Frame{Address: address, Symbol: symbol, Module: symbol.Module, Evidence: EntryPoint}, true
}
