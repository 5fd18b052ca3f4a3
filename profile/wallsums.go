package profile

// wallSums are sums over the samples of type Wall in every state, which are
// found in one pass.
type wallSums struct {
	states [stateCount]StateTime
	polls  Polls
	codes  []OneCode // of each process
}

// wallSums returns the sums. They are found once.
func (p *Profile) wallSums() *wallSums {
	if p.wall != nil {
		return p.wall
	}
	p.wall = &wallSums{}
	for i := range p.wall.states {
		p.wall.states[i].State = State(i)
	}
	at := map[uint64]int{} // processes in codes
	for thread := range p.threads.rows {
		p.each(Wall, thread, nil, func(s Sample) bool {
			p.wall.add(p, &s, at)
			return true
		})
	}
	return p.wall
}

// add adds a sample.
func (w *wallSums) add(p *Profile, s *Sample, at map[uint64]int) {
	state, _ := p.State(s)
	w.states[state].Samples++
	w.states[state].Nanos += s.Value
	if s.Managed {
		w.polls.Managed++
		if s.atPoll {
			w.polls.AtPolls++
		}
	}
	if !s.Managed && (state == Waiting || state == Blocked || state == Idle) {
		return
	}
	process := p.threads.rows[s.Thread].ProcessID
	i, ok := at[process]
	if !ok {
		i = len(w.codes)
		at[process] = i
		w.codes = append(w.codes, OneCode{ProcessID: process})
	}
	w.codes[i].Samples++
	if s.Managed {
		w.codes[i].Managed++
	}
}
