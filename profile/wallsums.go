package profile

import "slices"

// wallSums are sums over the samples of type Wall in every state, which are
// found in one pass.
type wallSums struct {
	states [stateCount]StateTime
	polls  Polls
	codes  codes
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
	for thread := range p.threads.rows {
		p.eachTotal(Wall, thread, nil, func(s Total) bool {
			p.wall.add(p, &s)
			return true
		})
	}
	return p.wall
}

// add adds samples.
func (w *wallSums) add(p *Profile, s *Total) {
	state, _ := p.State(&s.Sample)
	w.states[state].Samples += s.Samples
	w.states[state].Nanos += s.Value
	if s.Managed {
		w.polls.Managed += s.Samples
		if s.atPoll {
			w.polls.AtPolls += s.Samples
		}
	}
	w.codes.add(p.threads.rows[s.Thread].ProcessID, s.Managed, state, s.Samples)
}

// codes counts samples of each process by their code.
type codes struct {
	list []OneCode
	at   map[uint64]int // of the processes in list
}

// add adds samples.
func (c *codes) add(process uint64, managed bool, state State, samples int64) {
	if !managed && (state == Waiting || state == Blocked || state == Idle) {
		return
	}
	i, ok := c.at[process]
	if !ok {
		if c.at == nil {
			c.at = map[uint64]int{}
		}
		i = len(c.list)
		c.at[process] = i
		c.list = append(c.list, OneCode{ProcessID: process})
	}
	c.list[i].Samples += samples
	if managed {
		c.list[i].Managed += samples
	}
}

// one returns the processes of which nearly all samples have one code, and those whose
// runtime gives them one.
func (c *codes) one(byRuntime map[uint64]bool) []OneCode {
	list := slices.Clone(c.list)
	for i := range list {
		list[i].ByRuntime = byRuntime[list[i].ProcessID]
	}
	return slices.DeleteFunc(list, func(c OneCode) bool {
		most := max(c.Managed, c.Samples-c.Managed)
		return !c.ByRuntime && (c.Samples < minSamplesOfCode || 100*most < 99*c.Samples)
	})
}

// allCodes counts all samples, also those that Options leave out.
func (p *Profile) allCodes() *codes {
	c := &codes{}
	for thread, r := range p.records[Wall].all() {
		state := Running // for managed code it does not matter
		if !r.managed() {
			state, _ = p.State(&Sample{Type: Wall, Thread: thread, Stack: p.named(r), code: r.detail & codeBits})
		}
		c.add(p.threads.rows[thread].ProcessID, r.managed(), state, 1)
	}
	return c
}
