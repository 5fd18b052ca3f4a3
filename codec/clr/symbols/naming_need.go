package symbols

import (
	"cmp"
	"slices"
)

// namingPart has the addresses of a part of a trace, and the rows that it needs
// for them.
type namingPart struct {
	uses     map[uint64]*namingUse // by process
	built    bool                  // the fields below are up to date
	holders  map[uint64][]*namingUse
	symbols  map[uint64]bool // mappings of needed symbols
	metadata map[uint64]bool // of needed mappings
}

// namingUse has the rows that a part needs of one process. The sets are ids of
// methods, modules, assemblies and AppDomains.
type namingUse struct {
	wanted wanted
	recent [512]uint64 // addresses that were added last, by their low bits

	uncovered wanted            // addresses in no method, if the process has entry points
	ranges    []addressRange    // of methods that hold an address, sorted, without overlaps
	unnamed   map[uint64]bool   // methods of which all rows are needed
	methods   map[uint64]bool   // methods of needed rows and entry points
	modules   map[uint64]bool   // of those
	assembly  map[uint64]bool   // of those
	domains   map[uint64]bool   // of those
	sources   map[tokenKey]bool // of needed rows
	part      *namingPart       // for the mappings of symbols
	space     *namingSpace      // nil when the process has no naming events
	seen      int               // rows of space that are in nameless, before End
}

// tokenKey identifies a method by its module and MethodDef token.
type tokenKey struct {
	module uint64
	token  uint32
}

type addressRange struct{ start, end uint64 }

// maxHolders is the number of processes with a mapping of one id beyond which its
// symbols are needed without a look at them.
const maxHolders = 64

func compare(a, b uint64) int { return cmp.Compare(a, b) }

func (p *namingPart) use(process uint64) *namingUse {
	u := p.uses[process]
	if u == nil {
		u = &namingUse{part: p}
		p.uses[process] = u
	}
	return u
}

// add adds an address. Most addresses of stacks repeat after a few others.
func (u *namingUse) add(address uint64) {
	slot := &u.recent[(address^address>>9)%uint64(len(u.recent))]
	if *slot != address || address == 0 {
		*slot = address
		u.wanted.add(address)
	}
}

// build finds the rows that the part needs, if that has not been done.
func (p *namingPart) build(n *Naming) {
	if p.built {
		return
	}
	p.built = true
	p.holders, p.symbols, p.metadata = map[uint64][]*namingUse{}, map[uint64]bool{}, map[uint64]bool{}
	for process, u := range p.uses {
		u.build(n.spaces[process])
		for i := range u.space.mappings {
			id := u.space.mappings[i].id
			if have := p.holders[id]; len(have) <= maxHolders && !slices.Contains(have, u) {
				p.holders[id] = append(have, u)
			}
		}
	}
	for i := range n.symbols {
		if p.needs(&n.symbols[i]) {
			p.symbols[n.symbols[i].id] = true
		}
	}
	for _, u := range p.uses {
		for i := range u.space.mappings {
			if m := &u.space.mappings[i]; u.needs(m) {
				p.metadata[m.module] = true
			}
		}
	}
}

// needs reports whether the part needs a symbol or the metadata of mappings.
func (p *namingPart) needs(what *naming) bool {
	if what.kind == namesMetadata {
		return p.metadata[what.id]
	}
	holders := p.holders[what.id]
	return len(holders) > maxHolders || slices.ContainsFunc(holders, func(u *namingUse) bool {
		return u.wanted.any(what.start, what.end)
	})
}

// build finds out which methods, modules, assemblies and AppDomains the process
// needs.
func (u *namingUse) build(s *namingSpace) {
	if s == nil {
		s = &namingSpace{}
	}
	u.space = s
	u.uncovered, u.ranges = wanted{}, nil
	u.unnamed, u.methods, u.modules = map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}
	u.assembly, u.domains, u.sources = map[uint64]bool{}, map[uint64]bool{}, map[tokenKey]bool{}
	u.findUncovered()
	u.findRanges()
	for i := range s.rows {
		if r := &s.rows[i]; !r.named && u.wanted.any(r.start, r.end) {
			u.unnamed[r.id] = true
		}
	}
	for _, list := range [...][]naming{s.rows, s.entries} {
		for i := range list {
			if u.needs(&list[i]) {
				u.methods[list[i].id] = true
				if list[i].kind == namesCode {
					u.modules[list[i].module] = true
					u.sources[tokenKey{list[i].module, list[i].token}] = true
				}
			}
		}
	}
	for i := range s.details {
		if u.needs(&s.details[i]) {
			u.modules[s.details[i].module] = true
		}
	}
	for _, list := range [...][]naming{s.modules, s.assemblies} {
		for i := range list {
			if row := &list[i]; u.needs(row) {
				u.assembly[row.assembly] = true
				u.domains[row.domain] = true
			}
		}
	}
}

// findUncovered finds the addresses in no method. They have names only where the
// process has entry points.
func (u *namingUse) findUncovered() {
	if len(u.space.entries) == 0 {
		return
	}
	u.wanted.settle()
	for _, run := range u.wanted.runs {
		for _, address := range run {
			if !u.space.covers(address) {
				u.uncovered.add(address)
			}
		}
	}
}

// covers reports whether a method holds an address.
func (s *namingSpace) covers(address uint64) bool {
	i := sortedBelow(len(s.rows), func(i int) bool { return s.rows[i].start <= address }) - 1
	for looked := 0; i >= 0 && s.reach[i] > address && looked < maxLifetimes; i-- {
		if s.rows[i].end > address {
			return true
		}
		looked++
	}
	return false
}

// findRanges finds the ranges of methods that hold an address.
func (u *namingUse) findRanges() {
	for i := range u.space.rows {
		r := &u.space.rows[i]
		if !u.wanted.any(r.start, r.end) {
			continue
		}
		if n := len(u.ranges); n > 0 && r.start < u.ranges[n-1].end {
			u.ranges[n-1].end = max(u.ranges[n-1].end, r.end)
			continue
		}
		u.ranges = append(u.ranges, addressRange{r.start, r.end})
	}
}

// overlaps reports whether a row overlaps a method that holds an address.
func (u *namingUse) overlaps(r *naming) bool {
	i := sortedBelow(len(u.ranges), func(i int) bool { return u.ranges[i].end <= r.start })
	return i < len(u.ranges) && u.ranges[i].start < r.end && r.start < r.end
}

// needs reports whether the process needs a naming event, once all are known.
func (u *namingUse) needs(what *naming) bool {
	switch what.kind {
	case namesCode:
		return u.overlaps(what) || u.unnamed[what.id] || u.uncovered.any(what.start, near(what.end))
	case namesEntry:
		return u.uncovered.any(what.start, near(what.start))
	case namesDetails, namesMap:
		return u.methods[what.id]
	case namesSource:
		return u.sources[tokenKey{what.module, what.token}]
	case namesFile:
		return u.modules[what.module]
	case namesModule, namesDomainModule:
		return u.modules[what.id]
	case namesAssembly:
		return u.assembly[what.id]
	case namesDomain:
		return u.domains[what.id]
	case namesMapping:
		return u.wanted.any(what.start, what.end) || u.part.symbols[what.id]
	}
	return what.kind == namesProcess
}

// near is the end of the addresses that an entry point or a method below them
// matters for.
func near(end uint64) uint64 { return max(end, end+maxEntryDistance+1) }

// mayNeed reports whether the process may need a naming event, while naming
// events or addresses may still be missing.
func (u *namingUse) mayNeed(what *naming, s *namingSpace) bool {
	switch what.kind {
	case namesCode:
		return u.wanted.any(what.start, what.end) || u.isUnnamed(what.id, s) ||
			len(s.entries) > 0 && u.wanted.any(what.start, near(what.end))
	case namesEntry:
		return u.wanted.any(what.start, near(what.start))
	}
	return true
}

// isUnnamed reports whether a method that holds an address has a row without a
// name so far.
func (u *namingUse) isUnnamed(id uint64, s *namingSpace) bool {
	if u.unnamed == nil {
		u.unnamed = map[uint64]bool{}
	}
	for ; u.seen < len(s.rows); u.seen++ {
		if r := &s.rows[u.seen]; !r.named && u.wanted.any(r.start, r.end) {
			u.unnamed[r.id] = true
		}
	}
	return u.unnamed[id]
}
