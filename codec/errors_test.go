package codec_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestBadBlocksError: the error of no bad block is nil, not a nil *Error.
func TestBadBlocksError(t *testing.T) {
	good := rowV6(1, 1, 0, 0, 0, 2000, 0, "")
	for name, c := range map[string]struct {
		rows []byte
		bad  int
		rule rule.ID
	}{
		"none": {eventBlock(0, good), 0, rule.None},
		"one":  {eventBlock(0, good, []byte{1, 2, 3}), 1, rule.UNC003},
	} {
		t.Run(name, func(t *testing.T) {
			stream := newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindEvent, c.rows).end()
			r := codec.NewBytesReader(stream, codec.Options{OnError: codec.Skip})
			for _, ok := r.Next(); ok; _, ok = r.Next() {
			}
			bad, err := r.BadBlocks()
			expect.Equal(t, "bad", bad, c.bad)
			if (err == nil) != (bad == 0) {
				t.Errorf("got %d bad blocks, %v; want %d, rule %v", bad, err, c.bad, c.rule)
			}
			expect.Equal(t, "codec.RuleOf(err)", codec.RuleOf(err), c.rule)
		})
	}
}

// TestBadBlockReported: with Skip, Options.OnDefect receives the error of each bad
// block, which is not a defect.
func TestBadBlockReported(t *testing.T) {
	bad := eventBlock(0, rowV6(1, 1, 0, 0, 0, 2000, 0, ""), []byte{1, 2, 3})
	again := eventBlock(0, rowV6(1, 2, 0, 0, 0, 2000, 0, ""), []byte{1, 2, 3})
	stream := newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindEvent, bad).block(wire.KindEvent, again).end()
	var reported []codec.Error
	r := codec.NewBytesReader(stream, codec.Options{OnError: codec.Skip, OnDefect: func(e *codec.Error) { reported = append(reported, *e) }})
	for _, ok := r.Next(); ok; _, ok = r.Next() {
	}
	expect.Len(t, "reported", reported, 2)
	_, first := r.BadBlocks()
	expect.Equal(t, "reported[0].Error()", reported[0].Error(), first.Error())
	expect.Equal(t, "errors.Is(ErrBadBlock)", errors.Is(&reported[0], codec.ErrBadBlock), true)
	expect.Equal(t, "errors.Is(ErrDefect)", errors.Is(&reported[0], codec.ErrDefect), false)
	expect.Len(t, "Defects", r.Defects(), 0)
}

// TestFieldsErrorPlace: the event, its clone, Options.OnDefect and Reader.Defects
// return the same error.
func TestFieldsErrorPlace(t *testing.T) {
	stream := withFields(bytesOf(uint32(1), uint16(2)), field("a", wire.Int32), field("b", wire.Int32))
	var reported *codec.Error
	r := codec.NewBytesReader(stream, codec.Options{OnDefect: func(e *codec.Error) { reported = e }})
	e, ok := r.Next()
	if !ok {
		t.Fatal(r.Err())
	}
	var want *codec.Error
	if err := e.FieldsError(); !errors.As(err, &want) || !errors.Is(err, codec.ErrDefect) {
		t.Fatalf("got %v", err)
	}
	expect.Equal(t, "want.Rule", want.Rule, rule.PAY001)
	expect.Equal(t, "want.Block", want.Block, wire.KindEvent)
	expect.Equal(t, "want.Row", want.Row, codec.NoRow)
	if want.Offset <= e.Offset() {
		t.Errorf("want.Offset: got %v, want more than %v", want.Offset, e.Offset())
	}
	if reported == nil || *reported != *want {
		t.Errorf("OnDefect got %v, want %v", reported, want)
	}
	var defect, clone *codec.Error
	list := r.Defects()
	expect.Len(t, "list", list, 1)
	if !errors.As(list[0].Err, &defect) {
		t.Fatalf("error: got %v, want a %T", list[0].Err, defect)
	}
	expect.Equal(t, "*defect", *defect, *want)
	if err := e.Clone().FieldsError(); !errors.As(err, &clone) || *clone != *want {
		t.Errorf("the clone's error is %v, want %v", err, want)
	}
	if n := r.Defects()[0].Count; n != 1 {
		t.Errorf("counted %d times", n)
	}
}

// TestZeroReader: the error of a Reader that NewReader has not made names
// NewReader.
func TestZeroReader(t *testing.T) {
	for name, use := range map[string]func(r *codec.Reader){
		"Next":   func(r *codec.Reader) { r.Next() },
		"Trace":  func(r *codec.Reader) { r.Trace() },
		"Reset":  func(r *codec.Reader) { r.Reset(strings.NewReader("")) },
		"Events": func(r *codec.Reader) { r.Events()(func(*codec.Event, error) bool { return true }) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, "use NewReader") {
					t.Errorf("got %q", text)
				}
			}()
			use(new(codec.Reader))
		})
	}
}

func TestRuleOf(t *testing.T) {
	if got := codec.RuleOf(errors.Join(&codec.Error{Rule: rule.BLK002, Err: codec.ErrBadBlock})); got != rule.BLK002 {
		t.Errorf("got %v", got)
	}
	for _, err := range []error{nil, errors.New("x")} {
		t.Run(fmt.Sprint(err), func(t *testing.T) {
			if got := codec.RuleOf(err); got != rule.None {
				t.Errorf("rule of %v: got %v", err, got)
			}
		})
	}
}
