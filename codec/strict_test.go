package codec_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// unsorted is metadata id 1 in an uncompressed row that is not marked as sorted.
const unsorted = 1 | wire.NotSortedBit

// misfits is a v6 stream of one block with five events. The third one in the
// file, which is the second one in time, has a payload shorter than its field.
func misfits() []byte {
	s := newV6().metadataRow(varuint(1), text("P"), varuint(7), text("E"), uint16(1), sized(field("a", wire.Int32)), uint16(0)).thread(0, 1, 1)
	times := []uint64{10, 30, 20, 40, 50}
	var rows [][]byte
	for i, ts := range times {
		payload := "1234"
		if i == 2 {
			payload = "12"
		}
		rows = append(rows, rowV6(unsorted, uint32(i+1), 0, 0, 0, ts, 0, payload))
	}
	return s.block(wire.KindEvent, eventBlock(0, rows...)).end()
}

// strangers is a v6 stream whose second of four events in the file, the third one
// in time, refers to a missing stack.
func strangers() []byte {
	s := newV6().metadata(1, "E").thread(0, 1, 1)
	return s.block(wire.KindEvent, eventBlock(0,
		rowV6(unsorted, 1, 0, 0, 0, 10, 0, ""), rowV6(unsorted, 2, 0, 0, 77, 30, 0, ""),
		rowV6(unsorted, 3, 0, 0, 0, 20, 0, ""), rowV6(unsorted, 4, 0, 0, 0, 40, 0, ""))).end()
}

// TestStrict: no event after the first defect in the order of delivery is
// delivered.
func TestStrict(t *testing.T) {
	for _, c := range []struct {
		name   string
		stream []byte
		order  codec.Order
		want   []uint64
		rule   rule.ID
	}{
		{"misfit in file order", misfits(), codec.FileOrder, []uint64{10, 30, 20}, rule.PAY001},
		{"misfit by time", misfits(), codec.ByTime, []uint64{10, 20}, rule.PAY001},
		{"reference in file order", strangers(), codec.FileOrder, []uint64{10}, rule.STK007},
		{"reference by time", strangers(), codec.ByTime, []uint64{10, 20}, rule.STK007},
	} {
		for name, read := range map[string]func(*codec.Reader) []uint64{"Events": timesByEvents, "Next": timesByNext} {
			t.Run(c.name+" with "+name, func(t *testing.T) {
				r := codec.NewBytesReader(c.stream, codec.Options{Strict: true, Order: c.order})
				for range 2 { // Reset clears everything
					if got := read(r); !slices.Equal(got, c.want) {
						t.Errorf("events at %d, want %d", got, c.want)
					}
					var e *codec.Error
					if !errors.As(r.Err(), &e) {
						t.Fatalf("error: got %v, want a %T", r.Err(), e)
					}
					expect.Equal(t, "e.Rule", e.Rule, c.rule)
					expect.ErrorIs(t, e, codec.ErrDefect)
					if n := len(r.Defects()); n != 1 {
						t.Errorf("%d defects, want the one that ended the reading", n)
					}
					r.ResetBytes(c.stream)
				}
			})
		}
	}
}

func timesByEvents(r *codec.Reader) (times []uint64) {
	for e, err := range r.Events() {
		if err != nil {
			break
		}
		times = append(times, e.Timestamp)
		e.FieldsError()
	}
	return times
}

func timesByNext(r *codec.Reader) (times []uint64) {
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		times = append(times, e.Timestamp)
		e.FieldsError()
	}
	return times
}

// TestInsideEvents: the methods that move a Reader panic with their name inside a
// loop over Events.
func TestInsideEvents(t *testing.T) {
	stream := misfits()
	for name, call := range map[string]func(*codec.Reader){
		"Next":       func(r *codec.Reader) { r.Next() },
		"Reset":      func(r *codec.Reader) { r.Reset(bytes.NewReader(stream)) },
		"ResetBytes": func(r *codec.Reader) { r.ResetBytes(stream) },
		"Events": func(r *codec.Reader) {
			for range r.Events() {
			}
		},
	} {
		for _, order := range []codec.Order{codec.FileOrder, codec.ByTime} {
			t.Run(fmt.Sprintf("%s in order %d", name, order), func(t *testing.T) {
				r := codec.NewBytesReader(stream, codec.Options{Order: order})
				want := "codec: Reader." + name + " called inside a loop over Reader.Events"
				for range r.Events() {
					if got := panicOf(func() { call(r) }); got != want {
						t.Errorf("panic %q, want %q", got, want)
					}
					break
				}
				if got := panicOf(func() { call(r) }); got != "" {
					t.Errorf("panic %q after the loop", got)
				}
			})
		}
	}
}

// panicOf is the text that f panics with, "" when it does not.
func panicOf(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = strings.TrimSpace(fmt.Sprint(v))
		}
	}()
	f()
	return ""
}
