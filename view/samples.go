package view

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nettrace-go/nettrace/profile"
)

// unfinished is added to the column status.
const unfinished = 4

// samples writes the samples of one type.
type samples struct {
	p       *profile.Profile
	of      profile.Type
	tree    *tree
	classes *classes
	startNs int64
	part    *Part // of the trace; nil for all of it
	sum     int64 // of the absolute values

	times                                            []moment
	at, node, offset                                 differences
	thread, over, value, state, status, count, class column
	added, context, byTime                           column // of the evidence
	helpers                                          column // of events
}

// moment is the time of a sample of a thread.
type moment struct {
	at     int64
	thread int
}

func newSamples(p *profile.Profile, of profile.Type) *samples {
	named := func(what string) column { return column{name: of.String() + "." + what} }
	s := &samples{
		p: p, of: of, at: differences{column: named("at")}, node: differences{column: named("node")}, offset: differences{column: named("offset")},
		thread: named("thread"), over: named("over"), value: named("value"), state: named("state"), status: named("status"), count: named("count"), class: named("class"),
		added: named("added"), context: named("context"), byTime: named("byTime"), helpers: named("helpers"),
	}
	s.count.usual = 1
	return s
}

// write adds the samples of all threads and returns the offset of each thread.
func (s *samples) write() (offsets []int, err error) {
	rows := 0
	for thread := range s.p.Threads() {
		offsets = append(offsets, rows)
		n, err := s.writeThread(thread)
		if err != nil {
			return nil, err
		}
		rows += n
	}
	s.writeTimes()
	return append(offsets, rows), nil
}

// writeTimes adds the times of all threads in the order of time: the sampler stops
// one thread after another, so that the differences are small.
func (s *samples) writeTimes() {
	slices.SortStableFunc(s.times, func(a, b moment) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.thread, b.thread)) })
	for _, m := range s.times {
		s.at.add(m.at)
		s.thread.add(int64(m.thread))
	}
}

// writeThread adds the samples of a thread and returns their number.
func (s *samples) writeThread(thread int) (rows int, err error) {
	s.node.restart()
	s.offset.restart()
	last, length, timed := int64(0), int64(0), s.of.IsDuration()
	for sample := range s.p.ThreadSamples(s.of, thread) {
		at := s.startNs + s.p.Nanos(sample.Ticks)
		until := s.startNs + s.p.Nanos(sample.Until)
		if !s.part.has(at, until) {
			continue
		}
		if err := s.check(at, &sample); err != nil {
			return 0, err
		}
		if timed && rows > 0 {
			s.over.add(length - (at - last))
		}
		last, length = at, until-at
		s.times = append(s.times, moment{at, thread})
		s.row(&sample)
		rows++
	}
	if timed && rows > 0 {
		s.over.add(length)
	}
	return rows, nil
}

// row adds a sample but for its time and length.
func (s *samples) row(sample *profile.Sample) {
	s.node.add(s.tree.preorder[s.tree.leaf(sample.Stack)])
	if !s.of.IsDuration() {
		s.value.add(sample.Value)
	}
	if s.of == profile.Wall {
		state, _ := s.p.State(sample)
		code := 2 * int64(state)
		if sample.Managed {
			code++
		}
		s.state.add(code)
	}
	status := int64(sample.Status)
	if sample.Unfinished {
		status += unfinished
	}
	s.status.add(status)
	s.added.add(int64(sample.Evidence.Added))
	s.context.add(int64(sample.Evidence.Context))
	s.byTime.add(int64(sample.Evidence.ByTime))
	s.helpers.add(helpersOf(sample))
	s.count.add(sample.Count)
	s.class.add(s.classOf(sample))
	s.offset.add(sample.Offset)
}

// helpersOf returns the flag of the functions that are folded into their callers in the
// stack of an event, 0 for samples of other types.
func helpersOf(sample *profile.Sample) int64 {
	if sample.Type != profile.Event {
		return 0
	}
	return helperFlag(profile.EventType(sample.Metadata))
}

// classes numbers what samples are about: each has two texts.
type classes struct {
	list  []string
	known map[[2]string]int64
}

func newClasses() *classes {
	c := &classes{known: map[[2]string]int64{}}
	c.of("", "")
	return c
}

// of returns the index of the first text of a class.
func (c *classes) of(text, raw string) int64 {
	key := [2]string{text, raw}
	at, ok := c.known[key]
	if !ok {
		at = int64(len(c.list))
		c.known[key] = at
		c.list = append(c.list, text, raw)
	}
	return at
}

// classOf returns the index of what a sample is about.
func (s *samples) classOf(sample *profile.Sample) int64 {
	key := s.of.ClassLabel()
	if key == "" {
		return 0
	}
	for _, l := range s.p.Labels(sample) {
		if l.Key == key {
			return s.classes.of(l.Text, l.Raw)
		}
	}
	return 0
}

// check returns an error if a page cannot hold the numbers of a sample, or the
// sum of all values.
func (s *samples) check(at int64, sample *profile.Sample) error {
	if !exact(at) || !exact(sample.Value) || !exact(sample.Count) {
		return fmt.Errorf("view: a sample of type %v has the time %d ns, the value %d and the count %d: a page shows numbers up to %d",
			s.of, at, sample.Value, sample.Count, int64(maxExact))
	}
	s.sum += max(sample.Value, -sample.Value)
	if !exact(s.sum) {
		return fmt.Errorf("view: the sum of the samples of type %v exceeds %d", s.of, int64(maxExact))
	}
	return nil
}

func (s *samples) columns() []*column {
	return []*column{&s.at.column, &s.thread, &s.over, &s.value, &s.node.column, &s.state, &s.status, &s.count, &s.class, &s.added, &s.context, &s.byTime, &s.helpers, &s.offset.column}
}
