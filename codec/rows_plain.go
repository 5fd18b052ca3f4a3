package codec

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Sizes of the header of an uncompressed row, the EventSize field included.
const (
	plainHeaderV4 = 80
	plainHeaderV6 = 52
	sizeField     = 4
)

// decodePlainV4 decodes uncompressed rows of v4 and v5.
//
// Spec: "Uncompressed events" of the v4/v5 text.
func decodePlainV4(s *rowState, body []byte, dst []Event) (int, rule.ID) {
	return s.decodePlain(body, dst, plainHeaderV4, (*rowState).plainV4)
}

// decodePlainV6 decodes uncompressed rows of v6.
//
// Spec: "Event block", uncompressed format.
func decodePlainV6(s *rowState, body []byte, dst []Event) (int, rule.ID) {
	return s.decodePlain(body, dst, plainHeaderV6, (*rowState).plainV6)
}

// decodePlain decodes rows until dst is full, the body ends or a row is
// malformed. EventSize determines where the next row starts.
func (s *rowState) decodePlain(body []byte, dst []Event, header int, fields func(*rowState, []byte, *rowValues)) (n int, bad rule.ID) {
	for n < len(dst) && s.pos < len(body) && bad == rule.None {
		if bad = s.plainRow(body, dst, n, header, fields); bad == rule.None {
			n++
		}
	}
	s.row += n
	return n, bad
}

func (s *rowState) plainRow(body []byte, dst []Event, n, header int, fields func(*rowState, []byte, *rowValues)) rule.ID {
	b := body[s.pos:]
	if len(b) < header {
		return s.fail(rule.UNC003, s.pos, true)
	}
	var v rowValues
	fields(s, b, &v)
	total := uint64(binary.LittleEndian.Uint32(b)) + sizeField
	v.size = binary.LittleEndian.Uint32(b[header-4:])
	switch {
	case total < uint64(header)+uint64(v.size):
		id := rule.UNC002
		if header == plainHeaderV4 {
			id = rule.UNC001
		}
		return s.fail(id, s.pos, false)
	case total > uint64(len(b)):
		return s.fail(rule.UNC003, s.pos, true)
	}
	flags := byte(wire.RowSorted)
	if v.metadataID&wire.NotSortedBit != 0 {
		flags = 0
	}
	v.metadataID &^= wire.NotSortedBit
	s.mark(n)
	s.back = s.back || v.timestamp < s.prev.timestamp
	s.checkIDs(&v)
	if header != plainHeaderV4 {
		s.checkIndexes(&v)
	}
	dst[n].set(&v, s.pos, s.pos+header, flags)
	next := s.pos + int(total)
	if header == plainHeaderV4 {
		next = skipPadding(body, next)
	}
	s.commit(v, next)
	return rule.None
}

// plainV4 reads the fields between the sizes.
func (s *rowState) plainV4(b []byte, v *rowValues) {
	le := binary.LittleEndian
	v.metadataID, v.sequence = le.Uint32(b[4:]), le.Uint32(b[8:])
	v.thread, v.captureThread = le.Uint64(b[12:]), le.Uint64(b[20:])
	v.processor, v.stackID = le.Uint32(b[28:]), le.Uint32(b[32:])
	v.timestamp = le.Uint64(b[36:])
	s.setActivity(activityPair{wire.GUID(b[44:60]), wire.GUID(b[60:76])})
	v.labels = s.prev.labels
}

// plainV6 reads the fields between the sizes.
func (s *rowState) plainV6(b []byte, v *rowValues) {
	le := binary.LittleEndian
	v.metadataID, v.sequence = le.Uint32(b[4:]), le.Uint32(b[8:])
	v.thread, v.captureThread = le.Uint64(b[12:]), le.Uint64(b[20:])
	v.processor, v.stackID = le.Uint32(b[28:]), le.Uint32(b[32:])
	v.timestamp, v.labels = le.Uint64(b[36:]), le.Uint32(b[44:])
}

// skipPadding finds the next row of v4 after next. The text pads rows with zeros
// to 4 bytes, and the body of a block starts at a multiple of 4. Writers pad or
// not, and count the padding in EventSize or not: the next bytes decide.
func skipPadding(body []byte, next int) int {
	aligned := (next + 3) &^ 3
	if next == aligned || next >= len(body) || plausibleV4(body, next) {
		return next
	}
	for i := next; i < min(aligned, len(body)); i++ {
		if body[i] != 0 {
			return next
		}
	}
	return min(aligned, len(body))
}

// plausibleV4 reports whether a row could start at pos: its sizes agree and it
// fits.
func plausibleV4(body []byte, pos int) bool {
	if len(body)-pos < plainHeaderV4 {
		return false
	}
	total := int64(binary.LittleEndian.Uint32(body[pos:])) + sizeField
	unpadded := int64(binary.LittleEndian.Uint32(body[pos+plainHeaderV4-4:])) + plainHeaderV4
	return total >= unpadded && total <= (unpadded+3)&^3 && total <= int64(len(body)-pos)
}
