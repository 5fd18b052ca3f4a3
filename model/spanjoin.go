package model

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/blocking"
	"github.com/nettrace-go/nettrace/model/logical"
)

// spanPair is a start and a stop that belong together, by their positions.
type spanPair struct {
	start, stop int
	by          Join
}

// joining joins the marks of a family that can belong together as far as their fields and
// activity ids tell: the marks of a class.
type joining struct {
	spans  *Spans
	family *spanFamily
	keyed  bool // by fields
	active bool // by activity ids
	owned  bool // activity ids are those of the spans, not of what surrounds them
	counts SpanCounts
	pairs  []spanPair
}

// join joins the starts and stops of a family. A class that has one start and one stop by a key is
// whole even if events were lost; the others are divided by the losses.
func (s *Spans) join(family *spanFamily, counts *SpanCounts) []spanPair {
	keys := s.texts.keysOf(family.marks)
	owned := slices.ContainsFunc(family.marks, func(m spanMark) bool { return !m.stop && m.related != (wire.GUID{}) })
	var pairs []spanPair
	for _, class := range classesOf(family.marks, keys) {
		first := &family.marks[class[0]]
		j := joining{spans: s, family: family, keyed: len(keys) > 0, owned: owned}
		j.active = !j.keyed && first.end.Activity != wire.GUID{}
		if j.keyed && len(class) == 2 {
			j.class(class)
		} else {
			for len(class) > 0 {
				epoch := family.marks[class[0]].epoch
				n := slices.IndexFunc(class, func(at int) bool { return family.marks[at].epoch != epoch })
				if n < 0 {
					n = len(class)
				}
				j.class(class[:n])
				class = class[n:]
			}
		}
		counts.Ambiguous += j.counts.Ambiguous
		counts.Unfinished += j.counts.Unfinished
		counts.BeganBefore += j.counts.BeganBefore
		pairs = append(pairs, j.pairs...)
	}
	return pairs
}

// keysOf returns the names of the fields by which the marks of a family are joined, of those that
// all marks have: an id that no two starts share, or else the fields whose value in each stop was in a start
// before, but for the spans that began before the recording. A field that a program changes between
// start and stop is none, such as a path that is rewritten.
func (t *spanTexts) keysOf(marks []spanMark) []uint32 {
	if len(marks) == 0 {
		return nil
	}
	began := before(marks, nil)
	var keys []uint32
	for _, f := range marks[0].fields {
		use, ok := useOf(marks, f.name)
		identity := hasSuffix(t.list[f.name], identities)
		switch {
		case !ok || use.stops == 0 || slices.Contains(keys, f.name):
		case identity && use.unique && use.found*2 >= use.stops:
			return []uint32{f.name}
		case use.found+began >= use.stops, identity && use.found*2 >= use.stops:
			keys = append(keys, f.name)
		}
	}
	return keys
}

// fieldUse is how the marks of a family use a field.
type fieldUse struct {
	stops, found int  // stops, and those whose value was in a start before
	unique       bool // no two starts and no two stops have the same value
}

// useOf returns how marks use a field, and whether all have it.
func useOf(marks []spanMark, name uint32) (use fieldUse, ok bool) {
	started, stopped := map[uint32]bool{}, map[uint32]bool{}
	use.unique = true
	for i := range marks {
		value, ok := valueOf(marks[i].fields, name)
		if !ok {
			return use, false
		}
		seen := started
		if marks[i].stop {
			seen = stopped
			use.stops++
			if started[value] {
				use.found++
			}
		}
		use.unique = use.unique && !seen[value]
		seen[value] = true
	}
	return use, true
}

// classesOf divides marks by the values of keys, or without keys by activity id.
func classesOf(marks []spanMark, keys []uint32) [][]int {
	index, list, id := map[string]int{}, [][]int{}, []byte(nil)
	for i := range marks {
		m := &marks[i]
		id = id[:0]
		for _, key := range keys {
			value, _ := valueOf(m.fields, key)
			id = binary.LittleEndian.AppendUint32(id, value)
		}
		if len(keys) == 0 {
			id = append(id, m.end.Activity[:]...)
		}
		n, ok := index[string(id)]
		if !ok {
			n = len(list)
			index[string(id)] = n
			list = append(list, nil)
		}
		list[n] = append(list[n], i)
	}
	return list
}

// class joins the marks of a class: by what is open, if that is never ambiguous, or else
// by nesting on the thread.
func (j *joining) class(class []int) {
	pairs, counts := j.open(class)
	if counts.Ambiguous > 0 || !j.keyed && !j.active {
		if nested, c, ok := j.nested(class); ok {
			pairs, counts = nested, c
		}
	}
	j.pairs = append(j.pairs, pairs...)
	j.counts.Ambiguous += counts.Ambiguous
	j.counts.Unfinished += counts.Unfinished
	j.counts.BeganBefore += counts.BeganBefore
}

// openSpan is what is open in a class.
type openSpan struct {
	mark  int  // -1: it began before
	doubt bool // it may have stopped already
}

// open joins a stop with the one span of its class that is open. Of several it joins the one
// with the stop's activity id, or none. As many spans began before the first mark as stops
// have no start later.
func (j *joining) open(class []int) (pairs []spanPair, counts SpanCounts) {
	marks := j.family.marks
	if !slices.ContainsFunc(class, func(at int) bool { return !marks[at].stop }) {
		return nil, SpanCounts{BeganBefore: int64(len(class))}
	}
	var open []openSpan
	for range before(marks, class) {
		open = append(open, openSpan{mark: -1})
	}
	for n, at := range class {
		m := &marks[at]
		if len(open) > maxOpenSpans {
			counts.crowded(marks, class[n:], int64(len(open)))
			return pairs, counts
		}
		if !m.stop {
			open = append(open, openSpan{mark: at})
			continue
		}
		candidates := j.candidates(open, m)
		one := open[candidates[0]]
		doubt := len(candidates) > 1 || one.doubt
		open = slices.Delete(open, candidates[0], candidates[0]+1)
		switch {
		case doubt:
			counts.Ambiguous++
			for _, c := range candidates[1:] {
				open[c-1].doubt = true
			}
		case one.mark < 0:
			counts.BeganBefore++
		case !j.keyed && !j.active && marks[one.mark].end.Thread != m.end.Thread:
			counts.Ambiguous++ // nothing but time joins them
		default:
			pairs = append(pairs, spanPair{one.mark, at, j.evidence(&marks[one.mark], m)})
		}
	}
	for _, o := range open {
		if o.mark >= 0 {
			counts.Unfinished++
		}
	}
	return pairs, counts
}

// maxOpenSpans bounds the spans of a class that are open at once.
const maxOpenSpans = 256

// crowded counts the rest of a class of which too many spans are open to tell them apart.
func (c *SpanCounts) crowded(marks []spanMark, class []int, open int64) {
	for _, at := range class {
		switch {
		case !marks[at].stop:
			open++
		case open > 0:
			open--
			c.Ambiguous++
		default:
			c.BeganBefore++
		}
	}
	c.Unfinished += open
}

// candidates returns the positions of the open spans that a stop can be of.
func (j *joining) candidates(open []openSpan, stop *spanMark) []int {
	var all, same []int
	for i, o := range open {
		all = append(all, i)
		if o.mark >= 0 && stop.end.Activity != (wire.GUID{}) && j.family.marks[o.mark].end.Activity == stop.end.Activity {
			same = append(same, i)
		}
	}
	if j.keyed && len(same) > 0 {
		return same
	}
	return all
}

// before returns how many spans of a class, nil for all, began before the first of its marks at
// least: then no more stop than are open.
func before(marks []spanMark, class []int) int {
	depth, lowest := 0, 0
	count := func(m *spanMark) {
		if m.stop {
			depth--
			lowest = min(lowest, depth)
		} else {
			depth++
		}
	}
	if class == nil {
		for i := range marks {
			count(&marks[i])
		}
	}
	for _, at := range class {
		count(&marks[at])
	}
	return -lowest
}

// evidence returns why a start and a stop belong together.
func (j *joining) evidence(start, stop *spanMark) Join {
	switch {
	case start.end.Activity != (wire.GUID{}) && start.end.Activity == stop.end.Activity:
		return ByActivity
	case j.keyed:
		return ByKey
	}
	return ByNesting
}

// threadSpans are the open spans of a class on a thread.
type threadSpans struct {
	open    []int
	covered []bool // of each: a span within it is complete
	began   int    // stops before the first start
	started bool
}

// nested joins a stop with the innermost span that is open on its thread. It reports false
// if the spans of the class move from thread to thread: then a thread has a stop
// without a start after its first start, or starts without stops between complete spans
// and stops without starts; or an async method of the program writes the events. A start and a stop
// with stacks from different places are not joined.
func (j *joining) nested(class []int) (pairs []spanPair, counts SpanCounts, ok bool) {
	if j.active && j.owned || j.async(class) {
		return nil, counts, false
	}
	marks, threads, deepest := j.family.marks, map[uint64]*threadSpans{}, 1
	parents := 0 // complete spans that had complete ones within them
	for _, at := range class {
		m := &marks[at]
		t := threads[m.end.Thread]
		if t == nil {
			t = &threadSpans{}
			threads[m.end.Thread] = t
		}
		n := len(t.open) - 1
		switch {
		case !m.stop:
			t.open, t.covered, t.started = append(t.open, at), append(t.covered, false), true
			deepest = max(deepest, len(t.open))
		case n < 0 && t.started:
			return nil, counts, false
		case n < 0:
			t.began++
		default:
			if t.covered[n] {
				parents++
			}
			pairs = append(pairs, spanPair{t.open[n], at, ByNesting})
			t.open, t.covered = t.open[:n], t.covered[:n]
			if n > 0 {
				t.covered[n-1] = true
			}
		}
	}
	began, abandoned := 0, false
	for _, t := range threads {
		began += t.began
		counts.Unfinished += int64(len(t.open))
		abandoned = abandoned || slices.Contains(t.covered, true)
		if t.began > deepest {
			return nil, counts, false
		}
	}
	if began > 0 && abandoned && parents == 0 {
		return nil, counts, false
	}
	// Where more spans began before than must have, these may be stops of spans of other threads.
	least := before(marks, class)
	moving := began > least
	counts.BeganBefore, counts.Ambiguous = int64(least), int64(began-least)
	counts.Unfinished = max(0, counts.Unfinished-counts.Ambiguous)
	kept := pairs[:0]
	for _, p := range pairs {
		start, stop := marks[p.start].stack, marks[p.stop].stack
		if known := start != 0 && stop != 0; known && j.samePlace(start, stop) && (!moving || j.sameWriter(start, stop, marks[p.stop].end.Ticks)) || !known && !moving {
			kept = append(kept, p)
			continue
		}
		counts.Ambiguous++
	}
	return kept, counts, true
}

// maxPlaceDepths is how much the depths of a start and a stop from one place differ: a method
// that ends a span can have one caller more than the one that begins it.
const maxPlaceDepths = 2

// samePlace reports whether a method that has the same callers wrote a start and a stop.
func (j *joining) samePlace(start, stop StackID) bool {
	list := j.spans.trace.stacks.list
	a, b := list[start].addresses, list[stop].addresses
	common := 0
	for common < min(len(a), len(b)) && a[len(a)-1-common] == b[len(b)-1-common] {
		common++
	}
	depths := len(a) - len(b)
	return common > 0 && depths <= maxPlaceDepths && -depths <= maxPlaceDepths
}

// sameWriter reports whether one method of the program writes a start and a stop.
func (j *joining) sameWriter(start, stop StackID, ticks uint64) bool {
	a, b := j.writer(start, ticks), j.writer(stop, ticks)
	return a.method != nil && a.method == b.method
}

// async reports whether an async method of the program writes a mark of the class. Its spans can
// be interleaved on a thread.
func (j *joining) async(class []int) bool {
	return slices.ContainsFunc(class, func(at int) bool {
		m := &j.family.marks[at]
		return m.stack != 0 && j.writer(m.stack, m.end.Ticks).async
	})
}

// spanWriter is the method of the program that writes a start or a stop, nil if it is not known, and whether it is a
// state machine, or runtime-async code that was resumed.
type spanWriter struct {
	method *symbols.Symbol
	async  bool
}

// writerKey identifies what writes: the event source's own method has the name of the events.
type writerKey struct {
	stack StackID
	name  string
}

// writer returns what writes an event of the family, which is found once for each stack.
func (j *joining) writer(stack StackID, ticks uint64) spanWriter {
	key := writerKey{stack, j.family.name}
	w, ok := j.spans.writers[key]
	if ok {
		return w
	}
	frames := j.spans.trace.Frames(stack, ticks)
	if i := writerOf(frames, key.name); i >= 0 {
		w = spanWriter{frames[i].Symbol, frames[i].Symbol.Method == "MoveNext"}
		if i+1 < len(frames) && frames[i+1].Symbol != nil {
			role := logical.RoleOf(frames[i+1].Symbol.Namespace, frames[i+1].Symbol.Method)
			w.async = w.async || role == logical.Dispatcher || role >= logical.Wrapper
		}
	}
	j.spans.writers[key] = w
	return w
}

// writerOf returns the position of the method of the program that writes an event of a family,
// -1 if it is not known.
func writerOf(frames []symbols.Frame, name string) int {
	return slices.IndexFunc(frames, func(f symbols.Frame) bool {
		return f.Symbol != nil && !blocking.IsFramework(f.Symbol, f.Symbol.ModuleName()) && !strings.HasPrefix(f.Symbol.Method, name)
	})
}
