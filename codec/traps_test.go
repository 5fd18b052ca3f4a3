package codec_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/internal/traces"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Special cases of the format, each of which caused a bug in a reader. If real
// traces have one, they are the test.

// eachBlock calls f for every block of a stream, and fails on any error.
func eachBlock(t *testing.T, stream []byte, f func(r *codec.BlockReader, b *codec.Block)) {
	t.Helper()
	r := codec.NewBytesBlockReader(stream, codec.Options{Strict: true})
	for {
		b, ok := r.Next()
		if !ok {
			break
		}
		f(r, b)
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
}

// fixedSize sums the sizes of fields, -1 when one has none.
func fixedSize(fields []codec.Field) int {
	sum := 0
	for i := range fields {
		size := fields[i].Type.Code.Size()
		if size == 0 {
			return -1
		}
		sum += size
	}
	return sum
}

// A DateTime takes 8 bytes, unlike the text.
func TestT1DateTimeIsEightBytes(t *testing.T) {
	seen := 0
	r := codec.NewBytesReader(traces.Read(t, "net10-types.v4"), codec.Options{})
	for e, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		fields := e.Metadata().Fields
		if len(fields) == 1 && fields[0].Type.Code == wire.Object && fields[0].Name == "" {
			fields = fields[0].Type.Fields
		}
		for i := range fields {
			if fields[i].Type.Code == wire.DateTime && fixedSize(fields) == len(e.Payload()) {
				seen++
			}
		}
	}
	if seen == 0 {
		t.Fatal("no event with a DateTime whose payload has the size of its fields")
	}
}

// Fields of a V2Params tag are size, name, type.
func TestT2V2ParamsLayout(t *testing.T) {
	rows, arrays := 0, 0
	eachBlock(t, traces.Read(t, "net10-types.v4"), func(_ *codec.BlockReader, b *codec.Block) {
		for _, row := range b.Metadata {
			if !row.Metadata.V2Params {
				continue
			}
			rows++
			for _, f := range row.Metadata.Fields {
				if f.Name == "" {
					t.Errorf("a V2Params field of %s has no name", row.Metadata.Name)
				}
				if f.Type.Code == wire.Array && f.Type.Element.Code.Known() {
					arrays++
				}
			}
		}
	})
	if rows != 9 || arrays < 9 {
		t.Errorf("%d rows with V2Params and %d arrays, want 9 and as many", rows, arrays)
	}
}

// Version "5" has 4 in its Trace object; 5 is read too.
func TestT3TagsUnderVersion4(t *testing.T) {
	tags := 0
	eachBlock(t, traces.Read(t, "net10-types.v4"), func(r *codec.BlockReader, b *codec.Block) {
		if trace, _ := r.Trace(); trace.Format.String() != "4" {
			t.Fatalf("format %s", trace.Format)
		}
		for _, row := range b.Metadata {
			if row.Metadata.OpcodeSet {
				tags++
			}
		}
	})
	if tags == 0 {
		t.Error("no opcode tags under version 4")
	}
	tag := bytesOf(uint32(0), uint32(1), byte(wire.TagOpcode), byte(9))
	stream := newV4(5, 5).metadata(1, "E", tag).block("EventBlock", eventBlock(0, rowV4(1, 1, 2000, "", 0, 0))).end()
	r := codec.NewBytesReader(stream, codec.Options{Strict: true})
	e, ok := r.Next()
	if !ok || e.Opcode() != 9 {
		t.Fatalf("a Trace object of version 5: %v", r.Err())
	}
	if trace, _ := r.Trace(); trace.Format.String() != "5" {
		t.Errorf("format %s", trace.Format)
	}
}

// The high bit of the metadata id in an uncompressed row means "not sorted".
func TestT4SortedPolarity(t *testing.T) {
	v4 := newV4(4, 4).metadata(1, "E", uint32(0)).block("EventBlock",
		eventBlock(0, rowV4(1, 1, 2000, "", 0, 0), rowV4(1|wire.NotSortedBit, 2, 2001, "", 0, 0))).end()
	v6 := newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindEvent,
		eventBlock(0, rowV6(1, 1, 0, 0, 0, 2000, 0, ""), rowV6(1|wire.NotSortedBit, 2, 0, 0, 0, 2001, 0, ""))).end()
	for name, stream := range map[string][]byte{"v4": v4, "v6": v6} {
		t.Run(name, func(t *testing.T) {
			read(t, stream, codec.Options{Strict: true})
			r := codec.NewBytesReader(stream, codec.Options{Strict: true})
			for _, want := range []bool{true, false} {
				t.Run(fmt.Sprintf("want=%v", want), func(t *testing.T) {
					e, ok := r.Next()
					if !ok {
						t.Fatal(r.Err())
					}
					if e.Sorted() != want || e.MetadataID != 1 {
						t.Errorf("sorted %v, metadata %d", e.Sorted(), e.MetadataID)
					}
				})
			}
		})
	}
}

// Metadata rows write sequence numbers too, as 0xFFFFFFFF.
func TestT5MetadataRowsWriteSequence(t *testing.T) {
	flagged := 0
	eachBlock(t, traces.Read(t, "azmcp-net10-startup.v4"), func(_ *codec.BlockReader, b *codec.Block) {
		for _, row := range b.Metadata {
			if row.Flags&wire.RowSequence != 0 {
				flagged++
			}
		}
	})
	if flagged == 0 {
		t.Error("no metadata row with a sequence number")
	}
}

// A timestamp delta wraps: the next row may be older.
func TestT6NegativeDelta(t *testing.T) {
	older, last := 0, uint64(0)
	eachBlock(t, traces.Read(t, "azmcp-net10-startup.v4"), func(r *codec.BlockReader, b *codec.Block) {
		last = 0
		for {
			e, ok := r.NextEvent()
			if !ok {
				return
			}
			if e.Timestamp < last {
				older++
			}
			last = e.Timestamp
		}
	})
	if older != 4 {
		t.Errorf("%d rows older than the row before, want 4", older)
	}
}

// Uncompressed v4 rows are padded or not, and EventSize counts it or not.
func TestT7PaddingOfUncompressedRows(t *testing.T) {
	for name, padding := range map[string]struct{ pad, counted int }{
		"none": {0, 0}, "counted": {3, 3}, "not counted": {3, 0},
	} {
		t.Run(name, func(t *testing.T) {
			rows := [][]byte{
				rowV4(1, 1, 2000, "five5", padding.pad, padding.counted),
				rowV4(1, 2, 2001, "5five", padding.pad, padding.counted),
			}
			stream := newV4(4, 4).metadata(1, "E", uint32(0)).block("EventBlock", eventBlock(0, rows...)).end()
			if got := read(t, stream, codec.Options{Strict: true}); got.err != nil || len(got.events) != 2 {
				t.Errorf("padding %s: %d events, %v", name, len(got.events), got.err)
			}
		})
	}
}

// The runtime interns the empty stack like any other; elsewhere 0 is none.
func TestT8EmptyStack(t *testing.T) {
	r := codec.NewBytesReader(traces.Read(t, "azmcp-net10-startup.v4"), codec.Options{Strict: true})
	empty := 0
	for e, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.StackID == 0 {
			t.Fatal("a runtime wrote stack id 0")
		}
		if len(e.Stack()) == 0 {
			empty++
		}
	}
	if empty == 0 {
		t.Error("no event with an empty stack")
	}
	none := newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindEvent, eventBlock(0, rowV6(1, 1, 0, 0, 0, 2000, 0, ""))).end()
	if got := read(t, none, codec.Options{Strict: true}); got.err != nil || len(got.events) != 1 {
		t.Errorf("stack 0 that nobody defined: %v", got.err)
	}
}

// Type code 26 is a Boolean of one byte.
func TestT9Boolean8(t *testing.T) {
	field := sized(text("b"), byte(wire.Boolean8))
	stream := newV6().metadataRow(varuint(1), text("P"), varuint(1), text("E"), uint16(1), field, uint16(0)).end()
	eachBlock(t, stream, func(_ *codec.BlockReader, b *codec.Block) {
		for _, row := range b.Metadata {
			f := row.Metadata.Fields[0]
			expect.Equal(t, "f.Name", f.Name, "b")
			expect.Equal(t, "f.Type.Code", f.Type.Code, wire.Boolean8)
			expect.Equal(t, "f.Type.Code.Size()", f.Type.Code.Size(), 1)
		}
	})
}

// Flag 2 of a sequence point removes the metadata.
func TestT10MetadataFlush(t *testing.T) {
	point := func(flags uint32) []byte { return bytesOf(uint64(3000), flags, uint32(0)) }
	row := eventBlock(0, rowV6(1, 1, 0, 0, 0, 4000, 0, ""))
	kept := newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindSequencePoint, point(0)).block(wire.KindEvent, row).end()
	if got := read(t, kept, codec.Options{Strict: true}); got.err != nil {
		t.Errorf("without the flag: %v", got.err)
	}
	gone := newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindSequencePoint, point(wire.SequenceMetadata)).block(wire.KindEvent, row).end()
	got := read(t, gone, codec.Options{})
	expect.Len(t, "defects", got.defects, 1)
	expect.Equal(t, "defects[0].Rule", got.defects[0].Rule, rule.REF001)
	expect.Equal(t, "len(got.events)", len(got.events), 1)
	anew := newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindSequencePoint, point(wire.SequenceMetadata)).metadata(1, "Other").block(wire.KindEvent, row).end()
	if got := read(t, anew, codec.Options{Strict: true}); got.err != nil {
		t.Errorf("defined anew: %v", got.err)
	}
}

// Text in a payload is an array of code units; a recorder declares one unit.
func TestT11StringsAreArraysOfUnits(t *testing.T) {
	field := sized(text("s"), byte(wire.Array), byte(wire.UTF8CodeUnit))
	stream := newV6().metadataRow(varuint(1), text("P"), varuint(1), text("E"), uint16(1), field, uint16(0)).end()
	eachBlock(t, stream, func(_ *codec.BlockReader, b *codec.Block) {
		for _, row := range b.Metadata {
			if f := row.Metadata.Fields[0]; f.Type.Code != wire.Array || f.Type.Element.Code != wire.UTF8CodeUnit {
				t.Errorf("field %+v", f)
			}
		}
	})
	bare := 0
	eachBlock(t, traces.Read(t, "onecollect-small.v6"), func(_ *codec.BlockReader, b *codec.Block) {
		for _, row := range b.Metadata {
			for _, f := range row.Metadata.Fields {
				if f.Type.Code == wire.UTF8CodeUnit {
					bare++
				}
			}
		}
	})
	if bare != 8 {
		t.Errorf("%d fields declared as a single UTF-8 unit, want 8", bare)
	}
}

// Items without a length cannot be skipped when they are unknown: their block
// is bad, and the next one is read.
func TestT12UnknownItems(t *testing.T) {
	row := eventBlock(0, rowV6(1, 1, 0, 0, 0, 4000, 0, ""))
	for name, c := range map[string]struct {
		kind wire.Kind
		body []byte
		rule rule.ID
	}{
		"optional metadata": {wire.KindMetadata, bytesOf(uint16(0), sized(varuint(2), text("P"), varuint(1), text("E"), uint16(0), sized(byte(2)))), rule.OPT003},
		"thread info":       {wire.KindThread, sized(varuint(5), byte(9), byte(1)), rule.THR002},
		"label":             {wire.KindLabelList, bytesOf(uint32(1), uint32(1), byte(11|wire.LastLabel)), rule.LBL003},
		"type code":         {wire.KindMetadata, bytesOf(uint16(0), sized(varuint(2), text("P"), varuint(1), text("E"), uint16(1), sized(text("f"), byte(27)), uint16(0))), rule.TYP003},
	} {
		t.Run(name, func(t *testing.T) {
			stream := newV6().metadata(1, "E").thread(0, 1, 1).block(c.kind, c.body).block(wire.KindEvent, row).end()
			got := read(t, stream, codec.Options{OnError: codec.Skip})
			expect.Equal(t, "err", got.err, nil)
			expect.Equal(t, "bad", got.bad, 1)
			expect.Equal(t, "len(got.events)", len(got.events), 1)
			var e *codec.Error
			got = read(t, stream, codec.Options{})
			if !errors.As(got.err, &e) {
				t.Fatalf("error: got %v, want a %T", got.err, e)
			}
			expect.Equal(t, "e.Rule", e.Rule, c.rule)
			expect.ErrorIs(t, e, codec.ErrBadBlock)
		})
	}
}

// A block may begin with a row that is not sorted, in the middle of a run.
func TestT13UnsortedFirstRow(t *testing.T) {
	unsorted := 0
	eachBlock(t, traces.Read(t, "azmcp-net10-startup.v4"), func(r *codec.BlockReader, b *codec.Block) {
		if e, ok := r.NextEvent(); ok && !e.Sorted() {
			unsorted++
		}
	})
	if unsorted == 0 {
		t.Error("every block begins with a sorted row")
	}
}

// The day of the week is ignored: a recorder counts from Monday.
func TestT14DayOfWeek(t *testing.T) {
	r := codec.NewBytesReader(traces.Read(t, "onecollect-small.v6"), codec.Options{Strict: true})
	trace, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	if got := trace.SyncTime.Format("2006-01-02 Mon"); got != "2026-11-22 Sun" {
		t.Errorf("sync time %s", got)
	}
}
