package profile

import (
	"cmp"
	"math"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
)

// The sample profiler stops the process about once a millisecond and logs one
// event for each managed thread: a round. The events of one capture thread are
// divided into rounds: a round ends before an event about a thread that already
// has one in it. If the capture thread logs suspensions, each begins a round,
// also one without samples. A sample owns the time to its thread's next sample if
// that is in the next round of its capture thread, otherwise only to the start of
// the next round of the process: from then on the thread was not sampled.

// round is a round of the sample profiler.
type round struct {
	start uint64 // of its first event, in ticks
	next  int    // of the same capture thread, -1 for none
	group uint32 // process that it belongs to
	lossy bool   // events of the capture thread are lost between its first event and the next round
}

// roundGroup has rounds of its own: a process, or in a merged trace the capture
// thread, because two sources can have the same process id.
type roundGroup struct {
	process uint64
	capture *capture // in a merged trace
}

// sampledIn identifies a thread's samples by one capture thread.
type sampledIn struct {
	capture *capture
	thread  uint32
}

// suspendBegin handles the start of a suspension.
func (b *builder) suspendBegin(ev *codec.Event) {
	if b.kept[Wall] {
		from := originOf(ev)
		b.suspended(&from, ev.Timestamp, ev.Sequence)
	}
	if b.kept[GC] {
		b.gcSuspending(ev)
	}
}

// suspended notes a suspension for the rounds.
func (b *builder) suspended(from *origin, ticks uint64, sequence uint32) {
	c := b.capture(from, sequence)
	switch {
	case c.self:
	case c.sampler:
		b.startRound(c, ticks)
	default:
		c.suspended, c.suspensionTime = true, ticks
	}
}

// sampler returns the capture of the thread that logged a sample with a number.
func (b *builder) sampler(from *origin, sequence uint32) *capture {
	c := b.capture(from, sequence)
	c.self = c.self || from.capture == from.thread
	if !c.sampler {
		c.sampler, c.group = true, b.group(c)
		if c.suspended && !c.self {
			b.startRound(c, c.suspensionTime)
		}
	}
	return c
}

// lastRound returns where the round of the last sample is that a capture has logged about a
// thread, -1 for none.
func (b *builder) lastRound(c *capture, thread uint32) *int {
	last := b.sampledIn[sampledIn{c, thread}]
	if last == nil {
		last = new(int)
		*last = -1
		b.sampledIn[sampledIn{c, thread}] = last
	}
	return last
}

// sample keeps a sample of a thread, whose last one was in the round last.
func (b *builder) sample(c *capture, last *int, thread uint32, r record) {
	if c.round < 0 || *last == c.round {
		b.startRound(c, r.ticks)
	}
	*last = c.round
	b.countRound(c)
	r.until = uint64(c.round) // until finish
	b.add(Wall, thread, r)
}

// countRound counts the current round of a capture at its first sample.
func (b *builder) countRound(c *capture) {
	if c.empty > 0 {
		c.empty = 0
		b.p.rounds++
	}
}

// group returns the group of the rounds of a capture thread.
func (b *builder) group(c *capture) uint32 {
	key := roundGroup{process: b.process}
	if c.row != nil {
		key.process = c.row.ProcessID
	}
	if b.merged {
		key.capture = c
	}
	group, ok := b.groups[key]
	if !ok {
		group = uint32(len(b.groups))
		b.groups[key] = group
	}
	return group
}

// roundsAfter reports whether two rounds of a process began after a time: the first one can have
// begun before it, if the suspension of the sampler is not in the trace.
func (b *builder) roundsAfter(process, ticks uint64) bool {
	for key, group := range b.groups {
		if key.process != process {
			continue
		}
		after := 0
		for i := range b.rounds.count {
			if r := b.rounds.at(i); r.group == group && r.start > ticks {
				after++
			}
		}
		if after >= 2 {
			return true
		}
	}
	return false
}

// startRound begins a round. Of a run of rounds without samples only the first and
// the last matter.
func (b *builder) startRound(c *capture, ticks uint64) {
	const most = 2
	if c.empty == most {
		b.rounds.at(c.round).start = ticks
		return
	}
	c.empty++
	if b.hold(1) || c.round < 0 {
		if c.round >= 0 {
			b.rounds.at(c.round).next = b.rounds.count
		}
		c.round = b.rounds.count
		b.rounds.addWith(round{start: ticks, next: -1, group: c.group}, &b.spare.rounds)
	}
}

// following returns for each round the next one of its process, -1 for none.
func (b *builder) following() []int {
	order := make([]int, b.rounds.count)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		x, y := b.rounds.at(i), b.rounds.at(j)
		return cmp.Or(cmp.Compare(x.group, y.group), cmp.Compare(x.start, y.start), cmp.Compare(i, j))
	})
	next := make([]int, len(order))
	for at, i := range order {
		next[i] = -1
		if at+1 < len(order) && b.rounds.at(order[at+1]).group == b.rounds.at(i).group {
			next[i] = order[at+1]
		}
	}
	return next
}

// gap is a time, in ticks, in which a thread was not sampled.
type gap struct{ from, until uint64 }

// nextSample is the next sample of a thread in a process.
type nextSample struct {
	thread int // plus one; 0 if it is of another thread
	round  int
	ticks  uint64
}

// ownTime gives each sample of the sample profiler the time that it owns. Before
// that, until is the number of the sample's round.
func (b *builder) ownTime(median uint64) {
	following := b.following()
	stall := max(longRounds*median, b.p.nanos.ticks(longNanos))
	b.p.gaps = make([][]gap, len(b.p.threads.rows))
	ahead := make([][]nextSample, b.p.workers)
	divide(b.p.workers, len(b.p.records[Wall]), func(worker, thread int) {
		if ahead[worker] == nil {
			ahead[worker] = make([]nextSample, len(b.groups)) // by group: threads of two sources can have one ID
		}
		b.ownTimeOf(thread, following, median, stall, ahead[worker])
	})
}

// ownTimeOf is ownTime for one thread.
func (b *builder) ownTimeOf(thread int, following []int, median, stall uint64, ahead []nextSample) {
	rows, pauses := &b.p.records[Wall][thread], b.p.weightsOf(thread).pauses
	for i := rows.count - 1; i >= 0; i-- {
		r := rows.at(i)
		of := int(r.until)
		next := &ahead[b.rounds.at(of).group]
		hasNext := next.thread == thread+1
		r.until = b.owned(r.ticks, of, following[of], median, stall, pauses, next, hasNext)
		if hasNext && r.until < next.ticks {
			b.p.gaps[thread] = append(b.p.gaps[thread], gap{r.until, next.ticks})
		}
		*next = nextSample{thread + 1, of, r.ticks}
	}
}

// A round that takes longer than so many of median length, and longer than so many
// nanoseconds, shows that the process was stopped, or the sampler: by a signal or a quota of
// processor time. Pauses of the garbage collector do not count: they are no time of a sample.
const (
	longRounds = 10
	longNanos  = 100e6
)

// owned returns the end of the time that a sample of a round owns. follows is the
// next round of the process, -1 for none, and next the next sample of the thread
// in it, if there is one. A time longer than stall, without the pauses in it, is one in which
// the process or the sampler was stopped: the sample owns a median interval of it.
func (b *builder) owned(ticks uint64, of, follows int, median, stall uint64, pauses pauses, next *nextSample, hasNext bool) uint64 {
	longest := ticks + median
	if longest < ticks {
		longest = math.MaxUint64
	}
	until := longest
	switch {
	case hasNext && next.round == b.rounds.at(of).next:
		until = next.ticks
	case follows >= 0:
		until = b.rounds.at(follows).start
	}
	if b.rounds.at(of).lossy || until > ticks && until-ticks > stall && until-ticks-pauses.length(ticks, until) > stall {
		until = min(until, longest)
	}
	if hasNext {
		until = min(until, next.ticks)
	}
	return max(ticks, until)
}
