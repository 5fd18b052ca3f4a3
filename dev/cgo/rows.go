package cgo

/*
#include "rows.h"
*/
import "C"

import (
	"unsafe"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
)

const (
	batch   = 256 // rows at a time, as in package codec
	padding = 96  // zeros that the loop in C needs after a body
)

// decoder decodes blocks with either loop.
type decoder struct {
	events []C.event
	ours   []codec.Event
	reader *codec.BlockReader  // that has read all the tables of the trace
	state  [256]unsafe.Pointer // more than the rowState of package codec; pointers, because it holds some
}

func newDecoder() *decoder {
	return &decoder{events: make([]C.event, batch), ours: make([]codec.Event, batch)}
}

// decodeCompressedV4 is the function of package codec, which has no exported name
// because no other package needs it.
//
//go:linkname decodeCompressedV4 github.com/nettrace-go/nettrace/codec.decodeCompressedV4
func decodeCompressedV4(state unsafe.Pointer, body []byte, dst []codec.Event) (int, rule.ID)

// beginRows is a method of the stream, which a BlockReader begins with.
//
//go:linkname beginRows github.com/nettrace-go/nettrace/codec.(*stream).beginRows
func beginRows(r *codec.BlockReader, state unsafe.Pointer, pos int)

//go:linkname beginBatch github.com/nettrace-go/nettrace/codec.(*rowState).beginBatch
func beginBatch(state unsafe.Pointer)

// sum has the values on which both loops must agree.
type sum struct {
	rows                int
	ticks, threads, ids uint64
}

// inC decodes the rows of a block whose last padding bytes are zeros. look
// determines whether it reads each row.
func (d *decoder) inC(body []byte, look bool) (s sum) {
	var st C.state
	size := C.size_t(len(body) - padding)
	for st.pos < size {
		n := int(C.rows_v4(&st, (*C.uint8_t)(&body[0]), size, &d.events[0], batch))
		if n == 0 {
			break
		}
		s.rows += n
		for i := 0; look && i < n; i++ {
			e := &d.events[i]
			s.ticks += uint64(e.timestamp)
			s.threads += uint64(e.thread) + uint64(e.capture) + uint64(e.sequence)
			s.ids += uint64(e.metadata) + uint64(e.stack) + uint64(e.processor)
		}
	}
	return s
}

// inGo does so with the loop of package codec. It stops with the last batch that
// is not full.
func (d *decoder) inGo(body []byte, look bool) (s sum) {
	beginRows(d.reader, unsafe.Pointer(&d.state), 0)
	body = body[:len(body)-padding]
	for {
		beginBatch(unsafe.Pointer(&d.state))
		n, _ := decodeCompressedV4(unsafe.Pointer(&d.state), body, d.ours)
		s.rows += n
		for i := 0; look && i < n; i++ {
			e := &d.ours[i]
			s.ticks += e.Timestamp
			s.threads += e.ThreadIndex + e.CaptureThreadIndex + uint64(e.Sequence)
			s.ids += uint64(e.MetadataID) + uint64(e.StackID) + uint64(e.Processor)
		}
		if n < batch {
			return s
		}
	}
}
