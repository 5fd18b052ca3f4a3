package fuzz

import (
	"fmt"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// tableStream is a stream with the tables of wrap.go and then, twice, a block
// under test and an event block that refers to what it may have defined.
type tableStream struct {
	version
	b    []byte
	kind wire.Kind
	body []byte   // of the block under test
	rows []byte   // of the event blocks
	at   [2]int64 // where they stand
}

func newTableStream(v version, kind wire.Kind, body []byte) tableStream {
	s := newStream(v).tables()
	t := tableStream{version: v, kind: kind, body: body, rows: s.events(idsIn(body)...)}
	for i := range t.at {
		s.add(kind, body)
		t.at[i] = s.add(wire.Event, t.rows)
	}
	t.b = s.end()
	return t
}

// agrees compares what the reader made of the stream with a second reading of
// the blocks that it knows (tables.go): what the events refer to, and what
// sequence points and events say was lost.
func (s *tableStream) agrees(o *outcome) error {
	if s.kind == wire.Metadata {
		return nil
	}
	t, w := newTables(s.version), world{version: s.version, last: map[uint64]uint32{}}
	rows, _ := compressedRows(s.rows, 20, s.number == 6)
	if len(o.events) != 2*len(rows) {
		return fmt.Errorf("%d events, not twice %d", len(o.events), len(rows))
	}
	for i, at := range s.at {
		t.apply(s.kind, s.body)
		if s.kind == wire.SequencePoint {
			w.point(s.body)
		}
		for k := range rows {
			w.account(&rows[k], at, k == 0)
			e := &o.events[i*len(rows)+k]
			if e.Offset != at+int64(rows[k].start) {
				return fmt.Errorf("event at %d, not at %d", e.Offset, at+int64(rows[k].start))
			}
			if err := t.agrees(e); err != nil {
				return err
			}
		}
	}
	if s.kind == wire.RemoveThread {
		return nil
	}
	return w.sameLosses(o)
}
