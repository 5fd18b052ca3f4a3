package record

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// rundownProvider is the source of the events that tell names at the end of a
// session, and sessionProvider that of the one that tells of the process then.
const (
	rundownProvider = "Microsoft-Windows-DotNETRuntimeRundown"
	sessionProvider = "Microsoft-DotNETCore-EventPipe"
)

// isRundown says whether events of a provider are about the session and no part
// of what was recorded.
func isRundown(provider string) bool {
	return provider == rundownProvider || provider == sessionProvider
}

// RingOptions bound what a Ring keeps. At least one is needed.
type RingOptions struct {
	// Time: events that are at most so much older than the newest one stay,
	// with those that came in one block with them. 0: no bound.
	Time time.Duration
	// Size is how many bytes of blocks are held at most, the types of events
	// and the stacks with them. They are kept where they alone are more: the
	// types of the whole stream, and the stacks of the region in which the oldest
	// events lie. 0: no bound.
	Size int64
}

// Ring keeps the last part of a stream of version 4 in memory: for the whole of
// it the types of events, and of the rest whole blocks. The rundown at the end of
// a session is kept on top of the bounds. Its methods may be called beside the
// Recording.
type Ring struct {
	opt RingOptions

	mu       sync.Mutex
	trace    *codec.Trace
	first    raw.Block   // the Trace object
	metadata []raw.Block // of the whole session
	stacks   []raw.Block // those before the cut of the region that is cut
	blocks   []entry     // behind the cut, the first one an event block
	tail     *codec.BlockRows
	newest   uint64 // ticks, rundown apart
	span     uint64 // Time in ticks
	held     int64  // bytes of all blocks
	rundown  int64  // bytes of the blocks with nothing but a rundown, in held
	pinned   bool   // some of the blocks are
	stopped  bool
	dropped  bool // something was given up
	peak     int64
}

// entry is a block with the time of its newest event, rundown apart.
type entry struct {
	raw.Block
	newest uint64 // ticks; 0: it has only events of a rundown
	pinned bool   // it has events of a rundown
}

// NewRing returns a Ring that is empty.
func NewRing(opt RingOptions) *Ring { return &Ring{opt: opt} }

// RingStats says what a Ring holds.
type RingStats struct {
	Bytes   int64 // of blocks, those with nothing but a rundown apart
	Peak    int64 // the most that Bytes has been
	Rundown int64 // bytes of blocks with nothing but a rundown
}

// Stats returns what is held now.
func (g *Ring) Stats() RingStats {
	g.mu.Lock()
	defer g.mu.Unlock()
	return RingStats{g.held - g.rundown, g.peak, g.rundown}
}

// Stop says that the session was asked to end: a rundown that begins from now
// on is its last word.
func (g *Ring) Stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopped = true
}

// RingVersionError says that a stream is not of a version that a Ring keeps.
type RingVersionError struct{ Format wire.Format }

func (e *RingVersionError) Error() string {
	return fmt.Sprintf("a ring keeps streams of version 4, not %d", e.Format.Major)
}

// finish does nothing: a Ring stays as it is.
func (g *Ring) finish() (int64, error) { return 0, nil }

// keepRows takes what has come of the last block. The rows stay valid.
func (g *Ring) keepRows(_ *codec.Trace, rows *codec.BlockRows) (int64, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tail = rows
	return 0, nil
}

// keep takes a block.
func (g *Ring) keep(b *arrival) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	block := raw.Block{
		Kind: b.Kind, TypeName: b.TypeName, Version: b.Version, MinReader: b.MinReader, Body: slices.Clone(b.Body),
	}
	switch b.Kind {
	case wire.KindTrace:
		return g.begin(block, b.trace)
	case wire.KindMetadata:
		g.metadata = append(g.metadata, block)
	case wire.KindEvent:
		g.event(entry{block, b.newest, b.naming})
	default:
		g.blocks = append(g.blocks, entry{Block: block})
	}
	g.held += int64(len(b.Body))
	g.cut()
	g.peak = max(g.peak, g.held-g.rundown)
	return nil
}

// begin takes the first block.
func (g *Ring) begin(block raw.Block, trace *codec.Trace) error {
	if g.trace != nil {
		return nil
	}
	if !trace.Format.WithTags().HasTags() {
		return &RingVersionError{trace.Format}
	}
	g.trace, g.first, g.held = trace, block, int64(len(block.Body))
	g.span = uint64(g.opt.Time.Seconds() * float64(trace.TickFrequency))
	return nil
}

// event takes an event block. Those of a rundown stay, unless the session goes on
// all the same.
func (g *Ring) event(e entry) {
	if !e.pinned && g.pinned && !g.stopped {
		for i := range g.blocks {
			g.blocks[i].pinned = false
		}
		g.pinned, g.rundown = false, 0
	}
	g.pinned = g.pinned || e.pinned
	if e.pinned && e.newest == 0 {
		g.rundown += int64(len(e.Body))
	}
	g.newest = max(g.newest, e.newest)
	g.blocks = append(g.blocks, e)
}

// cut gives up blocks from the front while there is enough without them.
func (g *Ring) cut() {
	for len(g.blocks) > 0 && g.spare(&g.blocks[0]) {
		g.drop()
	}
}

// spare says whether the oldest block is not needed, or too much.
func (g *Ring) spare(front *entry) bool {
	switch {
	case front.Kind != wire.KindEvent:
		return true
	case front.pinned:
		return false
	case g.opt.Size > 0 && g.held-g.rundown > g.opt.Size:
		return true
	}
	return g.opt.Time > 0 && g.newest > front.newest && g.newest-front.newest > g.span
}

// drop gives up the first block. The stacks of its region stay for the event
// blocks behind it.
func (g *Ring) drop() {
	front := g.blocks[0].Block
	g.blocks[0] = entry{}
	g.blocks = g.blocks[1:]
	switch front.Kind {
	case wire.KindStack:
		g.stacks = append(g.stacks, front)
		return
	case wire.KindSequencePoint:
		for _, s := range g.stacks {
			g.held -= int64(len(s.Body))
		}
		g.stacks = g.stacks[:0]
	}
	g.held -= int64(len(front.Body))
	g.dropped = g.dropped || front.Kind == wire.KindEvent
}
