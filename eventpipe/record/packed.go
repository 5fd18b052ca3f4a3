package record

import (
	"encoding/binary"
	"math/bits"
)

// packed is a payload of which the bytes of value 0 are left out: half of a text in
// UTF-16. It begins with the length of the payload; 8 bytes are a byte with a bit
// for each one that is not 0, and these.
type packed []byte

// group is the number of bytes that a byte of bits describes.
const group = 8

// appendPacked appends a payload.
func appendPacked(dst packed, payload []byte) packed {
	dst = binary.AppendUvarint(dst, uint64(len(payload)))
	for len(payload) > 0 {
		some := payload[:min(group, len(payload))]
		payload = payload[len(some):]
		at := len(dst)
		dst = append(dst, 0)
		for i, b := range some {
			if b != 0 {
				dst[at] |= 1 << i
				dst = append(dst, b)
			}
		}
	}
	return dst
}

// size is the length of the payload.
func (p packed) size() int {
	n, _ := binary.Uvarint(p)
	return int(n)
}

// payload returns the payload.
func (p packed) payload() []byte {
	length, n := binary.Uvarint(p)
	out := make([]byte, length)
	rest := p[n:]
	for at := 0; at < len(out); at += group {
		present := rest[0]
		rest = rest[1:]
		for ; present != 0; present &= present - 1 {
			out[at+bits.TrailingZeros8(present)] = rest[0]
			rest = rest[1:]
		}
	}
	return out
}
