package heap_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/heap"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestSurvey: the numbers are those of the dump that is read, also of an incomplete one.
func TestSurvey(t *testing.T) {
	whole := withStatic(small())
	node := slices.IndexFunc(whole, func(e event) bool { return e.id == 18 })
	for _, list := range [][]event{whole, slices.Delete(slices.Clone(whole), node, node+1)} {
		stream := made(t, list...)
		h, err := heap.FromReader(t.Context(), codec.NewBytesReader(stream, codec.Options{}), heap.Options{Partial: true})
		expect.NoError(t, err)
		s := heap.NewSurvey()
		for e, err := range codec.NewBytesReader(stream, codec.Options{}).Events() {
			expect.NoError(t, err)
			s.Event(e)
		}
		expect.Len(t, "dumps", s.Ended(), 1)
		want := h.Dump
		want.Types = 0 // known at the end of a stream
		expect.Equal(t, "dump", fmt.Sprintf("%+v", s.Ended()[0]), fmt.Sprintf("%+v", want))
	}
}

// TestSurveyOpen: a dump whose end is missing is open.
func TestSurveyOpen(t *testing.T) {
	whole := withStatic(small())
	s := heap.NewSurvey()
	for e, err := range codec.NewBytesReader(made(t, whole[:len(whole)-1]...), codec.Options{}).Events() {
		expect.NoError(t, err)
		s.Event(e)
	}
	expect.Len(t, "dumps that have ended", s.Ended(), 0)
	d, open := s.Open()
	expect.Equal(t, "open", open, true)
	expect.Equal(t, "objects", d.Objects, 8)
	expect.Equal(t, "complete", d.Complete(), false)
}

// TestSurveyPoint: a sequence point shows losses after the last event of the thread that writes a
// dump, once.
func TestSurveyPoint(t *testing.T) {
	whole := withStatic(small())
	s := heap.NewSurvey()
	point := codec.SequencePoint{Threads: []codec.ThreadSequence{{Thread: 1}}}
	for e, err := range codec.NewBytesReader(made(t, whole[:len(whole)-1]...), codec.Options{}).Events() {
		expect.NoError(t, err)
		s.Event(e)
		point.Threads = append(point.Threads[:0], codec.ThreadSequence{Thread: e.CaptureThreadIndex, Sequence: e.Sequence})
	}
	s.Point(&point)
	d, _ := s.Open()
	expect.Equal(t, "dropped without losses", d.Dropped, 0)
	point.Threads[0].Sequence += 5
	s.Point(&point)
	s.Point(&point)
	d, _ = s.Open()
	expect.Equal(t, "dropped", d.Dropped, 5)
}

func ExampleSurvey() {
	stream := made(&testing.B{}, withStatic(small())...) // a trace with a dump
	s := heap.NewSurvey()
	for e, err := range codec.NewBytesReader(stream, codec.Options{}).Events() {
		if err != nil {
			panic(err)
		}
		s.Event(e)
	}
	for _, d := range s.Ended() {
		fmt.Println(d.Objects, "objects, complete:", d.Complete())
	}
	// Output: 8 objects, complete: true
}
