package record

import (
	"encoding/binary"
	"math/bits"
	"slices"
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

// alone returns the packed payload without what comes after it.
func (p packed) alone() packed {
	length, n := binary.Uvarint(p)
	for groups := (int(length) + group - 1) / group; groups > 0; groups-- {
		n += 1 + bits.OnesCount8(p[n])
	}
	return p[:n]
}

// size is the length of the payload.
func (p packed) size() int {
	n, _ := binary.Uvarint(p)
	return int(n)
}

// appendPayload appends the payload.
func (p packed) appendPayload(dst []byte) []byte {
	length, n := binary.Uvarint(p)
	start := len(dst)
	dst = slices.Grow(dst, int(length))[:start+int(length)]
	out, rest := dst[start:], p[n:]
	clear(out)
	for at := 0; at < len(out); at += group {
		present := rest[0]
		rest = rest[1:]
		for ; present != 0; present &= present - 1 {
			out[at+bits.TrailingZeros8(present)] = rest[0]
			rest = rest[1:]
		}
	}
	return dst
}

// packedStore keeps many packed payloads in few pieces of memory.
type packedStore struct {
	pieces [][]byte
}

// pieceSize is the size of a piece in bytes. One with a larger payload is as large as that.
const pieceSize = 32 << 10

// add copies a packed payload and returns its place.
func (s *packedStore) add(p packed) int {
	last := len(s.pieces) - 1
	if last < 0 || len(s.pieces[last])+len(p) > pieceSize {
		s.pieces = append(s.pieces, make([]byte, 0, max(pieceSize, len(p))))
		last++
	}
	at := last*pieceSize + len(s.pieces[last])
	s.pieces[last] = append(s.pieces[last], p...)
	return at
}

// at returns the payload at a place, and what comes after it. It stays valid.
func (s *packedStore) at(place int) packed {
	return s.pieces[place/pieceSize][place%pieceSize:]
}
