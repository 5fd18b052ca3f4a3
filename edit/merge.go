package edit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// MergeOptions configure Merge. The zero value replaces no text.
type MergeOptions struct {
	// Redact, if set, replaces text. The Readers of the sources then need
	// Options.Schemas: without them Merge returns ErrNoSchemas for events of
	// the runtime.
	Redact *Redactor
	// Separate declares that the sources are recordings of different processes: a
	// process whose id a source before it uses too gets another id, which is the id
	// plus 1,000,000,000 times the number of the source, from 1.
	Separate bool
	// Together declares that the sources are parts of one recording: the merged trace has
	// the properties of all, of two with one key that of the first source, and no others.
	Together bool
}

// MergeResult has the counts of a Merge.
type MergeResult struct {
	Events  int64  // events written
	Omitted int64  // events not written: see MergeSource.Changes
	Unknown int64  // of Omitted: events whose metadata the source does not define
	Late    int64  // of Omitted: events that come after newer ones
	Lost    uint64 // losses that a reader of the result counts: those of the sources plus Omitted minus Unknown
}

// Merge writes the events of several streams as one stream of version 6, in
// time order. It aligns their clocks by their sync times, which have a
// resolution of a millisecond. Each thread of each source gets a row of its
// own, with the process of the source if the thread has none, so that threads
// with the same id stay separate.
//
// Sources with the same process id are recordings of one process: names of methods
// in one serve the others. A trace has no start time of its process, so that Merge
// cannot distinguish two processes that had the same id one after the other, or in two
// containers: MergeOptions.Separate does.
//
// Merge renumbers the events, and keeps the losses of the sources. A property
// with the same value in all sources is kept, but for the id of a process that is separate; the properties of each source are
// also written with keys that begin with Source1., Source2. and so on, with its
// Name, Format and SyncTime.
//
// Merge leaves out an event that it cannot write, and counts it
// (MergeResult.Omitted); MergeSource.Changes returns the reason and the place
// of the first.
//
// Merge keeps one region between sequence points of each source in memory,
// within the Limits of its Reader.
func Merge(ctx context.Context, dst io.Writer, sources []*MergeSource, opt MergeOptions) (MergeResult, error) {
	m := &merger{sources: sources, opt: opt}
	if opt.Separate {
		m.processes = &mergedProcesses{}
	}
	if err := m.begin(dst); err != nil {
		return m.result, err
	}
	for _, s := range sources {
		if err := m.advance(s); err != nil {
			return m.result, err
		}
	}
	for n := 0; ; n++ {
		s := m.oldest()
		if s == nil {
			break
		}
		if n%eventsBetweenChecks == 0 && ctx.Err() != nil {
			return m.result, context.Cause(ctx)
		}
		if err := m.event(s); err != nil {
			return m.result, err
		}
		if err := m.advance(s); err != nil {
			return m.result, err
		}
	}
	return m.result, m.w.Close()
}

// eventsBetweenChecks is the number of events between two checks of the context
// within a block.
const eventsBetweenChecks = 1024

type merger struct {
	opt     MergeOptions
	sources []*MergeSource
	w       *codec.Writer
	result  MergeResult

	processes *mergedProcesses // nil: ids stay
}

// begin reads the Trace blocks of the sources.
func (m *merger) begin(dst io.Writer) error {
	if len(m.sources) == 0 {
		return errors.New("edit: no sources to merge: Merge needs at least one")
	}
	var traces []*codec.Trace
	for i, s := range m.sources {
		if slices.Contains(m.sources[:i], s) {
			return fmt.Errorf("edit: source %s is given twice", s.name)
		}
		if s.r == nil {
			panic("edit: a zero MergeSource has no stream: use NewMergeSource")
		}
		if err := s.r.Complete(); err != nil {
			return fmt.Errorf("edit: source %s: %w", s.name, err)
		}
		trace, err := s.r.Trace()
		if err != nil {
			return fmt.Errorf("edit: source %s: %w", s.name, err)
		}
		if traces = append(traces, trace); trace.PointerSize != traces[0].PointerSize {
			return fmt.Errorf("edit: source %s: cannot merge pointers of %d bytes with those of %d bytes in %s: a trace has one size", s.name, trace.PointerSize, traces[0].PointerSize, m.sources[0].name)
		}
	}
	merged, err := mergedClock(traces)
	if err != nil {
		return err
	}
	merged.Properties = m.properties(traces)
	format := wire.V6
	m.w = codec.NewWriter(dst, codec.WriterOptions{Format: format, Trace: merged, Ordered: true, PassOn: true})
	for i, s := range m.sources {
		s.begin(newSliceOutput(m.w, format, traces[i]), m.opt.Redact)
		if s.processes, s.number = m.processes, uint64(i+1); s.processes != nil {
			if id, known := traces[i].ProcessID(); known {
				s.processes.of(s, id) // of two processes the one of the first source keeps its id
			}
		}
		if s.clock, err = newMergeClock(traces[i], &merged); err != nil {
			return fmt.Errorf("edit: source %s: %w", s.name, err)
		}
	}
	return nil
}

// mergedTimeLayout is the format of the sync times of sources.
const mergedTimeLayout = "2006-01-02T15:04:05.000Z"

// properties are those of the merged trace.
func (m *merger) properties(traces []*codec.Trace) []codec.KeyValue {
	var list []codec.KeyValue
	for _, p := range traces[0].Properties {
		another := p.Key == codec.ProcessIDKey && m.opt.Separate && len(traces) > 1 // the id is that of the first source only
		if !another && !slices.ContainsFunc(traces, func(t *codec.Trace) bool { return !slices.Contains(t.Properties, p) }) {
			list = append(list, p)
		}
	}
	if m.opt.Together {
		list = nil
		for _, t := range traces {
			for _, p := range t.Properties {
				if !slices.ContainsFunc(list, func(have codec.KeyValue) bool { return have.Key == p.Key }) {
					list = append(list, p)
				}
			}
		}
		traces = nil
	}
	for i, t := range traces {
		prefix := "Source" + strconv.Itoa(i+1) + "."
		list = append(list,
			codec.KeyValue{Key: prefix + "Name", Value: m.sources[i].name},
			codec.KeyValue{Key: prefix + "Format", Value: t.Format.String()},
			codec.KeyValue{Key: prefix + "SyncTime", Value: t.SyncTime.Format(mergedTimeLayout)})
		for _, p := range t.Properties {
			list = append(list, codec.KeyValue{Key: prefix + p.Key, Value: p.Value})
		}
	}
	if m.opt.Redact != nil {
		list = m.opt.Redact.Trace(&codec.Trace{Properties: list}).Properties
	}
	return list
}

// oldest returns the source with the next event, nil when all have ended.
func (m *merger) oldest() *MergeSource {
	var first *MergeSource
	for _, s := range m.sources {
		if s.next != nil && (first == nil || s.ticks < first.ticks) {
			first = s
		}
	}
	return first
}

// advance reads the next event of a source. At its end it writes the losses that
// no event showed.
func (m *merger) advance(s *MergeSource) error {
	e, ok := s.r.Next()
	if ok {
		ticks, exact := s.clock.ticks(e.Timestamp)
		if s.next, s.ticks = e, ticks; !exact {
			s.changes.add("times outside of the merged clock, moved to its start or end", 1)
		}
		return nil
	}
	s.next = nil
	return s.settle(m)
}

// event writes the event of a source that comes next, or leaves it out. The
// error is one of writing.
func (m *merger) event(s *MergeSource) error {
	e := s.next
	if e.Metadata() == nil {
		m.result.Unknown++
		m.omit(s, codec.ErrUndefined)
		return nil
	}
	t := s.captured(e)
	if err := t.begin(s, m, e.Sequence); err != nil {
		return m.left(s, nil, err)
	}
	rec := &s.out.rec
	rec.CaptureThread, rec.Thread, rec.Sequence = t.number, t.number, 0
	if e.ThreadIndex != e.CaptureThreadIndex {
		about := s.thread(e.ThreadIndex, e.Thread())
		var err error
		if rec.Thread, err = about.define(s); err != nil {
			return m.left(s, t, err)
		}
	}
	if err := t.drop(s, m, e.Timestamp); err != nil {
		return err
	}
	if err := s.out.write(e, s.ticks); err != nil {
		return m.left(s, t, err)
	}
	m.result.Events++
	return nil
}

// left leaves out an event that the Writer refused, and counts it as lost on its
// thread, if the result has that. It returns errors of the destination and
// ErrNoSchemas.
func (m *merger) left(s *MergeSource, t *mergeThread, err error) error {
	if final := m.w.Err(); final != nil {
		return final
	}
	if errors.Is(err, ErrNoSchemas) { // no event of the runtime could be written
		return err
	}
	if errors.Is(err, codec.ErrOrder) {
		m.result.Late++
	}
	m.omit(s, err)
	if t == nil || m.w.Drop(t.number, 1) != nil {
		return m.w.Err()
	}
	m.result.Lost++
	return nil
}

// omit counts the next event of a source as left out.
func (m *merger) omit(s *MergeSource, reason error) {
	if reason == codec.ErrUndefined {
		reason = fmt.Errorf("metadata %d: %w", s.next.MetadataID, reason)
	}
	m.result.Omitted++
	s.changes.omit(omittedEvents(reason), reason, s.next.Offset())
}
