package record

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// number is the number of an event of a thread in the stream, and the written one.
type number struct {
	thread         uint64
	given, written uint32
}

func expectNumbers(t *testing.T, n *numbers, list ...number) {
	t.Helper()
	for _, e := range list {
		expect.Equal(t, "number", n.next(e.thread, e.given), e.written)
	}
}

// TestNumbers: the first number of each thread becomes 1, unless the trace has the
// start of the stream.
func TestNumbers(t *testing.T) {
	t.Run("from the start", func(t *testing.T) {
		expectNumbers(t, &numbers{fromStart: true}, number{7, 5, 5}, number{8, 1, 1}, number{7, 8, 8})
	})
	t.Run("start removed", func(t *testing.T) {
		expectNumbers(t, &numbers{}, number{7, 41, 1}, number{8, 9, 1}, number{7, 42, 2}, number{7, 45, 5}, number{8, 10, 2})
	})
	t.Run("new thread with the same id", func(t *testing.T) {
		expectNumbers(t, &numbers{}, number{7, 41, 1}, number{7, 1, 1}, number{7, 2, 2})
	})
}

// TestNumbersOfPoint: a sequence point ends the threads that it does not list, and
// no number decreases.
func TestNumbersOfPoint(t *testing.T) {
	n := &numbers{}
	expectNumbers(t, n, number{7, 41, 1}, number{7, 42, 2}, number{8, 10, 1}, number{9, 60, 1})
	list := []codec.ThreadSequence{{Thread: 7, Sequence: 39}, {Thread: 8, Sequence: 12}}
	n.point(list)
	expect.Slices(t, "list of the point", list, []codec.ThreadSequence{{Thread: 7, Sequence: 0}, {Thread: 8, Sequence: 3}})
	expect.Slices(t, "threads", n.list(), []codec.ThreadSequence{{Thread: 7, Sequence: 2}, {Thread: 8, Sequence: 3}})
	expectNumbers(t, n, number{9, 70, 1})
}

// TestNumbersOfPointFromStart: in a stream with its start, the numbers of a point do
// not change, however large they are.
func TestNumbersOfPointFromStart(t *testing.T) {
	const large = 3 << 30
	n := &numbers{fromStart: true}
	list := []codec.ThreadSequence{{Thread: 7, Sequence: large}}
	n.point(list)
	expect.Slices(t, "list of the point", list, []codec.ThreadSequence{{Thread: 7, Sequence: large}})
	expect.Slices(t, "threads", n.list(), list)
}

// TestNumbersAfterPoint: a thread that a point does not list has ended, also if it
// logged the last event before the point.
func TestNumbersAfterPoint(t *testing.T) {
	n := &numbers{}
	expectNumbers(t, n, number{7, 41, 1})
	n.point(nil)
	expectNumbers(t, n, number{7, 50, 1})
}
