package pprof

import (
	"strconv"

	pprof "github.com/google/pprof/profile"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
	"github.com/nettrace-go/nettrace/symbols"
)

// builder fills a pprof profile.
type builder struct {
	p   *profile.Profile
	out *pprof.Profile
	raw bool

	bare      bool // samples have no labels
	key       []byte
	known     map[string]*pprof.Sample // by thread, stack and labels
	modules   map[string]*pprof.Mapping
	functions []*pprof.Function // by FunctionID
	locations []*pprof.Location // by FrameID

	inlinedFunctions map[string]*pprof.Function // by raw name
}

// samples adds the samples of a type.
func (b *builder) samples(t profile.Type, c column) {
	for s := range b.p.Totals(t) {
		if b.bare && s.Value == 0 && s.Count == 0 {
			continue
		}
		out := b.sample(&s.Sample)
		out.Value[c.value] += s.Value
		if c.count >= 0 {
			out.Value[c.count] += s.Count
		}
	}
}

// sample is the one that s adds to.
func (b *builder) sample(s *profile.Sample) *pprof.Sample {
	var labels []profile.Label
	b.key = b.key[:0]
	if !b.bare {
		labels = b.labels(s)
		b.key = strconv.AppendUint(b.key, uint64(s.Thread), 10)
	}
	b.key = strconv.AppendUint(append(b.key, ' '), uint64(s.Stack), 10)
	for _, l := range labels {
		b.key = append(append(b.key, 0), l.Key...)
		b.key = append(append(b.key, 0), l.Text...)
		b.key = strconv.AppendInt(append(b.key, 0), l.Num, 10)
	}
	if out := b.known[string(b.key)]; out != nil {
		return out
	}
	out := &pprof.Sample{Value: make([]int64, len(b.out.SampleType)), Location: b.stack(s.Stack)}
	for _, l := range labels {
		addLabel(out, l)
	}
	b.known[string(b.key)] = out
	b.out.Sample = append(b.out.Sample, out)
	return out
}

// labels are the values that distinguish the samples of a stack.
func (b *builder) labels(s *profile.Sample) []profile.Label {
	list := calltree.Labels(b.p, s, b.raw)
	text := func(key, value string) { list = append(list, profile.Label{Key: key, Text: value}) }
	switch {
	case s.Type != profile.Wall && s.Type != profile.CPUApprox:
	case s.Managed:
		text("thread state", "managed")
	default:
		text("thread state", "external")
	}
	if s.Status != profile.Complete {
		text("stack", s.Status.String())
	}
	if s.Activity != (wire.GUID{}) {
		text("activity id", s.Activity.String())
	}
	if s.Related != (wire.GUID{}) {
		text("related activity id", s.Related.String())
	}
	return list
}

// addLabel adds a label. The first of a key counts: pprof shows one.
func addLabel(s *pprof.Sample, l profile.Label) {
	if _, ok := s.Label[l.Key]; ok {
		return
	}
	if _, ok := s.NumLabel[l.Key]; ok {
		return
	}
	if l.Text == "" && l.Num == 0 {
		return // cannot be distinguished from none
	}
	if l.Text != "" {
		if s.Label == nil {
			s.Label = map[string][]string{}
		}
		s.Label[l.Key] = []string{l.Text}
		return
	}
	if s.NumLabel == nil {
		s.NumLabel, s.NumUnit = map[string][]int64{}, map[string][]string{}
	}
	s.NumLabel[l.Key] = []int64{l.Num}
	if l.Unit != "" {
		s.NumUnit[l.Key] = []string{l.Unit}
	}
}

// stack is a stack as locations, leaf first.
func (b *builder) stack(id profile.StackID) []*pprof.Location {
	frames := b.p.Stack(id)
	locations := make([]*pprof.Location, len(frames))
	for i, f := range frames {
		locations[i] = b.location(f)
	}
	return locations
}

func (b *builder) location(id profile.FrameID) *pprof.Location {
	if missing := int(id) + 1 - len(b.locations); missing > 0 {
		b.locations = append(b.locations, make([]*pprof.Location, missing)...)
	}
	if b.locations[id] == nil {
		f := b.p.Frame(id)
		l := &pprof.Location{ID: uint64(len(b.out.Location)) + 1, Address: f.Address}
		where := b.p.Location(id)
		for i := range where.Inlined {
			one := &where.Inlined[i]
			l.Line = append(l.Line, pprof.Line{Function: b.inlined(one), Line: int64(one.Line)})
		}
		function := b.function(f.Function)
		if where.Line > 0 {
			function.Filename, function.StartLine = where.File, int64(where.StartLine)
		}
		l.Line = append(l.Line, pprof.Line{Function: function, Line: int64(where.Line)})
		if module := b.p.Function(f.Function).Module; module != "" {
			l.Mapping = b.mapping(module)
		}
		b.locations[id] = l
		b.out.Location = append(b.out.Location, l)
	}
	return b.locations[id]
}

// inlined returns the function of an inlined method.
func (b *builder) inlined(of *symbols.InlinedFrame) *pprof.Function {
	f := b.inlinedFunctions[of.RawName]
	if f == nil {
		f = &pprof.Function{ID: uint64(len(b.out.Function)) + 1, Name: of.Name, SystemName: of.RawName, Filename: of.File}
		if b.raw {
			f.Name, f.SystemName = of.RawName, of.Name
		}
		if b.inlinedFunctions == nil {
			b.inlinedFunctions = map[string]*pprof.Function{}
		}
		b.inlinedFunctions[of.RawName] = f
		b.out.Function = append(b.out.Function, f)
	}
	return f
}

func (b *builder) function(id profile.FunctionID) *pprof.Function {
	if missing := int(id) + 1 - len(b.functions); missing > 0 {
		b.functions = append(b.functions, make([]*pprof.Function, missing)...)
	}
	if b.functions[id] == nil {
		of := b.p.Function(id)
		f := &pprof.Function{ID: uint64(len(b.out.Function)) + 1, Filename: of.Module}
		f.Name, f.SystemName = b.names(of)
		b.functions[id] = f
		b.out.Function = append(b.out.Function, f)
	}
	return b.functions[id]
}

// mapping is that of a module.
func (b *builder) mapping(module string) *pprof.Mapping {
	m := b.modules[module]
	if m == nil {
		m = &pprof.Mapping{ID: uint64(len(b.out.Mapping)) + 1, File: module, HasFunctions: true}
		b.modules[module] = m
		b.out.Mapping = append(b.out.Mapping, m)
	}
	return m
}

// names are the readable and the raw name of a function. Options.RawNames swaps
// them.
func (b *builder) names(f *profile.Function) (name, system string) {
	name, system = f.Name, f.RawName
	if b.raw {
		name, system = system, name
	}
	if system == name || f.Symbol == nil && !b.raw { // an address, which the location has
		system = ""
	}
	return name, system
}
