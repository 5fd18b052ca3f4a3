package columns

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/model/incoming"
	"github.com/nettrace-go/nettrace/profile"
)

// sampleTypes are the types of samples in the table samples. The samples of type
// profile.CPUApprox are those of type profile.Wall in managed code.
var sampleTypes = []profile.Type{
	profile.Wall, profile.CPU, profile.Switch, profile.Alloc, profile.Lock, profile.Wait, profile.Exception, profile.GC,
}

// sample is a row of the table samples.
type sample struct {
	at, value, count                                 int64
	kind, thread, stack, status, state, cause, class uint32 // stack: position in profileStacks.met
	request                                          uint32
	owner                                            incoming.Rule
	managed, unfinished                              bool
}

// sampleColumns has the samples of a trace in the order of their times.
type sampleColumns struct {
	p       *profile.Profile
	stacks  *profileStacks
	rows    []sample
	blocks  [][]sample // before sort: the rows in the order of add
	causes  numbering[string]
	classes numbering[string]
	served  numbering[*incoming.Request] // nil for none
}

// newSamples returns the samples of a Profile.
func newSamples(p *profile.Profile, stacks *profileStacks) *sampleColumns {
	s := &sampleColumns{p: p, stacks: stacks}
	s.causes.of("")
	s.classes.of("")
	s.served.of(nil)
	for kind, of := range sampleTypes {
		for one := range p.Samples(of) {
			s.add(&one, uint32(kind), stacks.met.of(one.Stack))
		}
	}
	s.sort()
	return s
}

// sort sets the rows: the samples ordered by time, and those of one time as they were added.
// It sorts their numbers, because a sample is large.
func (s *sampleColumns) sort() {
	type key struct {
		at  int64
		row int
	}
	keys := make([]key, 0, len(s.blocks)*sampleBlock)
	for _, block := range s.blocks {
		for i := range block {
			keys = append(keys, key{block[i].at, len(keys)})
		}
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.row, b.row)) })
	s.rows = make([]sample, len(keys))
	for i, k := range keys {
		s.rows[i] = s.blocks[k.row/sampleBlock][k.row%sampleBlock]
	}
	s.blocks = nil
}

// sampleBlock is the number of samples that are added before a new list begins. One list of all
// samples would be copied many times while it grows.
const sampleBlock = 1 << 10

// add adds a sample with the position of its stack.
func (s *sampleColumns) add(one *profile.Sample, kind, stack uint32) {
	row := sample{
		at: nanos(s.p.Trace, one.Ticks), value: one.Value, count: one.Count, kind: kind, thread: uint32(one.Thread),
		stack: stack, status: uint32(one.Status), managed: one.Managed, unfinished: one.Unfinished,
	}
	if one.Type == profile.Wall {
		state, cause := s.p.State(one)
		row.state, row.cause = uint32(state)+1, s.causes.of(cause)
	}
	row.class = s.classes.of(classOf(s.p, one))
	request, owner := s.p.Request(one)
	row.request, row.owner = s.served.of(request), owner
	last := len(s.blocks) - 1
	if last < 0 || len(s.blocks[last]) == sampleBlock {
		s.blocks = append(s.blocks, make([]sample, 0, sampleBlock))
		last++
	}
	s.blocks[last] = append(s.blocks[last], row)
}

// nanos returns the time from the trace's sync time to ticks in nanoseconds. It is rounded
// once, as the times of events: see analysis.Trace.Nanos.
func nanos(t *codec.Trace, ticks uint64) int64 {
	if t.TickFrequency == 0 {
		return int64(ticks - t.SyncTicks)
	}
	return int64(t.Since(ticks))
}

// classOf returns what a sample is about, "" if it has no class.
func classOf(p *profile.Profile, one *profile.Sample) string {
	key := one.Type.ClassLabel()
	if key == "" {
		return ""
	}
	for _, l := range p.Labels(one) {
		if l.Key == key {
			return l.Text
		}
	}
	return ""
}

// ints returns the Vector of a number of each sample.
func (s *sampleColumns) ints(of func(r *sample) int64) *Vector {
	v := &Vector{Ints: make([]int64, len(s.rows))}
	for i := range s.rows {
		v.Ints[i] = of(&s.rows[i])
	}
	return v
}

// index returns the Vector of a text of each sample by its position in a list. The
// text "" is null.
func (s *sampleColumns) index(list []string, of func(r *sample) uint32) *Vector {
	v := &Vector{Index: make([]uint32, len(s.rows)), Texts: list, Nulls: make([]bool, len(list))}
	for i := range s.rows {
		v.Index[i] = of(&s.rows[i])
	}
	for i, text := range list {
		v.Nulls[i] = text == ""
	}
	return v
}

// threadVector returns a Vector of a number of each sample's thread, null where it is
// 0.
func (s *sampleColumns) threadVector(of func(t *profile.Thread) uint64) *Vector {
	v := &Vector{Index: make([]uint32, len(s.rows)), Ints: []int64{}}
	for i := range s.rows {
		v.Index[i] = s.rows[i].thread
	}
	threads := s.p.Threads()
	for i := range threads {
		v.Ints = append(v.Ints, int64(of(&threads[i])))
		v.Nulls = append(v.Nulls, of(&threads[i]) == 0)
	}
	return v
}

// nodes returns the Vector of the stacks, null for the empty one.
func (s *sampleColumns) nodes() *Vector {
	v := reference(s.stacks.node)
	v.Index = make([]uint32, len(s.rows))
	for i := range s.rows {
		v.Index[i] = s.rows[i].stack
	}
	return v
}

// names returns the names of numbers from 0 on.
func names[T interface{ String() string }](list []T) []string {
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = one.String()
	}
	return texts
}

func (s *sampleColumns) at() *Vector { return s.ints(func(r *sample) int64 { return r.at }) }

func (s *sampleColumns) time() *Vector {
	return times(s.at().Ints, syncNs(s.p.Trace))
}

func (s *sampleColumns) typeNames() *Vector {
	return s.index(names(sampleTypes), func(r *sample) uint32 { return r.kind })
}

func (s *sampleColumns) units() *Vector {
	var list []string
	for _, of := range sampleTypes {
		list = append(list, of.Value().Unit)
	}
	return s.index(list, func(r *sample) uint32 { return r.kind })
}

func (s *sampleColumns) processIDs() *Vector {
	return s.threadVector(func(t *profile.Thread) uint64 { return t.ProcessID })
}

func (s *sampleColumns) threadIDs() *Vector {
	return s.threadVector(func(t *profile.Thread) uint64 { return t.ID })
}

func (s *sampleColumns) values() *Vector { return s.ints(func(r *sample) int64 { return r.value }) }

func (s *sampleColumns) counts() *Vector { return s.ints(func(r *sample) int64 { return r.count }) }

func (s *sampleColumns) states() *Vector {
	return s.index(append([]string{""}, names(profile.States())...), func(r *sample) uint32 { return r.state })
}

func (s *sampleColumns) causesOf() *Vector {
	return s.index(s.causes.list, func(r *sample) uint32 { return r.cause })
}

func (s *sampleColumns) classesOf() *Vector {
	return s.index(s.classes.list, func(r *sample) uint32 { return r.class })
}

func (s *sampleColumns) statuses() *Vector {
	list := names([]profile.Status{profile.Complete, profile.Repaired, profile.Truncated})
	return s.index(list, func(r *sample) uint32 { return r.status })
}

func (s *sampleColumns) managed() *Vector {
	return s.ints(func(r *sample) int64 { return toInt(r.managed) })
}

func (s *sampleColumns) unfinished() *Vector {
	return s.ints(func(r *sample) int64 { return toInt(r.unfinished) })
}

// only returns the samples of one type.
func (s *sampleColumns) only(of profile.Type) *sampleColumns {
	kind := uint32(slices.Index(sampleTypes, of))
	part := *s
	part.rows = nil
	for _, row := range s.rows {
		if row.kind == kind {
			part.rows = append(part.rows, row)
		}
	}
	return &part
}

// mark is a row of the table marks.
type mark struct {
	profile.Mark
	fromNs, toNs, sync int64
	thread             profile.Thread
}

// marksOf returns the marks of a Profile.
func marksOf(p *profile.Profile) []mark {
	var list []mark
	threads := p.Threads()
	for m := range p.Marks() {
		list = append(list, mark{m, nanos(p.Trace, m.From), nanos(p.Trace, m.Until), syncNs(p.Trace), threads[m.Thread]})
	}
	return list
}

// activityText returns the text of an activity, nil for none.
func activityText(id wire.GUID) any {
	if id.IsZero() {
		return nil
	}
	return id.String()
}

// ofRequests returns the Vector of a text of the request of each sample.
func (s *sampleColumns) ofRequests(of func(r *incoming.Request) string) *Vector {
	texts := make([]string, len(s.served.list))
	for i, r := range s.served.list {
		if r != nil {
			texts[i] = of(r)
		}
	}
	return s.index(texts, func(r *sample) uint32 { return r.request })
}

func (s *sampleColumns) requestIDs() *Vector {
	return s.ofRequests(func(r *incoming.Request) string { return r.ID })
}

func (s *sampleColumns) routes() *Vector { return s.ofRequests(profile.RouteName) }

func (s *sampleColumns) traceIDs() *Vector {
	return s.ofRequests(func(r *incoming.Request) string { return r.TraceID })
}

func (s *sampleColumns) rules() *Vector {
	var list []string
	for rule := incoming.NoOwner; rule <= incoming.Ambiguous; rule++ {
		list = append(list, rule.String())
	}
	return s.index(list, func(r *sample) uint32 { return uint32(r.owner) })
}
