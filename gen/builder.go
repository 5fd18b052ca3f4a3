package gen

import (
	"io"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Builder makes the blocks of a trace. It keeps definitions and events until
// Flush, which writes the definitions first. After a sequence point, ids of
// stacks and label lists restart. A Builder is for one goroutine.
type Builder struct {
	Plain     bool   // do not compress the rows of later event blocks, if all readers of the version support that
	Extension []byte // added to the headers of later event and metadata blocks
	BlockSize int    // estimated bytes of rows at which an event block closes; 0: only Flush closes it
	Now       uint64 // ticks: the latest time so far, and the time of v4 metadata rows

	format   wire.Format
	trace    *Trace
	out      *codec.BlockWriter // nil when blocks are kept in trace
	err      error
	captures captures
	bounds   *[2]uint64 // of the next event block, by a writer that does not look at its rows

	metadata, threads, stacks, labels, events codec.BlockRows // that wait
	size                                      int             // of events, estimated
	payloads                                  []byte

	nextMetadata, nextStack, nextLabels uint32 // ids
}

// BuilderOptions configure a Builder. The zero value makes a trace of version
// 6.
type BuilderOptions struct {
	// Format is the version: 4, 5 or 6. Default: 6.
	Format wire.Format
	// Trace is the content of the first block. Its Format is ignored.
	Trace codec.Trace
}

// NewBuilder returns a Builder of a trace in memory: see Builder.Trace.
func NewBuilder(opt BuilderOptions) *Builder {
	if opt.Format.IsZero() {
		opt.Format = wire.V6
	}
	b := &Builder{format: opt.Format, trace: &Trace{Format: opt.Format}}
	b.begin(&codec.BlockRows{Kind: wire.KindTrace, Trace: &opt.Trace})
	return b
}

// newStream returns a Builder that writes blocks as they close and keeps none.
func newStream(dst io.Writer, format wire.Format, head *codec.BlockRows) *Builder {
	b := &Builder{format: format, out: codec.NewBlockWriter(dst, codec.BlockWriterOptions{Format: format, Preserve: true})}
	b.begin(head)
	return b
}

// begin writes the Trace block.
func (b *Builder) begin(head *codec.BlockRows) {
	b.Now = head.Trace.SyncTicks
	b.nextMetadata, b.nextStack, b.nextLabels = 1, 1, 1
	b.reset()
	b.Block(head)
}

// reset makes the blocks that wait empty.
func (b *Builder) reset() {
	for _, w := range []struct {
		rows *codec.BlockRows
		kind wire.Kind
	}{
		{&b.metadata, wire.KindMetadata}, {&b.threads, wire.KindThread}, {&b.stacks, wire.KindStack},
		{&b.labels, wire.KindLabelList}, {&b.events, wire.KindEvent},
	} {
		rows := codec.BlockRows{Kind: w.kind}
		if b.out != nil { // written; their memory is reused
			rows.Events = w.rows.Events[:0]
		}
		*w.rows = rows
	}
	if b.size = 0; b.out != nil {
		b.payloads = b.payloads[:0]
	} else {
		b.payloads = nil
	}
}

// Block writes what is pending and then a block as given, without checks.
func (b *Builder) Block(rows *codec.BlockRows) {
	b.Flush()
	b.emit(rows)
}

func (b *Builder) emit(rows *codec.BlockRows) {
	if b.out == nil {
		b.mustBeMade()
		b.trace.Blocks = append(b.trace.Blocks, *rows)
	} else if b.err == nil {
		b.err = b.out.WriteBlock(rows)
	}
}

// mustBeMade panics for the zero Builder.
func (b *Builder) mustBeMade() {
	if b.trace == nil {
		panic("gen: a zero Builder has no trace: use NewBuilder")
	}
}

// Metadata defines metadata and returns its id. An ID of 0 becomes the next
// free one.
func (b *Builder) Metadata(m *codec.Metadata) uint32 {
	if m.ID == 0 {
		m.ID = b.nextMetadata
	}
	b.nextMetadata = max(b.nextMetadata, m.ID+1)
	b.metadata.Metadata = append(b.metadata.Metadata, codec.MetadataBytes{Metadata: m, Header: codec.EventRow{
		Timestamp: b.Now, Processor: wire.UnknownProcessor, Sorted: true,
	}})
	return m.ID
}

// Thread adds a row of the thread table (v6). Earlier versions have no such
// table, and Thread does nothing.
func (b *Builder) Thread(t *codec.Thread) {
	if b.format.HasThreadTable() {
		b.threads.Threads = append(b.threads.Threads, codec.ThreadBytes{Thread: t})
	}
}

// Stack defines a stack of the current region, leaf first, and returns its id.
func (b *Builder) Stack(addresses []uint64) uint32 {
	if len(b.stacks.Stacks) == 0 {
		b.stacks.FirstID = b.nextStack
	}
	b.stacks.Stacks = append(b.stacks.Stacks, codec.StackBytes{Addresses: addresses})
	b.nextStack++
	return b.nextStack - 1
}

// Labels defines a label list of the current region and returns its id.
func (b *Builder) Labels(list ...codec.Label) uint32 {
	if len(b.labels.LabelLists) == 0 {
		b.labels.FirstID = b.nextLabels
	}
	b.labels.LabelLists = append(b.labels.LabelLists, codec.LabelListBytes{Labels: list})
	b.nextLabels++
	return b.nextLabels - 1
}

// Skip leaves n ids of stacks and label lists unused. It writes what is pending
// first, because the ids of one block are consecutive.
func (b *Builder) Skip(n uint32) {
	b.Flush()
	b.nextStack += n
	b.nextLabels += n
}

// Event adds an event. Its sequence number is the next one of its capture
// thread unless the row has one. Event copies the payload.
func (b *Builder) Event(row *codec.EventRow) {
	number := b.captures.number(row.CaptureThreadIndex)
	*number++
	if row.Sequence != 0 {
		*number = row.Sequence
	}
	start := len(b.payloads)
	b.payloads = append(b.payloads, row.Payload...)
	n := len(b.events.Events)
	b.events.Events = append(b.events.Events, *row)
	e := &b.events.Events[n]
	e.Sequence, e.Payload = *number, b.payloads[start:len(b.payloads):len(b.payloads)]
	b.Now = max(b.Now, row.Timestamp)
	const header = 16
	if b.size += header + len(row.Payload); b.BlockSize > 0 && b.size >= b.BlockSize {
		b.Flush()
	}
}

// Lose skips n sequence numbers of a capture thread: n events are lost.
func (b *Builder) Lose(thread uint64, n uint32) { *b.captures.number(thread) += n }

// Flush writes what is pending: metadata, stacks, threads and label lists, then
// events.
func (b *Builder) Flush() {
	b.flushMetadata()
	if len(b.stacks.Stacks) > 0 {
		b.emit(&b.stacks)
	}
	if len(b.threads.Threads) > 0 {
		b.emit(&b.threads)
	}
	if len(b.labels.LabelLists) > 0 {
		b.emit(&b.labels)
	}
	if rows := &b.events; len(rows.Events) > 0 {
		b.header(rows, rows.Events)
		if b.bounds != nil {
			rows.MinTimestamp, rows.MaxTimestamp = b.bounds[0], b.bounds[1]
		}
		b.emit(rows)
	}
	b.reset()
}

func (b *Builder) flushMetadata() {
	rows := &b.metadata
	if len(rows.Metadata) == 0 {
		return
	}
	if b.format.HasMetadataHeaders() {
		headers := make([]codec.EventRow, len(rows.Metadata))
		for i := range headers {
			headers[i] = rows.Metadata[i].Header
		}
		b.header(rows, headers)
		if !aligned(rows.Metadata) {
			rows.Flags |= wire.BlockCompressed
		}
	}
	rows.Extension = b.Extension
	b.emit(rows)
}

// header fills in the header of an event block. The readers of v4 do not agree
// on how uncompressed rows are padded: there, only rows that need no padding are
// written so.
func (b *Builder) header(rows *codec.BlockRows, events []codec.EventRow) {
	rows.MinTimestamp, rows.MaxTimestamp = events[0].Timestamp, events[0].Timestamp
	padded := false
	for i := range events {
		rows.MinTimestamp = min(rows.MinTimestamp, events[i].Timestamp)
		rows.MaxTimestamp = max(rows.MaxTimestamp, events[i].Timestamp)
		padded = padded || len(events[i].Payload)%4 != 0
	}
	if !b.Plain || padded && b.format.HasPadding() {
		rows.Flags = wire.BlockCompressed
	}
	rows.Extension = b.Extension
}

// SequencePoint writes what is pending and then a sequence point that lists
// every capture thread. It clears stacks and label lists and, depending on
// flags, threads and metadata: see wire.SequenceThreads.
func (b *Builder) SequencePoint(ticks uint64, flags uint32) {
	b.Point(codec.SequencePoint{Timestamp: ticks, Flags: flags, Threads: slices.Clone(b.captures.list)})
}

// Point writes what is pending and then a sequence point as given.
func (b *Builder) Point(p codec.SequencePoint) {
	b.Flush()
	b.emit(&codec.BlockRows{Kind: wire.KindSequencePoint, SequencePoint: p})
	b.nextStack, b.nextLabels = 1, 1
	b.Now = max(b.Now, p.Timestamp)
	if !b.format.HasRemovedThreads() {
		b.captures = captures{} // a thread that is missing has ended
	}
	for _, e := range p.Threads {
		*b.captures.number(e.Thread) = e.Sequence
	}
	if p.Flags&wire.SequenceThreads != 0 {
		b.captures = captures{}
	}
}

// EndThread makes later sequence points leave out a capture thread. Its
// sequence numbers may then restart at 1.
func (b *Builder) EndThread(thread uint64) { b.captures.remove(thread) }

// RemoveThreads writes what is pending and then a RemoveThread block (v6) with
// the last sequence numbers of the threads.
func (b *Builder) RemoveThreads(threads ...uint64) {
	b.Flush()
	rows := codec.BlockRows{Kind: wire.KindRemoveThread}
	for _, thread := range threads {
		rows.Removed = append(rows.Removed, codec.ThreadSequence{Thread: thread, Sequence: *b.captures.number(thread)})
		b.captures.remove(thread)
	}
	b.emit(&rows)
}

// Trace writes what is pending and returns the trace.
func (b *Builder) Trace() *Trace {
	b.Flush()
	return b.trace
}

// Close writes what is pending and the end mark of a stream. It returns the
// first error of the Builder.
func (b *Builder) Close() error {
	b.Flush()
	if b.err == nil && b.out != nil {
		b.err = b.out.Close()
	}
	return b.err
}
