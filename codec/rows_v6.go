package codec

import (
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// neededV6 are the flags without which the first row of a block refers to row 0
// of a table.
const neededV6 = wire.RowMetadataID | wire.RowSequence | wire.RowThread

// decodeCompressedV6 decodes compressed rows of v6.
//
// Spec: "Event block", header compression.
func decodeCompressedV6(s *rowState, body []byte, dst []Event) (int, rule.ID) {
	return s.decodeCompressed(body, dst, neededV6, (*rowState).rowsV6, (*rowState).rowV6)
}

// rowsV6 is the loop of v6, like rowsV4: threads are indexes into a table, and a
// label list replaces the activity ids. It reads the first two bytes of a time
// without a branch, which is faster for unpredictable times, and as fast for
// others.
func (s *rowState) rowsV6(body []byte, dst []Event, done int) int {
	prev := &s.prev
	if len(dst) < batchSize || len(body) < 4 || prev.metadataID == 0 {
		return done
	}
	batch, body := (*[batchSize]Event)(dst), body[:len(body):len(body)]
	b0, b1, b2, b3 := shifted(body)
	n, p := uint(done), uint(s.pos)
	before := prev.sequence
	prev.sequence -= uint32(n) // counted from the start of the batch
	ts, size := prev.timestamp, prev.size
loop:
	for n < batchSize && p < uint(len(b0)) {
		e := &batch[n]
		f := b0[p]
		e.start, e.flags = uint8(p), f
		if f&wire.RowSequence != 0 {
			if p = s.sequence(body, p, n); p == 0 {
				break loop
			}
		} else if f&wire.RowMetadataID != 0 {
			v := uint32(b1[p])
			if v < 1<<7 {
				p += 2
			} else if v = v&0x7F | uint32(b2[p])<<7; v < 1<<14 {
				p += 3
			} else {
				break loop
			}
			prev.metadataID = v
			if uint64(v)-s.metadata.base >= s.metadata.known {
				s.unknown = true
			}
		} else {
			p++
		}
		if f&wire.RowThread != 0 {
			if p >= uint(len(b0)) {
				break loop
			}
			v := uint64(b0[p])
			if v < 1<<7 {
				p++
			} else if v = v&0x7F | uint64(b1[p])<<7; v < 1<<14 {
				p += 2
			} else if v = v&(1<<14-1) | uint64(b2[p])<<14; v < 1<<21 {
				p += 3
			} else if v = v&(1<<21-1) | uint64(b3[p])<<21; v < 1<<28 {
				p += 4
			} else {
				break loop
			}
			prev.thread = v
			if v-s.threads.base >= s.threads.known {
				s.unknown = true
			}
		}
		if f&wire.RowStackID != 0 {
			if p >= uint(len(b0)) {
				break loop
			}
			v := uint32(b0[p])
			if v < 1<<7 {
				p++
			} else if v = v&0x7F | uint32(b1[p])<<7; v < 1<<14 {
				p += 2
			} else {
				break loop
			}
			prev.stackID = v
			if uint64(v)-s.stacks.base >= s.stacks.known {
				s.unknown = true
			}
		}
		if p >= uint(len(b0)) {
			break loop
		}
		v, v1 := uint64(b0[p]), uint64(b1[p])
		c := v >> 7 // 1 if there is a second byte
		if v1&-c < 1<<7 {
			ts += v&0x7F | v1<<7&-c
			p += 1 + uint(c)
		} else if v = v&0x7F | v1&0x7F<<7 | uint64(b2[p])<<14; v < 1<<21 {
			ts += v
			p += 3
		} else if v = v&(1<<21-1) | uint64(b3[p])<<21; v < 1<<28 {
			ts += v
			p += 4
		} else {
			break loop
		}
		if f&wire.RowLabelList != 0 {
			if p >= uint(len(b0)) {
				break loop
			}
			v := uint32(b0[p])
			if v < 1<<7 {
				p++
			} else if v = v&0x7F | uint32(b1[p])<<7; v < 1<<14 {
				p += 2
			} else {
				break loop
			}
			prev.labels = v
			if uint64(v)-s.labels.base >= s.labels.known {
				s.unknown = true
			}
		}
		if f&wire.RowPayloadSize != 0 {
			if p >= uint(len(b0)) {
				break loop
			}
			if size = uint32(b0[p]); size < 1<<7 {
				p++
			} else if size = size&0x7F | uint32(b1[p])<<7; size < 1<<14 {
				p += 2
			} else if size = size&(1<<14-1) | uint32(b2[p])<<14; size < 1<<21 {
				p += 3
			} else {
				break loop
			}
		}
		next := uint64(p) + uint64(size)
		if next > uint64(len(b0)) {
			break loop
		}
		processor, labels := prev.processor, prev.labels // one store for both
		e.Processor, e.labels = processor, labels
		e.Timestamp = ts
		e.ThreadIndex = prev.thread
		e.CaptureThreadIndex = prev.captureThread
		e.MetadataID = prev.metadataID
		e.StackID = prev.stackID
		e.payload = uint32(p)
		e.size = size
		n++
		e.Sequence = prev.sequence + uint32(n)
		p = uint(next)
	}
	s.settle(batch[:n], before)
	return int(n)
}

// rowV6 decodes one row with care into dst[n].
//
// Spec: "Event block", header compression.
func (s *rowState) rowV6(body []byte, dst []Event, n int) rule.ID {
	r := varReader{b: body, pos: s.pos + 1}
	v := s.prev
	f := body[s.pos]
	if f&wire.RowMetadataID != 0 {
		v.metadataID = r.uint32()
	}
	if f&wire.RowSequence != 0 {
		v.sequence += r.uint32() + 1
		v.captureThread = r.uint64()
		v.processor = r.uint32()
	} else {
		v.sequence++
	}
	if f&wire.RowThread != 0 {
		v.thread = r.uint64()
	}
	if f&wire.RowStackID != 0 {
		v.stackID = r.uint32()
	}
	v.timestamp += r.uint64()
	if f&wire.RowLabelList != 0 {
		v.labels = r.uint32()
	}
	if f&wire.RowPayloadSize != 0 {
		v.size = r.uint32()
	}
	if r.bad != rule.None {
		return s.fail(r.bad, r.at, r.bad == rule.CMP001)
	}
	if uint64(v.size) > uint64(len(body)-r.pos) {
		return s.fail(rule.CMP006, r.pos, true)
	}
	if f&wire.RowSequence != 0 {
		s.mark(n)
	}
	s.back = s.back || v.timestamp < s.prev.timestamp
	s.checkIDs(&v)
	s.checkIndexes(&v)
	dst[n].set(&v, s.pos, r.pos, f)
	s.commit(v, r.pos+int(v.size))
	return rule.None
}
