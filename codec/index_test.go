package codec_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

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
