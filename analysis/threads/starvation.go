package threads

import (
	"cmp"
	"maps"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/blocking"
)

// A starvation has at least minAdjustments within window.
const (
	minAdjustments = 5
	window         = 5e9 // nanoseconds
)

// Bounds of what is kept about starvations, and the age from which a sample does
// not show what a thread does.
const (
	maxStarvations = 1000
	maxSnapshots   = 100
	sampleAge      = 500e6 // nanoseconds
)

// isStarvation reports whether an adjustment with this reason that adds a thread
// does so because others are blocked.
func isStarvation(reason uint32) bool {
	const starvation, cooperativeBlocking = 6, 8
	return reason == starvation || reason == cooperativeBlocking
}

// starvation is a series of adjustments that add a thread because others are
// blocked, each at most window after the one before.
type starvation struct {
	first, last uint64 // ticks
	recent      []int64
	count, most int64 // adjustments, in all and within window
	workers     int64 // the highest number that the pool wanted
	snapshots   int64
	stacks      map[seen]int64 // how many threads had a stack at the times of the adjustments
	ticks       uint64
}

// seen is the stack of a thread at the time of an adjustment.
type seen struct {
	stack  analysis.StackID
	worker bool // events of the pool show that the thread is one of it
}

// starve handles an adjustment that adds a thread because others are blocked.
func (p *process) starve(ev *codec.Event, workers int64) {
	s := p.open
	if s == nil || p.trace.Between(s.last, ev.Timestamp) > window {
		p.endStarvation()
		s = &starvation{first: ev.Timestamp, stacks: map[seen]int64{}}
		p.open = s
	}
	s.last, s.workers = ev.Timestamp, max(s.workers, workers)
	s.count++
	now := p.trace.Nanos(ev.Timestamp)
	s.recent = append(s.recent, now)
	for now-s.recent[0] > window {
		s.recent = s.recent[1:]
	}
	s.most = max(s.most, int64(len(s.recent)))
	if s.snapshots < maxSnapshots && len(p.starvations) < maxStarvations {
		p.snapshot(s, ev.Timestamp)
	}
}

// snapshot adds what the threads do.
func (p *process) snapshot(s *starvation, ticks uint64) {
	s.snapshots++
	s.ticks = ticks
	for _, id := range slices.Sorted(maps.Keys(p.threads)) { // stacks are numbered in this order
		t := p.threads[id]
		if t.waiting() || p.trace.Between(t.ticks, ticks) <= sampleAge {
			s.stacks[seen{p.trace.StackOf(p.id, t.stack), t.worker}]++
		} else if t.worker {
			s.stacks[seen{0, true}]++
		}
	}
}

// endStarvation keeps the open series if it is a starvation.
func (p *process) endStarvation() {
	if s := p.open; s != nil && s.most >= minAdjustments && len(p.starvations) < maxStarvations {
		p.starvations = append(p.starvations, s)
	}
	p.open = nil
}

// describe makes the Starvation after the last event.
func (s *starvation) describe(t *analysis.Trace) Starvation {
	d := Starvation{
		StartNs: t.Nanos(s.first), DurationNs: t.Between(s.first, s.last), Adjustments: s.count,
		MostAdjustments: s.most, Workers: s.workers,
	}
	type site struct {
		count, most int64
		stack       []string
	}
	sites := map[string]*site{}
	all := int64(0)
	for _, key := range slices.SortedFunc(maps.Keys(s.stacks), func(a, b seen) int { return cmp.Compare(a.stack, b.stack) }) {
		count := s.stacks[key]
		frames := t.Frames(key.stack, s.ticks)
		if !key.worker && !slices.ContainsFunc(frames, isPool) {
			continue
		}
		all += count
		names := analysis.Names(frames)
		where := blockedIn(frames, names)
		if where == "" {
			continue
		}
		if sites[where] == nil {
			sites[where] = &site{}
		}
		one := sites[where]
		one.count += count
		if count > one.most {
			one.most, one.stack = count, names[blocking.WritingFrames(frames):]
		}
	}
	for _, where := range slices.Sorted(maps.Keys(sites)) {
		if percent := analysis.Percent(sites[where].count, all); percent > d.BlockedPercent {
			d.BlockedPercent, d.Site, d.Stack = percent, where, sites[where].stack
		}
	}
	return d
}

// coreLibrary is the module whose methods are not sites.
const coreLibrary = "System.Private.CoreLib"

// isPool reports whether a frame is the root of a thread of the pool.
func isPool(f symbols.Frame) bool {
	return blocking.PlacesOf(f.Symbol)&blocking.PoolRoot != 0
}

// blockedIn returns the innermost method outside of the core library that calls a
// method that blocks; "" if the stack is not that of a blocked thread.
func blockedIn(frames []symbols.Frame, names []string) string {
	blocks := false
	for i, f := range frames {
		if f.Symbol == nil {
			continue
		}
		blocks = blocks || blocking.PlacesOf(f.Symbol)&blocking.Blocks != 0
		if f.Symbol.ModuleName() != coreLibrary {
			if blocks {
				return names[i]
			}
			return ""
		}
	}
	return ""
}
