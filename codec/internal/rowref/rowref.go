// Package rowref has the decoders that the row loops of package codec are
// measured against: one that decodes in the plainest way, one that only finds
// where rows begin, and one that only touches the bytes. They read the compressed
// rows of version 4 or 6, which are whole and right; nobody reads traces with
// them.
package rowref

import "encoding/binary"

// Row is a row as Naive decodes it.
type Row struct {
	Timestamp, Thread, CaptureThread                        uint64
	Metadata, Sequence, Stack, Processor, Labels, Pos, Size uint32
	Flags                                                   byte
}

// Flags of a compressed row.
//
// Spec: "Event block", header compression.
const (
	hasMetadata = 1 << iota
	hasSequence
	hasThread
	hasStack
	hasLabels // v4: an activity id of 16 bytes
	hasRelated
	_ // sorted
	hasSize
)

// Naive appends the rows of a block to dst: a byte at a time, with an error for
// each field, and each row a patched copy of the one before. It stops where
// a row is not whole.
func Naive(version int, body []byte, dst []Row) []Row {
	var row Row
	for p, ok := 0, true; p < len(body); {
		if p, ok = naiveRow(version, body, p, &row); !ok {
			return dst
		}
		dst = append(dst, row)
	}
	return dst
}

func naiveRow(version int, b []byte, p int, row *Row) (int, bool) {
	row.Flags = b[p]
	p++
	f, ok := row.Flags, true
	var v uint64
	if f&hasMetadata != 0 {
		if v, p, ok = varint(b, p); !ok {
			return p, false
		}
		row.Metadata = uint32(v)
	}
	if f&hasSequence != 0 {
		if v, p, ok = varint(b, p); !ok {
			return p, false
		}
		row.Sequence += uint32(v) + 1
		if row.CaptureThread, p, ok = varint(b, p); !ok {
			return p, false
		}
		if v, p, ok = varint(b, p); !ok {
			return p, false
		}
		row.Processor = uint32(v)
	} else if version == 6 || row.Metadata != 0 {
		row.Sequence++
	}
	if f&hasThread != 0 {
		if row.Thread, p, ok = varint(b, p); !ok {
			return p, false
		}
	}
	if f&hasStack != 0 {
		if v, p, ok = varint(b, p); !ok {
			return p, false
		}
		row.Stack = uint32(v)
	}
	if v, p, ok = varint(b, p); !ok {
		return p, false
	}
	row.Timestamp += v
	if version == 6 && f&hasLabels != 0 {
		if v, p, ok = varint(b, p); !ok {
			return p, false
		}
		row.Labels = uint32(v)
	}
	if version != 6 {
		p += 16*int(f>>4&1) + 16*int(f>>5&1)
	}
	if f&hasSize != 0 {
		if v, p, ok = varint(b, p); !ok {
			return p, false
		}
		row.Size = uint32(v)
	}
	row.Pos = uint32(p)
	if uint64(p)+uint64(row.Size) > uint64(len(b)) {
		return p, false
	}
	return p + int(row.Size), true
}

func varint(b []byte, p int) (v uint64, next int, ok bool) {
	for shift := 0; shift < 70; shift += 7 {
		if p >= len(b) {
			return 0, p, false
		}
		c := b[p]
		p++
		v |= uint64(c&0x7F) << shift
		if c < 0x80 {
			return v, p, true
		}
	}
	return 0, p, false
}

// Walk finds where each row begins, which takes its length and the lengths of
// its fields and nothing else, and returns their number. It is as fast as we can
// make it without decoding anything.
func Walk(version int, body []byte) (rows int) {
	if version == 6 {
		return walkV6(body)
	}
	return walkV4(body)
}

// skip returns the position behind the integer at p.
func skip(b []byte, p int) int {
	for p < len(b) && b[p] >= 0x80 {
		p++
	}
	return p + 1
}

func walkV4(b []byte) (rows int) {
	size := 0
	for p := 0; p < len(b); rows++ {
		f := b[p]
		p++
		if f&hasMetadata != 0 {
			p = skip(b, p)
		}
		if f&(hasSequence|hasThread) != 0 {
			if f&hasSequence != 0 {
				p = skip(b, skip(b, skip(b, p)))
			}
			if f&hasThread != 0 {
				p = skip(b, p)
			}
		}
		if f&hasStack != 0 {
			p = skip(b, p)
		}
		p = skip(b, p)
		if f&(hasLabels|hasRelated) != 0 {
			p += 16*int(f>>4&1) + 16*int(f>>5&1)
		}
		if f&hasSize != 0 {
			size, p = length(b, p)
		}
		p += size
	}
	return rows
}

func walkV6(b []byte) (rows int) {
	size := 0
	for p := 0; p < len(b); rows++ {
		f := b[p]
		p++
		if f&hasMetadata != 0 {
			p = skip(b, p)
		}
		if f&(hasSequence|hasThread) != 0 {
			if f&hasSequence != 0 {
				p = skip(b, skip(b, skip(b, p)))
			}
			if f&hasThread != 0 {
				p = skip(b, p)
			}
		}
		if f&hasStack != 0 {
			p = skip(b, p)
		}
		p = skip(b, p)
		if f&hasLabels != 0 {
			p = skip(b, p)
		}
		if f&hasSize != 0 {
			size, p = length(b, p)
		}
		p += size
	}
	return rows
}

// length reads a payload size.
func length(b []byte, p int) (size, next int) {
	if p+2 > len(b) {
		return 0, len(b)
	}
	size = int(b[p])
	if size < 1<<7 {
		return size, p + 1
	}
	size = size&0x7F | int(b[p+1])<<7
	if size < 1<<14 {
		return size, p + 2
	}
	v, next, _ := varint(b, p)
	return int(uint32(v)), next
}

// Scan adds up the bytes, eight at a time: the least that a reader can do.
func Scan(body []byte) (sum uint64) {
	for ; len(body) >= 8; body = body[8:] {
		sum += binary.LittleEndian.Uint64(body)
	}
	for _, c := range body {
		sum += uint64(c)
	}
	return sum
}
