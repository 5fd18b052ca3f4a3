package edit

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// groupSize is the approximate number of bytes of payloads and stacks in one
// group.
const groupSize = 1 << 20

// regroup makes large blocks and small numbers. It holds back event rows until
// a group is full or a sequence point comes. The rows of tables that the group
// refers to and that were not written yet are written before it.
type regroup struct {
	next    stage
	opt     *ConvertOptions
	changes *changes
	indexed bool // threads are rows of a table

	metadata numbering[codec.MetadataBytes]
	threads  numbering[codec.ThreadBytes] // v6
	stacks   numbering[codec.StackBytes]
	labels   numbering[codec.LabelListBytes] // v6

	rows     []codec.EventRow
	refs     []reference // of rows
	payloads []byte
	size     int
}

// reference has the rows that an event row refers to.
type reference struct {
	metadata        *numbered[codec.MetadataBytes]
	thread, capture *numbered[codec.ThreadBytes]
	stack           *numbered[codec.StackBytes]
	labels          *numbered[codec.LabelListBytes]
	payload         int // position in payloads
}

func newRegroup(next stage, opt *ConvertOptions, c *changes) *regroup {
	g := &regroup{next: next, opt: opt, changes: c, indexed: opt.Format.HasThreadTable()}
	g.metadata.init("metadata", c)
	g.threads.init("threads", c)
	g.stacks.init("stacks", c)
	g.labels.init("label lists", c)
	return g
}

func (g *regroup) block(b *codec.BlockRows) error {
	switch b.Kind {
	case wire.KindEvent:
		return g.events(b)
	case wire.KindMetadata:
		for _, row := range b.Metadata {
			if !g.opt.Format.HasMetadataHeaders() { // the bytes hold the id
				row.Bytes = nil
			}
			row.Bytes, row.Header.Payload = slices.Clone(row.Bytes), nil
			g.metadata.define(uint64(row.Metadata.ID), row)
		}
	case wire.KindThread:
		for _, row := range b.Threads {
			g.threads.define(row.Thread.Index, codec.ThreadBytes{Thread: row.Thread})
		}
	case wire.KindStack:
		for i, row := range b.Stacks {
			row.Addresses, row.Bytes = slices.Clone(row.Addresses), slices.Clone(row.Bytes)
			g.size += 8 * len(row.Addresses)
			g.stacks.define(uint64(b.FirstID)+uint64(i), row)
		}
	case wire.KindLabelList:
		for i, row := range b.LabelLists {
			row.Labels, row.Bytes = slices.Clone(row.Labels), slices.Clone(row.Bytes)
			g.labels.define(uint64(b.FirstID)+uint64(i), row)
		}
	case wire.KindSequencePoint:
		return g.point(b)
	case wire.KindRemoveThread:
		return g.remove(b)
	default:
		if err := g.flush(); err != nil {
			return err
		}
		return g.next.block(b)
	}
	return nil
}

func (g *regroup) end() error {
	if err := g.flush(); err != nil {
		return err
	}
	g.metadata.clear()
	g.threads.clear()
	g.stacks.clear()
	g.labels.clear()
	return g.next.end()
}

// events holds back the rows of a block.
func (g *regroup) events(b *codec.BlockRows) error {
	for i := range b.Events {
		row := b.Events[i]
		ref := reference{metadata: g.metadata.refer(uint64(row.MetadataID)), payload: len(g.payloads)}
		if row.StackID != 0 || g.stacks.known(0) {
			ref.stack = g.stacks.refer(uint64(row.StackID))
		}
		if g.indexed {
			ref.capture, ref.thread = g.threads.refer(row.CaptureThreadIndex), g.threads.refer(row.ThreadIndex)
			if row.LabelListID != 0 {
				ref.labels = g.labels.refer(uint64(row.LabelListID))
			}
		}
		g.payloads = append(g.payloads, row.Payload...)
		g.rows, g.refs = append(g.rows, row), append(g.refs, ref)
		if g.size += len(row.Payload) + 16; g.size >= groupSize {
			if err := g.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes the group.
func (g *regroup) flush() error {
	if len(g.rows) == 0 {
		return nil
	}
	g.countReference()
	if err := g.tables(); err != nil {
		return err
	}
	for i := range g.rows {
		g.sameFamily(i)
	}
	b := codec.BlockRows{Kind: wire.KindEvent, Flags: g.opt.flags(), Events: g.rows}
	b.SetBounds()
	err := g.next.block(&b)
	g.rows, g.refs, g.payloads, g.size = g.rows[:0], g.refs[:0], g.payloads[:0], 0
	return err
}

// countReference counts how often each row of a table will be written in a header: where
// the row before has another one.
func (g *regroup) countReference() {
	var prev reference
	for i := range g.refs {
		ref := &g.refs[i]
		countReference(ref.metadata, prev.metadata)
		countReference(ref.stack, prev.stack)
		countReference(ref.thread, prev.thread)
		countReference(ref.capture, prev.capture)
		countReference(ref.labels, prev.labels)
		prev = *ref
	}
}

// sameFamily gives a row the new numbers.
func (g *regroup) sameFamily(i int) {
	row, ref := &g.rows[i], &g.refs[i]
	row.MetadataID, row.StackID = uint32(ref.metadata.number), 0
	if ref.stack != nil {
		row.StackID = uint32(ref.stack.number)
	}
	row.Payload = g.payloads[ref.payload : ref.payload+len(row.Payload)]
	if !g.indexed {
		return
	}
	row.CaptureThreadIndex, row.ThreadIndex, row.LabelListID = ref.capture.number, ref.thread.number, 0
	if ref.labels != nil {
		row.LabelListID = uint32(ref.labels.number)
	}
}

// tables writes the rows of tables that the group needs and that are new.
func (g *regroup) tables() error {
	blocks := [...]codec.BlockRows{
		{Kind: wire.KindMetadata, Flags: wire.BlockCompressed}, {Kind: wire.KindStack}, {Kind: wire.KindThread}, {Kind: wire.KindLabelList},
	}
	metadata, stacks, threads, labels := &blocks[0], &blocks[1], &blocks[2], &blocks[3]
	for number, row := range g.metadata.assign() {
		m := *row.Metadata
		m.ID, row.Metadata = uint32(number), &m
		if len(row.Bytes) >= 4 {
			row.Bytes = append([]byte{byte(number), byte(number >> 8), byte(number >> 16), byte(number >> 24)}, row.Bytes[4:]...)
		}
		row.Header.Timestamp = g.rows[0].Timestamp
		metadata.Metadata = append(metadata.Metadata, row)
	}
	metadata.MinTimestamp, metadata.MaxTimestamp = g.rows[0].Timestamp, g.rows[0].Timestamp
	for number, row := range g.stacks.assign() {
		stacks.Stacks, stacks.FirstID = append(stacks.Stacks, row), uint32(number)-uint32(len(stacks.Stacks))
	}
	for number, row := range g.threads.assign() {
		threads.Threads = append(threads.Threads, renumbered(row, number))
	}
	for number, row := range g.labels.assign() {
		labels.LabelLists, labels.FirstID = append(labels.LabelLists, row), uint32(number)-uint32(len(labels.LabelLists))
	}
	for i := range blocks {
		if !blocks[i].HasRows() {
			continue
		}
		if err := g.next.block(&blocks[i]); err != nil {
			return err
		}
	}
	return nil
}

func renumbered(row codec.ThreadBytes, number uint64) codec.ThreadBytes {
	t := *row.Thread
	t.Index = number
	return codec.ThreadBytes{Thread: &t}
}

// point ends the region.
func (g *regroup) point(b *codec.BlockRows) error {
	if err := g.flush(); err != nil {
		return err
	}
	if g.indexed {
		list, err := g.entries(b.SequencePoint.Threads)
		if err != nil {
			return err
		}
		b.SequencePoint.Threads = list
	}
	g.stacks.clear()
	g.labels.clear()
	if b.SequencePoint.Flags&wire.SequenceThreads != 0 {
		g.threads.clear()
	}
	if b.SequencePoint.Flags&wire.SequenceMetadata != 0 {
		g.metadata.clear()
	}
	return g.next.block(b)
}

// remove translates the list of removed threads.
func (g *regroup) remove(b *codec.BlockRows) error {
	if err := g.flush(); err != nil {
		return err
	}
	list, err := g.entries(b.Removed)
	if err != nil || len(list) == 0 {
		return err
	}
	for _, entry := range b.Removed {
		g.threads.forget(entry.Thread)
	}
	b.Removed = list
	return g.next.block(b)
}

// entries translates threads and their numbers. A thread without events is
// written if its number shows that events were lost.
func (g *regroup) entries(list []codec.ThreadSequence) ([]codec.ThreadSequence, error) {
	threads := codec.BlockRows{Kind: wire.KindThread}
	var translated []codec.ThreadSequence
	for _, entry := range list {
		if entry.Sequence == 0 && !g.threads.written(entry.Thread) {
			continue
		}
		th := g.threads.refer(entry.Thread)
		for number, row := range g.threads.assign() {
			threads.Threads = append(threads.Threads, renumbered(row, number))
		}
		translated = append(translated, codec.ThreadSequence{Thread: th.number, Sequence: entry.Sequence})
	}
	if len(threads.Threads) == 0 {
		return translated, nil
	}
	return translated, g.next.block(&threads)
}
