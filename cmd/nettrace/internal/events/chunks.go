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
		{o.live.pid != 0, "and --process-id exclude each other"},
		{o.From != "" || o.To != "", "excludes --from and --to"},
	} {
		if c.given {
			return c.why
		}
	}
	return ""
}

// chunkListing prints the events of a file that several goroutines read. Each
// formats the lines of a chunk; what depends on the chunk before is marked in
// them, and is printed by the listing when the chunks are joined.
type chunkListing struct {
	*listing
	lines  *ndjson.Writer
	join   *codec.ChunkJoin
	strict bool
	free   chan []byte // buffers of chunks that were joined
}

// part is the lines of a chunk.
type part struct {
	lines        []byte
	marks        []mark
	events, lost uint64 // in the lines
	missed       filter.Missed
}

// mark is a place in the lines of a chunk in which the listing does something.
type mark struct {
	at           int
	events, lost uint64 // in the lines before
	do           func(*chunkListing) error
}

// errStrict ends a listing at a defect.
var errStrict = errors.New("defect between two chunks")

// runChunks is run with several goroutines.
func (l *listing) runChunks(index *codec.Index, size int64, o *options, workers int) (input.Reader, error) {
	defer memory.Tighten()()
	lines := l.out.(*ndjson.Writer)
	c := &chunkListing{listing: l, lines: lines, join: codec.NewChunkJoin(index), strict: o.strict}
	c.free = make(chan []byte, workers+1)
	if err := lines.Trace(index.Trace()); err != nil {
		return c.join, exit.WriteError(err)
	}
	job := chunks.Job[*part]{Index: index, Size: size, Workers: workers, Join: c.add}
	job.Start = func() (codec.ChunkHooks, func(*codec.Reader) (*part, error)) {
		f := newChunkFormatter(index.Trace(), o, c.free)
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

// add prints the lines of the next chunk.
func (c *chunkListing) add(p *part, result codec.ChunkResult) (more bool, err error) {
	at, events, lost := 0, uint64(0), uint64(0)
	for _, m := range p.marks {
		if err := c.lines.Lines(p.lines[at:m.at], m.events-events, m.lost-lost); err != nil {
			return false, exit.WriteError(err)
		}
		at, events, lost = m.at, m.events, m.lost
		if err = m.do(c); err != nil {
			break
		}
	}
	switch {
	case errors.Is(err, errStrict):
	case err != nil:
		return false, exit.WriteError(err)
	default:
		if err := c.lines.Lines(p.lines[at:], p.events-events, p.lost-lost); err != nil {
			return false, exit.WriteError(err)
		}
		events = p.events
	}
	c.count += events
	c.wanted.AddMissed(&p.missed)
	select {
	case c.free <- p.lines:
	default:
	}
	return c.join.Add(result), nil
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
		if c.strict {
			return errStrict
		}
	}
	return nil
}

// chunkFormatter formats the lines of chunks in one goroutine.
type chunkFormatter struct {
	wanted  *filter.Filter
	lines   *ndjson.Writer // which keeps the lines
	part    *part
	free    <-chan []byte
	defects []codec.Error // without a mark: one may come while an event is formatted
	marked  bool          // a mark was made since the last event
}

func newChunkFormatter(t *codec.Trace, o *options, free <-chan []byte) *chunkFormatter {
	f := &chunkFormatter{free: free}
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

// read formats the lines of a chunk.
func (f *chunkFormatter) read(r *codec.Reader) (*part, error) {
	p := &part{}
	select {
	case old := <-f.free:
		f.lines.Keep(old[:0])
	default:
		f.lines.Keep(nil)
	}
	f.part, f.marked = p, true // the chunk before may have left defects
	for e, err := range r.Events() {
		if err != nil {
			break // it is in the ChunkResult
		}
		f.event(e)
	}
	f.markDefects()
	p.lines, p.missed = f.lines.Kept(), f.wanted.TakeMissed()
	return p, nil
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
