package codec_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// twoRegions is a stream of two regions with as many events each, a block for each
// perBlock of them.
func twoRegions(rows, perBlock uint64) []byte {
	s := newV6().metadata(1, "E").thread(0, 1, 1)
	for region := range uint64(2) {
		for first := uint64(0); first < rows; first += perBlock {
			var list [][]byte
			for i := first; i < first+perBlock; i++ {
				list = append(list, rowV6(1, uint32(region*rows+i+1), 0, 0, 0, 1000+rows*region+i, 0, ""))
			}
			s.block(wire.KindEvent, eventBlock(0, list...))
		}
		s.block(wire.KindSequencePoint, 999+rows*(region+1), uint32(0), uint32(0))
	}
	return s.end()
}

// TestParallelStops: a worker in the middle of a region stops when another one
// has failed.
func TestParallelStops(t *testing.T) {
	const rows = 2000
	stream := twoRegions(rows, rows)
	x, err := codec.NewIndex(bytes.NewReader(stream), int64(len(stream)), codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		failure, both, seen := errors.New("enough"), make(chan struct{}), 0
		err := x.Parallel(t.Context(), codec.TimeRange{}, 2, func(region int, _ *codec.Event) error {
			if region == 0 { // fails once the other one is on its way
				<-both
				return failure
			}
			if seen++; seen == 1 {
				close(both)
				synctest.Wait() // until the first worker has ended
			}
			return nil
		})
		if !errors.Is(err, failure) {
			t.Errorf("got %v, want %v", err, failure)
		}
		if seen > rows/2 {
			t.Errorf("the other worker read %d events of %d", seen, rows)
		}
	})
}

// TestParallelCanceledWithin: a context that is canceled ends Parallel within a
// region, whether its events come from one read or from many.
func TestParallelCanceledWithin(t *testing.T) {
	const rows = 20_000
	for _, c := range []struct {
		name     string
		perBlock uint64
		opt      codec.Options
	}{
		{"one block", rows, codec.Options{}},
		{"many blocks", 20, codec.Options{}},
		{"many blocks, by time", 20, codec.Options{Order: codec.ByTime}},
	} {
		t.Run(c.name, func(t *testing.T) {
			stream := twoRegions(rows, c.perBlock)
			x, err := codec.NewIndex(bytes.NewReader(stream), int64(len(stream)), c.opt)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			enough, events := errors.New("enough"), 0
			err = x.Parallel(ctx, codec.TimeRange{}, 1, func(int, *codec.Event) error { events++; cancel(enough); return nil })
			if !errors.Is(err, enough) {
				t.Errorf("got %v, want %v", err, enough)
			}
			if events > rows/2 {
				t.Errorf("got %d events, want at most %d", events, rows/2)
			}
		})
	}
}

// TestParallelCanceledBeforeEvents: a context that is canceled while a Reader
// looks for the first event of its region ends Parallel.
func TestParallelCanceledBeforeEvents(t *testing.T) {
	stream := twoRegions(20_000, 20)
	file := &cancelingAt{ReaderAt: bytes.NewReader(stream)}
	x, err := codec.NewIndex(file, int64(len(stream)), codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	file.cancel = func() { cancel(enough) }
	within := codec.TimeRange{From: 1000 + 40_000 - 1, HasFrom: true} // the last event
	err = x.Parallel(ctx, within, 1, func(int, *codec.Event) error { t.Error("an event came"); return nil })
	if !errors.Is(err, enough) {
		t.Errorf("got %v, want %v", err, enough)
	}
	if file.reads > 1 {
		t.Errorf("got %d reads, want 1", file.reads)
	}
}

// cancelingAt calls cancel at each read, if it is set.
type cancelingAt struct {
	io.ReaderAt
	cancel func()
	reads  int
}

func (c *cancelingAt) ReadAt(p []byte, offset int64) (int, error) {
	if c.cancel != nil {
		c.cancel()
		c.reads++
	}
	return c.ReaderAt.ReadAt(p, offset)
}

// eager is a ReaderAt that returns io.EOF together with the last bytes.
type eager struct{ b []byte }

func (e eager) ReadAt(p []byte, off int64) (int, error) {
	n := copy(p, e.b[min(off, int64(len(e.b))):])
	if n < len(p) || off+int64(n) == int64(len(e.b)) {
		return n, io.EOF
	}
	return n, nil
}

// TestIndexOfEagerEnd: an index and its slices accept io.EOF with the last bytes,
// and a file that has become shorter.
func TestIndexOfEagerEnd(t *testing.T) {
	row := func(i uint32) []byte { return rowV6(1, i, 0, 0, 0, 2000+uint64(i), 0, string(make([]byte, 300))) }
	s := newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindEvent, eventBlock(0, row(1)))
	half := len(s.b)
	stream := s.block(wire.KindEvent, eventBlock(0, row(2))).end()
	for name, c := range map[string]struct {
		now  []byte // the content of the file when it is read
		want int
		err  error
	}{
		"whole":   {stream, 2, nil},
		"shorter": {stream[:half], 1, codec.ErrTruncated},
	} {
		t.Run(name, func(t *testing.T) {
			file := &eager{stream}
			x, err := codec.NewIndex(file, int64(len(stream)), codec.Options{})
			if err != nil || x.Err() != nil {
				t.Fatal(err, x.Err())
			}
			file.b = c.now
			r, n := x.Between(codec.TimeRange{}), 0
			for _, err := range r.Events() {
				if err == nil {
					n++
				}
			}
			if n != c.want || !errors.Is(r.Err(), c.err) {
				t.Errorf("%d events, %v", n, r.Err())
			}
		})
	}
	x, err := codec.NewIndex(eager{stream[:half+14]}, int64(len(stream)), codec.Options{}) // in the header of a block
	if err != nil || !errors.Is(x.Err(), codec.ErrTruncated) {
		t.Errorf("shorter than declared: %v, %v", err, x.Err())
	}
}

// TestParallelCanceled: a canceled context ends Parallel with its cause.
func TestParallelCanceled(t *testing.T) {
	stream := newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindEvent, eventBlock(0, rowV6(1, 1, 0, 0, 0, 1000, 0, ""))).end()
	x, err := codec.NewIndex(bytes.NewReader(stream), int64(len(stream)), codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	enough := errors.New("enough")
	defer cancel(nil)
	for _, c := range []struct {
		name   string
		want   error
		events int
	}{{"running", nil, 1}, {"done", enough, 0}} {
		t.Run(c.name, func(t *testing.T) {
			events := 0
			err := x.Parallel(ctx, codec.TimeRange{}, 1, func(int, *codec.Event) error { events++; return nil })
			if !errors.Is(err, c.want) || events != c.events {
				t.Errorf("got %d events, %v; want %d, %v", events, err, c.events, c.want)
			}
		})
		cancel(enough)
	}
}

// TestIndexWithLimits: the Readers have the other limits, the blocks are the same.
func TestIndexWithLimits(t *testing.T) {
	stream := twoRegions(10, 5)
	x, err := codec.NewIndex(bytes.NewReader(stream), int64(len(stream)), codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	small := x.WithLimits(codec.Limits{Block: 10})
	if got, want := len(small.Blocks()), len(x.Blocks()); got != want {
		t.Errorf("blocks: got %d, want %d", got, want)
	}
	for _, c := range []struct {
		name  string
		index *codec.Index
		want  error
	}{{"as given", x, nil}, {"small blocks", small, codec.ErrLimit}} {
		t.Run(c.name, func(t *testing.T) {
			r := c.index.Between(codec.TimeRange{})
			for _, ok := r.Next(); ok; _, ok = r.Next() {
			}
			if err := r.Err(); !errors.Is(err, c.want) {
				t.Errorf("error: got %v, want %v", err, c.want)
			}
		})
	}
}
