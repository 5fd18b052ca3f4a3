package codec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/traces"
)

// goldens are small streams: two real traces, and those of testdata.
func goldens(t *testing.T) map[string][]byte {
	list := map[string][]byte{
		"v4":    traces.Read(t, "net10-empty.v4"),
		"v6":    traces.Read(t, "onecollect-small.v6"),
		"v3":    wrongSizeV3(0, nil),
		"v4 by": newV4(4, 4).metadata(1, "E").block("EventBlock", oneRowV4).end(),
	}
	for _, stream := range traces.Streams(t) {
		if len(stream.Data) < 4096 || strings.HasPrefix(stream.Name, "random-") {
			list[stream.Name] = stream.Data
		}
	}
	return list
}

// TestFlippedBytes changes every byte of every small stream, in three ways.
// Everything before the changed block is read as before; the rest gives events,
// or an error with an offset.
func TestFlippedBytes(t *testing.T) {
	step := 1
	if !traces.Check || traces.Race {
		step = 13
	}
	opt := codec.Options{OnError: codec.Skip}
	whole, changed := codec.NewBytesReader(nil, opt), codec.NewBytesReader(nil, opt)
	for name, stream := range goldens(t) {
		whole.ResetBytes(stream)
		before := eventViews(whole)
		starts := blockStarts(stream)
		b := bytes.Clone(stream)
		for at := 0; at < len(b); at += step {
			for _, x := range []byte{0x01, 0x80, 0xFF} {
				b[at] ^= x
				changed.ResetBytes(b)
				got := eventViews(changed)
				if err := untouched(before, got, starts, int64(at)); err != nil {
					t.Fatalf("%s: byte %d ^ %#x: %v", name, at, x, err)
				}
				if err := placed(changed, int64(len(b))); err != nil {
					t.Fatalf("%s: byte %d ^ %#x: %v", name, at, x, err)
				}
				b[at] ^= x
			}
		}
	}
}

// eventView has the compared values of an event.
type eventView struct {
	offset                     int64
	timestamp, thread          uint64
	metadata, sequence, opcode uint32
	payload, stack             int
}

// eventViews reads to the end.
func eventViews(r *codec.Reader) (list []eventView) {
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		list = append(list, eventView{
			e.Offset(), e.Timestamp, e.ThreadIndex, e.MetadataID, e.Sequence, uint32(e.Opcode()), len(e.Payload()), len(e.Stack()),
		})
	}
	return list
}

// blockStarts are the offsets of a stream's blocks.
func blockStarts(stream []byte) (starts []int64) {
	r := codec.NewBytesBlockReader(stream, codec.Options{OnError: codec.Skip})
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		starts = append(starts, b.Offset)
	}
	return starts
}

// untouched compares the events in front of the block that holds the byte at.
func untouched(before, got []eventView, starts []int64, at int64) error {
	border := int64(0)
	for _, start := range starts {
		if start <= at {
			border = start
		}
	}
	for i, g := range before {
		if g.offset >= border {
			break
		}
		if i >= len(got) || got[i] != g {
			return errors.New("an event in front of the block is another")
		}
	}
	return nil
}

// placed reports whether all errors of a Reader have an offset in the stream.
func placed(r *codec.Reader, size int64) error {
	_, first := r.BadBlocks()
	errs := []error{r.Err()}
	if first != nil {
		errs = append(errs, first)
	}
	for _, d := range r.Defects() {
		errs = append(errs, d.Err)
	}
	for _, err := range errs {
		var e *codec.Error
		if err == nil || errors.As(err, &e) && e.Rule.Rule() != nil && e.BlockOffset <= e.Offset && e.Offset <= size {
			continue
		}
		return err
	}
	return nil
}

// TestBoundaryValues puts the values at the borders of their ranges over every
// two and every four bytes of every small stream.
func TestBoundaryValues(t *testing.T) {
	step := 1
	if !traces.Check || traces.Race {
		step = 29
	}
	r := codec.NewBytesReader(nil, codec.Options{OnError: codec.Skip})
	for name, stream := range goldens(t) {
		for _, value := range []uint32{0, 1, 0x7FFF, 0xFFFF, 0xFFFFFF, 1<<31 - 1, 1 << 31, 1<<32 - 1} {
			width := 4
			if value <= 0xFFFF && value > 1 {
				width = 2
			}
			field := binary.LittleEndian.AppendUint32(nil, value)[:width]
			b := bytes.Clone(stream)
			for at := 0; at+width <= len(b); at += step {
				copy(b[at:], field)
				r.ResetBytes(b)
				eventViews(r)
				if err := placed(r, int64(len(b))); err != nil {
					t.Fatalf("%s: %#x at %d: %v", name, value, at, err)
				}
				copy(b[at:at+width], stream[at:])
			}
		}
	}
}

// TestCutStreams truncates every small stream at every byte, and reads the rest
// from memory and from a source that ends with the last bytes.
func TestCutStreams(t *testing.T) {
	step := 1
	if !traces.Check || traces.Race {
		step = 13
	}
	opt := codec.Options{OnError: codec.Skip}
	memory, source := codec.NewBytesReader(nil, opt), codec.NewReader(nil, opt)
	for name, stream := range goldens(t) {
		memory.ResetBytes(stream)
		whole := eventViews(memory)
		for n := 0; n < len(stream); n += step {
			memory.ResetBytes(clipped(stream[:n]))
			got := eventViews(memory)
			source.Reset(&chopper{b: stream[:n]})
			other := eventViews(source)
			if len(got) > len(whole) || len(got) != len(other) {
				t.Fatalf("%s: truncated at %d: %d events, %d from a source, %d of the complete stream", name, n, len(got), len(other), len(whole))
			}
			for i := range got {
				if got[i] != whole[i] || other[i] != whole[i] {
					t.Fatalf("%s: truncated at %d: event %d differs", name, n, i)
				}
			}
			if err := placed(memory, int64(n)); err != nil && err != io.EOF {
				t.Fatalf("%s: truncated at %d: %v", name, n, err)
			}
		}
	}
}
