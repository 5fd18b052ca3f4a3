package codec

import (
	"fmt"
	"io"
	"math"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// WriterOptions configure a Writer. The zero value writes v6, compressed, but
// Trace.SyncTime and Trace.TickFrequency must be set.
type WriterOptions struct {
	// Format is the version: 4, 5 (4 with the tags for opcodes and arrays) or 6.
	// Default: 6.
	Format wire.Format
	// Trace is the content of the first block. SyncTime and TickFrequency are
	// required: a timestamp of SyncTicks means SyncTime, and no event should have an
	// earlier one. A PointerSize of 0 means 8 bytes. Format is ignored. Set the
	// properties ProcessIDKey and HardwareThreadCountKey: in v4 and v5 the
	// conformance checker warns if they are missing.
	Trace Trace
	// Uncompressed writes rows without header compression.
	Uncompressed bool
	// Ordered declares that the events of all threads come in time order; an
	// event that is older than the one before it is ErrOrder. The Writer then marks
	// the first row of each block, and each row with another capture thread than
	// the row before, as sorted, so that readers can put the events in time order
	// while they read. If Ordered is not set, the Writer marks only rows that are in
	// memory when it writes a sequence point, because no later event of the region
	// is older. The checker then warns (NT-ORD-003) if Flush has written more than
	// 10,000 events of a region and no row is marked. Default: off.
	Ordered bool
	// MixedThreads lets the capture thread change inside a block on a row that
	// is not marked as sorted. The specification allows that, but TraceEvent, the
	// library of PerfView, takes such a row for one of the previous thread and
	// reports wrong losses. Default: off; the Writer begins a block where the
	// thread changes, which takes about 30 bytes in v6 and 60 in v4 and v5. It
	// has no effect with Ordered: each such row is then marked as sorted.
	MixedThreads bool
	// BlockBytes is the size in bytes at which the Writer closes a block and
	// writes it with the shorter ones before it. Default: 100 KiB. A larger event
	// gets a block of its own.
	BlockBytes int
	// BlockTicks, in ticks, limits the time between the first and the last event
	// in memory: the Writer writes them before it takes an event that is BlockTicks
	// or more after the first. Default: no limit.
	BlockTicks uint64
	// PointEvents and PointBytes are the number of events, and the bytes of
	// their rows, after which the Writer writes a sequence point. The point has
	// the time of the newest event; an older event after it is ErrOrder.
	// Default with Ordered: 32,768 events and 8 MiB. Default if Ordered is
	// not set: the Writer writes a point when the events, stacks and labels since
	// the last one would fill three quarters of the memory of a Reader with
	// default Limits. -1 in either field switches off both: the Writer then never
	// writes a point because of the number or size of events, and the stream may
	// exceed the Limits of a Reader.
	PointEvents, PointBytes int64
	// PointTicks is the time in ticks after the first event of a region at
	// which the Writer writes a sequence point. Default: none.
	PointTicks uint64
	// PassOn is for programs that write events of another trace. The Writer
	// then accepts payloads that do not fit their fields, text that is not
	// valid UTF-8, sequence numbers that decrease, a trace without a clock, and
	// rows beyond the default Limits of a Reader. Default: off; these are
	// errors.
	PassOn bool
}

// Record is an event to write, with the values of everything that it refers to.
type Record struct {
	MetadataID    uint32    // result of DefineMetadata
	Timestamp     uint64    // ticks; not before the last event of its capture thread, a sequence point or a sorted event
	Thread        uint64    // thread of the event: result of DefineThread (v6), or the operating system's thread id (v4, v5)
	CaptureThread uint64    // thread that logged the event, likewise; usually the same
	Processor     uint32    // 0 is the first processor; wire.UnknownProcessor if unknown
	Sequence      uint32    // number on the capture thread, higher than the last one; 0: the next one
	Stack         []uint64  // addresses, leaf first
	Labels        []Label   // v6; in v4 and v5 only activity ids
	Activity      wire.GUID // v6: written as a label before Labels
	Related       wire.GUID // likewise
	Payload       []byte    // the encoded fields that the metadata declares, if any
	Sorted        bool      // promise that no later event of any thread is older; such an event is ErrOrder
}

// Writer writes one NetTrace stream of version 4, 5 or 6. It does not seek. It
// is for one goroutine; see Recorder for several. Use NewWriter to create one.
//
// First define what the events refer to, with DefineEvent or DefineMetadata, and in
// v6 with DefineThread; definitions can also come between events. The Writer keeps
// events in memory up to BlockBytes; without Close they are lost and the stream has
// no end mark. It does not close the underlying io.Writer.
//
// If a call returns one of the following errors, its event or definition is not
// written, and the Writer can be used further.
// The errors are ErrUndefined, ErrOrder, ErrSequence, ErrPayload,
// ErrNotExpressible if the version cannot express a value, ErrLimit if a value
// is too large for the version or for a Reader with default Limits, and
// ErrClosed. The conformance checker finds no error in the stream of a Writer
// without PassOn. With default options its warnings are about what the Writer was
// given, such as times or properties, or about Flush, see WriterOptions.Ordered.
// An error of the underlying io.Writer is final: Err returns
// it, and nothing more is written.
type Writer struct {
	opt     WriterOptions
	raw     raw.Writer
	enc     blockEncoder
	catalog catalog

	events   eventBlocks
	row      [1]EventRow // the next one
	first    uint64      // time of the first event of the event blocks
	marks    []mark      // rows of the event blocks that may be sorted, unless Ordered
	keepEnds bool
	saved    uint64 // rows of events that the destination took, as far as is known

	metadata []MetadataBytes // rows that wait to be written
	added    []ThreadBytes   // likewise
	tables   int64           // bytes that a Reader holds for the rows that were defined
	outdated int64           // bytes of tables of threads that were removed since the last sequence point
	stacks   internTable
	labels   internTable
	known    idTable[*captured] // by capture thread
	order    []*captured        // the same in the order first met; nil for those that were removed
	holes    int                // the number of nil entries of order
	current  *captured

	last    uint64 // newest event so far
	point   uint64 // time of the last sequence point
	promise uint64 // newest time of an event with Sorted set
	region  openRegion
	body    []byte // scratch
	next    raw.Block
	begun   bool
	ended   bool // nothing has happened since the last sequence point
	err     error
	streams uint32 // number of Resets
}

// captured is the state of a capture thread.
type captured struct {
	id       uint64
	at       int    // in Writer.order
	sequence uint32 // of the last event, or of the last one that Drop counted
	shift    uint32 // of a Recorder: what its numbers are less than sequence
	visible  uint32 // the last number that the stream holds
	last     uint64 // time of the last event
	used     bool   // it has events, or drops
	removed  bool   // by RemoveThread, since the last sequence point (v4, v5)
}

// NewWriter returns a Writer. It writes nothing before the first event, Flush
// or Close. If the options are invalid, all calls return the error.
func NewWriter(dst io.Writer, opt WriterOptions) *Writer {
	w := &Writer{}
	w.start(opt)
	w.Reset(dst)
	return w
}

// start fills in the defaults of the options.
func (w *Writer) start(opt WriterOptions) {
	if opt.Format.IsZero() {
		opt.Format = formatV6
	}
	if opt.BlockBytes <= 0 {
		opt.BlockBytes = 100 << 10
	}
	opt.BlockBytes = min(opt.BlockBytes, raw.MaxBlockSize/4)
	if opt.Trace.PointerSize == 0 {
		opt.Trace.PointerSize = 8
	}
	w.region.start(&opt)
	w.opt = opt
	to := encodingOf(opt.Format)
	w.enc = blockEncoder{format: opt.Format, to: to, pointer: opt.Trace.PointerSize}
	w.catalog = catalog{format: opt.Format, to: to, pointer: opt.Trace.PointerSize, passOn: opt.PassOn}
}

// Reset makes w write a new stream to dst with the same options. It keeps its
// memory and removes all definitions. Events in memory are lost: call Close before.
func (w *Writer) Reset(dst io.Writer) {
	w.mustBeMade()
	w.streams++
	w.raw.Reset(dst, raw.WriterOptions{Format: w.opt.Format})
	w.catalog.reset()
	w.metadata, w.added, w.tables, w.outdated = nil, nil, 0, 0
	w.stacks.reset()
	w.labels.reset()
	w.known.clear()
	w.order, w.holes, w.current = w.order[:0], 0, nil
	w.last, w.point, w.promise, w.saved = 0, 0, 0, 0
	w.region.begin()
	w.begun, w.ended, w.err = false, false, w.checkOptions()
	w.emptyBlocks()
}

// checkOptions finds options with which no stream can be written.
func (w *Writer) checkOptions() error {
	if w.enc.to == nil {
		return notWritten(w.opt.Format)
	}
	if err := w.catalog.checkTrace(&w.opt.Trace); err != nil {
		return err
	}
	body, err := w.enc.trace(nil, &BlockRows{Trace: &w.opt.Trace})
	if err == nil && len(body) > maxRecord {
		err = &LimitError{Name: "Trace block", Size: int64(len(body)), Limit: maxRecord}
	}
	return err
}

// Err returns the error that ended the writing: that of the options or of the
// underlying io.Writer, ErrClosed after Close, or nil.
func (w *Writer) Err() error {
	if w.err != nil {
		return w.err
	}
	return w.raw.Err()
}

// ready returns Err, and panics for the zero Writer.
func (w *Writer) ready() error {
	w.mustBeMade()
	return w.Err()
}

// mustBeMade panics for the zero Writer.
func (w *Writer) mustBeMade() {
	if w.opt.BlockBytes == 0 {
		panic("codec: a zero Writer has no destination: use NewWriter")
	}
}

// Offset returns the number of bytes written, without the events in memory.
func (w *Writer) Offset() int64 { return w.raw.Offset() }

// Write writes an event. It stays in memory until its block is full, or until
// Flush, SequencePoint, RemoveThread or Close. Write copies rec. If the event has no new stack, labels and threads,
// Write does not allocate. For the errors see Writer.
func (w *Writer) Write(rec *Record) error {
	if err := w.Err(); err != nil {
		return err
	}
	if err := w.catalog.check(rec); err != nil {
		w.mustBeMade() // the zero Writer fails here: it has no metadata
		return err
	}
	c, err := w.threads(rec)
	if err != nil {
		return err
	}
	number, err := w.number(c, rec.Sequence)
	if err != nil {
		return err
	}
	if rec.Timestamp < w.floor(c) {
		return w.errLate(c, rec)
	}
	if w.regionFull(rec) {
		if err := w.SequencePoint(w.last); err != nil {
			return err
		}
		if rec.Timestamp < w.point {
			return w.errLate(c, rec)
		}
		if c, err = w.thread(rec.CaptureThread); err != nil { // the point ends threads of v4 and v5 that were removed
			return err
		}
	}
	return w.put(c, rec, number)
}

// put writes an event that was checked.
func (w *Writer) put(c *captured, rec *Record, number uint32) error {
	if w.full(rec) {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	row := &w.row[0]
	row.Activity, row.Related, row.LabelListID = wire.GUID{}, wire.GUID{}, 0
	if len(rec.Labels) > 0 || !rec.Activity.IsZero() || !rec.Related.IsZero() {
		if err := w.setLabels(rec); err != nil {
			return err
		}
	}
	row.StackID = w.stackID(rec.Stack)
	row.MetadataID, row.Timestamp, row.Payload = rec.MetadataID, rec.Timestamp, rec.Payload
	row.ThreadIndex, row.CaptureThreadIndex, row.Processor = rec.Thread, rec.CaptureThread, rec.Processor
	row.Sequence, row.Sorted = number, rec.Sorted
	if rec.Sorted {
		w.promise = max(w.promise, rec.Timestamp)
	}
	w.append(c)
	return nil
}

// threads finds the capture thread of a record, and whether the thread that the
// record is about is defined.
func (w *Writer) threads(rec *Record) (*captured, error) {
	c, err := w.thread(rec.CaptureThread)
	if err == nil && rec.Thread != rec.CaptureThread && w.enc.to.indexed && w.known.get(rec.Thread) == nil {
		err = undefinedThread(rec.Thread)
	}
	return c, err
}

func undefinedThread(id uint64) error { return fmt.Errorf("codec: thread %d is %w", id, ErrUndefined) }

// thread finds a capture thread. Those of v6 must be defined.
func (w *Writer) thread(id uint64) (*captured, error) {
	if w.current != nil && w.current.id == id {
		return w.current, nil
	}
	c := w.known.get(id)
	if c == nil {
		if w.enc.to.indexed {
			return nil, undefinedThread(id)
		}
		if n := int64(len(w.order) - w.holes); n >= readerLimits.Threads && !w.opt.PassOn {
			return nil, &LimitError{Name: "Threads", Size: n + 1, Limit: readerLimits.Threads}
		}
		c = w.newThread(id)
	}
	w.current = c
	return c, nil
}

func (w *Writer) newThread(id uint64) *captured {
	c := &captured{id: id, at: len(w.order)}
	w.known.set(id, c)
	w.order = append(w.order, c)
	return c
}

// floor is the oldest time that the next event of a thread may have.
func (w *Writer) floor(c *captured) uint64 {
	if w.opt.Ordered {
		return max(w.last, w.point)
	}
	return max(c.last, w.point, w.promise)
}

// errLate is the error for an event that is before the floor.
func (w *Writer) errLate(c *captured, rec *Record) error {
	floor, of := c.last, "the last event of that thread"
	if w.opt.Ordered && w.last > floor {
		floor, of = w.last, "the last event"
	}
	if w.promise > floor {
		floor, of = w.promise, "an event that was promised to be sorted"
	}
	if w.point >= floor {
		floor, of = w.point, "the last sequence point"
	}
	return fmt.Errorf("codec: event at %d ticks on thread %d, but %s is at %d: %w", rec.Timestamp, c.id, of, floor, ErrOrder)
}

// maxStep is the largest difference of two sequence numbers that every reader
// regards as a forward step.
const maxStep = 1<<31 - 1

// number returns the sequence number of the next event of a thread: the requested
// one, or the next one if that is 0.
func (w *Writer) number(c *captured, asked uint32) (uint32, error) {
	switch {
	case asked == 0 && c.removed && c.sequence == c.visible:
		return 1, nil
	case asked == 0:
		return c.sequence + 1, nil
	case w.opt.PassOn, asked == 1 && !w.enc.to.indexed && c.sequence == c.visible, forward(c.sequence, asked) && forward(c.visible, asked):
		return asked, nil
	}
	return 0, fmt.Errorf("codec: event with number %d on thread %d, after %d: %w", asked, c.id, c.sequence, ErrSequence)
}

// forward reports whether every reader regards next as a number after last, also
// after the wrap-around at 2^32-1.
func forward(last, next uint32) bool { return next > last || next != last && next-last <= maxStep }

// Drop records n lost events of a capture thread: the Writer skips their
// sequence numbers, and readers count them when they read the next event of the
// thread or the next sequence point. The error is ErrLimit if readers would take the next number
// for a decrease: that cannot happen with fewer than 2^31-1 lost events since the
// last event or sequence point. For other errors see Writer.
func (w *Writer) Drop(captureThread uint64, n uint32) error {
	if err := w.ready(); err != nil {
		return err
	}
	c, err := w.thread(captureThread)
	if err != nil {
		return err
	}
	lost := uint64(c.sequence-c.visible) + uint64(n)
	if next := uint64(c.visible) + lost + 1; next >= 1<<32 && lost >= maxStep && !w.opt.PassOn {
		return &LimitError{Name: "Dropped events", Size: int64(lost), Limit: max(maxStep-1, 1<<32-2-int64(c.visible))}
	}
	c.sequence += n
	c.used, c.removed, w.ended = true, false, false
	return nil
}

// SequencePoint writes everything that is pending and ends the region at a time in
// ticks. The time must not be before that of any event so far; a later Write of an
// earlier event returns ErrOrder. The point lists the last sequence number of each
// thread. Later events do not refer to earlier stacks and labels: the Writer writes
// these again. Programs need not call it: the Writer writes points by itself, see
// WriterOptions.PointEvents.
func (w *Writer) SequencePoint(timestamp uint64) error {
	if err := w.ready(); err != nil {
		return err
	}
	if newest := max(w.last, w.point); timestamp < newest {
		return fmt.Errorf("codec: sequence point at %d ticks, after an event or a point at %d: %w", timestamp, newest, ErrOrder)
	}
	w.markSorted()
	if err := w.Flush(); err != nil {
		return err
	}
	w.forgetRemoved()
	w.tables -= w.outdated
	w.outdated = 0
	p := SequencePoint{Timestamp: timestamp}
	for _, c := range w.order {
		if c != nil && c.used {
			p.Threads = append(p.Threads, ThreadSequence{c.id, c.sequence})
			c.visible, c.used = c.sequence, !c.removed
		}
	}
	w.body = w.enc.to.point(w.body[:0], &p)
	w.stacks.reset()
	w.labels.reset()
	w.point, w.last = timestamp, timestamp
	w.region.begin()
	w.ended = true
	return w.write(wire.KindSequencePoint, w.body)
}

// Close writes the pending events, a last sequence point unless nothing was
// written since the previous one, and the end mark. It does not close the
// underlying io.Writer. It returns any final error. Later calls do nothing.
func (w *Writer) Close() error {
	if w.err == ErrClosed {
		return nil
	}
	w.mustBeMade()
	if err := w.lastPoint(); err != nil {
		return err
	}
	err := w.raw.Close()
	if err == nil {
		w.err = ErrClosed
	}
	return err
}

// lastPoint writes the last sequence point. Its time is after that of the one
// before, also if no event is.
func (w *Writer) lastPoint() error {
	if w.ended {
		return w.Flush()
	}
	at := max(w.last, w.opt.Trace.SyncTicks)
	if at == w.point && at > 0 && at < math.MaxUint64 {
		at++
	}
	return w.SequencePoint(at)
}
