package codec_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// boundedBlock is an event block with times in its header.
func boundedBlock(flags uint16, low, high uint64, rows ...[]byte) []byte {
	b := eventBlock(flags, rows...)
	binary.LittleEndian.PutUint64(b[4:], low)
	binary.LittleEndian.PutUint64(b[12:], high)
	return b
}

// plainRows and compressedRows are rows of v6 at the given times.
func plainRows(times ...uint64) (rows [][]byte) {
	for i, ts := range times {
		rows = append(rows, rowV6(unsorted, uint32(i+1), 0, 0, 0, ts, 0, ""))
	}
	return rows
}

func compressedRows(times ...uint64) (rows [][]byte) {
	last := uint64(0)
	for i, ts := range times {
		row := bytesOf(byte(0), varuint(ts-last))
		if i == 0 {
			row = bytesOf(byte(wire.RowMetadataID|wire.RowSequence|wire.RowThread), byte(1), byte(0), byte(0), byte(0), byte(0), varuint(ts))
		}
		rows, last = append(rows, row), ts
	}
	return rows
}

// TestRowsOutsideHeader: an event whose time is not between those of its block's
// header is a defect and is delivered.
func TestRowsOutsideHeader(t *testing.T) {
	const top = 1<<64 - 1
	for _, c := range []struct {
		name      string
		low, high uint64
		times     []uint64
		want      []int // rows that are outside
	}{
		{"inside", 100, 300, []uint64{100, 200, 300}, nil},
		{"before", 101, 300, []uint64{100, 200, 300}, []int{0}},
		{"after", 100, 299, []uint64{100, 200, 300}, []int{2}},
		{"in the middle", 100, 300, []uint64{100, 301, 99, 300}, []int{1, 2}},
		{"beyond the last tick", top - 9, top, []uint64{top - 5, 7, top}, []int{1}},
		{"beyond the last tick in small steps", top - 9, top, []uint64{top - 5, 7, 8}, []int{1, 2}},
		{"no times in the header", 0, 0, []uint64{100, 200}, nil},
		{"minimum above maximum", 300, 100, []uint64{100, 200}, nil},
	} {
		for form, block := range map[string][]byte{
			"plain":      boundedBlock(0, c.low, c.high, plainRows(c.times...)...),
			"compressed": boundedBlock(wire.BlockCompressed, c.low, c.high, append(compressedRows(c.times...), nil)...),
		} {
			for _, order := range []codec.Order{codec.FileOrder, codec.ByTime} {
				t.Run(fmt.Sprintf("%s, %s, order %d", c.name, form, order), func(t *testing.T) {
					stream := newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindEvent, block).end()
					var rows []int
					r := codec.NewBytesReader(stream, codec.Options{Order: order, OnDefect: func(e *codec.Error) {
						if e.Rule != rule.EVB008 {
							t.Errorf("defect %v", e)
						}
						rows = append(rows, e.Row)
					}})
					if got := timesByNext(r); len(got) != len(c.times) || r.Err() != nil {
						t.Errorf("events at %d, %v", got, r.Err())
					}
					if !slices.Equal(rows, c.want) {
						t.Errorf("defects of the rows %d, want %d", rows, c.want)
					}
				})
			}
		}
	}
}

// TestBetweenOfLyingHeaders: where a block's header does not cover its rows,
// Between delivers them, or Unverified counts the block. After Verify nothing is
// left out.
func TestBetweenOfLyingHeaders(t *testing.T) {
	for _, c := range []struct {
		name       string
		block      []byte
		unverified int
		want       []uint64
	}{
		{"first row of a plain block", boundedBlock(0, 1000, 2000, plainRows(300)...), 0, []uint64{300}},
		{"first row of a compressed block", boundedBlock(1, 1000, 2000, compressedRows(300, 1500)...), 0, []uint64{300}},
		{"later row", boundedBlock(1, 1000, 2000, compressedRows(1000, 300)...), 1, nil},
		{"no row", boundedBlock(1, 1000, 2000, compressedRows(1000, 2000)...), 1, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			stream := newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindEvent, c.block).end()
			window := codec.TimeRange{From: 200, To: 400, HasFrom: true, HasTo: true}
			x, err := codec.NewIndex(bytes.NewReader(stream), int64(len(stream)), codec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := x.Unverified(window); got != c.unverified {
				t.Errorf("%d unverified blocks, want %d", got, c.unverified)
			}
			if got := timesByNext(x.Between(window)); !slices.Equal(got, c.want) {
				t.Errorf("events at %d, want %d", got, c.want)
			}
			if err := x.Verify(t.Context()); err != nil {
				t.Fatal(err)
			}
			var whole []uint64
			for e := range codec.NewBytesReader(stream, codec.Options{}).Events() {
				if window.Contains(e.Timestamp) {
					whole = append(whole, e.Timestamp)
				}
			}
			if got := timesByNext(x.Between(window)); !slices.Equal(got, whole) {
				t.Errorf("events at %d after Verify, want %d", got, whole)
			}
			if got := x.Unverified(window); got != 0 {
				t.Errorf("%d unverified blocks after Verify", got)
			}
		})
	}
}

// TestBetweenBounds: each bound of a time range applies only where it is set.
func TestBetweenBounds(t *testing.T) {
	const top = 1<<64 - 1
	s := newV6().metadata(1, "E").thread(0, 1, 1)
	for _, ts := range []uint64{1, 50, top} {
		s.block(wire.KindEvent, boundedBlock(0, ts, ts, plainRows(ts)...))
	}
	stream := s.end()
	x, err := codec.NewIndex(bytes.NewReader(stream), int64(len(stream)), codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		window codec.TimeRange
		want   []uint64
	}{
		{"no bound", codec.TimeRange{}, []uint64{1, 50, top}},
		{"from", codec.TimeRange{From: 50, HasFrom: true}, []uint64{50, top}},
		{"to", codec.TimeRange{To: 50, HasTo: true}, []uint64{1}},
		{"to the last tick", codec.TimeRange{To: top, HasTo: true}, []uint64{1, 50}},
		{"to 0", codec.TimeRange{HasTo: true}, nil},
		{"nothing", codec.TimeRange{From: 50, To: 2, HasFrom: true, HasTo: true}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := timesByNext(x.Between(c.window)); !slices.Equal(got, c.want) {
				t.Errorf("events at %d, want %d", got, c.want)
			}
		})
	}
}

// TestOutOfOrderAcrossRegions: an event older than one of an earlier region is
// counted.
func TestOutOfOrderAcrossRegions(t *testing.T) {
	s := newV6().metadata(1, "E").thread(0, 1, 1)
	s.block(wire.KindEvent, eventBlock(0, rowV6(unsorted, 1, 0, 0, 0, 10, 0, ""), rowV6(unsorted, 2, 0, 0, 0, 20, 0, "")))
	s.block(wire.KindSequencePoint, uint64(20), uint32(0), uint32(0))
	s.block(wire.KindEvent, eventBlock(0, rowV6(unsorted, 3, 0, 0, 0, 15, 0, ""), rowV6(unsorted, 4, 0, 0, 0, 16, 0, ""), rowV6(unsorted, 5, 0, 0, 0, 20, 0, "")))
	stream := s.end()
	for _, c := range []struct {
		name  string
		order codec.Order
		want  int64
	}{{"by time", codec.ByTime, 2}, {"in file order", codec.FileOrder, 0}} {
		t.Run(c.name, func(t *testing.T) {
			r := codec.NewBytesReader(stream, codec.Options{Order: c.order})
			if got, want := timesByNext(r), []uint64{10, 20, 15, 16, 20}; !slices.Equal(got, want) {
				t.Fatalf("events at %d, want %d", got, want)
			}
			if got := r.OutOfOrder(); got != c.want {
				t.Errorf("%d events out of order, want %d", got, c.want)
			}
		})
	}
}
