package codec_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// timedRows are rows of one thread that are not sorted.
func timedRows(times ...uint64) (rows [][]byte) {
	for _, ts := range times {
		rows = append(rows, timedRow(1, ts, false))
	}
	return rows
}

// reordered reads a stream by time with a limit for waiting events.
func reordered(s *streamV6, reorder int64) (r *codec.Reader, full bool) {
	r = codec.NewBytesReader(s.end(), codec.Options{Order: codec.ByTime, Limits: codec.Limits{Reorder: reorder}})
	for _, d := range drain(r).defects {
		full = full || d.Rule == rule.LIM010
	}
	return r, full
}

// TestOrderHalf: above Limits.Reorder only the older half is delivered, so that an
// event that is newer than this half is not late.
func TestOrderHalf(t *testing.T) {
	for _, c := range []struct {
		name string
		next uint64
		late int64
	}{
		{"newer than the older half", 55, 0},
		{"older than the newest of it", 45, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newV6().metadata(1, "E").thread(1, 1, 1).
				block(wire.KindEvent, eventBlock(0, timedRows(10, 20, 30, 40, 50, 60, 70, 80, 90, 100)...)).
				block(wire.KindEvent, eventBlock(0, timedRows(c.next)...))
			r, full := reordered(s, 4000)
			expect.Equal(t, "limit exceeded", full, true)
			expect.Equal(t, "OutOfOrder", r.OutOfOrder(), c.late)
		})
	}
}

// TestOrderLimitOfRegion: Limits.Reorder bounds the events of one region.
func TestOrderLimitOfRegion(t *testing.T) {
	s := newV6().metadata(1, "E").thread(1, 1, 1)
	for i := range uint64(10) {
		s.block(wire.KindEvent, eventBlock(0, timedRows(100*i+10, 100*i+20)...)).
			block(wire.KindSequencePoint, 100*i+50, uint32(0), uint32(0))
	}
	r, full := reordered(s, 4000)
	expect.Equal(t, "limit exceeded", full, false)
	expect.Equal(t, "events", r.Count(), 20)
}

// TestOrderReset: a Reader counts late events of the current stream only.
func TestOrderReset(t *testing.T) {
	stream := func(rows ...[]byte) []byte {
		return newV6().metadata(1, "E").thread(1, 1, 1).block(wire.KindEvent, eventBlock(0, rows[0])).
			block(wire.KindSequencePoint, uint64(0), uint32(0), uint32(0)).block(wire.KindEvent, eventBlock(0, rows[1])).end()
	}
	r := codec.NewBytesReader(stream(timedRows(5000, 4000)...), codec.Options{Order: codec.ByTime})
	drain(r)
	expect.Equal(t, "OutOfOrder", r.OutOfOrder(), 1)
	r.ResetBytes(stream(timedRows(1000, 2000)...))
	expect.Equal(t, "OutOfOrder after Reset", r.OutOfOrder(), 0)
	drain(r)
	expect.Equal(t, "OutOfOrder of the second stream", r.OutOfOrder(), 0)
}
