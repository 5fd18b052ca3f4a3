package profile

import "slices"

// Status says whether a stack is whole.
type Status uint8

const (
	// Complete: the runtime kept all of it.
	Complete Status = iota
	// Repaired: it was cut, and what was cut off is known.
	Repaired
	// Truncated: it was cut, and the trace does not tell what was cut off. The stack
	// ends in a frame that says so.
	Truncated
)

// String is "whole", "repaired" or "cut".
func (s Status) String() string { return [...]string{"whole", "repaired", "cut", "?"}[min(s, 3)] }

// Evidence tells on what grounds a stack was continued.
type Evidence struct {
	// Added is the number of frames, which are those nearest to the root; 0 when
	// a stack of just so many frames is whole.
	Added int
	// Context is the smallest number of frames that had to agree for one of them.
	Context int
	// ByTime is how many were chosen by the sightings before and after on the
	// thread, because not all sightings agreed.
	ByTime int
}

// RepairSummary counts samples by their stacks.
type RepairSummary struct {
	Complete, Repaired, Truncated int64
	Frames                        int64 // added
	Skipped                       int64 // samples left Truncated because Limits.Repair was reached; only in Profile.Repaired
}

// CountStacks counts the samples of some types that the profile returns, by their
// stacks. Samples of CPUApprox are samples of Wall and count once.
func (p *Profile) CountStacks(of ...Type) RepairSummary {
	var sum RepairSummary
	for _, t := range of {
		if t == CPUApprox && slices.Contains(of, Wall) {
			continue
		}
		for s := range p.Samples(t) {
			sum.add(madeStack{s.Status, s.Evidence})
		}
	}
	return sum
}

// summarize counts what became of the samples' stacks.
func (p *Profile) summarize() {
	for t := range p.records {
		for _, r := range p.records[t].all() {
			p.Repaired.add(p.stacks.status(r.stack))
		}
	}
}

func (s *RepairSummary) add(how madeStack) {
	switch how.status {
	case Complete:
		s.Complete++
	case Repaired:
		s.Repaired++
		s.Frames += int64(how.evidence.Added)
	default:
		s.Truncated++
	}
}
