package symbols

// Span is a time in which an address had one meaning.
type Span struct {
	From, To uint64 // ticks: From <= t < To; To of the last one is 2^64-1 and inclusive
	// Frame is the meaning.
	Frame Frame
}

// Query selects an address of a process at a time.
type Query struct {
	Process uint64 // result of the function Process
	// Address is the address to name.
	Address uint64
	// Ticks is the time of the event whose stack has the address.
	Ticks uint64
}

// Lookup names an address at a time. Call it after all events have been added:
// Add between calls of Lookup makes the Table sort again.
func (t *Table) Lookup(q Query) Frame {
	address, ticks := q.Address, q.Ticks
	s := t.space(q.Process)
	t.build(s)
	sorted := s.code.at(t.around[:0], address)
	t.around = sorted
	if len(sorted) == 0 {
		return t.without(s, address, ticks)
	}
	spans := timeline(sorted)
	at := sortedBelow(len(spans), func(i int) bool { return spans[i].from <= ticks })
	return t.frame(s, spans[max(at-1, 0)].lifetime, address)
}

// Timeline returns the meanings of an address over all time: one span for
// almost all addresses, several where memory was reused. Adjacent spans differ.
// It is efficient for an address that occurs in many samples.
func (t *Table) Timeline(process, address uint64) []Span {
	s := t.space(process)
	t.build(s)
	sorted := s.code.at(t.around[:0], address)
	t.around = sorted
	var spans []Span
	for _, part := range timeline(sorted) {
		f := t.frame(s, part.lifetime, address)
		if n := len(spans); n > 0 && spans[n-1].Frame.Symbol == f.Symbol && spans[n-1].Frame.Code == f.Code {
			spans[n-1].To = part.to
			continue
		}
		spans = append(spans, Span{part.from, part.to, f})
	}
	if len(spans) > 0 {
		return spans
	}
	return t.mappingSpans(s, address)
}

// mappingSpans is Timeline for an address without a function.
func (t *Table) mappingSpans(s *space, address uint64) []Span {
	if f, ok := t.byEntryPoint(s, address); ok {
		return []Span{{0, forever, f}}
	}
	var spans []Span
	for _, part := range timeline(s.mappings.at(nil, address)) {
		spans = append(spans, Span{part.from, part.to, t.inMapping(part.lifetime, address)})
	}
	if len(spans) == 0 {
		spans = []Span{{0, forever, Frame{Address: address, rundown: s.rundown}}}
	}
	return spans
}

// without is Lookup for an address without a function.
func (t *Table) without(s *space, address, ticks uint64) Frame {
	spans := t.mappingSpans(s, address)
	at := sortedBelow(len(spans), func(i int) bool { return spans[i].From <= ticks })
	return spans[max(at-1, 0)].Frame
}

func (t *Table) frame(s *space, l *lifetime, address uint64) Frame {
	symbol := t.symbol(l.value - 1)
	return Frame{Address: address, Symbol: symbol, Module: symbol.Module, Evidence: l.evidence, Code: t.code(s, l.code)}
}

func (t *Table) inMapping(l *lifetime, address uint64) Frame {
	return Frame{Address: address, Module: t.modules[l.value], Evidence: Mapping}
}
