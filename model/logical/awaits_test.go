package logical

import (
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestAwaits: an end belongs to the only method that waits for the task; of several the one whose
// code the thread then runs; and to none if that is not known.
func TestAwaits(t *testing.T) {
	type waits []Await
	for _, c := range []struct {
		name      string
		add       func(*Awaits)
		want      waits
		ambiguous int64
	}{
		{"one", func(a *Awaits) { a.Begin(7, 1, 10, 3); a.End(50, 1, 20) }, waits{{7, 1, 10, 20, 50, 3}}, 0},
		{"Task.Yield", func(a *Awaits) { a.Yield(9, 10, 3); a.Continue(50, 9, 20) }, waits{{9, 0, 10, 20, 50, 3}}, 0},
		{"the second of two", func(a *Awaits) {
			a.Begin(7, 1, 10, 3)
			a.Begin(8, 1, 11, 4)
			a.End(50, 1, 20)
			a.Run(50, 8)
			a.End(51, 1, 21)
		}, waits{{8, 1, 11, 20, 50, 4}, {7, 1, 10, 21, 51, 3}}, 0},
		{"one of two, not known which", func(a *Awaits) {
			a.Begin(7, 1, 10, 3)
			a.Begin(8, 1, 11, 4)
			a.End(50, 1, 20)
			a.End(50, 2, 21)
		}, nil, 2},
		{"a thread blocks for the same task", func(a *Awaits) {
			a.Begin(7, 1, 10, 3)
			a.Block(60, 1)
			a.End(60, 1, 15)
			a.End(50, 1, 20)
		}, waits{{7, 1, 10, 20, 50, 3}}, 0},
		{"lost events between", func(a *Awaits) { a.Begin(7, 1, 10, 3); a.Lost(); a.End(50, 1, 20) }, nil, 0},
		{"an end alone", func(a *Awaits) { a.End(50, 1, 20); a.Run(50, 7); a.Continue(50, 7, 21) }, nil, 0},
	} {
		a := &Awaits{Limit: 10}
		c.add(a)
		expect.Slices(t, c.name, a.All(), c.want)
		expect.Equal(t, c.name+": ambiguous", a.Ambiguous, c.ambiguous)
	}
}

// TestAwaitCallers: the caller of a method is the only one that waits for its task at that time.
func TestAwaitCallers(t *testing.T) {
	a := &Awaits{Limit: 10}
	a.Begin(2, 1, 10, 0) // C waits for a delay
	a.Begin(3, 2, 11, 0) // B for C
	a.End(50, 1, 20)
	a.End(50, 2, 30)
	a.Begin(5, 4, 40, 0) // two for one
	a.Begin(6, 5, 41, 0)
	a.Begin(7, 5, 42, 0)
	a.End(50, 4, 50)
	a.End(50, 5, 51)
	a.Run(50, 6)
	a.End(50, 5, 52)
	list, callers := a.All(), a.Callers()
	expect.Equal(t, "of C", callers.Of(list, 2, 20), 1)
	expect.Equal(t, "of C after its end", callers.Of(list, 2, 31), -1)
	expect.Equal(t, "of B", callers.Of(list, 3, 20), -1)
	expect.Equal(t, "of one that two wait for", callers.Of(list, 5, 50), -1)
	expect.Equal(t, "without a task", callers.Of(list, 0, 20), -1)
}
