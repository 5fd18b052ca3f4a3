package codec_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestTablesByID: a BlockReader returns stacks and label lists by their ids.
func TestTablesByID(t *testing.T) {
	stream := newV6().metadata(1, "E").thread(0, 1, 1).
		block(wire.KindStack, uint32(5), uint32(1), uint32(16), uint64(0x10), uint64(0x20)).
		block(wire.KindLabelList, uint32(3), uint32(1), byte(wire.LabelOpcode|wire.LastLabel), byte(7)).
		block(wire.KindEvent, eventBlock(0, rowV6(1, 1, 0, 0, 5, 2000, 3, ""))).end()
	r := codec.NewBytesBlockReader(stream, codec.Options{})
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if b.Kind != wire.KindEvent {
			continue
		}
		if got := r.Stack(5); !slices.Equal(got, []uint64{0x10, 0x20}) {
			t.Errorf("stack %x", got)
		}
		if got := r.LabelList(3); len(got) != 1 || got[0].Number != 7 {
			t.Errorf("labels %v", got)
		}
		if r.Stack(4) != nil || r.LabelList(9) != nil {
			t.Error("what is not there is")
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
}

// TestSameMetadataAgain: an equal row is no defect; a different one is a defect,
// wherever the difference is.
func TestSameMetadataAgain(t *testing.T) {
	row := func(fields ...[]byte) []byte {
		list := bytesOf(uint16(len(fields)))
		for _, f := range fields {
			list = append(list, sized(f)...)
		}
		return bytesOf(varuint(1), text("P"), varuint(1), text("E"), list, uint16(0))
	}
	array := field("a", wire.Array, byte(wire.Array), byte(wire.Byte))
	first := row(field("n", wire.Int32), array)
	for name, c := range map[string]struct {
		second   []byte
		reported bool
	}{
		"the same":      {first, false},
		"another name":  {row(field("m", wire.Int32), array), true},
		"another type":  {row(field("n", wire.Int16), array), true},
		"inner element": {row(field("n", wire.Int32), field("a", wire.Array, byte(wire.Array), byte(wire.SByte))), true},
		"one less":      {row(array), true},
	} {
		t.Run(name, func(t *testing.T) {
			r := codec.NewBytesReader(newV6().metadataRow(first).metadataRow(c.second).end(), codec.Options{})
			for range r.Events() {
			}
			if got := len(r.Defects()) > 0; got != c.reported || r.Err() != nil {
				t.Errorf("defects %v, %v", r.Defects(), r.Err())
			}
		})
	}
}

// TestIndexWithoutEnd: a file truncated between two blocks is indexed up to its
// end.
func TestIndexWithoutEnd(t *testing.T) {
	whole := newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindEvent, eventBlock(0, rowV6(1, 1, 0, 0, 0, 2000, 0, ""))).end()
	stream := whole[:len(whole)-4]
	x, err := codec.NewIndex(bytes.NewReader(stream), int64(len(stream)), codec.Options{})
	if err != nil || !errors.Is(x.Err(), codec.ErrTruncated) {
		t.Fatalf("%v, %v, want truncated", err, x.Err())
	}
	n := 0
	for range x.Between(codec.TimeRange{}).Events() {
		n++
	}
	if n != 1 {
		t.Errorf("%d events, want 1", n)
	}
}

// TestLimitOfFieldsV2 is the limit of fields where V2Params describe them, and
// in a list of v4.
func TestLimitOfFieldsV2(t *testing.T) {
	plain, tagged := bytesOf(uint32(9)), bytesOf(uint32(9))
	for range 9 {
		plain = bytesOf(plain, uint32(wire.Int32), utf16z("f"))
		tagged = bytesOf(tagged, sized32(utf16z("f"), uint32(wire.Int32)))
	}
	for name, stream := range map[string][]byte{
		"list": newV4(4, 4).metadata(1, "E", plain).end(),
		"tag":  newV4(4, 4).metadata(1, "E", uint32(0), uint32(len(tagged)), byte(wire.TagV2Params), tagged).end(),
	} {
		t.Run(name, func(t *testing.T) {
			for fields, want := range map[int64]bool{8: true, 9: false} {
				t.Run(fmt.Sprintf("fields=%v", fields), func(t *testing.T) {
					got := drain(codec.NewBytesReader(stream, codec.Options{Limits: codec.Limits{Fields: fields}}))
					var limit *codec.LimitError
					if reported := errors.As(got.err, &limit) && limit.Name == "Fields"; reported != want || !want && got.err != nil {
						t.Errorf("limit %d: %v", fields, got.err)
					}
				})
			}
		})
	}
}

// TestManyThreadsForgotten: a sequence point that drops all threads makes the
// reader forget them, however many there were.
func TestManyThreadsForgotten(t *testing.T) {
	s := newV6().metadata(1, "E")
	for round := range uint64(2) {
		var rows [][]byte
		for i := range uint64(5000) {
			s.thread(i<<20, 1, i)
			rows = append(rows, rowV6(1, 5, i<<20, i<<20, 0, 2000+round, 0, ""))
		}
		s.block(wire.KindEvent, eventBlock(0, rows...))
		s.block(wire.KindSequencePoint, uint64(3000+round), uint32(wire.SequenceThreads), uint32(0))
	}
	r := codec.NewBytesReader(s.end(), codec.Options{})
	for range r.Events() {
	}
	expect.Equal(t, "Err()", r.Err(), nil)
	expect.Equal(t, "Count()", r.Count(), 10_000)
	expect.Equal(t, "Lost()", r.Lost(), 2*5000*4)
	expect.AtMost(t, "len(r.Defects())", len(r.Defects()), 0)
}

// impossible is a source that returns a larger count than it was asked for.
type impossible struct{}

func (impossible) Read(p []byte) (int, error) { return len(p) + 1, nil }

// TestImpossibleSource: no input makes the reader panic; a source that breaks
// the contract of io.Reader does, as it does with package bufio.
func TestImpossibleSource(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("believed")
		}
	}()
	codec.NewReader(impossible{}, codec.Options{}).Next()
}

// TestErrorText: the text of an error has all of its fields.
func TestErrorText(t *testing.T) {
	e := codec.Error{Offset: 10, Block: wire.KindStack, BlockOffset: 5, Row: 3, Rule: rule.STK001, Err: io.ErrUnexpectedEOF}
	expect.Contains(t, "[]byte(e.Error())", string([]byte(e.Error())), "10", "Stack", "5", "3", rule.STK001.String(), io.ErrUnexpectedEOF.Error())
}

// TestNextAfterBadRow: a caller that leaves a block with a bad row gets the error
// at the next block.
func TestNextAfterBadRow(t *testing.T) {
	good := rowV6(1, 1, 0, 0, 0, 2000, 0, "")
	stream := newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindEvent, eventBlock(0, good, []byte{1, 2, 3})).end()
	r := codec.NewBytesBlockReader(stream, codec.Options{})
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if b.Kind == wire.KindEvent {
			if _, ok := r.NextEvent(); !ok {
				t.Fatal(r.Err())
			}
		}
	}
	if !errors.Is(r.Err(), codec.ErrBadBlock) {
		t.Errorf("%v, want a bad block", r.Err())
	}
}

// TestLeftBehindStrict is the same for a defect that a payload shows.
func TestLeftBehindStrict(t *testing.T) {
	r := codec.NewBytesBlockReader(withFields([]byte{1}, field("n", wire.Int32)), codec.Options{Strict: true})
	var e *codec.Event
	for _, ok := r.Next(); ok && e == nil; {
		if e, _ = r.NextEvent(); e == nil {
			_, ok = r.Next()
		}
	}
	if e == nil || codec.RuleOf(e.FieldsError()) != rule.PAY001 {
		t.Fatal(r.Err())
	}
	var reported *codec.Error
	_, ok := r.Next()
	expect.Equal(t, "ok", ok, false)
	if !errors.As(r.Err(), &reported) {
		t.Fatalf("error: got %v, want a %T", r.Err(), reported)
	}
	expect.Equal(t, "reported.Rule", reported.Rule, rule.PAY001)
}

// TestElementCodesV4: the codes with an element type that v6 added have no place
// in the lists of v4.
func TestElementCodesV4(t *testing.T) {
	for _, code := range []wire.TypeCode{wire.FixedLengthArray, wire.RelLoc, wire.DataLoc} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			tagged := bytesOf(uint32(1), sized32(utf16z("f"), uint32(code), uint32(wire.Byte)))
			for name, stream := range map[string][]byte{
				"list": newV4(4, 4).metadata(1, "E", uint32(1), uint32(code), uint32(wire.Byte), utf16z("f")).end(),
				"tag":  newV4(5, 5).metadata(1, "E", uint32(0), uint32(len(tagged)), byte(wire.TagV2Params), tagged).end(),
			} {
				t.Run(name, func(t *testing.T) {
					var bad *codec.Error
					if got := drain(codec.NewBytesReader(stream, codec.Options{})); !errors.As(got.err, &bad) || bad.Rule != rule.TYP016 {
						t.Errorf("%v in a %s: %v", code, name, got.err)
					}
				})
			}
		})
	}
}

// TestObjectsCut: existing tags are checked, also those of an object that is
// truncated.
func TestObjectsCut(t *testing.T) {
	head := newV4(4, 4).b
	unknown := newV4(4, 4).block("Novelty", []byte("abcd")).b
	unknown[len(unknown)-1] = 9
	for name, c := range map[string]struct {
		stream []byte
		want   rule.ID
		at     int
	}{
		"second tag wrong":              {bytesOf(head, byte(5), byte(6)), rule.OBJ001, len(head) + 1},
		"third tag wrong":               {bytesOf(head, byte(5), byte(5), byte(2)), rule.OBJ001, len(head) + 2},
		"unknown object without an end": {bytesOf(unknown, byte(1)), rule.OBJ006, len(unknown) - 1},
	} {
		t.Run(name, func(t *testing.T) {
			var bad *codec.Error
			got := drain(codec.NewBytesReader(c.stream, codec.Options{}))
			if !errors.As(got.err, &bad) {
				t.Fatalf("error: got %v, want a %T", got.err, bad)
			}
			expect.Equal(t, "bad.Rule", bad.Rule, c.want)
			expect.Equal(t, "bad.Offset", bad.Offset, int64(c.at))
		})
	}
	whole := drain(codec.NewBytesReader(bytesOf(head, byte(5), byte(5)), codec.Options{}))
	if !errors.Is(whole.err, codec.ErrTruncated) {
		t.Errorf("right tags: %v, want truncated", whole.err)
	}
}
