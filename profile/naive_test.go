package profile

import (
	"bytes"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// naiveRepair continues each truncated sample of the sample profiler by the
// definition: it searches a list of all sightings for each frame. nil means that
// the stack stays truncated.
type naiveRepair struct {
	p              *Profile // read with NoRepair
	completeStacks []StackID
	known          map[string]naiveAnswer
}

// naiveSighting is a sighting in time.
type naiveAnswer struct {
	next      []FrameID // of each sighting, distinct
	sightings []naiveSighting
}

type naiveSighting struct {
	stack StackID
	next  FrameID
}

func (n *naiveRepair) extend(thread int, r *record) []FrameID {
	frames := slices.Clone(n.p.stacks.get(r.stack))
	recorded := len(frames)
	for len(frames)-recorded < maxAdded {
		next := n.next(thread, r, frames)
		switch next {
		case unknown:
			return nil
		case root:
			return frames[recorded:]
		}
		frames = append(frames, next)
	}
	return nil
}

// next looks up one context after the other.
func (n *naiveRepair) next(thread int, r *record, frames []FrameID) FrameID {
	for _, k := range contextLengths {
		if k > len(frames) {
			continue
		}
		answer := n.fromSightings(frames[len(frames)-k:])
		switch len(answer.next) {
		case 0:
			continue
		case 1:
			return answer.next[0]
		}
		return n.byTime(thread, r, answer.sightings)
	}
	return unknown
}

// fromSightings finds all places of a context in all distinct stacks.
func (n *naiveRepair) fromSightings(context []FrameID) naiveAnswer {
	key := string(appendFrames(nil, context))
	answer, ok := n.known[key]
	if ok {
		return answer
	}
	for _, id := range n.completeStacks {
		stack := n.p.stacks.get(id)
		for end := len(context); end <= len(stack); end++ {
			if !slices.Equal(stack[end-len(context):end], context) {
				continue
			}
			next := root
			if end < len(stack) {
				next = stack[end]
			} else if len(stack) == n.p.stacks.depth {
				continue
			}
			answer.sightings = append(answer.sightings, naiveSighting{id, next})
			if !slices.Contains(answer.next, next) {
				answer.next = append(answer.next, next)
			}
		}
	}
	n.known[key] = answer
	return answer
}

// byTime returns the last sighting before and the first at or after.
func (n *naiveRepair) byTime(thread int, r *record, sightings []naiveSighting) FrameID {
	before, after := unknown, unknown
	rows := n.p.records[Wall].of(thread)
	for i := range rows.count {
		row := rows.at(i)
		for _, s := range sightings {
			switch {
			case s.stack != row.stack:
			case row.ticks < r.ticks:
				before = s.next
			case after == unknown:
				after = s.next
			}
		}
	}
	if before == after {
		return before
	}
	return unknown
}

// TestNaiveRepair: repair and naiveRepair give the same stack for each truncated
// sample.
func TestNaiveRepair(t *testing.T) {
	for _, name := range shared.Small(t) {
		t.Run(name, func(t *testing.T) {
			trace := shared.Trace(t, name)
			for _, depth := range []int{0, 12, 25, 40} {
				opt := Options{Types: []Type{Wall}, Limits: Limits{Repair: -1}}
				repaired, _ := fromReader(t.Context(), codec.NewReader(bytes.NewReader(trace), codec.Options{OnError: codec.Skip}), opt, depth)
				opt.NoRepair = true
				plain, _ := fromReader(t.Context(), codec.NewReader(bytes.NewReader(trace), codec.Options{OnError: codec.Skip}), opt, depth)
				compareRepairs(t, name, depth, plain, repaired)
			}
		})
	}
}

// maxCompared bounds the truncated samples of a trace that are compared, because
// naiveRepair is slow.
const maxCompared = 150

func compareRepairs(t *testing.T, name string, depth int, plain, repaired *Profile) {
	n := &naiveRepair{plain, plain.completeStacks(), map[string]naiveAnswer{}}
	var cut []truncatedSample
	var after []StackID
	for thread := range plain.records[Wall] {
		rows, repaired := plain.records[Wall].of(thread), repaired.records[Wall].of(thread)
		for i := range rows.count {
			if r := rows.at(i); plain.stacks.isTruncated(r.stack) {
				cut = append(cut, truncatedSample{r, thread, r.stack})
				after = append(after, repaired.at(i).stack)
			}
		}
	}
	step := max(1, len(cut)/maxCompared)
	compared, different := 0, 0
	for i := 0; i < len(cut); i += step {
		want := n.extend(cut[i].thread, cut[i].row)
		id := after[i]
		got := repaired.stacks.get(id)[depthOf(plain):]
		if repaired.stacks.status(id).status == Truncated {
			got = nil
		}
		compared++
		if !slices.Equal(got, want) || (got == nil) != (want == nil) {
			if different++; different == 1 {
				t.Errorf("%s at %d: sample %d: %d frames added %v, naively %d %v", name, depth, i, len(got), got == nil, len(want), want == nil)
			}
		}
	}
	if compared > 0 {
		t.Logf("%s at %d: %d of %d truncated samples compared, %d differ", name, depthOf(plain), compared, len(cut), different)
	}
}

func depthOf(p *Profile) int { return p.stacks.depth }
