package codec

import (
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// maxHeaderV4 is the longest header of a compressed row of v4 and v5.
const maxHeaderV4 = 1 + 5 + 5 + 10 + 5 + 10 + 5 + 10 + 16 + 16 + 5

// neededV4 are the flags without which the first row of a block refers to row 0
// of a table.
const neededV4 = wire.RowMetadataID

// decodeCompressedV4 decodes compressed rows of v4 and v5.
//
// Spec: "Header compression" of the v4/v5 text.
func decodeCompressedV4(s *rowState, body []byte, dst []Event) (int, rule.ID) {
	return s.decodeCompressed(body, dst, neededV4, (*rowState).rowsV4, (*rowState).rowV4)
}

// rowsV4 decodes common rows into dst, which has space for a batch, from
// dst[done] on and returns how many are then decoded. It ends before a row that
// is not common: one with a long field, near the end, or malformed. rowV4 reads
// that one from its start, with the fields that it omits from s.prev, which
// changes only where the row writes a value. The first row of a block is rowV4's
// too, so that there is metadata, with which each row counts.
//
// Values that the loop does not need each time stay in memory, and rare code is
// called, so that everything else is in registers.
func (s *rowState) rowsV4(body []byte, dst []Event, done int) int {
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
		if f&(wire.RowSequence|wire.RowActivity|wire.RowRelated) != 0 {
			if f&(wire.RowActivity|wire.RowRelated) != 0 {
				s.back = s.back || ts < prev.timestamp
				prev.timestamp, prev.size = ts, size
				if p = s.activityRow(body, batch, p, n); p == 0 {
					break loop
				}
				ts, size = prev.timestamp, prev.size
				if n++; prev.metadataID == 0 {
					break loop
				}
				continue
			}
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
				break loop // 0 among others
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
		if v := uint64(b0[p]); v < 1<<7 {
			ts += v
			p++
		} else if v = v&0x7F | uint64(b1[p])<<7; v < 1<<14 {
			ts += v
			p += 2
		} else if v = v&(1<<14-1) | uint64(b2[p])<<14; v < 1<<21 {
			ts += v
			p += 3
		} else if v = v&(1<<21-1) | uint64(b3[p])<<21; v < 1<<28 {
			ts += v
			p += 4
		} else {
			break loop
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

// activityRow decodes row n, which is at p and has activity ids, for rowsV4,
// which counts sequence numbers from the start of the batch. It returns the
// position of the next row, 0 when this one is malformed.
func (s *rowState) activityRow(body []byte, batch *[batchSize]Event, p, n uint) uint {
	s.pos = int(p)
	s.prev.sequence += uint32(n)
	if s.rowV4(body, batch[:], int(n)) != rule.None {
		return 0
	}
	s.prev.sequence -= uint32(n + 1)
	return uint(s.pos)
}

// setActivity makes pair the activity ids of the rows that follow.
func (s *rowState) setActivity(pair activityPair) {
	if pair == (activityPair{}) {
		s.prev.labels = 0
		return
	}
	s.activities = append(s.activities, pair)
	s.prev.labels = uint32(len(s.activities))
}

// rowV4 decodes one row with care into dst[n].
//
// Spec: "Header compression" of the v4/v5 text.
func (s *rowState) rowV4(body []byte, dst []Event, n int) rule.ID {
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
	} else if v.metadataID != 0 {
		v.sequence++
	}
	if f&wire.RowThread != 0 {
		v.thread = r.uint64()
	}
	if f&wire.RowStackID != 0 {
		v.stackID = r.uint32()
	}
	v.timestamp += r.uint64()
	var pair activityPair
	if s.prev.labels > 0 {
		pair = s.activities[s.prev.labels-1]
	}
	if f&wire.RowActivity != 0 {
		pair.activity = r.guid()
	}
	if f&wire.RowRelated != 0 {
		pair.related = r.guid()
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
	if f&(wire.RowActivity|wire.RowRelated) != 0 {
		s.setActivity(pair)
		v.labels = s.prev.labels
	}
	if f&wire.RowSequence != 0 {
		s.mark(n)
	}
	s.back = s.back || v.timestamp < s.prev.timestamp
	s.checkIDs(&v)
	dst[n].set(&v, s.pos, r.pos, f)
	s.commit(v, r.pos+int(v.size))
	return rule.None
}
