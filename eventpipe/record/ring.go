package record

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// isRundown reports whether a provider's events describe the session, and are not
// part of the recording.
func isRundown(provider string) bool {
	return provider == clr.RundownProvider || provider == clr.PipeProvider || provider == clr.CollectorProvider
}

// defaultRingSize bounds a Ring without a bound in its options.
const defaultRingSize = 64 << 20

// RingOptions bound the content of a Ring. The zero value keeps 64 MiB.
type RingOptions struct {
	// Time is the age, relative to the newest event, up to which events are
	// kept. Older events stay if their block has newer ones. 0 means no bound.
	Time time.Duration
	// Size is the largest number of bytes of blocks, including metadata and
	// stacks. The metadata of the complete stream and the stacks of the region
	// with the oldest kept events are kept even if they exceed it. 0 means no
	// bound if Time is set, else 64 MiB.
	Size int64
	// Compressed keeps blocks compressed, in a quarter of the memory or less, which
	// Size then bounds. It costs some processor time.
	Compressed bool
}

// Ring keeps the last part of a stream of version 4 in memory: the metadata of
// the complete stream, and complete blocks of the last part. It keeps the
// rundown at the end of a session in addition to the bounds of RingOptions.
// Other goroutines may call its methods while Run runs.
type Ring struct {
	opt RingOptions

	mu       sync.Mutex
	trace    *codec.Trace
	first    raw.Block   // the Trace object
	metadata []raw.Block // of the complete session
	stacks   []raw.Block // dropped blocks of the region that is in part dropped
	blocks   []entry     // the kept blocks; the first one is an event block
	tail     *codec.BlockRows
	newest   uint64 // ticks, without rundown
	span     uint64 // Time in ticks
	held     int64  // bytes of all blocks
	rundown  int64  // bytes of the blocks with the rundown only, in held
	pinned   bool   // some of the blocks are
	stopped  bool
	dropped  bool   // a block was dropped
	lastGone uint64 // ticks of the newest event that was dropped because of the size
	body     []byte // of the block in keep, compressed
}

// entry is a block with the time of its newest event, without rundown.
type entry struct {
	raw.Block
	newest uint64 // ticks; 0: it has only events of a rundown
	pinned bool   // it has events of a rundown
}

// NewRing returns an empty Ring.
func NewRing(opt RingOptions) *Ring { return &Ring{opt: opt} }

// Stop announces that the end of the session was requested. A rundown that
// begins later is the last one: the Ring keeps it in addition to its bounds
// even if other events follow.
func (g *Ring) Stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopped = true
}

// RingVersionError reports a stream of a version that a Ring does not support.
type RingVersionError struct {
	Format wire.Format // of the stream
}

// Error names the version and the supported one.
func (e *RingVersionError) Error() string {
	return fmt.Sprintf("a ring keeps streams of version 4, not %d", e.Format.Major)
}

// finish does nothing: a Ring keeps its content.
func (g *Ring) finish() (int64, error) { return 0, nil }

// keepRows appends the rows of a truncated last block. The rows stay valid.
func (g *Ring) keepRows(_ *codec.Trace, rows *codec.BlockRows) (int64, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tail = rows
	return 0, nil
}

// keep appends a block.
func (g *Ring) keep(b *arrival) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	body := b.Body
	if g.opt.Compressed && b.Kind != wire.KindTrace {
		g.body = s2.Encode(g.body[:cap(g.body)], body)
		body = g.body
	}
	block := raw.Block{Kind: b.Kind, TypeName: b.TypeName, Version: b.Version, MinReader: b.MinReader, Body: slices.Clone(body)}
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
	g.held += int64(len(body))
	g.trim()
	return nil
}

// begin stores the first block.
func (g *Ring) begin(block raw.Block, trace *codec.Trace) error {
	if g.trace != nil {
		return nil
	}
	if !trace.Format.WithTags().HasTags() {
		return &RingVersionError{trace.Format}
	}
	if g.opt.Time == 0 && g.opt.Size == 0 {
		g.opt.Size = defaultRingSize
	}
	g.trace, g.first, g.held = trace, block, int64(len(block.Body))
	g.span = uint64(g.opt.Time.Seconds() * float64(trace.TickFrequency))
	return nil
}

// event appends an event block. Blocks of a rundown stay unless the session
// continues after them.
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

// trim drops blocks from the front while the rest is enough.
func (g *Ring) trim() {
	for len(g.blocks) > 0 && g.spare(&g.blocks[0]) {
		g.drop()
	}
}

// spare reports whether the oldest block is not needed, or exceeds the size.
func (g *Ring) spare(front *entry) bool {
	switch {
	case front.Kind != wire.KindEvent:
		return true
	case front.pinned:
		return false
	case g.isFull():
		return true
	}
	return g.opt.Time > 0 && g.newest > front.newest && g.newest-front.newest > g.span
}

// isFull reports whether the content exceeds the size.
func (g *Ring) isFull() bool { return g.opt.Size > 0 && g.held-g.rundown > g.opt.Size }

// drop drops the first block. The stacks of its region stay for the event blocks
// after it.
func (g *Ring) drop() {
	front := g.blocks[0].Block
	if g.isFull() {
		g.lastGone = max(g.lastGone, g.blocks[0].newest)
	}
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
