package edit

import (
	"io"

	"github.com/nettrace-go/nettrace/codec"
)

// MergeSource is a stream for Merge.
type MergeSource struct {
	name string
	r    *codec.Reader
	out  *sliceOutput

	number    uint64           // from 1, of the sources
	processes *mergedProcesses // of all sources; nil: ids of processes stay

	clock *mergeClock
	next  *codec.Event // nil at the end
	ticks uint64       // of next, in the merged trace

	changes changes

	threads map[uint64]*mergeThread // by number in the source
	order   []*mergeThread          // the same in the order first met
}

// mergeThread is a thread of a source.
type mergeThread struct {
	id      uint64
	row     *codec.Thread
	lost    []codec.Lost // not yet written to the output
	number  uint64       // in the output
	defined bool
	used    bool // it has logged
}

// MergeSourceOptions configure a MergeSource. The zero value is right for most
// programs.
type MergeSourceOptions struct {
	// Name is the name that the merged trace has for the source, in a property.
	Name string
	// Reader configures the Reader. Merge sets Order and OnLost itself.
	Reader codec.Options
}

// NewMergeSource returns a source that reads src.
func NewMergeSource(src io.Reader, opt MergeSourceOptions) *MergeSource {
	s := &MergeSource{name: opt.Name, threads: make(map[uint64]*mergeThread)}
	opt.Reader.Order, opt.Reader.OnLost = codec.ByTime, s.miss
	s.r = codec.NewReader(src, opt.Reader)
	return s
}

// Reader returns the source's Reader, which reports errors of the stream. Only
// Merge may read from it.
func (s *MergeSource) Reader() *codec.Reader { return s.r }

// Changes returns what is missing from the merged stream, or different in it,
// of this source. Call it after Merge.
func (s *MergeSource) Changes() []Change { return s.changes.list }

func (s *MergeSource) begin(out *sliceOutput, redact *Redactor) {
	s.out = out
	s.out.redact, s.out.schemas = redact, s.r.HasSchemas()
}

// thread is the thread with a number. Another row under that number is another
// thread.
func (s *MergeSource) thread(id uint64, row *codec.Thread) *mergeThread {
	t := s.threads[id]
	if t == nil {
		t = &mergeThread{id: id, row: row}
		s.threads[id] = t
		s.order = append(s.order, t)
	}
	if row != nil && row != t.row {
		if t.row != nil && !sameThreadRow(t.row, row) {
			t.defined, t.used = false, false
		}
		t.row = row
	}
	return t
}

func (s *MergeSource) captured(e *codec.Event) *mergeThread {
	return s.thread(e.CaptureThreadIndex, e.CaptureThread())
}

// miss handles lost events that the Reader reports. It reports them before the
// events of the region.
func (s *MergeSource) miss(l codec.Lost) {
	t := s.thread(l.CaptureThread, l.Thread)
	t.lost = append(t.lost, l)
}

// settle writes all losses of a source that has ended.
func (s *MergeSource) settle(m *merger) error {
	for _, t := range s.order {
		if len(t.lost) == 0 {
			continue
		}
		if _, err := t.define(s); m.w.Err() != nil {
			return m.w.Err()
		} else if err != nil {
			s.changes.omit("threads left out, of which only losses are known", err, 0)
			continue
		}
		if err := t.drop(s, m, 1<<64-1); err != nil {
			return err
		}
	}
	return nil
}

// begin makes the thread of an event known. Number 1 in v3 to v5 can be that of
// a new thread with an old number.
func (t *mergeThread) begin(s *MergeSource, m *merger, sequence uint32) error {
	if sequence == 1 && t.used && !s.out.indexed {
		if err := t.drop(s, m, 0); err != nil {
			return err
		}
		if err := m.w.RemoveThread(t.number); err != nil {
			return err
		}
		t.defined = false
	}
	t.used = true
	_, err := t.define(s)
	return err
}

// define makes the thread known to the output.
func (t *mergeThread) define(s *MergeSource) (uint64, error) {
	if t.defined {
		return t.number, nil
	}
	row := t.row
	if row == nil {
		row = s.out.unlisted(t.id)
	}
	if !row.HasProcessID {
		known := *row
		known.ProcessID, known.HasProcessID = s.out.process()
		row = &known
	}
	if s.processes != nil && row.HasProcessID {
		own := *row
		own.ProcessID = s.processes.of(s, row.ProcessID)
		row = &own
	}
	if s.out.redact != nil {
		row = s.out.redact.Thread(row)
	}
	var err error
	t.number, err = s.out.w.AddThread(row)
	t.defined = err == nil
	return t.number, err
}

// drop writes the losses up to a time of the source to the output.
func (t *mergeThread) drop(s *MergeSource, m *merger, until uint64) error {
	for len(t.lost) > 0 && (!t.lost[0].HasBefore || t.lost[0].Before <= until) {
		for n := t.lost[0].Count; n > 0; {
			part := min(n, 1<<31)
			if err := m.w.Drop(t.number, uint32(part)); m.w.Err() != nil {
				return m.w.Err()
			} else if err != nil {
				s.changes.omit("gaps between events with more losses than sequence numbers can show", err, 0)
				break
			}
			n -= part
			m.result.Lost += part
		}
		t.lost = t.lost[1:]
	}
	if len(t.lost) == 0 {
		t.lost = nil
	}
	return nil
}
