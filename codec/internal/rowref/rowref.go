// Package rowref has the loops that the row loops of package codec are measured
// against: one that only finds where rows begin, and one that only reads the
// bytes. They read compressed rows of version 4 or 6, which must be complete and
// correct.
package rowref

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/wire"
)

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

// Walk finds where each row begins, which takes its length and the lengths of
// its fields and nothing else, and returns their number. It is as fast as we can
// make it without decoding anything.
func Walk(format wire.Format, body []byte) (rows int) {
	if format.HasObjects() {
		return walkV4(body)
	}
	return walkV6(body)
}

// skip returns the position after the integer at p.
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
	v, n := binary.Uvarint(b[p:])
	return int(uint32(v)), p + max(n, 1)
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
