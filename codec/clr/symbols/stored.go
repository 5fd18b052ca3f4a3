package symbols

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
)

// ModuleSource is what the files of a module said of its methods when the trace was
// written: the events SourceFile and MethodSource of Nettrace-Collector.
type ModuleSource struct {
	// Files has the paths of source files, as the compiler wrote them, by number.
	Files map[uint32]string
	// Methods are by MethodDef token.
	Methods map[uint32]*MethodSource
}

// MethodSource is the source text of a method. Package symbols of the root module writes
// and reads its texts.
type MethodSource struct {
	// Namespace, Method and Signature are those of a Symbol; "" if the trace has the name.
	Namespace, Method, Signature string
	// Points has the sequence points; "" for a method that the compiler made.
	Points string
	// Effects says what the method's instructions can do, for methods with catch blocks.
	Effects string
}

// sourceOf returns the ModuleSource of a module, which it makes.
func (t *Table) sourceOf(s *space, id uint64) *ModuleSource {
	m := t.modules[t.module(s, id)]
	if m.Source == nil {
		m.Source = &ModuleSource{Files: map[uint32]string{}, Methods: map[uint32]*MethodSource{}}
	}
	return m.Source
}

// takeSourceFile reads ModuleID, number and path.
func takeSourceFile(t *Table, e *codec.Event, p *payload) bool {
	if !t.lines {
		return true
	}
	id, number := p.uint64(), p.uint32()
	path := t.takeText(p)
	if !p.bad() {
		t.sourceOf(t.space(Process(e)), id).Files[number] = path
	}
	return !p.bad()
}

// takeMethodSource reads ModuleID, token, the number of the part, three names, points and
// effects. Later parts of a method go on with its texts, and part 0 replaces what an earlier
// program has stored.
func takeMethodSource(t *Table, e *codec.Event, p *payload) bool {
	if !t.lines {
		return true
	}
	id, token, part := p.uint64(), p.uint32(), p.uint32()
	m := MethodSource{
		Namespace: t.takeText(p), Method: t.takeText(p), Signature: t.takeText(p),
		Points: t.takeText(p), Effects: t.takeText(p),
	}
	if p.bad() {
		return false
	}
	methods := t.sourceOf(t.space(Process(e)), id).Methods
	if before := methods[token]; part > 0 && before != nil {
		before.Points += m.Points
		before.Effects += m.Effects
		return true
	}
	methods[token] = &m
	t.hold(rowSize)
	return true
}

// takeText reads a text that is kept.
func (t *Table) takeText(p *payload) string {
	t.scratch = p.appendText(t.scratch[:0])
	t.hold(len(t.scratch))
	return valid(t.scratch)
}

// takeImageMap reads start, size and map of a body that was compiled ahead of time.
func takeImageMap(t *Table, e *codec.Event, p *payload) bool {
	if !t.lines {
		return true
	}
	start := p.uint64()
	p.skip(4)
	text := t.takeText(p)
	if p.bad() {
		return false
	}
	s := t.space(Process(e))
	if s.imageMaps == nil {
		s.imageMaps = map[uint64]string{}
	}
	s.imageMaps[start] = text
	t.hold(rowSize)
	return true
}

// The names of special IL offsets in the text of a map.
var specialIL = map[uint32]string{NoMapping: "n", Prolog: "p", Epilog: "e"}

// AppendMap appends a map as the text that an event ImageMap has: the native and the IL offset of
// each point.
func AppendMap(b []byte, points []ILPoint) []byte {
	for i, p := range points {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(strconv.AppendUint(b, uint64(p.Native), 10), ':')
		if name := specialIL[p.IL]; name != "" {
			b = append(b, name...)
		} else {
			b = strconv.AppendUint(b, uint64(p.IL), 10)
		}
	}
	return b
}

// parseMap reads the text of a map; nil if it is malformed.
func parseMap(text string) []ILPoint {
	var points []ILPoint
	for one := range strings.FieldsSeq(text) {
		native, il, _ := strings.Cut(one, ":")
		at, err := strconv.ParseUint(native, 10, 32)
		p := ILPoint{Native: uint32(at)}
		if special, ok := specialOf(il); ok {
			p.IL = special
		} else if offset, wrong := strconv.ParseUint(il, 10, 32); wrong == nil {
			p.IL = uint32(offset)
		} else {
			err = wrong
		}
		if err != nil {
			return nil
		}
		points = append(points, p)
	}
	slices.SortStableFunc(points, func(a, b ILPoint) int { return cmp.Compare(a.Native, b.Native) })
	return points
}

// specialOf returns the special IL offset with a name.
func specialOf(name string) (uint32, bool) {
	for il, n := range specialIL {
		if n == name {
			return il, true
		}
	}
	return 0, false
}

// storedSymbol is a function of a native program or of a mapped file, with its name for users.
type storedSymbol struct {
	module      uint64 // the runtime's ModuleID, or the id of the mapping
	start, end  uint64 // start <= a < end
	managed     bool   // code of NativeAOT
	name, shown uint32
}

// takeNativeSymbol reads ModuleID, start, end, whether the code is managed, the name in the table
// of symbols and that for users.
func takeNativeSymbol(t *Table, e *codec.Event, p *payload) bool {
	one := storedSymbol{module: p.uint64(), start: p.uint64(), end: p.uint64(), managed: p.uint32() != 0}
	b := p.appendText(t.scratch[:0])
	name := len(b)
	b = p.appendText(b)
	if t.scratch = b; p.bad() || one.end < one.start {
		return false
	}
	one.name, one.shown = t.text(b[:name]), t.text(b[name:])
	s := t.space(Process(e))
	s.stored = append(s.stored, one)
	s.built = false
	t.hold(rowSize)
	return true
}

// storedLifetimes makes lifetimes of the stored functions of a space: they are there all the time.
func (t *Table) storedLifetimes(s *space) []lifetime {
	var list []lifetime
	for i := range s.stored {
		one := &s.stored[i]
		if !s.wanted.any(one.start, one.end) {
			continue
		}
		module, evidence := t.moduleAt(s, one), Native
		if one.managed {
			evidence = Image
		}
		f := t.function(function{module: module, name: one.name, shown: one.shown})
		list = append(list, lifetime{start: one.start, end: one.end, to: forever, value: f + 1, evidence: evidence})
	}
	return list
}

// moduleAt returns the number of the mapping that contains a stored function, or of its module.
func (t *Table) moduleAt(s *space, of *storedSymbol) uint32 {
	for i := range s.mapped {
		if m := &s.mapped[i]; m.id == of.module && m.start <= of.start && of.start <= m.end {
			return m.module
		}
	}
	return t.module(s, of.module)
}
