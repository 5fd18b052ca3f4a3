package record

import (
	"bytes"
	"encoding/binary"
	"io"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// method is the start of the payload of an event about a method.
func method(id, start uint64) []byte {
	p := binary.LittleEndian.AppendUint64(nil, id)
	p = binary.LittleEndian.AppendUint64(p, 1)
	p = binary.LittleEndian.AppendUint64(p, start)
	return binary.LittleEndian.AppendUint32(p, 0x40)
}

// entryOf is the payload of R2RGetEntryPoint with empty names.
func entryOf(address uint64) []byte {
	p := append(make([]byte, 8), 0, 0, 0, 0, 0, 0)
	return append(binary.LittleEndian.AppendUint64(p, address), 9, 0)
}

// naming is an event of a stream for Names.
type naming struct {
	provider string
	id       uint32
	payload  []byte
}

// namesStream returns a stream with these events.
func namesStream(t *testing.T, list ...naming) []byte {
	t.Helper()
	return streamOf(t, func(w *codec.Writer) error {
		for i, one := range list {
			id, err := w.DefineMetadata(&codec.Metadata{Provider: one.provider, EventID: one.id, Version: 2, Level: 5})
			if err == nil {
				err = w.Write(&codec.Record{MetadataID: id, Thread: 3, CaptureThread: 3, Timestamp: 100 + uint64(i), Payload: one.payload})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// known returns the events of Names.
func known(list iter.Seq[Addition]) (all []naming) {
	for one := range list {
		all = append(all, naming{one.Metadata.Provider, one.Metadata.EventID, one.Payload})
	}
	return all
}

// TestNames: which events Names keeps, and as which events it returns them.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		name     string
		events   []naming
		want     []naming
		replaced int64
	}{
		{"a load is a row of the rundown", []naming{{clr.RuntimeProvider, 143, method(1, 0x100)}}, []naming{{clr.RundownProvider, 144, method(1, 0x100)}}, 0},
		{"a load without a name", []naming{{clr.RuntimeProvider, 141, method(1, 0x100)}}, []naming{{clr.RundownProvider, 142, method(1, 0x100)}}, 0},
		{"the rundown", []naming{{clr.RundownProvider, 144, method(1, 0x100)}}, []naming{{clr.RundownProvider, 144, method(1, 0x100)}}, 0},
		{"the same method twice", []naming{{clr.RundownProvider, 144, method(1, 0x100)}, {clr.RuntimeProvider, 143, method(1, 0x100)}},
			[]naming{{clr.RundownProvider, 144, method(1, 0x100)}}, 0},
		{"memory that is used again", []naming{{clr.RuntimeProvider, 143, method(1, 0x100)}, {clr.RuntimeProvider, 143, method(2, 0x100)}},
			[]naming{{clr.RundownProvider, 144, method(2, 0x100)}}, 1},
		{"an unload of a known method", []naming{{clr.RuntimeProvider, 143, method(1, 0x100)}, {clr.RuntimeProvider, 144, append(method(1, 0x100), 7)}},
			[]naming{{clr.RundownProvider, 144, method(1, 0x100)}}, 0},
		{"an unload of an unknown method", []naming{{clr.RuntimeProvider, 144, method(1, 0x100)}}, []naming{{clr.RundownProvider, 144, method(1, 0x100)}}, 0},
		{"an entry point", []naming{{clr.RuntimeProvider, 159, entryOf(0x200)}, {clr.RuntimeProvider, 159, entryOf(0x300)}},
			[]naming{{clr.RuntimeProvider, 159, entryOf(0x200)}, {clr.RuntimeProvider, 159, entryOf(0x300)}}, 0},
		{"an entry point and a method", []naming{{clr.RuntimeProvider, 159, entryOf(0x200)}, {clr.RuntimeProvider, 143, method(1, 0x200)}},
			[]naming{{clr.RuntimeProvider, 159, entryOf(0x200)}, {clr.RundownProvider, 144, method(1, 0x200)}}, 0},
		{"modules and assemblies", []naming{{clr.RuntimeProvider, 152, method(1, 0)}, {clr.RuntimeProvider, 154, method(1, 0)}},
			[]naming{{clr.RundownProvider, 154, method(1, 0)}, {clr.RundownProvider, 156, method(1, 0)}}, 0},
		{"other events", []naming{{clr.RuntimeProvider, 145, method(1, 0x100)}, {clr.RundownProvider, 150, method(1, 0x100)}, {"Program", 143, method(1, 0x100)}}, nil, 0},
		{"a payload that is too short", []naming{{clr.RuntimeProvider, 143, make([]byte, 23)}}, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := NewNames(0)
			report, err := n.Read(bytes.NewReader(namesStream(t, c.events...)))
			expect.NoError(t, err)
			expect.Equal(t, "ended", report.Ended, true)
			got := known(n.All())
			expect.Len(t, "events", got, len(c.want))
			expect.Stop(t)
			for i := range got {
				expect.Equal(t, "provider", got[i].provider, c.want[i].provider)
				expect.Equal(t, "id", got[i].id, c.want[i].id)
				expect.Slices(t, "payload", got[i].payload, c.want[i].payload)
			}
			stats := n.Stats()
			expect.Equal(t, "Events", stats.Events, int64(len(c.want)))
			expect.Equal(t, "Replaced", stats.Replaced, c.replaced)
		})
	}
}

// TestNamesBound: full Names keep what they have, read on and count the rest.
func TestNamesBound(t *testing.T) {
	data := namesStream(t, naming{clr.RuntimeProvider, 143, method(1, 0x100)}, naming{clr.RuntimeProvider, 143, method(2, 0x200)}, naming{clr.RuntimeProvider, 143, method(3, 0x300)})
	n := NewNames(2 * int64(len(method(0, 0))))
	report, err := n.Read(bytes.NewReader(data))
	expect.NoError(t, err)
	expect.Equal(t, "bytes read", report.Bytes, int64(len(data)))
	expect.Equal(t, "stats", n.Stats(), NamesStats{Events: 2, Bytes: 56, Dropped: 1})
}

// TestNamesReplaced: rows that are replaced again and again take no memory.
func TestNamesReplaced(t *testing.T) {
	const rounds = 20_000
	data := streamOf(t, func(w *codec.Writer) error {
		id, err := w.DefineMetadata(&codec.Metadata{Provider: clr.RuntimeProvider, EventID: 143})
		for i := range uint64(rounds) {
			if err != nil {
				return err
			}
			err = w.Write(&codec.Record{MetadataID: id, Thread: 3, CaptureThread: 3, Timestamp: 100 + i, Payload: method(i, 0x1000*(i%3))})
		}
		return err
	})
	n := NewNames(0)
	_, err := n.Read(bytes.NewReader(data))
	expect.NoError(t, err)
	if len(n.rows) > rounds/2 {
		t.Errorf("%d rows in memory, want fewer than half of %d", len(n.rows), rounds)
	}
	got := known(n.All())
	expect.Len(t, "events", got, 3)
	expect.Slices(t, "the last", got[2].payload, method(rounds-1, 0x1000*((rounds-1)%3)))
}

// TestNamesReplacedBytes: large payloads that are replaced again and again take no memory.
func TestNamesReplacedBytes(t *testing.T) {
	const rounds, size, bound = 100, 256 << 10, 4 << 20
	data := streamOf(t, func(w *codec.Writer) error {
		id, err := w.DefineMetadata(&codec.Metadata{Provider: clr.RuntimeProvider, EventID: 143})
		for i := range uint64(rounds) {
			if err != nil {
				return err
			}
			payload := append(method(i, 0x1000), bytes.Repeat([]byte{1}, size)...)
			err = w.Write(&codec.Record{MetadataID: id, Thread: 3, CaptureThread: 3, Timestamp: 100 + i, Payload: payload})
		}
		return err
	})
	n := NewNames(0)
	_, err := n.Read(bytes.NewReader(data))
	expect.NoError(t, err)
	stored := 0
	for _, piece := range n.store.pieces {
		stored += cap(piece)
	}
	if stored > bound {
		t.Errorf("%d bytes in memory, want at most %d", stored, bound)
	}
	got := known(n.All())
	expect.Len(t, "events", got, 1)
	expect.Slices(t, "the last", got[0].payload[:8], method(rounds-1, 0)[:8])
}

// TestNamesTruncated: Names keep what came before the end of a killed process.
func TestNamesTruncated(t *testing.T) {
	data := namesStream(t, naming{clr.RuntimeProvider, 143, method(1, 0x100)}, naming{clr.RuntimeProvider, 143, method(2, 0x200)})
	n := NewNames(0)
	report, err := n.Read(bytes.NewReader(withoutLastPoint(data)))
	expect.ErrorIs(t, err, codec.ErrTruncated)
	expect.Equal(t, "ended", report.Ended, false)
	expect.Equal(t, "Events", n.Stats().Events, 2)
}

// TestAdditions: additions come after the blocks of the stream, with ids of
// their own and the time of the newest event.
func TestAdditions(t *testing.T) {
	data := streamOf(t, func(w *codec.Writer) error { return events(w, 100, 1, 1, 2) })
	added := []Addition{
		{Metadata: &codec.Metadata{Provider: "Added", EventID: 5, Name: "Five"}, Payload: []byte{5}},
		{Metadata: &codec.Metadata{Provider: "Added", EventID: 6}, Payload: make([]byte, addedBlock)},
	}
	added = append(added, Addition{Metadata: added[0].Metadata, Payload: []byte{6}, Until: 100})
	for _, c := range []struct {
		name   string
		stream []byte
	}{
		{"complete", data},
		{"truncated", withoutLastPoint(data)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			file, err := NewStream(&out, Uncompressed)
			expect.NoError(t, err)
			report, err := New(Options{Additions: func(*Report) iter.Seq[Addition] { return slices.Values(added) }}).Run(t.Context(), bytes.NewReader(c.stream), file)
			expect.NoError(t, err)
			expect.NoError(t, report.NotAdded)
			expect.Equal(t, "Added", report.Added, 3)
			checkAdded(t, out.Bytes())
		})
	}
	t.Run("none", func(t *testing.T) {
		var out bytes.Buffer
		file, err := NewStream(&out, Uncompressed)
		expect.NoError(t, err)
		_, err = New(Options{Additions: func(*Report) iter.Seq[Addition] { return slices.Values([]Addition{}) }}).Run(t.Context(), bytes.NewReader(data), file)
		expect.NoError(t, err)
		expect.Bytes(t, "the stream alone", out.Bytes(), data)
	})
	t.Run("ring", func(t *testing.T) {
		ring := NewRing(RingOptions{Time: time.Hour})
		_, err := New(Options{}).Run(t.Context(), bytes.NewReader(data), ring)
		expect.NoError(t, err)
		snapshot, err := ring.Snapshot()
		expect.NoError(t, err)
		earlier := Addition{Metadata: &codec.Metadata{Provider: "Added", EventID: 7}, Until: 99}
		snapshot.Append(slices.Values(append([]Addition{earlier}, added...)))
		var out bytes.Buffer
		part, err := snapshot.Write(&out, nil)
		expect.NoError(t, err)
		expect.Equal(t, "RundownEvents", part.RundownEvents, 4)
		checkAdded(t, append(out.Bytes(), wire.TagNull))
	})
}

// checkAdded reads a stream with three events and three additions.
func checkAdded(t *testing.T, stream []byte) {
	t.Helper()
	r := codec.NewBytesReader(stream, codec.Options{Order: codec.ByTime})
	var ids, sizes []uint32
	for e, err := range r.Events() {
		expect.NoError(t, err)
		if e.Provider() != "Added" {
			continue
		}
		ids, sizes = append(ids, e.ID()), append(sizes, uint32(len(e.Payload())))
		if e.Timestamp < 120 {
			t.Errorf("event %d is at %d, before the end of the stream", e.ID(), e.Timestamp)
		}
	}
	expect.NoError(t, r.Err())
	expect.Equal(t, "events", r.Count(), 6)
	expect.Equal(t, "lost", r.Lost(), 0)
	expect.Equal(t, "out of order", r.OutOfOrder(), 0)
	expect.Slices(t, "ids", ids, []uint32{5, 6, 5})
	expect.Slices(t, "sizes", sizes, []uint32{1, addedBlock, 1})
	expect.Slices(t, "last sequence point", lastPoint(t, stream), []codec.ThreadSequence{{Thread: 7, Sequence: 3}, {Thread: addedThread, Sequence: 3}})
}

// TestAdditionsAgain: additions to a stream that has some go on with their numbers, so that none
// seems lost.
func TestAdditionsAgain(t *testing.T) {
	stream := streamOf(t, func(w *codec.Writer) error { return events(w, 100, 1, 1, 2) })
	one := Addition{Metadata: &codec.Metadata{Provider: "Added", EventID: 5, Name: "Five"}, Payload: []byte{5}}
	for range 2 {
		var out bytes.Buffer
		file, err := NewStream(&out, Uncompressed)
		expect.NoError(t, err)
		report, err := New(Options{Additions: func(*Report) iter.Seq[Addition] { return slices.Values([]Addition{one, one}) }}).Run(t.Context(), bytes.NewReader(stream), file)
		expect.NoError(t, err)
		expect.Equal(t, "Added", report.Added, 2)
		stream = out.Bytes()
	}
	expect.Slices(t, "last sequence point", lastPoint(t, stream), []codec.ThreadSequence{{Thread: 7, Sequence: 3}, {Thread: addedThread, Sequence: 4}})
}

// TestAdditionsOfDefinedType: an addition has the id of an equal type of the stream, but
// not of one with other fields.
func TestAdditionsOfDefinedType(t *testing.T) {
	data := streamOf(t, func(w *codec.Writer) error { return events(w, 100, 1, 2) })
	equal := codec.Metadata{Provider: clr.RundownProvider, EventID: 9}
	other := equal
	other.Fields = []codec.Field{{Name: "X", Type: codec.Type{Code: wire.Int32}}}
	added := []Addition{{Metadata: &equal}, {Metadata: &other, Payload: make([]byte, 4)}, {Metadata: &equal}}
	ids := func(t *testing.T, stream []byte) (list []uint32) {
		for e, err := range codec.NewBytesReader(stream, codec.Options{}).Events() {
			expect.NoError(t, err)
			list = append(list, e.MetadataID)
		}
		return list
	}
	t.Run("file", func(t *testing.T) {
		var out bytes.Buffer
		file, err := NewStream(&out, Uncompressed)
		expect.NoError(t, err)
		_, err = New(Options{Additions: func(*Report) iter.Seq[Addition] { return slices.Values(added) }}).Run(t.Context(), bytes.NewReader(data), file)
		expect.NoError(t, err)
		expect.Slices(t, "ids", ids(t, out.Bytes()), []uint32{1, 2, 2, 3, 2})
	})
	t.Run("ring", func(t *testing.T) {
		ring := NewRing(RingOptions{Time: time.Hour})
		_, err := New(Options{}).Run(t.Context(), bytes.NewReader(data), ring)
		expect.NoError(t, err)
		snapshot, err := ring.Snapshot()
		expect.NoError(t, err)
		snapshot.Append(slices.Values(added))
		var out bytes.Buffer
		_, err = snapshot.Write(&out, nil)
		expect.NoError(t, err)
		expect.Slices(t, "ids", ids(t, append(out.Bytes(), wire.TagNull)), []uint32{1, 2, 2, 3, 2})
	})
}

// lastPoint returns the list of the sequence point that ends a stream, perhaps before
// metadata; nil if its last block is another one.
func lastPoint(t *testing.T, stream []byte) (list []codec.ThreadSequence) {
	t.Helper()
	r, before := codec.NewBytesBlockReader(stream, codec.Options{}), uint64(0)
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if b.Kind == wire.KindEndOfStream {
			break
		}
		if b.Kind == wire.KindMetadata {
			continue
		}
		list = slices.Clone(b.SequencePoint.Threads)
		if b.Kind == wire.KindSequencePoint {
			expect.AtLeast(t, "time of a sequence point", b.SequencePoint.Timestamp, before+1)
			before = b.SequencePoint.Timestamp
		}
	}
	expect.NoError(t, r.Err())
	return list
}

// TestPointOfSnapshot: a snapshot ends with one sequence point, also if it has no
// additions.
func TestPointOfSnapshot(t *testing.T) {
	data := streamOf(t, func(w *codec.Writer) error { return events(w, 100, 1, 1, 2) })
	names := streamOf(t, func(w *codec.Writer) error { return events(w, 300, 2, 2) })
	none := streamOf(t, func(*codec.Writer) error { return nil })
	for _, c := range []struct {
		name          string
		stream, names []byte
		points        int
		added         uint32 // number of the thread of additions
	}{
		{"complete", data, nil, 1, 0},
		{"no point", withoutLastPoint(data), nil, 1, 0},
		{"complete, names", data, names, 2, 2},
		{"no point, names", withoutLastPoint(data), names, 1, 2},
		{"names without a point", data, withoutLastPoint(names), 2, 2},
		{"no point, names without events", withoutLastPoint(data), withoutLastPoint(none), 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			ring := NewRing(RingOptions{Time: time.Hour})
			_, err := New(Options{}).Run(t.Context(), bytes.NewReader(c.stream), ring)
			expect.NoError(t, err)
			snapshot, err := ring.Snapshot()
			expect.NoError(t, err)
			var out bytes.Buffer
			var other io.Reader
			if c.names != nil {
				other = bytes.NewReader(c.names)
			}
			if _, err = snapshot.Write(&out, other); err != nil {
				expect.ErrorIs(t, err, codec.ErrTruncated) // of the names
			}
			stream := append(out.Bytes(), wire.TagNull)
			want := []codec.ThreadSequence{{Thread: 7, Sequence: 3}}
			if c.added > 0 {
				want = append(want, codec.ThreadSequence{Thread: addedThread, Sequence: c.added})
			}
			expect.Slices(t, "last sequence point", lastPoint(t, stream), want)
			points := 0
			r := codec.NewBytesBlockReader(stream, codec.Options{})
			for b, ok := r.Next(); ok; b, ok = r.Next() {
				if b.Kind == wire.KindSequencePoint {
					points++
				}
			}
			expect.Equal(t, "sequence points", points, c.points)
		})
	}
}
