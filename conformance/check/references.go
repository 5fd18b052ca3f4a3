package check

import (
	"maps"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
)

// mostPending bounds the references that wait for a later definition, and the
// stored removed definitions.
const mostPending = 1 << 16

// pending is a missing reference.
type pending struct {
	spot  spot
	count int64
}

// spoiled are the tables with unread rows of bad blocks: these cause missing
// references.
type spoiled struct{ metadata, stacks, threads, labels bool }

// waiting are references by id.
type waiting map[uint64]*pending

// add notes a reference. Those beyond the bound count for the id 0.
func (w *waiting) add(id uint64, at func() spot) {
	if *w == nil {
		*w = waiting{}
	}
	p := (*w)[id]
	if p == nil && len(*w) >= mostPending {
		id = 0
		p = (*w)[id]
	}
	if p == nil {
		p = &pending{spot: at()}
		(*w)[id] = p
	}
	p.count++
}

// ids returns the ids in ascending order.
func (w waiting) ids() []uint64 {
	if len(w) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(w))
}

// memory is a bounded set of ids.
type memory map[uint64]struct{}

func (m *memory) add(id uint64) {
	if *m == nil {
		*m = memory{}
	}
	if len(*m) < mostPending {
		(*m)[id] = struct{}{}
	}
}

func (m memory) has(id uint64) bool {
	_, ok := m[id]
	return ok
}

// references handles the missing references of an event.
func (c *checker) references(e *codec.Event) {
	thread := false
	for _, id := range c.refs {
		switch id {
		case rule.REF001:
			c.unknownMetadata(e)
		case rule.STK007:
			if c.spoiled.stacks {
				continue
			}
			c.stacks.missing.add(uint64(e.StackID), func() spot {
				return c.field(e, fieldStack)
			})
		case rule.THR009:
			thread = true
			c.unknownThread(e, rule.THR009, e.ThreadIndex)
		case rule.THR010:
			if !thread {
				c.unknownThread(e, rule.THR010, e.CaptureThreadIndex)
			}
		case rule.LBL006:
			if c.spoiled.labels {
				continue
			}
			list := uint64(labelList(e))
			if f := c.foundIn(e, rule.LBL006, list, fieldLabels); f != nil {
				f.id("labelList", list)
			}
		}
	}
	c.refs = c.refs[:0]
}

func labelList(e *codec.Event) uint32 {
	var row codec.EventRow
	e.Row(&row)
	return row.LabelListID
}

// unknownMetadata deals with a metadata id that has no row.
//
// Spec: "File format overview"; "SequencePointBlock", flag 2.
func (c *checker) unknownMetadata(e *codec.Event) {
	id := uint64(e.MetadataID)
	zero := rule.None
	switch {
	case id != 0:
	case c.format.HasEventBlockHeaders() && !c.b.Compressed():
		zero = rule.UNC006
	case c.nameless:
		return
	case c.format.HasMetadataBlocks() && c.format.HasMetadataHeaders():
		zero = rule.CMP014
	}
	switch {
	case zero != rule.None:
		c.foundIn(e, zero, 0, fieldMetadata)
	case !c.format.HasMetadataBlocks():
		if f := c.foundIn(e, rule.NP006, id, fieldMetadata); f != nil {
			f.id("metadata", id)
		}
	case c.spoiled.metadata:
	case c.flushedMetadata.has(id):
		if f := c.foundIn(e, rule.SQP012, 0, fieldMetadata); f != nil {
			f.id("metadata", id)
		}
	default:
		c.missingMetadata.add(id, func() spot { return c.field(e, fieldMetadata) })
	}
}

// foundPending reports the references that waited.
func (c *checker) foundPending(id rule.ID, name string, subject uint64, p *pending) {
	f := c.found(id, subject, p.spot)
	if f == nil {
		return
	}
	f.id(name, subject)
	f.Count = p.count
}

// unknownThread deals with a thread index that has no row.
//
// Spec: "ThreadBlock", "RemoveThreadBlock"; "SequencePointBlock", flag 1.
func (c *checker) unknownThread(e *codec.Event, id rule.ID, index uint64) {
	subject := index
	switch {
	case c.spoiled.threads:
		return
	case c.removed.has(index):
		id = rule.RMT006
	case c.flushedThreads.has(index):
		id, subject = rule.THR011, 0
	}
	var names []string
	if index == e.ThreadIndex {
		names = append(names, fieldThread)
	}
	if index == e.CaptureThreadIndex {
		names = append(names, fieldCapture)
	}
	if f := c.foundIn(e, id, subject, names...); f != nil {
		f.id("thread", index)
	}
}
