package codectest_test

import (
	"bytes"
	"cmp"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// timed has the sort key of an event, and its description.
type timed struct {
	timestamp, thread uint64
	file              int
	mark              mark
}

// mark identifies an event and its references cheaply.
type mark struct {
	offset           int64
	payload, address uint32
	depth            int
}

func markOf(e *codec.Event) mark {
	m := mark{offset: e.Offset(), payload: crc32.ChecksumIEEE(e.Payload()), depth: len(e.Stack())}
	for _, ip := range e.Stack() {
		m.address = m.address*31 + uint32(ip)
	}
	return m
}

func marksOf(t *testing.T, r *codec.Reader) ([]mark, error) {
	t.Helper()
	var marks []mark
	for e, err := range r.Events() {
		if err != nil {
			return marks, err
		}
		marks = append(marks, markOf(e))
	}
	return marks, nil
}

// naiveOrder sorts the events of each region between sequence points.
func naiveOrder(t *testing.T, stream []byte) []mark {
	t.Helper()
	var all []mark
	var region []timed
	flush := func() {
		slices.SortStableFunc(region, func(a, b timed) int {
			return cmp.Or(cmp.Compare(a.timestamp, b.timestamp), cmp.Compare(a.thread, b.thread), cmp.Compare(a.file, b.file))
		})
		for _, e := range region {
			all = append(all, e.mark)
		}
		region = region[:0]
	}
	r := codec.NewBytesBlockReader(stream, codec.Options{OnError: codec.Skip})
	for {
		b, ok := r.Next()
		if !ok {
			break
		}
		if b.Kind == wire.KindSequencePoint {
			flush()
		}
		for {
			e, ok := r.NextEvent()
			if !ok {
				break
			}
			region = append(region, timed{e.Timestamp, e.CaptureThreadIndex, len(region), markOf(e)})
		}
	}
	if trace, err := r.Trace(); err != nil || !trace.Format.HasSequencePoints() {
		for _, e := range region { // v3 has no promise to sort by
			all = append(all, e.mark)
		}
		return all
	}
	flush()
	return all
}

// TestOrderByTime compares the order with that of a plain sort, on every trace.
func TestOrderByTime(t *testing.T) {
	check := func(t *testing.T, stream []byte) {
		t.Helper()
		want := naiveOrder(t, stream)
		for name, r := range map[string]*codec.Reader{
			"memory": codec.NewBytesReader(stream, codec.Options{Order: codec.ByTime, OnError: codec.Skip}),
			"stream": codec.NewReader(bytes.NewReader(stream), codec.Options{Order: codec.ByTime, OnError: codec.Skip}),
		} {
			t.Run(name, func(t *testing.T) {
				got, err := marksOf(t, r)
				if !slices.Equal(got, want) {
					t.Fatalf("from %s: events differ (%d came, want %d)", name, len(got), len(want))
				}
				plain := codec.NewBytesReader(stream, codec.Options{OnError: codec.Skip})
				_, plainErr := marksOf(t, plain)
				expect.Equal(t, "Lost()", r.Lost(), plain.Lost())
				expect.Equal(t, "len(r.Defects())", len(r.Defects()), len(plain.Defects()))
				if (err == nil) != (plainErr == nil) {
					t.Errorf("from %s: ends differ: %v and %v", name, err, plainErr)
				}
				expect.Stop(t)
				if r.OutOfOrder() != 0 {
					t.Errorf("from %s: %d events out of order", name, r.OutOfOrder())
				}
			})
		}
	}
	for _, name := range smallCorpora(t) {
		t.Run(name, func(t *testing.T) { check(t, shared.Trace(t, name)) })
	}
	t.Run("shared", func(t *testing.T) {
		for _, name := range shared.Small(t) {
			t.Run(name, func(t *testing.T) { check(t, shared.Trace(t, name)) })
		}
	})
}
