package compare

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Read takes all events from a reader, in file order, and returns what ended
// the stream too early, if anything did.
func Read(r *codec.Reader) ([]Row, error) {
	trace, err := r.Trace()
	if err != nil {
		return nil, err
	}
	var rows []Row
	var s stackSummer
	for e, err := range r.Events() {
		if err != nil {
			return rows, err
		}
		rows = append(rows, s.row(e, trace.Format))
	}
	return rows, nil
}

// stackSummer keeps the memory in which stacks are written out.
type stackSummer struct{ bytes []byte }

// row puts one event into the columns of the answer.
func (s *stackSummer) row(e *codec.Event, f wire.Format) Row {
	thread, _ := e.ThreadID()
	process, _ := e.ProcessID()
	payload, stack := e.Payload(), e.Stack()
	row := Row{
		Ticks: e.Timestamp, Provider: e.Provider(), ID: uint16(e.ID()),
		Version: uint8(e.Version()), Opcode: e.Opcode(), Level: uint8(e.Level()), Keywords: e.Keywords(),
		Thread: uint32(thread), Process: uint32(process), Processor: uint8(e.Processor),
		Size: uint16(len(payload)), Depth: uint32(len(stack)), StackSum: s.sum(stack),
		Activity: e.Activity(), Related: e.RelatedActivity(),
		Place: e.Offset(), Silent: silent(e, f),
	}
	row.PayloadSum = crc32.ChecksumIEEE(payload[:row.Size])
	return row
}

func (s *stackSummer) sum(stack []uint64) uint32 {
	s.bytes = s.bytes[:0]
	for _, address := range stack {
		s.bytes = binary.LittleEndian.AppendUint64(s.bytes, address)
	}
	return crc32.ChecksumIEEE(s.bytes)
}
