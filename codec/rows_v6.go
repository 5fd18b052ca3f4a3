package codec

import (
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// maxHeaderV6 is the longest header of a compressed row of v6.
const maxHeaderV6 = 1 + 5 + 5 + 10 + 5 + 10 + 5 + 10 + 5 + 5

// neededV6 are the flags without which the first row of a block refers to row 0
// of a table.
const neededV6 = wire.RowMetadataID | wire.RowSequence | wire.RowThread

// decodeCompressedV6 is the loop of v6, in the way of decodeCompressedV4: the
// sequence number always goes up, threads are indexes into a table, and a label
// list takes the place of the activity ids.
//
// Spec: "Event block", header compression.
func decodeCompressedV6(s *rowState, body []byte, dst []Event) (int, rule.ID) {
	n, p := 0, s.pos
	seq, ts, size := s.prev.sequence, s.prev.timestamp, s.prev.size
	prev := &s.prev
	if s.row == 0 {
		s.mark(0)
		s.unknown = s.pos < len(body) && body[s.pos]&neededV6 != neededV6
	}
fast:
	for n < len(dst) && p <= len(body)-maxHeaderV6 {
		start := p
		f := body[p]
		p++
		if f&wire.RowMetadataID != 0 {
			v := uint32(body[p])
			p++
			if v >= 1<<7 {
				v = v&0x7F | uint32(body[p])<<7
				p++
				if v >= 1<<14 {
					if v, p = wire.VarUint32(body, p-2); p < 0 {
						break fast
					}
				}
			}
			prev.metadataID = v
			if uint64(v)-s.metadata.base >= s.metadata.known {
				s.unknown = true
			}
		}
		if f&(wire.RowSequence|wire.RowThread) != 0 {
			if f&wire.RowSequence != 0 {
				delta := uint32(body[p])
				p++
				if delta >= 1<<7 {
					if delta, p = wire.VarUint32(body, p-1); p < 0 {
						break fast
					}
				}
				thread := uint64(body[p])
				p++
				if thread >= 1<<7 {
					thread = thread&0x7F | uint64(body[p])<<7
					p++
					if thread >= 1<<14 {
						thread = thread&(1<<14-1) | uint64(body[p])<<14
						p++
						if thread >= 1<<21 {
							if thread, p = wire.VarUint64(body, p-3); p < 0 {
								break fast
							}
						}
					}
				}
				if delta != 0 || thread != prev.captureThread {
					s.mark(n)
				}
				seq += delta + 1
				prev.captureThread = thread
				if thread-s.threads.base >= s.threads.known {
					s.unknown = true
				}
				v := uint32(body[p])
				p++
				if v >= 1<<7 {
					if v, p = wire.VarUint32(body, p-1); p < 0 {
						break fast
					}
				}
				prev.processor = v
			} else {
				seq++
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
								if v, p = wire.VarUint64(body, p-4); p < 0 {
									break fast
								}
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
			seq++
		}
		if f&wire.RowStackID != 0 {
			v := uint32(body[p])
			p++
			if v >= 1<<7 {
				v = v&0x7F | uint32(body[p])<<7
				p++
				if v >= 1<<14 {
					if v, p = wire.VarUint32(body, p-2); p < 0 {
						break fast
					}
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
					if v, p = wire.VarUint64(body, p-3); p < 0 {
						break fast
					}
				}
			}
		}
		ts += v
		if f&wire.RowLabelList != 0 {
			v := uint32(body[p])
			p++
			if v >= 1<<7 {
				if v, p = wire.VarUint32(body, p-1); p < 0 {
					break fast
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
					if size, p = wire.VarUint32(body, p-2); p < 0 {
						break fast
					}
				}
			}
		}
		if uint(size) > uint(len(body)-p) {
			break fast
		}
		e := &dst[n]
		e.Timestamp = ts
		e.ThreadIndex = prev.thread
		e.CaptureThreadIndex = prev.captureThread
		e.MetadataID = prev.metadataID
		e.Sequence = seq
		e.StackID = prev.stackID
		e.Processor = prev.processor
		e.labels = prev.labels
		e.row = uint32(start)
		e.payload = uint32(p)
		e.size = size
		e.flags = f
		n++
		p += int(size)
	}
	if n > 0 {
		e := &dst[n-1]
		prev.sequence, prev.timestamp, prev.size = e.Sequence, e.Timestamp, e.size
		s.pos = int(e.payload) + int(e.size)
	}
	s.unmark(n)
	for n < len(dst) && s.pos < len(body) {
		if bad := s.rowV6(body, dst, n); bad != rule.None {
			s.row += n
			return n, bad
		}
		n++
	}
	s.row += n
	return n, rule.None
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
