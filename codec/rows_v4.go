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

// decodeCompressedV4 decodes rows into dst until it is full, the body ends, or
// a row is wrong: those that are usual and not near the end in a tight loop, all
// others with care.
//
// Spec: "Header compression" of the v4/v5 text.
func decodeCompressedV4(s *rowState, body []byte, dst []Event) (n int, bad rule.ID) {
	if s.row == 0 {
		s.mark(0)
		s.unknown = s.pos < len(body) && body[s.pos]&neededV4 != neededV4
	}
	for n < len(dst) && s.pos < len(body) && bad == rule.None {
		if n = s.rowsV4(body, dst, n); n < len(dst) && s.pos < len(body) {
			if bad = s.rowV4(body, dst, n); bad == rule.None {
				n++
			}
		}
	}
	s.row += n
	return n, bad
}

// rowsV4 decodes rows into dst from dst[done] on and returns the number of those
// that are decoded then. It ends before a row that is near the end, has a long
// field, or is wrong: rowV4 reads that one from its start, with what it leaves
// out taken from s.prev, which is changed only where the row writes a value.
//
// What is not usual leaves the loop instead of being called from it, and what the
// loop changes seldom stays in memory, so that what it needs stays in registers.
func (s *rowState) rowsV4(body []byte, dst []Event, done int) int {
	n, p := uint(done), s.pos
	prev := &s.prev
	s.before = prev.sequence
	ts, size := prev.timestamp, prev.size
loop:
	for n < uint(len(dst)) && p <= len(body)-headerWindow {
		e := &dst[n]
		f := body[p]
		e.start, e.flags = uint8(p), f
		p++
		if f&wire.RowMetadataID != 0 {
			v := uint32(body[p])
			p++
			if v >= 1<<7 {
				v = v&0x7F | uint32(body[p])<<7
				p++
				if v >= 1<<14 {
					break loop
				}
			}
			prev.metadataID = v
			if uint64(v)-s.metadata.base >= s.metadata.known {
				s.unknown = true
			}
		}
		if f&(wire.RowSequence|wire.RowThread) != 0 {
			if f&wire.RowSequence != 0 {
				var delta uint32
				var thread uint64
				if delta, p = wire.VarUint32(body, p); p < 0 {
					break loop
				}
				if thread, p = wire.VarUint64(body, p); p < 0 {
					break loop
				}
				if delta != 0 || thread != prev.captureThread {
					s.mark(int(n))
				}
				prev.sequence += delta + 1
				prev.captureThread = thread
				if prev.processor, p = wire.VarUint32(body, p); p < 0 {
					break loop
				}
			} else if prev.metadataID != 0 {
				prev.sequence++
			}
			if f&wire.RowThread != 0 {
				v := uint64(body[p])
				p++
				if v >= 1<<7 {
					v = v&0x7F | uint64(body[p])<<7
					p++
					if v >= 1<<14 {
						v = v&(1<<14-1) | uint64(body[p])<<14
						p++
						if v >= 1<<21 {
							v = v&(1<<21-1) | uint64(body[p])<<21
							p++
							if v >= 1<<28 {
								break loop
							}
						}
					}
				}
				prev.thread = v
			}
		} else if prev.metadataID != 0 {
			prev.sequence++
		}
		if f&wire.RowStackID != 0 {
			v := uint32(body[p])
			p++
			if v >= 1<<7 {
				v = v&0x7F | uint32(body[p])<<7
				p++
				if v >= 1<<14 {
					break loop
				}
			}
			prev.stackID = v
			if uint64(v)-s.stacks.base >= s.stacks.known {
				s.unknown = true
			}
		}
		v := uint64(body[p])
		p++
		if v >= 1<<7 {
			v = v&0x7F | uint64(body[p])<<7
			p++
			if v >= 1<<14 {
				v = v&(1<<14-1) | uint64(body[p])<<14
				p++
				if v >= 1<<21 {
					v = v&(1<<21-1) | uint64(body[p])<<21
					p++
					if v >= 1<<28 {
						break loop
					}
				}
			}
		}
		ts += v
		if f&(wire.RowActivity|wire.RowRelated) != 0 {
			k := len(s.activities)
			if k == cap(s.activities) || p > len(body)-headerWindow {
				break loop
			}
			s.activities = s.activities[:k+1]
			pair := &s.activities[k]
			*pair = activityPair{}
			if prev.labels > 0 {
				*pair = s.activities[prev.labels-1]
			}
			if f&wire.RowActivity != 0 {
				pair.activity = wire.GUID(body[p : p+16])
				p += 16
			}
			if f&wire.RowRelated != 0 {
				pair.related = wire.GUID(body[p : p+16])
				p += 16
			}
			if prev.labels = uint32(k + 1); pair.zero() {
				prev.labels = 0
			}
		}
		if f&wire.RowPayloadSize != 0 {
			size = uint32(body[p])
			p++
			if size >= 1<<7 {
				size = size&0x7F | uint32(body[p])<<7
				p++
				if size >= 1<<14 {
					size = size&(1<<14-1) | uint32(body[p])<<14
					p++
					if size >= 1<<21 {
						break loop
					}
				}
			}
		}
		next := uint64(p) + uint64(size)
		if next > uint64(len(body)) {
			break loop
		}
		e.Timestamp = ts
		e.ThreadIndex = prev.thread
		e.CaptureThreadIndex = prev.captureThread
		e.MetadataID = prev.metadataID
		e.Sequence = prev.sequence
		e.StackID = prev.stackID
		e.Processor = prev.processor
		e.labels = prev.labels
		e.payload = uint32(p)
		e.size = size
		n++
		p = int(next)
	}
	if n > 0 {
		e := &dst[n-1]
		prev.sequence, prev.timestamp, prev.size = e.Sequence, e.Timestamp, e.size
		s.pos = int(e.payload) + int(e.size)
	} else {
		prev.sequence = s.before
	}
	s.unmark(int(n))
	return int(n)
}

// unmark drops a mark of row n, which the loop began and did not finish. The
// first row of a block stays marked.
func (s *rowState) unmark(n int) {
	if s.marked > 0 && s.marks[s.marked-1] == uint8(n) && n < batchSize && (n > 0 || s.row > 0) {
		s.marked--
	}
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
	s.checkIDs(&v)
	dst[n].set(&v, s.pos, r.pos, f)
	s.commit(v, r.pos+int(v.size))
	return rule.None
}
