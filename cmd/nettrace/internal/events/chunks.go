package events

import (
	"context"
	"errors"
	"io"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/filter"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/memory"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
	"github.com/nettrace-go/nettrace/internal/chunks"
)

// checkWorkers returns an error for flags for which one goroutine reads the file.
func (o *options) checkWorkers() error {
	if err := input.CheckWorkers(o.workers); err != nil || o.workers < 2 {
		return err
	}
	if why := o.oneWorker(); why != "" {
		return errors.New("--workers " + why)
	}
	return nil
}

// oneWorker returns why one goroutine prints the events, "" if several may.
func (o *options) oneWorker() string {
	for _, c := range []struct {
		given bool
		why   string
	}{
		{!o.formatOf.rows, "needs --format ndjson"},
		{o.orderOf != codec.FileOrder, "needs --order file"},
		{o.rows, "and --rows exclude each other"},
		{o.limit > 0, "and --limit exclude each other"},
		{o.follow, "and --follow exclude each other"},
		{o.live.Given() > 0, "and --process-id exclude each other"},
		{o.From != "" || o.To != "", "excludes --from and --to"},
	} {
		if c.given {
			return c.why
		}
	}
	return ""
}

// Sizes of the lines that wait to be printed.
const (
	pieceSize = 64 << 10 // of a part, in bytes; it ends with a complete line
	pieceSlop = 16 << 10 // of the last line above it; a larger one takes a larger buffer
	ahead     = 4        // parts of chunks that wait for their turn, for each goroutine
)

// chunkListing prints the events of a file that several goroutines read. Each
// formats the lines of a chunk, in parts; what depends on the chunk before is marked
// in them, and is printed by the listing when the chunks are joined.
type chunkListing struct {
	*listing
	lines  *ndjson.Writer
	join   *codec.ChunkJoin
	strict bool
	ended  bool        // at a defect between two chunks
	free   chan []byte // buffers of parts that were printed
}

// part is some lines of a chunk.
type part struct {
	lines        []byte
	marks        []mark
	events, lost uint64        // in the lines
	missed       filter.Missed // in the last part of a chunk
}

// mark is a place in the lines of a part in which the listing does something.
type mark struct {
	at           int
	events, lost uint64 // in the lines before
	do           func(*chunkListing) error
}

// runChunks is run with several goroutines.
func (l *listing) runChunks(index *codec.Index, size int64, o *options, workers int) (input.Reader, error) {
	defer memory.Relax()()
	lines := l.out.(*ndjson.Writer)
	c := &chunkListing{listing: l, lines: lines, join: codec.NewChunkJoin(index), strict: o.strict}
	c.free = make(chan []byte, (1+ahead)*workers)
	if err := lines.Trace(index.Trace()); err != nil {
		return c.join, exit.WriteError(err)
	}
	job := chunks.Job[*part]{Index: index, Size: size, Workers: workers, Chunk: chunks.SmallChunk, Ahead: ahead * workers, Piece: c.print, Join: c.add}
	job.StartPieces = func(pass func(*part) error) (codec.ChunkHooks, func(*codec.Reader) (*part, error)) {
		f := newChunkFormatter(index.Trace(), o, c.free, pass)
		return f.hooks(), f.read
	}
	if o.around != nil {
		o.around(&job)
	}
	if err := job.Run(context.Background()); err != nil {
		return c.join, err
	}
	return c.join, c.join.Err()
}

// add prints the last part of a chunk.
func (c *chunkListing) add(p *part, result codec.ChunkResult) (more bool, err error) {
	if err := c.print(p); err != nil {
		return false, err
	}
	c.wanted.AddMissed(&p.missed)
	return c.join.Add(result), nil
}

// print prints the next part, up to a defect between two chunks that ends the listing.
func (c *chunkListing) print(p *part) error {
	defer c.recycle(p)
	at, events, lost := 0, uint64(0), uint64(0)
	end := mark{at: len(p.lines), events: p.events, lost: p.lost, do: func(*chunkListing) error { return nil }}
	for _, m := range append(p.marks, end) {
		if c.ended {
			return nil // the result of the chunk has the error
		}
		if err := c.lines.Lines(p.lines[at:m.at], m.events-events, m.lost-lost); err != nil {
			return exit.WriteError(err)
		}
		c.count += m.events - events
		at, events, lost = m.at, m.events, m.lost
		if err := m.do(c); err != nil {
			return exit.WriteError(err)
		}
	}
	return nil
}

// recycle makes the buffer of a part available.
func (c *chunkListing) recycle(p *part) {
	if cap(p.lines) > 2*pieceSize {
		return
	}
	select {
	case c.free <- p.lines:
	default:
	}
}

// edge prints the loss at an edge.
func (c *chunkListing) edge(e codec.Edge) error {
	lost, defect := c.join.Edge(e)
	if lost.Count > 0 {
		if err := c.lines.Lost(lost); err != nil {
			return err
		}
	}
	var found *codec.Error
	if errors.As(defect, &found) {
		c.keep(found)
		c.ended = c.strict
	}
	return nil
}

// chunkFormatter formats the lines of chunks in one goroutine.
type chunkFormatter struct {
	wanted  *filter.Filter
	lines   *ndjson.Writer // which keeps the lines
	part    *part
	pass    func(*part) error
	free    <-chan []byte
	defects []codec.Error // without a mark: one may come while an event is formatted
	marked  bool          // a mark was made since the last event
}

func newChunkFormatter(t *codec.Trace, o *options, free <-chan []byte, pass func(*part) error) *chunkFormatter {
	f := &chunkFormatter{free: free, pass: pass}
	f.wanted, _ = o.Parse() // the listing has reported the error
	f.lines = newNDJSON(io.Discard, o).(*ndjson.Writer)
	f.lines.Keep(nil)
	_ = f.lines.Trace(t)
	return f
}

func (f *chunkFormatter) hooks() codec.ChunkHooks {
	return codec.ChunkHooks{
		OnDefect: func(e *codec.Error) {
			if len(f.defects) < maxDefects {
				f.defects = append(f.defects, *e)
			}
		},
		OnLost: func(l codec.Lost) { f.part.lost += l.Count; _ = f.lines.Lost(l) },
		OnEdge: func(e codec.Edge) {
			f.markDefects()
			f.mark(func(c *chunkListing) error { return c.edge(e) })
		},
	}
}

// mark makes a mark at the end of the lines.
func (f *chunkFormatter) mark(do func(*chunkListing) error) {
	f.part.marks = append(f.part.marks, mark{len(f.lines.Kept()), f.part.events, f.part.lost, do})
	f.marked = true
}

// markDefects makes a mark for each defect: the listing prints it before the next
// event.
func (f *chunkFormatter) markDefects() {
	for i := range f.defects {
		e := f.defects[i]
		f.mark(func(c *chunkListing) error { c.keep(&e); return nil })
	}
	f.defects = f.defects[:0]
}

// read formats the lines of a chunk, and returns the last part of them.
func (f *chunkFormatter) read(r *codec.Reader) (*part, error) {
	f.begin()
	f.marked = true // the chunk before may have left defects
	for e, err := range r.Events() {
		if err != nil {
			break // it is in the ChunkResult
		}
		f.event(e)
		if len(f.lines.Kept()) >= pieceSize {
			if err := f.pass(f.end()); err != nil {
				return nil, err
			}
			f.begin()
		}
	}
	f.markDefects()
	p := f.end()
	p.missed = f.wanted.TakeMissed()
	return p, nil
}

// begin begins a part.
func (f *chunkFormatter) begin() {
	f.part = &part{}
	select {
	case old := <-f.free:
		f.lines.Keep(old[:0])
	default:
		f.lines.Keep(make([]byte, 0, pieceSize+pieceSlop))
	}
}

// end returns the part.
func (f *chunkFormatter) end() *part {
	f.part.lines = f.lines.Kept()
	return f.part
}

// event formats an event, after the defects before it.
func (f *chunkFormatter) event(e *codec.Event) {
	if f.marked || len(f.defects) > 0 {
		f.markDefects()
		f.mark(func(c *chunkListing) error { return c.report() })
		f.marked = false
	}
	if f.wanted.Match(e) {
		f.part.events++
		_ = f.lines.Event(e)
	}
}
