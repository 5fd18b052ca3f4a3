package chunks_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/chunks"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// sum is a checksum of the events of a chunk, with their tables.
type sum struct {
	events []uint32
	err    error
}

// read adds up the events of a Reader.
func read(r *codec.Reader) (s sum, _ error) {
	var b []byte
	for e, err := range r.Events() {
		if err != nil {
			s.err = err
			break
		}
		b = fmt.Appendf(b[:0], "%d %d %d %d %s %s %v %v ", e.Offset(), e.Timestamp, e.ThreadIndex, e.Sequence, e.Provider(), e.Name(), e.Labels(), e.Activity())
		if t := e.Thread(); t != nil {
			b = fmt.Appendf(b, "%v", *t)
		}
		for _, address := range e.Stack() {
			b = append(b, byte(address), byte(address>>8), byte(address>>16), byte(address>>24), byte(address>>32))
		}
		s.events = append(s.events, crc32.ChecksumIEEE(append(b, e.Payload()...)))
	}
	return s, nil
}

// job reads a stream in about n chunks and appends what it reads to all.
func job(x *codec.Index, size int64, workers int, all *sum) (*chunks.Job[sum], *codec.ChunkJoin) {
	join := codec.NewChunkJoin(x)
	return &chunks.Job[sum]{
		Index: x, Size: size, Workers: workers, Chunk: chunks.SmallChunk,
		Start: func() (codec.ChunkHooks, func(*codec.Reader) (sum, error)) { return codec.ChunkHooks{}, read },
		Join: func(s sum, result codec.ChunkResult) (bool, error) {
			all.events = append(all.events, s.events...)
			more := join.Add(result)
			all.err = join.Err()
			return more, nil
		},
	}, join
}

// TestSerial: for every trace and stream, the chunks have the events, losses and
// the error of one Reader.
func TestSerial(t *testing.T) {
	for _, name := range shared.Small(t) {
		t.Run(name, func(t *testing.T) { serial(t, shared.Trace(t, name)) })
	}
	for _, entry := range shared.SmallCorpora(t) {
		if !entry.Recorded() {
			t.Run(entry.Name, func(t *testing.T) { serial(t, shared.Trace(t, entry.Name)) })
		}
	}
	for _, name := range shared.Streams(t) {
		t.Run(name, func(t *testing.T) { serial(t, shared.Stream(t, name)) })
	}
}

func serial(t *testing.T, stream []byte) {
	size := int64(len(stream))
	limits := codec.Limits{Block: 1 << 30, Total: 1 << 30, Fields: 1 << 16}
	opt := codec.Options{OnError: codec.Skip, Limits: limits}
	x, err := codec.NewIndex(bytes.NewReader(stream), size, opt)
	if err != nil {
		t.Logf("no index: %v", err)
		return
	}
	r := codec.NewBytesReader(stream, opt)
	want, _ := read(r)
	for _, n := range []int{2, 3, 7, 40} {
		var got sum
		// The job makes at least 8 chunks for each goroutine, so the size is scaled.
		j, join := job(x, size*int64(8*min(n, 3))/int64(n), min(n, 3), &got)
		expect.NoError(t, j.Run(t.Context()))
		expect.Slices(t, "events", got.events, want.events)
		expect.Equal(t, "error", fmt.Sprint(join.Err()), fmt.Sprint(r.Err()))
		expect.Equal(t, "lost", join.Lost(), r.Lost())
		expect.Equal(t, "defects", fmt.Sprint(join.Defects()), fmt.Sprint(r.Defects()))
	}
}

// index is that of a trace with some regions.
func index(t *testing.T) (*codec.Index, int64) {
	stream := shared.Trace(t, "net10-mix-gc.v4")
	x, err := codec.NewIndex(bytes.NewReader(stream), int64(len(stream)), codec.Options{})
	expect.NoError(t, err)
	return x, int64(len(stream))
}

// TestEnds: the first error in file order ends the job, and nothing after it is
// joined.
func TestEnds(t *testing.T) {
	x, size := index(t)
	failure := errors.New("enough")
	for _, c := range []struct {
		name   string
		read   func(n int64) error // of the nth chunk that is read
		join   func(n int) (bool, error)
		want   error
		joined int
	}{
		{name: "reading", read: func(n int64) error {
			if n >= 3 {
				return failure
			}
			return nil
		}, want: failure, joined: 3},
		{name: "joining", join: func(n int) (bool, error) {
			if n == 2 {
				return false, failure
			}
			return true, nil
		}, want: failure, joined: 2},
		{name: "no more", join: func(n int) (bool, error) { return n < 2, nil }, joined: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			var reads atomic.Int64
			joined := 0
			j := chunks.Job[int]{
				Index: x, Size: size, Workers: 1, Chunk: chunks.SmallChunk,
				Start: func() (codec.ChunkHooks, func(*codec.Reader) (int, error)) {
					return codec.ChunkHooks{}, func(*codec.Reader) (int, error) {
						if n := reads.Add(1); c.read != nil {
							return 0, c.read(n)
						}
						return 0, nil
					}
				},
				Join: func(int, codec.ChunkResult) (bool, error) {
					joined++
					if c.join != nil {
						return c.join(joined)
					}
					return true, nil
				},
			}
			if err := j.Run(t.Context()); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			expect.Equal(t, "joined chunks", joined, c.joined)
			expect.AtMost(t, "chunks read", reads.Load(), int64(c.joined+4))
		})
	}
}

// TestPanic: a panic is an error with the stack of its goroutine.
func TestPanic(t *testing.T) {
	x, size := index(t)
	j := chunks.Job[int]{
		Index: x, Size: size, Workers: 2, Chunk: chunks.SmallChunk,
		Start: func() (codec.ChunkHooks, func(*codec.Reader) (int, error)) {
			return codec.ChunkHooks{}, func(*codec.Reader) (int, error) { panic("no reason") }
		},
		Join: func(int, codec.ChunkResult) (bool, error) { t.Error("joined"); return true, nil },
	}
	var panicked *chunks.PanicError
	err := j.Run(t.Context())
	expect.Equal(t, "is a PanicError", errors.As(err, &panicked), true)
	expect.Contains(t, "error", fmt.Sprint(err), "no reason", "chunks_test.go")
}

// TestCanceled: the job ends with the cause of the context.
func TestCanceled(t *testing.T) {
	x, size := index(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	joined := 0
	j, _ := job(x, size, 2, new(sum))
	j.Join = func(sum, codec.ChunkResult) (bool, error) { joined++; cancel(enough); return true, nil }
	expect.ErrorIs(t, j.Run(ctx), enough)
	expect.AtMost(t, "joined chunks", joined, 1)
}

// TestBounded: a slow Join bounds the number of chunks that wait for it.
func TestBounded(t *testing.T) {
	x, size := index(t)
	const workers = 2
	var reads, joined atomic.Int64
	highest := int64(0)
	j := chunks.Job[string]{
		Index: x, Size: size, Workers: workers, Chunk: chunks.SmallChunk,
		Start: func() (codec.ChunkHooks, func(*codec.Reader) (string, error)) {
			return codec.ChunkHooks{}, func(*codec.Reader) (string, error) { reads.Add(1); return strings.Repeat("x", 10), nil }
		},
		Join: func(string, codec.ChunkResult) (bool, error) {
			highest = max(highest, reads.Load()-joined.Add(1))
			return true, nil
		},
	}
	expect.NoError(t, j.Run(t.Context()))
	expect.AtLeast(t, "joined chunks", joined.Load(), 8)
	expect.AtMost(t, "chunks that wait", highest, 2*workers+2)
}

// piecesJob reads a stream and passes on the offset of each event as a piece.
func piecesJob(x *codec.Index, size int64, workers, ahead int, all *[]int64) *chunks.Job[int64] {
	j := &chunks.Job[int64]{Index: x, Size: size, Workers: workers, Chunk: chunks.SmallChunk, Ahead: ahead}
	j.StartPieces = func(pass func(int64) error) (codec.ChunkHooks, func(*codec.Reader) (int64, error)) {
		return codec.ChunkHooks{}, func(r *codec.Reader) (int64, error) {
			for e, err := range r.Events() {
				if err != nil {
					return 0, err
				}
				if err := pass(e.Offset()); err != nil {
					return 0, err
				}
			}
			return -1, nil
		}
	}
	j.Piece = func(offset int64) error { *all = append(*all, offset); return nil }
	j.Join = func(last int64, _ codec.ChunkResult) (bool, error) { return last == -1, nil }
	return j
}

// TestPieces: pieces come in file order, even if one of them can wait only.
func TestPieces(t *testing.T) {
	x, size := index(t)
	var want []int64
	expect.NoError(t, piecesJob(x, size, 1, 1, &want).Run(t.Context()))
	expect.AtLeast(t, "pieces", len(want), 100)
	expect.Equal(t, "in file order", slices.IsSorted(want), true)
	for _, c := range []struct{ workers, ahead int }{{1, 9}, {2, 1}, {4, 1}, {4, 3}, {9, 100}} {
		t.Run(fmt.Sprintf("%d workers, %d ahead", c.workers, c.ahead), func(t *testing.T) {
			var got []int64
			expect.NoError(t, piecesJob(x, size, c.workers, c.ahead, &got).Run(t.Context()))
			expect.Slices(t, "offsets", got, want)
		})
	}
}

// TestPiecesBounded: the pieces that wait for a slow Piece are bounded.
func TestPiecesBounded(t *testing.T) {
	x, size := index(t)
	const workers, ahead = 4, 3
	var passed, joined atomic.Int64
	highest := int64(0)
	j := piecesJob(x, size, workers, ahead, new([]int64))
	start := j.StartPieces
	j.StartPieces = func(pass func(int64) error) (codec.ChunkHooks, func(*codec.Reader) (int64, error)) {
		return start(func(offset int64) error { passed.Add(1); return pass(offset) })
	}
	j.Piece = func(int64) error {
		highest = max(highest, passed.Load()-joined.Load())
		joined.Add(1)
		return nil
	}
	expect.NoError(t, j.Run(t.Context()))
	expect.AtLeast(t, "pieces", joined.Load(), 100)
	// Besides those with a slot, one is joined, one waits without a slot, and each goroutine
	// has one that it cannot pass on.
	expect.AtMost(t, "pieces that wait", highest, ahead+2+workers)
}

// TestPiecesEnd: a job whose goroutines wait to pass on pieces ends.
func TestPiecesEnd(t *testing.T) {
	x, size := index(t)
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	for _, c := range []struct {
		name  string
		piece func() error
	}{
		{"error", func() error { return enough }},
		{"canceled", func() error { cancel(enough); return nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			pieces := 0
			j := piecesJob(x, size, 4, 1, new([]int64))
			j.Piece = func(int64) error { pieces++; return c.piece() }
			expect.ErrorIs(t, j.Run(ctx), enough)
			expect.Equal(t, "pieces", pieces, 1)
		})
	}
}
