// Package layout_test compares package codec/layout with the decoders of package
// codec, in real traces and in small malformed streams.
package layout_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// fault is a fault at its place in the stream.
type fault struct {
	rule   rule.ID
	offset int64
}

// row is an event row at its place in the stream.
type row struct {
	offset  int64
	payload []byte
}

// walked is the result of layout for a stream, up to the first bad block.
type walked struct {
	rows  []row
	fault fault
	cut   bool // the last block is truncated, and the fault may be missing
}

// walk walks over the blocks of a stream.
func walk(t *testing.T, data []byte) (found walked) {
	t.Helper()
	var r raw.Reader
	r.ResetMemory(data, -1)
	pointer := 8
	for n := 0; ; n++ {
		b, err := r.Next()
		if err != nil || b.Kind == wire.KindEndOfStream {
			return found
		}
		if b.Kind == wire.KindTrace && n > 0 {
			continue // a Reader skips it
		}
		w := layout.NewWalker(layout.Options{Format: r.Format(), PointerSize: pointer})
		at := 0
		for f := range w.Block(b.Kind, b.Body) {
			if f.Pos != at || f.Size < 0 {
				t.Fatalf("%v at %d: %s is at %d of %d bytes, want %d", b.Kind, b.BodyOffset, f.Name, f.Pos, f.Size, at)
			}
			if f.Encoding != layout.Group {
				at += f.Size
			}
			if f.Name == "PointerSize" {
				pointer = int(f.Value)
			}
			found.rows = note(found.rows, b, &f)
		}
		if f := w.Fault(); f.Rule != rule.None {
			found.fault = fault{f.Rule, b.BodyOffset + int64(f.Pos)}
			if b.Truncated && (f.Ended || f.Left) {
				found.fault, found.cut = fault{}, true
			}
			return found
		}
		if at != len(b.Body) || w.Pos() != at {
			t.Fatalf("%v at %d: fields end at %d, walker at %d of %d bytes", b.Kind, b.BodyOffset, at, w.Pos(), len(b.Body))
		}
	}
}

// note notes the event rows of a block.
func note(rows []row, b *raw.Block, f *layout.Field) []row {
	if b.Kind != wire.KindEvent || f.Row == layout.Header {
		return rows
	}
	switch f.Name {
	case "EventSize", "Flags":
		rows = append(rows, row{offset: b.BodyOffset + int64(f.Pos)})
	case "Payload":
		if f.Encoding == layout.Group { // a definition in a row of v3
			return rows[:len(rows)-1]
		}
		rows[len(rows)-1].payload = bytes.Clone(b.Body[f.Pos : f.Pos+f.Size])
	}
	return rows
}

// compare holds the rows that layout found against the events of a Reader.
func compare(t *testing.T, data []byte, limits codec.Limits) walked {
	t.Helper()
	found := walk(t, data)
	r := codec.NewBytesReader(data, codec.Options{Limits: limits})
	n := 0
	var err error
	for e, failed := range r.Events() {
		if err = failed; err != nil {
			break
		}
		if n >= len(found.rows) {
			t.Fatalf("event %d at %d is no row: %v at %d", n, e.Offset(), found.fault.rule, found.fault.offset)
		}
		if want := found.rows[n]; e.Offset() != want.offset || !bytes.Equal(e.Payload(), want.payload) {
			t.Fatalf("event %d is at %d with %d bytes, row at %d with %d", n, e.Offset(), len(e.Payload()), want.offset, len(want.payload))
		}
		n++
	}
	var bad *codec.Error
	switch {
	case err == nil && found.fault.rule != rule.None:
		t.Errorf("found %v at %d; the Reader has no error", found.fault.rule, found.fault.offset)
	case err == nil && n < len(found.rows):
		t.Errorf("%d events of %d rows", n, len(found.rows))
	case errors.As(err, &bad) && errors.Is(err, codec.ErrBadBlock) && !found.cut:
		compareFault(t, bad, found.fault)
	}
	return found
}

// meaning are rules that a Reader holds a block to beyond its form.
var meaning = map[rule.ID]bool{
	rule.TYP008: true, rule.RMT002: true, rule.RMT003: true, rule.STK006: true, rule.LBL005: true, rule.BLK007: true,
}

// sizeOfRow are rules of which a row may break two: the Reader checks PayloadSize
// first.
var sizeOfRow = map[rule.ID]bool{rule.UNC001: true, rule.UNC002: true, rule.UNC003: true}

// atEnd are rules whose fault a Reader reports at the end of the body, or for
// the header.
var atEnd = map[rule.ID]bool{rule.TRC001: true}

func compareFault(t *testing.T, bad *codec.Error, got fault) {
	t.Helper()
	if meaning[bad.Rule] || errors.Is(bad, codec.ErrLimit) {
		return
	}
	same := got.rule == bad.Rule || sizeOfRow[got.rule] && sizeOfRow[bad.Rule]
	expect.Equal(t, "same", same, true)
	if got.offset != bad.Offset && !atEnd[bad.Rule] {
		t.Errorf("found %v at %d; the Reader returns %v", got.rule, got.offset, bad)
	}
}

// overflow is a trace with a block that is too long for its size field.
const overflow = "onecollect-overflow.v6"

// TestTraces walks over every real trace: all blocks have the form of their
// kind, and the event rows are the Reader's.
func TestTraces(t *testing.T) {
	for _, name := range shared.Small(t) {
		t.Run(name, func(t *testing.T) {
			found := compare(t, shared.Trace(t, name), codec.Limits{})
			if found.fault.rule != rule.None && name != overflow {
				t.Errorf("%v at %d", found.fault.rule, found.fault.offset)
			}
		})
	}
}

// TestStreams does the same for the small streams, where the first fault is the
// Reader's too.
func TestStreams(t *testing.T) {
	deep := codec.Limits{Nesting: layout.Nesting, Fields: -1}
	for _, name := range shared.Streams(t) {
		t.Run(name, func(t *testing.T) { compare(t, shared.Stream(t, name), deep) })
	}
}

// TestFaults does the same for streams that break one rule each.
func TestFaults(t *testing.T) {
	for _, fault := range gen.Faults() {
		for _, format := range []wire.Format{wire.V4, wire.V5, wire.V6} {
			if !fault.In(format) {
				continue
			}
			t.Run(fmt.Sprintf("%s/v%d", fault.Name, format.Major), func(t *testing.T) {
				compare(t, fault.Inject(format, 1).Faulty, codec.Limits{})
			})
		}
	}
}

// TestChangedBytes does the same for streams in which a few bytes are random.
func TestChangedBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	deep := codec.Limits{Nesting: layout.Nesting, Fields: -1}
	for _, fault := range gen.Faults()[:1] {
		for _, format := range []wire.Format{wire.V4, wire.V5, wire.V6} {
			t.Run(fmt.Sprint(format), func(t *testing.T) {
				for i := range 3000 {
					data := slices.Clone(fault.Inject(format, uint64(i%8)).Corrected)
					for range 1 + random.IntN(3) {
						data[random.IntN(len(data))] = byte(random.Uint32()) >> random.IntN(8)
					}
					if compare(t, data, deep); t.Failed() {
						t.Fatalf("v%v, stream %d", format, i)
					}
				}
			})
		}
	}
}
