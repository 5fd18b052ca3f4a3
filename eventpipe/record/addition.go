package record

import (
	"errors"
	"iter"
	"reflect"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Addition is an event that did not come with the stream and is written after
// it.
type Addition struct {
	// Metadata describes the event. The written row has an id of its own, or that
	// of an equal type of the stream's events; additions with the same pointer
	// share it.
	Metadata *codec.Metadata
	// Payload has the encoded fields.
	Payload []byte
	// Until is the end, in ticks, of the time that the event describes; 0 means
	// no time. Snapshot.Write leaves the event out if its first event is later.
	Until uint64
}

// Concat returns the additions of the lists, one list after the other. A nil list has
// none.
func Concat(lists ...iter.Seq[Addition]) iter.Seq[Addition] {
	return func(yield func(Addition) bool) {
		for _, list := range lists {
			if list == nil {
				continue
			}
			for one := range list {
				if !yield(one) {
					return
				}
			}
		}
	}
}

// position is the end of a stream: what is written after it must not be older,
// and has metadata ids of its own.
type position struct {
	types   uint32 // the largest metadata id
	last    uint64 // ticks of the newest event or sequence point
	defined defined
}

// defined has the types of events of a stream that additions may have too: of the
// runtime, and about its methods.
type defined map[typeKey]*codec.Metadata

// typeKey are the values of a type of event for which a trace has one id.
type typeKey struct {
	provider, name string
	id, version    uint32
}

func keyOf(m *codec.Metadata) typeKey { return typeKey{m.Provider, m.Name, m.EventID, m.Version} }

// add adds a type of event.
func (d *defined) add(m *codec.Metadata) {
	if m.Provider != clr.RuntimeProvider && !isRundown(m.Provider) {
		return
	}
	if *d == nil {
		*d = defined{}
	}
	(*d)[keyOf(m)] = m
}

// id returns the id of an equal type with equal fields.
func (d defined) id(m *codec.Metadata) (uint32, bool) {
	have, ok := d[keyOf(m)]
	if !ok || !reflect.DeepEqual(have.Fields, m.Fields) {
		return 0, false
	}
	return have.ID, true
}

// addedThread is the capture thread of additions. No thread of the operating
// system has this id, so that the numbers of the stream's threads stay.
const addedThread = 1 << 32

// addedBlock is the size in bytes from which a block of additions is written.
const addedBlock = 64 << 10

// errNoPlace is the error for a stream to which nothing can be added.
var errNoPlace = errors.New("record: events can be added to streams of version 4 and 5 only")

// appender writes additions. They have the time of the newest event, because no
// event after a sorted row may be older than it.
type appender struct {
	w    *codec.BlockWriter
	from position
	ids  map[*codec.Metadata]uint32
	rows codec.BlockRows
	size int
	n    uint32
}

func newAppender(w *codec.BlockWriter, trace *codec.Trace, from position) (*appender, error) {
	if !trace.Format.WithTags().HasTags() {
		return nil, errNoPlace
	}
	return &appender{w: w, from: from, ids: map[*codec.Metadata]uint32{}, rows: codec.BlockRows{Kind: wire.KindEvent, Flags: wire.BlockCompressed}}, nil
}

// all writes a sequence of additions, and calls each for every row that it
// writes.
func (a *appender) all(list iter.Seq[Addition], each func(*codec.Metadata, *codec.EventRow)) error {
	for one := range list {
		id, err := a.define(one.Metadata)
		if err != nil {
			return err
		}
		a.n++
		row := codec.EventRow{
			MetadataID: id, Sequence: a.n, Timestamp: a.from.last, CaptureThreadIndex: addedThread,
			Processor: wire.UnknownProcessor, Payload: one.Payload, Sorted: true,
		}
		each(one.Metadata, &row)
		a.rows.Events = append(a.rows.Events, row)
		if a.size += len(one.Payload); a.size >= addedBlock {
			if err := a.flush(); err != nil {
				return err
			}
		}
	}
	return a.flush()
}

// define writes the metadata row of a type of event before its first event.
func (a *appender) define(m *codec.Metadata) (uint32, error) {
	if id, known := a.ids[m]; known {
		return id, nil
	}
	if id, known := a.from.defined.id(m); known {
		a.ids[m] = id
		return id, nil
	}
	a.from.types++
	id := a.from.types
	a.ids[m] = id
	defined := *m
	defined.ID = id
	return id, a.w.WriteBlock(&codec.BlockRows{
		Kind: wire.KindMetadata, Flags: wire.BlockCompressed, MinTimestamp: a.from.last, MaxTimestamp: a.from.last,
		Metadata: []codec.MetadataBytes{{Metadata: &defined, Header: codec.EventRow{
			Timestamp: a.from.last, Processor: wire.UnknownProcessor,
		}}},
	})
}

func (a *appender) flush() error {
	if len(a.rows.Events) == 0 {
		return nil
	}
	a.rows.SetBounds()
	err := a.w.WriteBlock(&a.rows)
	clear(a.rows.Events)
	a.rows.Events, a.size = a.rows.Events[:0], 0
	return err
}

// add writes additions after the blocks of the File, and a sequence point after
// them. It returns their number. numbers are those of the stream.
func (f *File) add(trace *codec.Trace, from position, numbers *numbers, list iter.Seq[Addition]) (int64, error) {
	w := codec.NewBlockWriter(blockWriter{f}, codec.BlockWriterOptions{Format: trace.Format.WithTags()})
	w.Resume(blockWriter{f}, trace, f.Size())
	a, err := newAppender(w, trace, from)
	if err != nil {
		return 0, err
	}
	before := numbers.last(addedThread) // of an earlier recording of the stream
	a.n = before
	err = a.all(list, func(_ *codec.Metadata, row *codec.EventRow) { numbers.next(row.CaptureThreadIndex, row.Sequence) })
	if err == nil && a.n > before {
		point := numbers.pointAfter(from.last)
		err = w.WriteBlock(&point)
	}
	return int64(a.n - before), err
}
