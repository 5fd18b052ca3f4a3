package fuzz

import (
	"fmt"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// tableStream is a stream with the tables of wrap_test.go and an event block, and
// then, twice, a block under test and an event block that refers to its possible
// definitions. The first event block has no missing references, so that only the
// block under test makes its events keep their rows.
type tableStream struct {
	version
	b    []byte
	kind wire.Kind
	body []byte    // of the block under test
	rows [3][]byte // of the event blocks
	at   [3]int64  // their offsets
}

func newTableStream(v version, kind wire.Kind, body []byte) tableStream {
	s := newStream(v).tables()
	t := tableStream{version: v, kind: kind, body: body}
	for i := range t.at {
		if t.rows[i] = s.referring([]uint64{1, 2, 3, known}); i > 0 {
			t.rows[i] = s.events(idsIn(body)...)
			s.add(kind, body)
		}
		t.at[i] = s.add(wire.KindEvent, t.rows[i])
	}
	t.b = s.end()
	return t
}

// agrees compares the reader's result for the stream with a second reading of its
// blocks (tables_test.go, metadata_test.go; not of metadata of v4): the
// references of events, and the losses by sequence points and events.
func (s *tableStream) agrees(o *outcome) error {
	t, w := newTables(s.version), world{version: s.version, last: map[uint64]uint32{}}
	next := 0
	for i, at := range s.at {
		if i > 0 {
			t.apply(s.kind, s.body)
		}
		if i > 0 && s.kind == wire.KindSequencePoint {
			w.point(s.body)
		}
		rows, _ := s.compressedRows(s.rows[i], 20)
		for k := range rows {
			w.account(&rows[k], at, k == 0)
			if next == len(o.events) || o.events[next].Offset != at+int64(rows[k].start) {
				return fmt.Errorf("event %d of %d is not that at %d", next, len(o.events), at+int64(rows[k].start))
			}
			if err := t.agrees(&o.events[next]); err != nil {
				return err
			}
			next++
		}
	}
	if next != len(o.events) {
		return fmt.Errorf("%d events, not %d", len(o.events), next)
	}
	if s.kind == wire.KindRemoveThread {
		return nil
	}
	return w.sameLosses(o)
}
