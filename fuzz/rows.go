package fuzz

import (
	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// This file accumulates the values of event rows, whose fields package
// codec/layout finds, for comparison with the loops of package codec.

// row holds the values of one event row.
type row struct {
	start         int    // position of the row in the body
	flags         byte   // of a compressed row
	metadata      uint32 // id
	sequence      uint32
	captureThread uint64
	processor     uint32
	thread        uint64
	stack         uint32
	time          uint64
	activity      [16]byte // v4
	related       [16]byte // v4
	labels        uint32   // v6
	sorted        bool
	size          uint32
	payload       []byte
	addresses     []uint64 // v3
	end           int
	numbered      bool // it has a sequence number, or one follows from the row before
}

// compressedRows decodes the rows of a block body from pos on, to the end or to
// the first fault.
func (v version) compressedRows(body []byte, pos int) ([]row, layout.Fault) {
	w := layout.NewWalker(layout.Options{Format: v.Format, PointerSize: v.pointer})
	var rows []row
	var last row // all zero before the first
	for pos < len(body) {
		next := last
		next.start, next.flags = pos, 0
		for f := range w.EventRow(true, body, pos, int(last.size)) {
			next.add(&f, body)
		}
		if w.Fault().Rule != rule.None {
			break
		}
		next.count(v.HasThreadTable())
		next.end = w.Pos()
		rows = append(rows, next)
		last, pos = next, next.end
	}
	return rows, w.Fault()
}

// add applies a field of a compressed row, which may be a difference to the row
// before.
func (r *row) add(f *layout.Field, body []byte) {
	switch f.Name {
	case "Flags":
		r.flags, r.sorted = byte(f.Value), f.Value&64 != 0
	case "SequenceNumber":
		r.sequence += uint32(f.Value)
	case "TimeStamp":
		r.time += f.Value
	default:
		r.set(f, body)
	}
}

// count counts the sequence number on. Unless all rows count, metadata rows of v4,
// those with id 0, do not count without a number of their own.
func (r *row) count(all bool) {
	r.numbered = r.flags&2 != 0 || r.metadata != 0 || all
	if r.numbered {
		r.sequence++
	}
}

// set reads a field that states its value.
func (r *row) set(f *layout.Field, body []byte) {
	switch f.Name {
	case "EventSize":
		r.end = f.To
	case "MetadataId":
		r.metadata = uint32(f.Value)
	case "SequenceNumber":
		r.sequence = uint32(f.Value)
	case "CaptureThreadId", "CaptureThreadIndex":
		r.captureThread = f.Value
	case "ProcessorNumber":
		r.processor = uint32(f.Value)
	case "ThreadId", "ThreadIndex":
		r.thread = f.Value
	case "StackId":
		r.stack = uint32(f.Value)
	case "TimeStamp":
		r.time = f.Value
	case "ActivityId":
		copy(r.activity[:], body[f.Pos:])
	case "RelatedActivityId":
		copy(r.related[:], body[f.Pos:])
	case "LabelListId":
		r.labels = uint32(f.Value)
	case "PayloadSize":
		r.size = uint32(f.Value)
	case "Payload":
		r.payload = body[f.Pos : f.Pos+f.Size]
	case "IP":
		r.addresses = append(r.addresses, f.Value)
	}
}

// plainRow reads the uncompressed row that starts at pos, whatever follows it. ok
// is false when the body does not hold it.
func (v version) plainRow(body []byte, pos int) (r row, ok bool) {
	w := layout.NewWalker(layout.Options{Format: v.Format, PointerSize: v.pointer})
	r = row{start: pos, numbered: true}
	for f := range w.EventRow(false, body, pos, 0) {
		r.set(&f, body)
	}
	if !v.HasEventBlockHeaders() {
		r.captureThread, r.processor = r.thread, wire.UnknownProcessor
		return r, w.Fault().Rule == rule.None
	}
	if r.sorted = r.metadata < 1<<31; r.sorted {
		r.flags = 64
	}
	r.metadata %= 1 << 31
	return r, w.Fault().Rule == rule.None
}
