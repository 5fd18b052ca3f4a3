package edit

// mergedProcesses gives each process of each source an id of its own.
type mergedProcesses struct {
	ids   map[sourceProcess]uint64
	taken map[uint64]bool // the values of ids
}

// sourceProcess is a process of a source.
type sourceProcess struct{ source, id uint64 }

// perSource is the distance of the new ids of two sources: the ids of Linux, macOS and
// usually of Windows are below it.
const perSource = 1_000_000_000

// of returns the id in the merged trace of a process of a source.
func (p *mergedProcesses) of(s *MergeSource, id uint64) uint64 {
	key := sourceProcess{s.number, id}
	own, known := p.ids[key]
	if known {
		return own
	}
	if own = id; p.taken[own] {
		for own = id + s.number*perSource; p.taken[own]; {
			own++
		}
		s.changes.add("processes with another id, because a source before has a process with theirs", 1)
	}
	if p.ids == nil {
		p.ids, p.taken = map[sourceProcess]uint64{}, map[uint64]bool{}
	}
	p.ids[key], p.taken[own] = own, true
	return own
}
