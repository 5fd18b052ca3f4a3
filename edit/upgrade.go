package edit

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Names of changes that more than one stage makes.
const (
	unknownBlocks = "blocks of unknown kinds left out"
	extensions    = "extensions of block headers left out"
)

// upgrade makes v6 of the blocks of v4 and v5.
type upgrade struct {
	next    stage
	opt     *ConvertOptions
	changes *changes
	threads threadIndexes
	labels  activityLists
	out     codec.BlockRows
}

func newUpgrade(next stage, trace *codec.Trace, opt *ConvertOptions, c *changes) *upgrade {
	u := &upgrade{next: next, opt: opt, changes: c}
	u.threads.byID = map[uint64]*indexedThread{}
	u.threads.process, u.threads.hasProcess = trace.ProcessID()
	u.labels.reset()
	return u
}

func (u *upgrade) end() error { return u.next.end() }

func (u *upgrade) block(b *codec.BlockRows) error {
	if len(b.Extension) > 0 {
		u.changes.add(extensions, 1)
	}
	u.out = codec.BlockRows{Kind: b.Kind, Offset: b.Offset, Events: u.out.Events[:0], Metadata: u.out.Metadata[:0]}
	switch b.Kind {
	case wire.KindTrace:
		u.out.Trace = b.Trace
	case wire.KindMetadata:
		for i := range b.Metadata {
			m := fitMetadata(b.Metadata[i].Metadata, u.opt.Format, u.changes)
			u.out.Metadata = append(u.out.Metadata, codec.MetadataBytes{Metadata: m})
		}
	case wire.KindStack:
		u.out.FirstID, u.out.Stacks = b.FirstID, b.Stacks
	case wire.KindEvent:
		return u.events(b)
	case wire.KindSequencePoint:
		return u.point(&b.SequencePoint)
	default:
		u.changes.add(unknownBlocks, 1)
		return nil
	}
	return u.next.block(&u.out)
}

// events translates the references of rows, and writes new table rows first. It
// removes an ended thread before the first row of another one with its id.
func (u *upgrade) events(b *codec.BlockRows) error {
	for _, row := range b.Events {
		if u.threads.restarts(row.CaptureThreadIndex, row.Sequence) {
			if len(u.out.Events) > 0 {
				if err := u.rows(); err != nil {
					return err
				}
			}
			if err := u.remove(); err != nil {
				return err
			}
		}
		row.CaptureThreadIndex = u.threads.capture(row.CaptureThreadIndex, row.Sequence)
		row.ThreadIndex = u.threads.of(row.ThreadIndex).index
		row.LabelListID = u.labels.of(row.Activity, row.Related)
		u.out.Events = append(u.out.Events, row)
	}
	return u.rows()
}

// rows writes the rows that are translated.
func (u *upgrade) rows() error {
	if err := u.newThreads(); err != nil {
		return err
	}
	if lists := u.labels.fresh; len(lists) > 0 {
		first := u.labels.last - uint32(len(lists)) + 1
		u.labels.fresh = lists[:0]
		if err := u.next.block(&codec.BlockRows{Kind: wire.KindLabelList, FirstID: first, LabelLists: lists}); err != nil {
			return err
		}
	}
	u.out.Flags = u.opt.flags()
	u.out.SetBounds()
	err := u.next.block(&u.out)
	u.out.Events = u.out.Events[:0]
	return err
}

// remove removes the threads that ended.
//
// Spec: "RemoveThread block".
func (u *upgrade) remove() error {
	removed := u.threads.ended
	if u.threads.ended = removed[:0]; len(removed) == 0 {
		return nil
	}
	return u.next.block(&codec.BlockRows{Kind: wire.KindRemoveThread, Removed: removed})
}

func (u *upgrade) newThreads() error {
	rows := u.threads.fresh
	if u.threads.fresh = rows[:0]; len(rows) == 0 {
		return nil
	}
	return u.next.block(&codec.BlockRows{Kind: wire.KindThread, Threads: rows})
}

// point removes the threads that ended, and writes a sequence point. In this order
// a conversion back to v4 finds that the point leaves them out.
//
// Spec: "SequencePoint block".
func (u *upgrade) point(p *codec.SequencePoint) error {
	u.out.SequencePoint.Timestamp = p.Timestamp
	u.out.SequencePoint.Threads = u.threads.point(nil, p.Threads)
	u.labels.reset()
	if err := u.newThreads(); err != nil {
		return err
	}
	if err := u.remove(); err != nil {
		return err
	}
	return u.next.block(&u.out)
}

// activityLists makes label lists of the activity ids of a region.
//
// Spec: "LabelList block".
type activityLists struct {
	ids   map[activities]uint32
	last  uint32 // the newest id
	fresh []codec.LabelListBytes
}

type activities struct{ own, related wire.GUID }

func (a *activityLists) reset() { a.ids, a.last = map[activities]uint32{}, 0 }

// of returns the list with the two ids, 0 for none.
func (a *activityLists) of(own, related wire.GUID) uint32 {
	if own.IsZero() && related.IsZero() {
		return 0
	}
	key := activities{own, related}
	if id := a.ids[key]; id != 0 {
		return id
	}
	a.last++
	a.ids[key] = a.last
	var labels []codec.Label
	if !own.IsZero() {
		labels = append(labels, codec.Label{Kind: wire.LabelActivityID, GUID: own})
	}
	if !related.IsZero() {
		labels = append(labels, codec.Label{Kind: wire.LabelRelatedActivityID, GUID: related})
	}
	a.fresh = append(a.fresh, codec.LabelListBytes{Labels: labels})
	return a.last
}
