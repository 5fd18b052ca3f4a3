package codec_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestParallelStops: a worker in the middle of a region stops when another one
// has failed.
func TestParallelStops(t *testing.T) {
	const rows = 2000
	s := newV6().metadata(1, "E").thread(0, 1, 1)
	for region := range uint64(2) {
		var list [][]byte
		for i := range uint64(rows) {
			list = append(list, rowV6(1, uint32(region*rows+i+1), 0, 0, 0, 1000+rows*region+i, 0, ""))
		}
		s.block(wire.KindEvent, eventBlock(0, list...)).block(wire.KindSequencePoint, 999+rows*(region+1), uint32(0), uint32(0))
	}
	stream := s.end()
	x, err := codec.NewIndex(bytes.NewReader(stream), int64(len(stream)), codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	failure, both, seen := errors.New("enough"), make(chan struct{}), 0
	err = x.Parallel(context.Background(), codec.TimeRange{}, 2, func(region int, _ *codec.Event) error {
		if region == 0 { // fails once the other one is on its way
			<-both
			return failure
		}
		if seen++; seen == 1 {
			close(both)
		}
		time.Sleep(time.Millisecond)
		return nil
	})
	if !errors.Is(err, failure) || seen == rows {
		t.Errorf("%v; the other worker read %d events", err, seen)
	}
}

// eager is a ReaderAt that tells the end together with the last bytes, as it may.
type eager struct{ b []byte }

func (e eager) ReadAt(p []byte, off int64) (int, error) {
	n := copy(p, e.b[min(off, int64(len(e.b))):])
	if n < len(p) || off+int64(n) == int64(len(e.b)) {
		return n, io.EOF
	}
	return n, nil
}

// TestIndexOfEagerEnd: an index and its slices do not mind who tells of the end
// and when, nor that the file has become shorter since.
func TestIndexOfEagerEnd(t *testing.T) {
	row := func(i uint32) []byte { return rowV6(1, i, 0, 0, 0, 2000+uint64(i), 0, string(make([]byte, 300))) }
	s := newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindEvent, eventBlock(0, row(1)))
	half := len(s.b)
	stream := s.block(wire.KindEvent, eventBlock(0, row(2))).end()
	for name, c := range map[string]struct {
		now  []byte // what the file holds when it is read
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
		t.Errorf("shorter than said: %v, %v", err, x.Err())
	}
}

// TestParallelCanceled: a context that is done ends Parallel with its cause.
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
