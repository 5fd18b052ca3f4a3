package seekable_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/seekable"
)

// TestWorkers: several goroutines write the bytes of one.
func TestWorkers(t *testing.T) {
	for _, n := range []int{0, 1, 999, 1000, 1001, 2000, 100_000} {
		plain := text(n)
		want := written(t, plain, 1000)
		for _, workers := range []int{0, 2, 3, 8, 200} {
			t.Run(fmt.Sprintf("%d bytes, %d goroutines", n, workers), func(t *testing.T) {
				expect.Bytes(t, "file", writtenBy(t, plain, 1000, workers), want)
			})
		}
	}
}

// limitedWriter fails after a number of writes.
type limitedWriter struct {
	left int
	err  error
}

func (w *limitedWriter) Write(b []byte) (int, error) {
	if w.left == 0 {
		return 0, w.err
	}
	w.left--
	return len(b), nil
}

// TestWriterErrors: the first error of the destination ends the writing.
func TestWriterErrors(t *testing.T) {
	full := errors.New("full")
	for _, workers := range []int{1, 2, 3} {
		for _, left := range []int{0, 1, 4, 5} { // 5 frames and the table
			t.Run(fmt.Sprintf("%d goroutines, error after %d writes", workers, left), func(t *testing.T) {
				w, err := seekable.NewWriterOf(&limitedWriter{left, full}, 1000, workers)
				expect.NoError(t, err)
				_, err = w.Write(text(5000))
				if left == 0 || err != nil {
					expect.Equal(t, "error", err, full)
				}
				expect.Equal(t, "error of Close", w.Close(), full)
				n, err := w.Write(text(1))
				expect.Equal(t, "error after Close", err, full)
				expect.Equal(t, "bytes after Close", n, 0)
			})
		}
	}
}

// TestWriterPanic: a panic in a goroutine is the error of the Writer.
func TestWriterPanic(t *testing.T) {
	w, err := seekable.NewWriterOf(&limitedWriter{left: 100}, 1000, 3)
	expect.NoError(t, err)
	_, err = w.Write(text(1500))
	expect.NoError(t, err)
	w.BreakEncoder()
	_, _ = w.Write(text(5000))
	err = w.Close()
	expect.Equal(t, "has an error", err != nil, true)
	expect.Contains(t, "error", fmt.Sprint(err), "seekable: panic: ", "nil pointer")
}

// TestWriterWithoutClose: the goroutines end also if the caller gives up.
func TestWriterWithoutClose(t *testing.T) {
	before := runtime.NumGoroutine()
	w, err := seekable.NewWriterOf(&limitedWriter{left: 100}, 100_000, 8)
	expect.NoError(t, err)
	_, err = w.Write(text(1_000_000))
	expect.NoError(t, err)
	for start := time.Now(); runtime.NumGoroutine() > before && time.Since(start) < 10*time.Second; {
		time.Sleep(time.Millisecond)
	}
	expect.AtMost(t, "goroutines", runtime.NumGoroutine(), before)
}
