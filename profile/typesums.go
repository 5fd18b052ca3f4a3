package profile

import "slices"

// typeSums are sums over the returned samples of a type, which are found in one
// pass.
type typeSums struct {
	stacks     RepairSummary
	joins      JoinSummary
	names      NameSummary
	unfinished int64
	nonZero    int64
}

// typeSums returns the sums of a type. They are found once.
func (p *Profile) typeSums(t Type) *typeSums {
	if t >= typeCount {
		return &typeSums{}
	}
	if p.sums[t] != nil {
		return p.sums[t]
	}
	sums := &typeSums{}
	known := stackCache[NameSummary]{}
	for s := range p.Totals(t) {
		sums.stacks.add(madeStack{s.Status, s.Evidence}, s.Samples)
		sums.joins.add(s.Join, s.Samples)
		names, ok := known.get(s.Stack)
		if !ok {
			names = known.set(s.Stack, p.namesOf(p.unhidden(s.Stack)))
		}
		sums.names.add(&names, s.Samples)
		if s.Unfinished {
			sums.unfinished += s.Samples
		}
		sums.nonZero += s.nonZero
	}
	p.sums[t] = sums
	return sums
}

// distinct returns types without those whose samples are also samples of another
// one: those of CPUApprox are also samples of Wall.
func distinct(types []Type) []Type {
	if !slices.Contains(types, Wall) {
		return types
	}
	return slices.DeleteFunc(slices.Clone(types), func(t Type) bool { return t == CPUApprox })
}

// CountUnfinished counts the returned samples of some types whose ends are not in
// the trace.
func (p *Profile) CountUnfinished(of ...Type) int64 {
	n := int64(0)
	for _, t := range of {
		n += p.typeSums(t).unfinished
	}
	return n
}

// CountNonZero counts the returned samples of some types whose value is not 0.
func (p *Profile) CountNonZero(of ...Type) int64 {
	n := int64(0)
	for _, t := range of {
		n += p.typeSums(t).nonZero
	}
	return n
}
