package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// record has all properties of an event in a comparable form. Long ones are
// digests.
type record struct {
	Offset                                   int64
	Timestamp, Thread, CaptureThread         uint64
	MetadataID, Sequence, StackID, Processor uint32
	Flags                                    byte
	Sorted                                   bool
	Provider, Name                           string
	ID, Version, Level                       uint32
	Opcode                                   uint8
	Keywords                                 uint64
	Activity, RelatedActivity                wire.GUID
	Seconds                                  int64
	Nanoseconds                              int
	OSThread, OSCaptureThread, Process       osID
	Frames, PayloadSize, LabelCount          int
	Payload, Stack, Labels                   uint64
	Metadata, ThreadRow, CaptureThreadRow    uint64
}

// osID is a number of the operating system, if it is known.
type osID struct {
	number uint64
	known  bool
}

func asID(number uint64, known bool) osID { return osID{number, known} }

// loss is a codec.Lost that can be compared.
type loss struct {
	captureThread, count, before uint64
	hasBefore                    bool
	thread                       uint64
}

// blockRecord has all properties of a block by a BlockReader.
type blockRecord struct {
	Kind                       wire.Kind
	TypeName                   string
	Offset, BodyOffset, Size   int64
	Have, Rows, HeaderSize     int
	Flags                      uint16
	MinTimestamp, MaxTimestamp uint64
	FirstID                    uint32
	Body, Defines              uint64
	Events                     int
}

// outcome is the result of one reading of a stream.
type outcome struct {
	events    []record
	payloads  [][]byte
	unclipped bool // a payload could be extended over the bytes after it
	blocks    []blockRecord
	reported  []codec.Error // by OnDefect, in order
	losses    []loss
	lost      uint64
	bad       int
	firstBad  *codec.Error
	defects   []codec.Defect
	err       error
	trace     uint64
	count     int64
	offset    int64
	trailing  int64
}

// method is one of the ways to read events.
type method int

const (
	byEvents  method = iota // Events
	byResumed               // Events, with several loops
	byNext                  // Next, with clones that outlive their events
	byBlocks                // BlockReader
)

// streamReader is a codec.Reader or a codec.BlockReader.
type streamReader interface {
	Reset(io.Reader)
	ResetBytes([]byte)
	Trace() (*codec.Trace, error)
	Err() error
	Count() int64
	Lost() uint64
	BadBlocks() (int, error)
	Defects() []codec.Defect
	Offset() int64
	TrailingBytes() (int64, error)
}

// reading is a Reader and a BlockReader with a record of the reports of the one
// that reads.
type reading struct {
	*outcome
	r      *codec.Reader
	b      *codec.BlockReader
	in     streamReader       // the one that reads
	begin  func(streamReader) // sets the stream
	digest digester
	clones []*codec.Event
}

// newReading prepares a reading with the given options. start sets the source of
// the stream.
func newReading(opt codec.Options) *reading {
	rd := &reading{outcome: &outcome{}}
	opt.OnDefect = func(e *codec.Error) {
		if errors.Is(e, codec.ErrDefect) { // BadBlocks has the bad blocks
			rd.reported = append(rd.reported, *e)
		}
	}
	opt.OnLost = func(l codec.Lost) {
		rd.losses = append(rd.losses, loss{l.CaptureThread, l.Count, l.Before, l.HasBefore, rd.digest.thread(l.Thread)})
	}
	rd.r, rd.b = codec.NewBytesReader(nil, opt), codec.NewBytesBlockReader(nil, opt)
	return rd
}

// memory makes the reading one of bytes in memory.
func (rd *reading) memory(b []byte) *reading {
	rd.outcome = &outcome{}
	rd.begin = func(in streamReader) { in.ResetBytes(b) }
	return rd
}

// source makes the reading one of a stream.
func (rd *reading) source(src io.Reader) *reading {
	rd.outcome = &outcome{}
	rd.begin = func(in streamReader) { in.Reset(src) }
	return rd
}

// through reads to the end.
func (rd *reading) through(d method) (*outcome, error) {
	rd.clones, rd.in = rd.clones[:0], rd.r
	if d == byBlocks {
		rd.in = rd.b
	}
	rd.begin(rd.in)
	switch d {
	case byEvents, byResumed:
		for rd.loop(d == byResumed) {
		}
	case byNext:
		for e, ok := rd.r.Next(); ok; e, ok = rd.r.Next() {
			rd.event(e)
			if len(rd.clones) < 64 {
				rd.clones = append(rd.clones, e.Clone())
			}
		}
	case byBlocks:
		for b, ok := rd.b.Next(); ok; b, ok = rd.b.Next() {
			if err := rd.block(b); err != nil {
				return nil, err
			}
		}
	}
	if err := rd.finish(); err != nil {
		return nil, err
	}
	return rd.outcome, nil
}

// loop iterates over the events, or over the next three. It reports whether there
// may be more.
func (rd *reading) loop(leave bool) bool {
	n := 0
	for e, err := range rd.r.Events() {
		if err != nil {
			rd.err = err
			return false
		}
		rd.event(e)
		if n++; leave && n == 3 {
			return true
		}
	}
	return false
}

func (rd *reading) event(e *codec.Event) {
	rd.events = append(rd.events, rd.digest.event(e))
	p := e.Payload()
	rd.unclipped = rd.unclipped || len(p) != cap(p)
	rd.payloads = append(rd.payloads, bytes.Clone(p))
}

// block records a block and its events.
func (rd *reading) block(b *codec.Block) error {
	if int64(len(b.Body)) > b.Size {
		return fmt.Errorf("block at %d has %d bytes of the %d it declares", b.Offset, len(b.Body), b.Size)
	}
	events := 0
	last := b.BodyOffset - 1
	for e, ok := rd.b.NextEvent(); ok; e, ok = rd.b.NextEvent() {
		rd.event(e)
		events++
		if e.Offset() <= last || e.Offset() >= b.BodyOffset+int64(len(b.Body)) {
			return fmt.Errorf("event at %d of the block at %d, after one at %d", e.Offset(), b.Offset, last)
		}
		last = e.Offset()
	}
	if err := rd.b.Err(); err == nil && b.Kind == wire.KindEvent && b.Rows != events+len(b.Metadata) {
		return fmt.Errorf("event block at %d counts %d rows: %d events, %d definitions", b.Offset, b.Rows, events, len(b.Metadata))
	}
	rd.blocks = append(rd.blocks, rd.digest.block(b, events))
	return nil
}

// finish records how the reading ended, and compares the clones.
func (rd *reading) finish() error {
	r := rd.in
	if err := r.Err(); rd.err != nil && rd.err != err {
		return fmt.Errorf("the loop yielded %v, Err returns %v", rd.err, err)
	}
	rd.err = r.Err()
	if at, more := rd.next(); more {
		return fmt.Errorf("an event or a block at %d after the end", at)
	}
	rd.lost, rd.defects, rd.count = r.Lost(), r.Defects(), r.Count()
	var first error
	rd.bad, first = r.BadBlocks()
	errors.As(first, &rd.firstBad)
	if t, err := r.Trace(); err == nil {
		rd.trace = rd.digest.trace(t)
	}
	var err error
	if rd.trailing, err = r.TrailingBytes(); err != nil && !errors.Is(err, errSource) {
		return fmt.Errorf("TrailingBytes: %w", err)
	}
	rd.offset = r.Offset()
	for i, c := range rd.clones {
		if got := rd.digest.event(c); got != rd.events[i] {
			return fmt.Errorf("clone %d was\n%+v\nis\n%+v", i, rd.events[i], got)
		}
	}
	return nil
}

// next reads one more event or block.
func (rd *reading) next() (at int64, more bool) {
	if rd.in == streamReader(rd.r) {
		if e, ok := rd.r.Next(); ok {
			return e.Offset(), true
		}
	} else if b, ok := rd.b.Next(); ok {
		return b.Offset, true
	}
	return 0, false
}
