package edit

import (
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// downgrade makes v4 or v5 of the blocks of v6, as far as these versions can
// express them.
type downgrade struct {
	next    stage
	opt     *ConvertOptions
	changes *changes
	process string // of the trace
	threads threadIDs
	labels  map[uint32]activities // of the region
	newest  uint64                // ticks
	out     codec.BlockRows
}

func newDowngrade(next stage, trace *codec.Trace, opt *ConvertOptions, c *changes) *downgrade {
	d := &downgrade{next: next, opt: opt, changes: c, newest: trace.SyncTicks, labels: map[uint32]activities{}}
	d.threads = threadIDs{changes: c, live: map[uint64]*numberedThread{}, owners: map[uint64]uint64{}, ended: map[uint64]endedThread{}}
	d.process, _ = trace.Property(codec.ProcessIDKey)
	return d
}

// end writes another sequence point when a removed thread has losses to report.
func (d *downgrade) end() error {
	if d.threads.losses() {
		d.out = codec.BlockRows{Kind: wire.KindSequencePoint}
		d.point(&codec.SequencePoint{Timestamp: d.newest})
		if err := d.next.block(&d.out); err != nil {
			return err
		}
	}
	return d.next.end()
}

func (d *downgrade) block(b *codec.BlockRows) error {
	if len(b.Extension) > 0 {
		d.changes.add(extensions, 1)
	}
	d.out = codec.BlockRows{Kind: b.Kind, Offset: b.Offset, Events: d.out.Events[:0], Metadata: d.out.Metadata[:0]}
	switch b.Kind {
	case wire.KindTrace:
		d.out.Trace = d.trace(b.Trace)
	case wire.KindMetadata:
		d.metadata(b)
	case wire.KindStack:
		d.out.FirstID, d.out.Stacks = b.FirstID, b.Stacks
	case wire.KindEvent:
		d.events(b)
	case wire.KindSequencePoint:
		d.point(&b.SequencePoint)
	case wire.KindThread:
		for i := range b.Threads {
			d.thread(b.Threads[i].Thread)
		}
		return nil
	case wire.KindLabelList:
		for i := range b.LabelLists {
			d.labelList(b.FirstID+uint32(i), b.LabelLists[i].Labels)
		}
		return nil
	case wire.KindRemoveThread:
		for _, entry := range b.Removed {
			d.threads.remove(entry)
		}
		return nil
	default:
		d.changes.add(unknownBlocks, 1)
		return nil
	}
	return d.next.block(&d.out)
}

// trace keeps the properties that v4 has, as numbers. An unknown process stays
// unknown; the two other numbers are 0 if they are unknown.
//
// Spec: "The First Object: The Trace Object" of the v4/v5 text.
func (d *downgrade) trace(t *codec.Trace) *codec.Trace {
	fit := *t
	fit.Properties = nil
	for _, p := range t.Properties {
		known := p.Key == codec.ProcessIDKey || p.Key == codec.HardwareThreadCountKey || p.Key == codec.ExpectedCPUSamplingRateKey
		n, err := strconv.ParseUint(p.Value, 10, 32)
		if !known || err != nil || p.Key == codec.ProcessIDKey && n == noProcess {
			d.changes.add("properties of the trace left out", 1)
			continue
		}
		fit.Properties = append(fit.Properties, p)
	}
	return &fit
}

// noProcess is the number by which v4 marks an unknown process.
const noProcess = 1<<32 - 1

// metadata gives metadata rows their headers of v4.
//
// Spec: "The MetadataBlock Object" of the v4/v5 text.
func (d *downgrade) metadata(b *codec.BlockRows) {
	header := codec.EventRow{Timestamp: d.newest, Sorted: true}
	for i := range b.Metadata {
		m := fitMetadata(b.Metadata[i].Metadata, d.opt.Format, d.changes)
		d.out.Metadata = append(d.out.Metadata, codec.MetadataBytes{Metadata: m, Header: header})
	}
	d.out.Flags, d.out.MinTimestamp, d.out.MaxTimestamp = wire.BlockCompressed, d.newest, d.newest
}

func (d *downgrade) events(b *codec.BlockRows) {
	for _, row := range b.Events {
		row.CaptureThreadIndex = d.threads.capture(row.CaptureThreadIndex, row.Sequence)
		row.ThreadIndex = d.threads.id(row.ThreadIndex)
		pair := d.labels[row.LabelListID]
		row.Activity, row.Related, row.LabelListID = pair.own, pair.related, 0
		d.out.Events = append(d.out.Events, row)
	}
	d.out.Flags = d.opt.flags()
	if d.out.SetBounds(); len(b.Events) > 0 {
		d.newest = max(d.newest, d.out.MaxTimestamp)
	}
}

// labelList keeps the activity ids of a list; of several the last one counts.
//
// Spec: "LabelList block".
func (d *downgrade) labelList(id uint32, labels []codec.Label) {
	var pair activities
	for i := range labels {
		switch labels[i].Kind {
		case wire.LabelActivityID:
			pair.own = labels[i].GUID
		case wire.LabelRelatedActivityID:
			pair.related = labels[i].GUID
		case wire.LabelTraceID, wire.LabelSpanID:
			d.changes.add("trace and span ids of label lists left out", 1)
		case wire.LabelKeyString, wire.LabelKeyNumber:
			d.changes.add("keys and values of label lists left out", 1)
		default:
			d.changes.add("opcodes, keywords, levels and versions of label lists left out", 1)
		}
	}
	d.labels[id] = pair
}

// thread handles a thread row.
func (d *downgrade) thread(t *codec.Thread) {
	d.threads.define(t)
	if t.Name != "" {
		d.changes.add("names of threads left out", 1)
	}
	d.changes.add("attributes of threads left out", len(t.Attributes))
	if t.HasProcessID && strconv.FormatUint(t.ProcessID, 10) != d.process {
		d.changes.add("processes of threads left out", 1)
	}
}

// point translates a sequence point.
func (d *downgrade) point(p *codec.SequencePoint) {
	clear(d.labels)
	d.newest = p.Timestamp
	if p.Flags&wire.SequenceMetadata != 0 {
		d.changes.add("flushes of the metadata left out", 1)
	}
	d.out.SequencePoint.Timestamp = p.Timestamp
	d.out.SequencePoint.Threads = d.threads.point(p)
}
