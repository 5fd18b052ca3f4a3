package gen_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
)

// model has the content of the tables, by a second reading of the trace.
type model struct {
	metadata map[uint32]*codec.Metadata
	threads  map[uint64]*codec.Thread
	stacks   map[uint32][]uint64
	labels   map[uint32][]codec.Label
	last     map[uint64]uint32 // sequence numbers
	lost     uint64
	format   wire.Format
}

func newModel(t *gen.Trace) *model {
	return &model{
		metadata: map[uint32]*codec.Metadata{}, threads: map[uint64]*codec.Thread{}, stacks: map[uint32][]uint64{},
		labels: map[uint32][]codec.Label{}, last: map[uint64]uint32{}, format: t.Format,
	}
}

// define adds the definitions of a block.
func (m *model) define(b *codec.BlockRows) {
	for i := range b.Metadata {
		m.metadata[b.Metadata[i].Metadata.ID] = b.Metadata[i].Metadata
	}
	for i := range b.Threads {
		m.threads[b.Threads[i].Thread.Index] = b.Threads[i].Thread
	}
	for i := range b.Stacks {
		m.stacks[b.FirstID+uint32(i)] = b.Stacks[i].Addresses
	}
	for i := range b.LabelLists {
		m.labels[b.FirstID+uint32(i)] = b.LabelLists[i].Labels
	}
	for _, e := range b.Removed {
		m.bound(e)
		delete(m.threads, e.Thread)
		delete(m.last, e.Thread)
	}
	if b.Kind == wire.KindSequencePoint {
		m.point(&b.SequencePoint)
	}
}

// bound counts the losses up to a number.
func (m *model) bound(e codec.ThreadSequence) {
	if d := e.Sequence - m.last[e.Thread]; d < 1<<31 {
		m.lost += uint64(d)
	}
	m.last[e.Thread] = e.Sequence
}

// point removes what a sequence point flushes.
func (m *model) point(p *codec.SequencePoint) {
	for _, e := range p.Threads {
		m.bound(e)
	}
	clear(m.stacks)
	clear(m.labels)
	if !m.format.HasRemovedThreads() {
		clear(m.last) // but for those that are listed
		for _, e := range p.Threads {
			m.last[e.Thread] = e.Sequence
		}
	}
	if p.Flags&wire.SequenceThreads != 0 {
		clear(m.threads)
		clear(m.last)
	}
	if p.Flags&wire.SequenceMetadata != 0 {
		clear(m.metadata)
	}
}

// same compares an event with its row, and its references with the tables.
func (m *model) same(row *codec.EventRow, e *codec.Event) error {
	var got codec.EventRow
	e.Row(&got)
	if !sameRow(row, &got) {
		return fmt.Errorf("row %+v, want %+v", got, *row)
	}
	m.lost += uint64(row.Sequence - m.last[row.CaptureThreadIndex] - 1)
	m.last[row.CaptureThreadIndex] = row.Sequence
	switch {
	case e.Metadata() == nil || !sameMetadata(m.metadata[row.MetadataID], e.Metadata()):
		return errors.New("metadata")
	case !slices.Equal(m.stacks[row.StackID], e.Stack()):
		return fmt.Errorf("stack %x, want %x", e.Stack(), m.stacks[row.StackID])
	case !slices.Equal(m.labels[row.LabelListID], e.Labels()):
		return fmt.Errorf("labels %v, want %v", e.Labels(), m.labels[row.LabelListID])
	case e.FieldsError() != nil:
		return fmt.Errorf("fields: %v", e.FieldsError())
	case !m.format.HasThreadTable():
		return nil
	}
	for _, thread := range []*codec.Thread{e.Thread(), e.CaptureThread()} {
		if thread == nil || !sameThread(m.threads[thread.Index], thread) {
			return errors.New("thread")
		}
	}
	if e.Thread().Index != row.ThreadIndex || e.CaptureThread().Index != row.CaptureThreadIndex {
		return errors.New("thread index")
	}
	return nil
}
