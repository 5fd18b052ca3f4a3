package codec

import (
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// neededV6 are the flags without which the first row of a block refers to row 0
// of a table.
const neededV6 = wire.RowMetadataID | wire.RowSequence | wire.RowThread

// decodeCompressedV6 decodes rows in the way of decodeCompressedV4.
//
// Spec: "Event block", header compression.
func decodeCompressedV6(s *rowState, body []byte, dst []Event) (n int, bad rule.ID) {
	if s.row == 0 {
		s.mark(0)
		s.unknown = s.pos < len(body) && body[s.pos]&neededV6 != neededV6
	}
	for n < len(dst) && s.pos < len(body) && bad == rule.None {
		if n = s.rowsV6(body, dst, n); n < len(dst) && s.pos < len(body) {
			if bad = s.rowV6(body, dst, n); bad == rule.None {
				n++
			}
		}
	}
	s.row += n
	return n, bad
}

// rowsV6 is the loop of v6, in the way of rowsV4: the sequence number always
// goes up, threads are indexes into a table, and a label list takes the place of
// the activity ids.
func (s *rowState) rowsV6(body []byte, dst []Event, done int) int {
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
				if thread-s.threads.base >= s.threads.known {
					s.unknown = true
				}
			} else {
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
				if v-s.threads.base >= s.threads.known {
					s.unknown = true
				}
			}
		} else {
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
		if f&wire.RowLabelList != 0 {
			v := uint32(body[p])
			p++
			if v >= 1<<7 {
				v = v&0x7F | uint32(body[p])<<7
				p++
				if v >= 1<<14 {
					break loop
				}
			}
			prev.labels = v
			if uint64(v)-s.labels.base >= s.labels.known {
				s.unknown = true
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
	s.checkIDs(&v)
	s.checkIndexes(&v)
	dst[n].set(&v, s.pos, r.pos, f)
	s.commit(v, r.pos+int(v.size))
	return rule.None
}
