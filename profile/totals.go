package profile

import "iter"

// Total is samples of one thread, added up.
type Total struct {
	Sample        // the first of them, with the sums of Value and Count
	Samples int64 // number of samples
	nonZero int64 // of them, those with a Value
}

// Totals iterates over the samples of a type as Samples does, but adds up those of a thread
// that differ only in their times and values: samples of the sample profiler with the same
// stack and the same Managed. A Total comes where Samples has the first of its samples.
// Adding up all Totals is faster than adding up all Samples; some can have one sample each.
func (p *Profile) Totals(t Type) iter.Seq[Total] {
	return func(yield func(Total) bool) {
		for thread := range p.threads.rows {
			if !p.eachTotal(t, thread, p.opt.States, yield) {
				return
			}
		}
	}
}

// ThreadTotals is Totals for one thread. thread is an index in Threads.
func (p *Profile) ThreadTotals(t Type, thread int) iter.Seq[Total] {
	return func(yield func(Total) bool) { p.eachTotal(t, thread, p.opt.States, yield) }
}

// eachTotal is each for Totals.
func (p *Profile) eachTotal(t Type, thread int, states []State, yield func(Total) bool) bool {
	single := func(s Sample) bool {
		total := Total{Sample: s, Samples: 1}
		if s.Value != 0 {
			total.nonZero = 1
		}
		return yield(total)
	}
	if t != Wall && t != CPUApprox || p.causality != nil || len(p.served) > 0 || p.opt.Filter.Request != nil { // requests and spans are of times, not of stacks
		return p.each(t, thread, states, single)
	}
	if !p.asked[Wall] || !p.wanted(thread) || t == CPUApprox && p.isMeasured(thread) {
		return true
	}
	rows := p.records[Wall].of(thread)
	for _, m := range p.mergedOf(t, thread) {
		r := rows.at(int(m.first))
		w := weighed{value: m.value}
		w.from, w.until, _ = p.window.Clip(r.ticks, r.until)
		s, ok := p.sample(t, Wall, thread, r, &w, states)
		if s.Count = int64(m.samples); ok && !yield(Total{s, s.Count, int64(m.nonZero)}) {
			return false
		}
	}
	return t != CPUApprox || p.cpu == nil || p.eachOf(t, CPUApprox, thread, states, single)
}

// merged is records of one thread of the sample profiler with the same stack, in the same kind of
// code.
type merged struct {
	value            int64  // their sum
	first            uint32 // record
	samples, nonZero uint32
}

// mergedOf adds up the records of a thread, once.
func (p *Profile) mergedOf(t Type, thread int) []merged {
	if p.merged[t] == nil {
		p.merged[t] = make([][]merged, len(p.threads.rows))
		mergers := make([]merger, p.workers)
		divide(p.workers, len(p.merged[t]), func(worker, thread int) {
			if p.wanted(thread) {
				p.merged[t][thread] = mergers[worker].merge(p, t, thread)
			}
		})
	}
	return p.merged[t][thread]
}

// merger has memory for adding up the records of one thread after the other.
type merger struct {
	at    []int32 // by stack and kind of code: position in list plus one
	list  []merged
	moves stackCache[bool] // stacks whose addresses have several meanings
}

// merge adds up the records of a thread.
func (m *merger) merge(p *Profile, t Type, thread int) []merged {
	rows, weights := p.records[Wall].of(thread), p.weightsOf(thread)
	m.list = m.list[:0]
	for i := range rows.count {
		r := rows.at(i)
		w, ok := p.weighed(t, Wall, thread, i, r, &weights)
		if !ok {
			continue
		}
		key := codeOf(r)
		if missing := key + 1 - len(m.at); missing > 0 {
			m.at = append(m.at, make([]int32, missing)...)
		}
		at := &m.at[key]
		if *at == 0 || m.moved(p, r.stack) {
			m.list = append(m.list, merged{first: uint32(i)})
			*at = int32(len(m.list))
		}
		one := &m.list[*at-1]
		one.value += w.value
		one.samples++
		if w.value != 0 {
			one.nonZero++
		}
	}
	list := make([]merged, len(m.list))
	copy(list, m.list)
	for i := range list {
		m.at[codeOf(rows.at(int(list[i].first)))] = 0
	}
	return list
}

// moved reports whether addresses of a stack have several meanings, which depend on the time.
func (m *merger) moved(p *Profile, stack StackID) bool {
	if len(p.names.lifetimes) == 0 {
		return false
	}
	moved, known := m.moves.get(stack)
	if !known {
		moved = m.moves.set(stack, p.names.moves(p.stacks.get(stack)))
	}
	return moved
}
