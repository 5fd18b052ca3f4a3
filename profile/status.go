package profile

// Status is the state of a stack.
type Status uint8

// The states of stacks.
const (
	// Complete: the stack is complete.
	Complete Status = iota
	// Repaired: the stack was truncated, and repair added the missing frames.
	Repaired
	// Truncated: the stack is truncated, and the trace does not have the
	// missing frames. The root is a frame that marks this.
	Truncated
)

// String returns "complete", "repaired" or "truncated".
func (s Status) String() string {
	return [...]string{"complete", "repaired", "truncated", "?"}[min(s, 3)]
}

// Evidence describes how repair extended a stack. The zero value means that it
// did not.
type Evidence struct {
	// Added is the number of added frames, at the root end. It is 0 if a stack
	// with exactly 100 frames turned out to be complete.
	Added int
	// Context is the number of equal frames required to add a frame: the
	// smallest number over all added frames.
	Context int
	// ByTime is the number of added frames that were ambiguous, and were chosen
	// by the previous and next stacks of the thread.
	ByTime int
}

// RepairSummary counts samples by the state of their stacks.
type RepairSummary struct {
	Complete, Repaired, Truncated int64 // samples by Status
	Frames                        int64 // frames that repair added
	Skipped                       int64 // samples left Truncated because Limits.Repair was reached; only in Profile.Repaired
}

// CountStacks counts the returned samples of some types by the state of their
// stacks. Samples of CPUApprox are also samples of Wall and count once.
func (p *Profile) CountStacks(of ...Type) RepairSummary {
	var sum RepairSummary
	for _, t := range distinct(of) {
		sum.addAll(&p.typeSums(t).stacks)
	}
	return sum
}

// summarize counts the status of the samples' stacks.
func (p *Profile) summarize() {
	for t := range p.records {
		if !p.asked[t] {
			continue
		}
		sums := make([]RepairSummary, p.workers)
		divide(p.workers, len(p.records[t]), func(worker, thread int) {
			for _, r := range p.records[t].of(thread).all() {
				sums[worker].add(p.stacks.status(r.stack), 1)
			}
		})
		for i := range sums {
			p.Repaired.addAll(&sums[i])
		}
	}
}

// addAll adds samples that were counted.
func (s *RepairSummary) addAll(of *RepairSummary) {
	s.Complete += of.Complete
	s.Repaired += of.Repaired
	s.Truncated += of.Truncated
	s.Frames += of.Frames
}

// add adds samples with a stack.
func (s *RepairSummary) add(how madeStack, samples int64) {
	switch how.status {
	case Complete:
		s.Complete += samples
	case Repaired:
		s.Repaired += samples
		s.Frames += samples * int64(how.evidence.Added)
	default:
		s.Truncated += samples
	}
}
