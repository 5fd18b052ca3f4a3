package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// WriterOptions are those of a Writer. The zero value writes v6, compressed.
type WriterOptions struct {
	// Format is the version: 4, 5 (4 with the tags for opcodes and arrays) or 6.
	// Default: 6.
	Format wire.Format
	// Trace is what the first block says. Its Format is not looked at; a
	// PointerSize of 0 stands for 8. Without SyncTime or TickFrequency readers
	// take it as a trace without a clock, which is a defect.
	Trace Trace
	// Uncompressed writes rows with all their fields.
	Uncompressed bool
	// Ordered promises that events come in order of time; one that does not is
	// an error. Then rows are marked as sorted at once, so that readers can put
	// threads in order while they read. Without it only rows of the last block
	// before a sequence point are.
	Ordered bool
	// ThreadBlocks closes a block where the capture thread changes on a row that
	// is not marked as sorted. The text does not ask for it, but there are readers
	// that take such a row for one of the thread before, and count losses wrong.
	// It costs some 50 bytes for each change. Default: off.
	ThreadBlocks bool
	// BlockBytes is the size at which a block is closed. Default: 100 KiB. An
	// event that is larger gets a block of its own.
	BlockBytes int
	// BlockTicks is the age, between the first event of a block and the next to
	// be written, at which it is closed. Default: none.
	BlockTicks uint64
	// PointEvents, PointBytes and PointTicks are the number of events, their bytes
	// and the time after which a sequence point is written. A reader that puts
	// events in order holds that much. Default: 32,768 events, 8 MiB, no time;
	// -1: none.
	PointEvents, PointBytes int64
	PointTicks              uint64
}

// Record is an event to be written, with all that it refers to.
type Record struct {
	MetadataID    uint32 // of Writer.DefineMetadata
	Timestamp     uint64 // ticks; never less than before on its capture thread, nor than a sequence point's
	Thread        uint64 // the event is about: of Writer.DefineThread (v6), or id of the operating system
	CaptureThread uint64 // that logged it: likewise
	Processor     uint32 // wire.UnknownProcessor when it is not known
	Sequence      uint32 // on its capture thread; 0: the one behind the last
	Stack         []uint64
	Labels        []Label   // v6; v4 and v5: activity ids only
	Activity      wire.GUID // v6: written as a label before Labels
	Related       wire.GUID // likewise
	Payload       []byte
	Sorted        bool // no event that comes later is older
}

var (
	// ErrUndefined: a Record refers to metadata or a thread that was not
	// defined.
	ErrUndefined = errors.New("not defined")
	// ErrOrder: a time is before one that it must not be before.
	ErrOrder = errors.New("time goes back")
)

// Writer writes one NetTrace stream of version 4, 5 or 6. It does not seek. It
// is for one goroutine; see Recorder.
//
// What a version or a size cannot express is an error before a byte of it is
// written, and the Writer goes on; an error of the underlying io.Writer is
// final: Err returns it, and nothing is written any more.
type Writer struct {
	opt WriterOptions
	raw raw.Writer
	enc blockEncoder

	events   rowEncoder  // the block that is open; its body begins with room for the header
	row      [1]EventRow // the next one
	count    int         // rows in the open block
	first    uint64
	min, max uint64
	marks    []mark // rows that may be sorted, unless Ordered

	metadata definitions // the rows that wait to be written, and those that were
	threads  definitions
	stacks   internTable
	labels   internTable
	known    idTable[*captured] // by capture thread
	order    []*captured        // the same in the order first met
	current  *captured

	last   uint64 // newest event so far
	point  uint64 // time of the last sequence point
	region struct {
		events, bytes int64
		first         uint64
	}
	body  []byte // scratch
	next  raw.Block
	begun bool
	ended bool // a sequence point has told all that happened so far
	err   error
}

// maxRecord is the largest payload, with its stack, that is written, and the
// largest label list: one that v6 can surely express beside what waits.
const maxRecord = raw.MaxBlockSize / 2

// captured is what the Writer knows of a capture thread.
type captured struct {
	id       uint64
	sequence uint32 // of the last event
	last     uint64 // its time
	used     bool   // it has logged
}

// mark is a row that a reader may take as sorted if none behind it is older.
type mark struct {
	at   int // of its flags in the body
	row  int
	time uint64
}

// NewWriter returns a Writer. Nothing is written before the first event, Flush
// or Close.
func NewWriter(dst io.Writer, opt WriterOptions) *Writer {
	w := &Writer{}
	w.start(opt)
	w.Reset(dst)
	return w
}

// start fills in what the options leave out.
func (w *Writer) start(opt WriterOptions) {
	def := func(v *int64, n int64) {
		if *v == 0 {
			*v = n
		}
	}
	if opt.Format.Major == 0 {
		opt.Format = formatV6
	}
	if opt.BlockBytes <= 0 {
		opt.BlockBytes = 100 << 10
	}
	opt.BlockBytes = min(opt.BlockBytes, raw.MaxBlockSize/4)
	def(&opt.PointEvents, 32768)
	def(&opt.PointBytes, 8<<20)
	if opt.Trace.PointerSize == 0 {
		opt.Trace.PointerSize = 8
	}
	w.opt = opt
	w.enc = blockEncoder{format: opt.Format, to: encodingOf(opt.Format), pointer: opt.Trace.PointerSize}
}

// Reset makes w write a new stream to dst with the same options. It keeps its
// memory, and forgets all that was defined.
func (w *Writer) Reset(dst io.Writer) {
	w.raw.Reset(dst, w.opt.Format)
	w.metadata.reset()
	w.threads.reset()
	w.stacks.reset()
	w.labels.reset()
	w.known.clear()
	w.order, w.current = w.order[:0], nil
	w.last, w.point = 0, 0
	w.region.events, w.region.bytes = 0, 0
	w.begun, w.ended, w.err = false, false, nil
	if w.enc.to == nil {
		w.err = notWritten(w.opt.Format)
	}
	w.openBlock()
}

// Err is the error that ended the writing, or nil.
func (w *Writer) Err() error {
	if w.err != nil {
		return w.err
	}
	return w.raw.Err()
}

// Offset is the number of bytes that were written.
func (w *Writer) Offset() int64 { return w.raw.Offset() }

// Write writes an event. It is kept until its block is full, or Flush. Nothing
// of the Record is borrowed. Without new stacks, labels and threads it allocates
// nothing.
func (w *Writer) Write(rec *Record) error {
	c, err := w.check(rec)
	if err != nil {
		return err
	}
	if err := w.makeRoom(rec); err != nil {
		return err
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
	if row.Sequence = rec.Sequence; rec.Sequence == 0 {
		row.Sequence = c.sequence + 1
	}
	row.Sorted = rec.Sorted
	w.append(c)
	return nil
}

// check finds what is wrong with a Record, and its capture thread.
func (w *Writer) check(rec *Record) (*captured, error) {
	if err := w.Err(); err != nil {
		return nil, err
	}
	if !w.metadata.has(rec.MetadataID) {
		return nil, fmt.Errorf("metadata %d: %w", rec.MetadataID, ErrUndefined)
	}
	c, err := w.thread(rec.CaptureThread)
	if err == nil && rec.Thread != rec.CaptureThread {
		_, err = w.thread(rec.Thread)
	}
	floor := w.point
	if err == nil {
		floor = max(floor, c.last)
	}
	if w.opt.Ordered {
		floor = max(floor, w.last)
	}
	if err == nil && rec.Timestamp < floor {
		err = fmt.Errorf("event at %d on thread %d, after %d: %w", rec.Timestamp, rec.CaptureThread, floor, ErrOrder)
	}
	return c, err
}

// thread finds a capture thread. Those of v6 must be defined.
func (w *Writer) thread(id uint64) (*captured, error) {
	if w.current != nil && w.current.id == id {
		return w.current, nil
	}
	c := w.known.get(id)
	if c == nil {
		if w.enc.to.indexed {
			return nil, fmt.Errorf("thread %d: %w", id, ErrUndefined)
		}
		c = w.newThread(id)
	}
	w.current = c
	return c, nil
}

func (w *Writer) newThread(id uint64) *captured {
	c := &captured{id: id}
	w.known.set(id, c)
	w.order = append(w.order, c)
	return c
}

// makeRoom closes the open block, and the region, when the options ask for it.
func (w *Writer) makeRoom(rec *Record) error {
	size := len(rec.Payload) + 8*len(rec.Stack) + maxHeaderV4
	if size > maxRecord {
		return &LimitError{What: "Event", Size: int64(size), Limit: maxRecord}
	}
	full := func(n, limit int64) bool { return limit > 0 && n >= limit }
	if r := &w.region; r.events > 0 && (full(r.events, w.opt.PointEvents) || full(r.bytes, w.opt.PointBytes) ||
		w.opt.PointTicks > 0 && rec.Timestamp > r.first && rec.Timestamp-r.first >= w.opt.PointTicks) {
		return w.SequencePoint(w.last)
	}
	waiting := max(len(w.stacks.pending), len(w.labels.pending))
	changes := w.opt.ThreadBlocks && rec.CaptureThread != w.events.prev.CaptureThreadIndex && !rec.Sorted && !w.opt.Ordered
	if w.count > 0 && (changes || len(w.events.body)+size > w.opt.BlockBytes || waiting > w.opt.BlockBytes ||
		w.opt.BlockTicks > 0 && rec.Timestamp > w.first && rec.Timestamp-w.first >= w.opt.BlockTicks) {
		return w.Flush()
	}
	return nil
}

// append encodes w.row into the open block.
func (w *Writer) append(c *captured) {
	row := &w.row[0]
	run := w.count == 0 || row.CaptureThreadIndex != w.events.prev.CaptureThreadIndex
	row.Sorted = row.Sorted || w.opt.Ordered && run
	if run && !w.opt.Ordered {
		w.marks = append(w.marks, mark{len(w.events.body), w.count, row.Timestamp})
	}
	if w.count == 0 {
		w.first, w.min, w.max = row.Timestamp, row.Timestamp, row.Timestamp
	}
	w.min, w.max = min(w.min, row.Timestamp), max(w.max, row.Timestamp)
	before := len(w.events.body)
	w.enc.to.rows[w.flags()](&w.events, w.row[:])
	w.events.prev.CaptureThreadIndex = row.CaptureThreadIndex
	if w.region.events == 0 {
		w.region.first = row.Timestamp
	}
	w.count++
	w.ended = false
	w.region.events++
	w.region.bytes += int64(len(w.events.body) - before)
	c.sequence, c.last, c.used = row.Sequence, row.Timestamp, true
	w.last = max(w.last, row.Timestamp)
}

// Drop counts n events of a capture thread as lost: the numbers that they would
// have had are left out.
func (w *Writer) Drop(captureThread uint64, n uint32) error {
	c, err := w.thread(captureThread)
	if err == nil {
		c.sequence += n
		c.used, w.ended = true, false
	}
	return err
}

// openBlock starts an event block; its header is filled in at the end.
func (w *Writer) openBlock() {
	var header [20]byte
	w.events.begin(append(w.events.body[:0], header[:]...))
	w.count, w.marks = 0, w.marks[:0]
}

// flags are those of the header of event blocks.
func (w *Writer) flags() uint16 {
	if w.opt.Uncompressed {
		return 0
	}
	return wire.BlockCompressed
}

// Flush closes the open block and writes all that waits: what the events refer
// to first.
func (w *Writer) Flush() error {
	if err := w.Err(); err != nil {
		return err
	}
	if err := w.begin(); err != nil {
		return err
	}
	for _, table := range []func() error{w.flushMetadata, w.flushThreads, w.flushStacks, w.flushLabels} {
		if err := table(); err != nil {
			return err
		}
	}
	if w.count == 0 {
		return nil
	}
	le, body := binary.LittleEndian, w.events.body
	le.PutUint16(body, 20)
	le.PutUint16(body[2:], w.flags())
	le.PutUint64(body[4:], w.min)
	le.PutUint64(body[12:], w.max)
	err := w.write(wire.Event, body)
	w.openBlock()
	return err
}

// begin writes the Trace block.
func (w *Writer) begin() error {
	if w.begun {
		return nil
	}
	body, err := w.enc.trace(w.body[:0], &BlockRows{Trace: &w.opt.Trace})
	if err != nil {
		w.err = err
		return err
	}
	w.begun = true
	return w.write(wire.Trace, body)
}

func (w *Writer) write(kind wire.Kind, body []byte) error {
	w.next = raw.Block{Kind: kind, Body: body}
	err := w.raw.Block(&w.next)
	if err != nil && w.err == nil {
		w.err = err
	}
	return err
}

// SequencePoint ends the region at a time that is not before any event so far:
// it lists the last number of each thread. Stacks and labels that come behind it
// are written anew.
func (w *Writer) SequencePoint(timestamp uint64) error {
	if timestamp < w.last || timestamp < w.point {
		return fmt.Errorf("sequence point at %d, after %d: %w", timestamp, max(w.last, w.point), ErrOrder)
	}
	w.markSorted()
	if err := w.Flush(); err != nil {
		return err
	}
	p := SequencePoint{Timestamp: timestamp}
	for _, c := range w.order {
		if c.used {
			p.Threads = append(p.Threads, ThreadSequence{c.id, c.sequence})
		}
	}
	w.body = w.enc.to.point(w.body[:0], &p)
	w.stacks.reset()
	w.labels.reset()
	w.point, w.last = timestamp, timestamp
	w.region.events, w.region.bytes = 0, 0
	w.ended = true
	return w.write(wire.SequencePoint, w.body)
}

// markSorted sets the flag of the rows of the open block that no row behind them
// is older than; all later blocks come behind a sequence point.
func (w *Writer) markSorted() {
	oldest := uint64(1<<64 - 1)
	for i := len(w.marks) - 1; i >= 0; i-- {
		m := &w.marks[i]
		if oldest = min(oldest, m.time); m.time > oldest {
			continue
		}
		if w.opt.Uncompressed {
			w.events.body[m.at+7] &^= wire.NotSortedBit >> 24
		} else {
			w.events.body[m.at] |= wire.RowSorted
		}
	}
	w.marks = w.marks[:0]
}

// Close writes what waits, a last sequence point, unless nothing happened since
// the one before, and the end mark. It may be called again.
func (w *Writer) Close() error {
	if w.err == ErrClosed {
		return nil
	}
	if err := w.lastPoint(); err != nil {
		return err
	}
	err := w.raw.Close()
	if err == nil {
		w.err = ErrClosed
	}
	return err
}

func (w *Writer) lastPoint() error {
	if w.ended {
		return w.Flush()
	}
	return w.SequencePoint(max(w.last, w.point, w.opt.Trace.SyncTicks))
}
