package stack

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/blocking"
	"github.com/nettrace-go/nettrace/profile"
)

// sample has the stacks of all threads at one time.
type sample struct {
	process *attach.Process
	prof    *profile.Profile
	ticks   uint64 // time of the first thread
	groups  []group
	threads int // that have managed frames
	others  int // that have none; -1 if it is not known
	lost    uint64
}

// group is the threads with one stack.
type group struct {
	state   profile.State
	cause   string
	pool    bool                 // they are workers of the thread pool
	methods []profile.FunctionID // leaf first
	threads []thread
}

// thread is a thread of a group.
type thread struct {
	id   uint64
	name string // or ""
}

// sampleOf returns the sample in a recording, or nil if it has none. names are those of
// the threads, nil if they are not known.
func sampleOf(prof *profile.Profile, names map[uint64]string) *sample {
	round := roundOf(prof)
	if len(round) == 0 {
		return nil
	}
	s := &sample{prof: prof, ticks: round[0].Ticks, threads: len(round), others: -1, lost: prof.Lost}
	if names != nil {
		s.others = len(names)
	}
	for i := range round {
		t := &prof.Threads()[round[i].Thread]
		name, ok := names[t.ID]
		if ok {
			s.others--
		}
		s.add(&round[i], thread{t.ID, cmp.Or(name, t.Name)})
	}
	s.sort()
	return s
}

// roundOf returns the samples of one round of the sample profiler: the first one with as
// many threads as any. If another session runs the profiler too, the first round lacks
// threads, and the last one may when the session ends.
func roundOf(prof *profile.Profile) []profile.Sample {
	all := slices.Collect(prof.Samples(profile.Wall))
	slices.SortStableFunc(all, func(a, b profile.Sample) int { return cmp.Compare(a.Ticks, b.Ticks) })
	var best []profile.Sample
	begin, met := 0, map[int]bool{}
	for i := 0; i <= len(all); i++ {
		if i < len(all) && !met[all[i].Thread] {
			met[all[i].Thread] = true
			continue
		}
		if i-begin > len(best) {
			best = all[begin:i]
		}
		if begin = i; i < len(all) {
			met = map[int]bool{all[i].Thread: true}
		}
	}
	return best
}

// add adds a thread to the group of its stack.
func (s *sample) add(one *profile.Sample, t thread) {
	g := s.groupOf(one)
	i := slices.IndexFunc(s.groups, func(other group) bool { return other.equal(&g) })
	if i < 0 {
		i = len(s.groups)
		s.groups = append(s.groups, g)
	}
	s.groups[i].threads = append(s.groups[i].threads, t)
}

// groupOf returns the group of a stack, without threads.
func (s *sample) groupOf(one *profile.Sample) group {
	var g group
	var frames []symbols.Frame
	for _, id := range s.prof.Stack(one.Stack) {
		method := s.prof.Frame(id).Function
		g.methods = append(g.methods, method)
		frames = append(frames, symbols.Frame{Symbol: s.prof.Function(method).Symbol})
	}
	g.state, g.cause = s.prof.State(one)
	site := blocking.Of(frames, blocking.Source{BySample: true})
	g.pool = site.Pool
	if waits := g.state == profile.Waiting || g.state == profile.Blocked; waits && site.Cause != blocking.Unknown {
		g.cause = string(site.Cause)
	}
	return g
}

// equal reports whether two groups have one state and the same methods. The addresses in
// the methods do not count.
func (g *group) equal(other *group) bool {
	return g.state == other.state && g.cause == other.cause && slices.Equal(g.methods, other.methods)
}

// sort puts large groups first and idle ones last.
func (s *sample) sort() {
	for i := range s.groups {
		slices.SortFunc(s.groups[i].threads, func(a, b thread) int { return cmp.Compare(a.id, b.id) })
	}
	idle := func(g *group) int {
		if g.state == profile.Idle {
			return 1
		}
		return 0
	}
	slices.SortFunc(s.groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(idle(&a), idle(&b)), cmp.Compare(len(b.threads), len(a.threads)), cmp.Compare(a.threads[0].id, b.threads[0].id))
	})
}
