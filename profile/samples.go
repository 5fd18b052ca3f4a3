package profile

// each yields the samples of a type on one thread, and says whether to go on.
func (p *Profile) each(t Type, thread int, yield func(Sample) bool) bool {
	if t >= typeCount || !p.wanted(thread) {
		return true
	}
	kept := t
	if t == CPUApprox {
		kept = Wall
	}
	rows := p.records[kept].of(thread)
	for i := range rows.count {
		r := rows.at(i)
		if r.ticks < p.opt.From || p.opt.To > 0 && r.ticks >= p.opt.To || t == CPUApprox && !r.managed() {
			continue
		}
		s := Sample{
			Type: t, Thread: thread, Ticks: r.ticks, Stack: p.shown(r), Managed: r.managed(), detail: r.at(),
		}
		how := p.stacks.status(r.stack)
		s.Status, s.Evidence = how.status, how.evidence
		if kept == Wall {
			s.Value, s.Count = p.wall(rows, i), 1
		} else {
			d := &p.details[r.at()]
			s.Value, s.Count, s.Metadata = d.value, d.count, d.of
			s.Activity, s.Related = p.acts[d.activity].activity, p.acts[d.activity].related
		}
		if !yield(s) {
			return false
		}
	}
	return true
}

// wall is the time that a sample of the sample profiler owns.
func (p *Profile) wall(rows *records, i int) int64 {
	owned := p.Interval
	if i+1 < rows.count {
		owned = p.nanos.of(int64(rows.at(i+1).ticks - rows.at(i).ticks))
	}
	if p.opt.To > 0 {
		owned = min(owned, p.nanos.of(int64(p.opt.To-rows.at(i).ticks)))
	}
	return owned
}
