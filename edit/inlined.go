package edit

import (
	"cmp"
	"context"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// maxInlined is the maximum number of bytes of stacks in a region made of v3
// blocks.
const maxInlined = 8 << 20

// inlined converts v3 blocks, whose rows contain their stacks and are mixed with
// the metadata, to blocks of v4.
//
// No specification describes v3; this is the form that the runtimes 2.1 to 10
// write.
type inlined struct {
	next    stage
	stacks  stackNumbers
	numbers map[uint64]uint32 // last one of each thread
	known   map[uint32]*codec.Metadata
	newest  uint64 // ticks
	written int    // metadata rows of the block that were passed on
	out     codec.BlockRows
}

func newInlined(next stage) *inlined {
	n := &inlined{next: next, numbers: map[uint64]uint32{}, known: map[uint32]*codec.Metadata{}}
	n.stacks.reset()
	return n
}

// feed passes all blocks to the next stages.
func (n *inlined) feed(ctx context.Context, s *source) error {
	if err := n.next.block(&s.rows); err != nil {
		return err
	}
	for s.advance(ctx) {
		var err error
		if s.block.Kind == wire.KindEvent {
			err = n.events(s)
		} else {
			s.r.Rows(&s.rows)
			err = n.next.block(&s.rows)
		}
		if err != nil {
			return err
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return n.next.end()
}

// events handles the rows of a block. Changed metadata waits for the rows that
// refer to the old metadata.
func (n *inlined) events(s *source) error {
	n.written, n.out = 0, codec.BlockRows{Kind: wire.KindEvent, Events: n.out.Events[:0]}
	seen := 0
	for e, ok := s.r.NextEvent(); ok; e, ok = s.r.NextEvent() {
		for ; seen < len(s.block.Metadata); seen++ {
			if err := n.define(s, seen); err != nil {
				return err
			}
		}
		n.event(e)
	}
	if err := n.flush(s, len(s.block.Metadata)); err != nil {
		return err
	}
	if n.stacks.bytes > maxInlined {
		return n.point()
	}
	return nil
}

// define notes a metadata row of the block.
func (n *inlined) define(s *source, i int) error {
	m := s.block.Metadata[i].Metadata
	old := n.known[m.ID]
	n.known[m.ID] = m
	if old == nil || old == m {
		return nil
	}
	return n.flush(s, i)
}

// event numbers an event and its stack.
func (n *inlined) event(e *codec.Event) {
	var row codec.EventRow
	e.Row(&row)
	n.numbers[row.ThreadIndex]++
	row.Sequence, row.Processor = n.numbers[row.ThreadIndex], wire.UnknownProcessor
	row.StackID = n.stacks.of(e.Stack())
	row.Sorted = row.Timestamp >= n.newest
	n.newest = max(n.newest, row.Timestamp)
	n.out.Events = append(n.out.Events, row)
}

// flush passes on the metadata rows of the block before the given one, the new
// stacks and the events.
func (n *inlined) flush(s *source, metadata int) error {
	if rows := s.block.Metadata[n.written:metadata]; len(rows) > 0 {
		b := codec.BlockRows{Kind: wire.KindMetadata, Flags: wire.BlockCompressed}
		b.MinTimestamp, b.MaxTimestamp = n.newest, n.newest
		for i := range rows {
			header := codec.EventRow{Timestamp: n.newest, Sorted: true}
			b.Metadata = append(b.Metadata, codec.MetadataBytes{Metadata: rows[i].Metadata, Header: header})
		}
		n.written = metadata
		if err := n.next.block(&b); err != nil {
			return err
		}
	}
	if rows := n.stacks.fresh; len(rows) > 0 {
		first := n.stacks.last - uint32(len(rows)) + 1
		n.stacks.fresh = rows[:0]
		if err := n.next.block(&codec.BlockRows{Kind: wire.KindStack, FirstID: first, Stacks: rows}); err != nil {
			return err
		}
	}
	if len(n.out.Events) == 0 {
		return nil
	}
	err := n.next.block(&n.out)
	n.out.Events = n.out.Events[:0]
	return err
}

// point ends a region: the stacks before it are forgotten.
func (n *inlined) point() error {
	n.stacks.reset()
	b := codec.BlockRows{Kind: wire.KindSequencePoint}
	b.SequencePoint.Timestamp = n.newest
	for thread, number := range n.numbers {
		b.SequencePoint.Threads = append(b.SequencePoint.Threads, codec.ThreadSequence{Thread: thread, Sequence: number})
	}
	slices.SortFunc(b.SequencePoint.Threads, func(a, b codec.ThreadSequence) int { return cmp.Compare(a.Thread, b.Thread) })
	return n.next.block(&b)
}

// stackNumbers numbers the stacks of a region by their addresses.
type stackNumbers struct {
	ids   map[string]uint32
	last  uint32 // the newest id
	bytes int    // of the addresses
	key   []byte
	fresh []codec.StackBytes
}

func (s *stackNumbers) reset() { s.ids, s.last, s.bytes = map[string]uint32{}, 0, 0 }

// of returns the id of a stack, 0 for the empty one.
func (s *stackNumbers) of(addresses []uint64) uint32 {
	if len(addresses) == 0 {
		return 0
	}
	s.key = s.key[:0]
	for _, a := range addresses {
		s.key = wire.AppendVarUint(s.key, a)
	}
	if id := s.ids[string(s.key)]; id != 0 {
		return id
	}
	s.last++
	s.ids[string(s.key)] = s.last
	s.bytes += 8 * len(addresses)
	s.fresh = append(s.fresh, codec.StackBytes{Addresses: slices.Clone(addresses)})
	return s.last
}
