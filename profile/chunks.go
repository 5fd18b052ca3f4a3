package profile

import (
	"context"
	"errors"
	"math"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/chunks"
)

// PanicError is the error for a panic in a goroutine that reads, or after it.
type PanicError = chunks.PanicError

// Chunks is a file of version 4 to 6 that several goroutines read.
type Chunks struct {
	Index   *codec.Index // with codec.FileOrder
	Size    int64        // bytes of the file
	Workers int          // goroutines that read; 0: one for each core
}

// FromChunks is FromReader for a file that several goroutines read at the same time. The
// Profile and the error are the same. One goroutine reads the file with Options.Select,
// which is for one goroutine. One goroutine reads it a second time, which takes twice the time
// or more, if it exceeds Limits, if a defect between two chunks ends it
// (codec.Options.Strict), or if the thread of the sample profiler samples itself or another
// thread takes its index. The ChunkJoin has the losses and faults of the file. The Profile is nil
// only if the Index leaves out stacks, with codec.ErrNoStacks, and after a *PanicError.
func FromChunks(ctx context.Context, c Chunks, opt Options) (*Profile, *codec.ChunkJoin, error) {
	return fromChunks(ctx, c, opt, nil)
}

// fromChunks is FromChunks. around is of a test that measures, or nil.
func fromChunks(ctx context.Context, c Chunks, opt Options, around func(*chunks.Job[*chunk])) (p *Profile, join *codec.ChunkJoin, err error) {
	defer chunks.Recover(&err)
	c.Workers = chunks.Workers(c.Workers)
	join = codec.NewChunkJoin(c.Index)
	if err := c.Index.ChunkReader(codec.ChunkHooks{}).Complete(); errors.Is(err, codec.ErrNoStacks) {
		return nil, join, err
	}
	if opt.Select != nil {
		return c.readAlone(ctx, opt)
	}
	b := newBuilder(c.Index.Trace(), opt)
	b.p.workers = c.Workers
	between := false // a defect between two chunks ends the trace
	spent, memory := make(chan *chunk, c.Workers+1), &symbols.BatchMemory{}
	job := chunks.Job[*chunk]{
		Index: c.Index, Size: c.Size, Workers: c.Workers, Chunk: chunks.LargeChunk,
		Start: func() (codec.ChunkHooks, func(*codec.Reader) (*chunk, error)) {
			reader := newChunkReader(b, spent, memory)
			return codec.ChunkHooks{}, func(r *codec.Reader) (*chunk, error) { return reader.read(r), nil }
		},
		Join: func(of *chunk, result codec.ChunkResult) (bool, error) {
			if !b.addChunk(of) {
				return false, nil
			}
			of.names.Reset()
			select {
			case spent <- of:
			default:
			}
			more := join.Add(result)
			between = !more && result.Err == nil
			return more, nil
		},
	}
	if around != nil {
		around(&job)
	}
	err = job.Run(ctx)
	var panicked *PanicError
	switch {
	case errors.As(err, &panicked):
		return nil, join, err
	case b.full != "" || b.alone || between:
		return c.readAlone(ctx, opt)
	case err == nil:
		err = join.Err()
	}
	p, err = b.end(join.Lost(), err)
	return p, join, err
}

// readAlone reads the file with one goroutine.
func (c *Chunks) readAlone(ctx context.Context, opt Options) (*Profile, *codec.ChunkJoin, error) {
	join, b := codec.NewChunkJoin(c.Index), newBuilder(c.Index.Trace(), opt)
	r := c.Index.ChunkReader(codec.ChunkHooks{})
	r.ReadChunk(c.Index.Chunks(codec.TimeRange{}, math.MaxInt64)[0])
	err := b.read(ctx, r)
	join.Add(r.ChunkResult())
	p, err := b.end(join.Lost(), err)
	return p, join, err
}
