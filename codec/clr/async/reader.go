package async

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// Header describes a buffer.
type Header struct {
	Context uint32 // number of the thread among those that ever wrote: a new thread has a new one, also with an old id
	Thread  uint64 // the operating system's id of the thread of all records
	Records uint32 // number of records
	Start   uint64 // ticks: when the buffer was begun
	End     uint64 // ticks: of the last record
}

const (
	layoutVersion = 1
	headerSize    = 37
	lengthSize    = 4 // of the number before the buffer
)

// Reader reads the records of buffers. The zero value is ready for the first one. It
// is for the buffers of one process, because later ones depend on Metadata.
type Reader struct {
	// Header is that of the buffer of the last Reset.
	Header Header
	// Record is the record of the last Next. It is valid until the next call.
	Record Record
	// Metadata is the last one that was read.
	Metadata Metadata

	widths [256]uint8 // of lengths, plus one; 0: the writer does not have the id
	known  bool       // widths are set
	b      []byte     // from the beginning of the payload to the end of the buffer
	at     int
	count  uint32
	err    error
}

// Error is the error for a buffer that breaks its layout, or that has a part which
// cannot be read.
type Error struct {
	// Offset is the position in the event's payload of what breaks it.
	Offset int
	// What describes it.
	What string
	// Unknown reports that it is an id which the Reader's list of ids does not have. A
	// later Metadata may have it.
	Unknown bool
}

// Error returns a description.
func (e *Error) Error() string {
	return fmt.Sprintf("async: %s at byte %d of the payload", e.What, e.Offset)
}

// Reset begins to read the payload of another event. After an error, an *Error, there
// are no records.
func (r *Reader) Reset(payload []byte) error {
	r.Header, r.Record, r.at, r.count, r.err = Header{}, Record{}, lengthSize+headerSize, 0, nil
	if !r.known {
		copy(r.widths[:], firstWidths[:])
		r.known = true
	}
	r.b = nil
	if len(payload) < lengthSize+headerSize {
		return r.fail(len(payload), "the header is truncated")
	}
	b := payload[lengthSize:]
	if b[0] != layoutVersion {
		return r.fail(lengthSize, "unknown version of the layout")
	}
	size := binary.LittleEndian.Uint32(b[1:])
	switch {
	case size != binary.LittleEndian.Uint32(payload):
		return r.fail(lengthSize+1, "the size is not the length before the buffer")
	case size < headerSize || uint64(size) > uint64(len(b)):
		return r.fail(lengthSize+1, "the size is not that of the payload")
	}
	r.Header = Header{
		Context: binary.LittleEndian.Uint32(b[5:]), Thread: binary.LittleEndian.Uint64(b[9:]), Records: binary.LittleEndian.Uint32(b[17:]),
		Start: binary.LittleEndian.Uint64(b[21:]), End: binary.LittleEndian.Uint64(b[29:]),
	}
	r.Record.Ticks = r.Header.Start
	r.b = payload[:lengthSize+int(size)]
	return nil
}

// fail stores the error that ends the buffer.
func (r *Reader) fail(at int, what string) error {
	r.err = &Error{Offset: at, What: what}
	r.at = len(r.b)
	return r.err
}

// Err returns the error that ended the buffer early, an *Error, or nil. Records that
// Next has returned before it are right.
func (r *Reader) Err() error { return r.err }

// Next reads the next record. It returns false at the end of the buffer and at the
// first error.
func (r *Reader) Next() bool {
	b, at := r.b, r.at
	if at >= len(b) {
		r.end()
		return false
	}
	id := ID(b[at])
	delta, next := wire.VarUint64(b, at+1)
	if next < 0 {
		r.fail(at+1, "a time is malformed")
		return false
	}
	if delta > math.MaxUint64-r.Record.Ticks {
		r.fail(at+1, "a time is out of range")
		return false
	}
	length := 0
	switch r.widths[id] {
	case 1:
	case 2:
		if next >= len(b) {
			r.fail(next, "a record is truncated")
			return false
		}
		length = int(b[next])
		next++
	case 3:
		if next+1 >= len(b) {
			r.fail(next, "a record is truncated")
			return false
		}
		length = int(binary.LittleEndian.Uint16(b[next:]))
		next += 2
	default:
		r.fail(at, "unknown id of a record")
		r.err.(*Error).Unknown = true
		return false
	}
	if length > len(b)-next {
		r.fail(next, "a record is truncated")
		return false
	}
	r.Record = Record{ID: id, Ticks: r.Record.Ticks + delta, Payload: b[next : next+length : next+length]}
	if shapes[id] != noFields && !r.fields(shapes[id]) {
		r.fail(next, "the payload of a record is malformed")
		return false
	}
	r.at = next + length
	r.count++
	return true
}

// end compares what was read with the header.
func (r *Reader) end() {
	switch {
	case r.err != nil || r.b == nil:
	case r.count != r.Header.Records:
		r.fail(len(r.b), "the number of records is not that of the header")
	case r.count > 0 && r.Record.Ticks != r.Header.End:
		r.fail(len(r.b), "the time of the last record is not that of the header")
	}
}

// fields reads the payload of the record.
func (r *Reader) fields(s shape) bool {
	rec := &r.Record
	p := fields{b: rec.Payload}
	switch s {
	case parentAndDispatcher:
		rec.Parent = p.number()
		rec.Dispatcher = p.number()
	case dispatcherAlone:
		rec.Dispatcher = p.number()
	case unwoundFrames:
		rec.Unwound = p.number()
	case clockPair:
		rec.Clock = p.number()
		rec.UTC = p.number()
	case metadata:
		r.metadata(&p)
	default:
		p.u8() // a type, always 0
		f := Frames{start: p.u8(), left: p.u8(), states: s == callstackWithStates, address: noAddress}
		if s == createdCallstack {
			rec.Parent = p.number()
		}
		rec.Dispatcher = p.number()
		f.b = p.b
		if p.short || !f.check() {
			return false
		}
		rec.Frames = f
	}
	return !p.short
}

// metadata reads the record that lists the ids. A list with a width that this package
// cannot read changes nothing else: such an id is unknown.
func (r *Reader) metadata(p *fields) {
	m := Metadata{Frequency: p.number(), Clock: p.number(), UTC: p.number(), BufferSize: p.number(), Wrappers: p.u8()}
	var widths [256]uint8
	for range p.u8() {
		id, _, width := p.u8(), p.u8(), p.u8()
		widths[id] = 0
		if width <= 2 {
			widths[id] = width + 1
		}
	}
	if !p.short {
		r.Metadata, r.widths = m, widths
	}
}

// fields reads the fields of a payload in order. A field past the end is zero and
// sets short.
type fields struct {
	b     []byte
	short bool
}

func (p *fields) number() uint64 {
	v, next := wire.VarUint64(p.b, 0)
	if next < 0 {
		p.b, p.short = nil, true
		return 0
	}
	p.b = p.b[next:]
	return v
}

func (p *fields) u8() uint8 {
	if len(p.b) == 0 {
		p.short = true
		return 0
	}
	v := p.b[0]
	p.b = p.b[1:]
	return v
}
