package blocked

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/model/incoming"
)

// Interval is a time in which a thread was blocked.
type Interval struct {
	model.Owned // its begin
	Nanos       int64
	Unfinished  bool // the end is not in the trace
}

// Sum is the sum of the intervals with one stack. T is what a part keeps of the
// longest one.
type Sum[T any] struct {
	Count, Unfinished int64 // all, and those of them that did not end
	Total             int64 // nanoseconds
	Longest           Interval
	Detail            T // of the longest one
	Threads           map[uint64]struct{}
	Peak              int64             // the highest number that Add got
	Request           *incoming.Request // whose work all of them are, nil for none; known to Groups
}

// Key is what a sum is about.
type Key struct {
	Stack analysis.StackID
	Mark  uint8 // a part's distinction of intervals with equal stacks
}

// Sums has the sums of one process by stack.
type Sums[T any] struct {
	Served *model.Served // nil: without the requests

	byKey map[Key]*Sum[T]
	sole  model.SoleRequests[Key]
}

// Empty reports whether nothing was added.
func (s *Sums[T]) Empty() bool { return len(s.byKey) == 0 }

// Add adds an interval.
func (s *Sums[T]) Add(mark uint8, one Interval, peak int64, detail T) {
	if s.byKey == nil {
		s.byKey = map[Key]*Sum[T]{}
	}
	key := Key{one.Stack, mark}
	s.sole.Add(s.Served, key, one.Owned, one.Nanos)
	sum := s.byKey[key]
	if sum == nil {
		sum = &Sum[T]{Threads: map[uint64]struct{}{}}
		s.byKey[key] = sum
	}
	if sum.Count == 0 || one.Nanos > sum.Longest.Nanos {
		sum.Longest, sum.Detail = one, detail
	}
	sum.Count++
	if one.Unfinished {
		sum.Unfinished++
	}
	sum.Total += one.Nanos
	sum.Peak = max(sum.Peak, peak)
	if len(sum.Threads) < maxThreads {
		sum.Threads[one.Thread.ID] = struct{}{}
	}
}

// maxThreads is how many threads of a sum are distinguished.
const maxThreads = 10000

// merge adds another sum.
func (s *Sum[T]) merge(o *Sum[T]) {
	if o.Longest.Nanos > s.Longest.Nanos {
		s.Longest, s.Detail = o.Longest, o.Detail
	}
	s.Count, s.Unfinished, s.Total, s.Peak = s.Count+o.Count, s.Unfinished+o.Unfinished, s.Total+o.Total, max(s.Peak, o.Peak)
	if maps.Copy(s.Threads, o.Threads); s.Request != o.Request {
		s.Request = nil
	}
}

// Group is the sum of the intervals of one kind whose stacks have the same names.
type Group[T any] struct {
	Sum[T]
	Kind   string
	Mark   uint8
	Frames []symbols.Frame // of the longest interval
	Names  []string        // of the frames from the caller of the library on
	Place  model.Place     // of Method in the longest interval
}

// Method returns the method that called the library.
func (g *Group[T]) Method() string { return Method(g.Frames, g.Names) }

// Method returns the method that called the library, of all frames and of the names from it on. Without a name for it,
// it is the nearest one of its callers that has a name, "" if there is none.
func Method(frames []symbols.Frame, names []string) string {
	first := len(frames) - len(names)
	at := named(frames, first)
	if at == len(frames) || frames[at].Symbol == nil {
		return ""
	}
	return names[at-first]
}

// RequestID returns the id of the request whose work all of the intervals are, "" for none.
func (g *Group[T]) RequestID() string {
	if g.Request == nil {
		return ""
	}
	return g.Request.ID
}

// named returns the position of the first frame with a name from one on, or that one itself if none has a name.
func named(frames []symbols.Frame, from int) int {
	if n := slices.IndexFunc(frames[from:], func(f symbols.Frame) bool { return f.Symbol != nil }); n > 0 {
		return from + n
	}
	return from
}

// Groups joins the sums of one kind whose stacks have the same names: a method has several
// addresses, and code of several tiers. of returns how many frames at the leaf of a stack
// belong to the library, and the kind of the intervals with a mark, which these frames can
// decide. The group with the longest sum is first.
func (s *Sums[T]) Groups(t *analysis.Trace, of func(frames []symbols.Frame, mark uint8) (library int, kind string)) []Group[T] {
	byName := map[string]*Group[T]{}
	keys := slices.SortedFunc(maps.Keys(s.byKey), func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.Stack, b.Stack), cmp.Compare(a.Mark, b.Mark))
	})
	owners := s.sole.Find(s.Served)
	var list []*Group[T]
	for _, key := range keys {
		sum := s.byKey[key]
		if owner := owners[key]; owner.Count == sum.Count {
			sum.Request = owner.Request
		}
		frames := t.Frames(key.Stack, sum.Longest.Ticks)
		library, kind := of(frames, key.Mark)
		names := Names(frames, library)
		name := string(rune(key.Mark)) + kind + "\x00" + strings.Join(names, "\x00")
		if have := byName[name]; have != nil {
			if sum.Longest.Nanos > have.Longest.Nanos {
				have.Place = t.PlaceOf(frames, named(frames, len(frames)-len(names)))
			}
			have.merge(sum)
			continue
		}
		g := &Group[T]{Sum: *sum, Kind: kind, Mark: key.Mark, Frames: frames, Names: names, Place: t.PlaceOf(frames, named(frames, len(frames)-len(names)))}
		g.Threads = maps.Clone(sum.Threads)
		byName[name] = g
		list = append(list, g)
	}
	slices.SortStableFunc(list, func(a, b *Group[T]) int { return cmp.Compare(b.Total, a.Total) })
	groups := make([]Group[T], len(list))
	for i, g := range list {
		groups[i] = *g
	}
	return groups
}

// Shares returns the intervals of requests, with their causes and the methods that wait, after the last
// event. of is that of Groups.
func (s *Sums[T]) Shares(t *analysis.Trace, of func(frames []symbols.Frame, mark uint8) (library int, kind string)) []model.Share {
	type site struct{ cause, method string }
	sites := map[Key]site{}
	var list []model.Share
	for key, share := range s.sole.All(s.Served) {
		at, known := sites[key]
		if !known {
			frames := t.Frames(key.Stack, share.Of.Ticks)
			library, kind := of(frames, key.Mark)
			g := Group[T]{Frames: frames, Names: Names(frames, library)}
			at = site{kind, g.Method()}
			sites[key] = at
		}
		share.Cause, share.Method = at.cause, at.method
		list = append(list, share)
	}
	return list
}

// SharesLeftOut is the number of intervals that Shares lacks because of Limits.Rows.
func (s *Sums[T]) SharesLeftOut() int64 { return s.sole.LeftOut }

// Names returns the names of the frames after those of the library at the leaf; of all
// if there are no others.
func Names(frames []symbols.Frame, library int) []string {
	names := analysis.Names(frames)
	if library < len(names) {
		return names[library:]
	}
	return names
}
