package profile

import (
	"bytes"
	"errors"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/chunks"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestDivide: each number is passed once, and a panic comes to the caller.
func TestDivide(t *testing.T) {
	for _, workers := range []int{1, 3} {
		calls := make([]int, 100)
		divide(workers, len(calls), func(_, i int) { calls[i]++ })
		for _, n := range calls {
			expect.Equal(t, "calls", n, 1)
		}
		expect.Equal(t, "panics", panics(func() { divide(workers, len(calls), func(_, i int) { panic(i) }) }), true)
	}
}

// panics reports whether a function panics.
func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

// TestPanicOfFromChunks: a panic outside of the goroutines that read is an error too.
func TestPanicOfFromChunks(t *testing.T) {
	data := shared.Trace(t, "net10-empty.v4")
	index, err := codec.NewIndex(bytes.NewReader(data), int64(len(data)), codec.Options{})
	expect.NoError(t, err)
	c := Chunks{Index: index, Size: int64(len(data))}
	p, _, err := fromChunks(t.Context(), c, Options{}, func(*chunks.Job[*chunk]) { panic("broken") })
	var panicked *PanicError
	expect.Equal(t, "is a PanicError", errors.As(err, &panicked), true)
	expect.Equal(t, "profile", p, nil)
}

// TestDefaultWorkers: without a number of goroutines there is one for each core.
func TestDefaultWorkers(t *testing.T) {
	data := shared.Trace(t, "net10-mix-cpu.v4")
	index, err := codec.NewIndex(bytes.NewReader(data), int64(len(data)), codec.Options{})
	expect.NoError(t, err)
	p, join, err := FromChunks(t.Context(), Chunks{Index: index, Size: int64(len(data))}, Options{})
	expect.NoError(t, err)
	expect.Equal(t, "goroutines", p.workers, chunks.Workers(0))
	expect.Equal(t, "events", join.Count(), 57404)
}
