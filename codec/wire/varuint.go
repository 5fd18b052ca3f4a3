package wire

// The longest encodings of variable-length unsigned integers, in bytes.
const (
	MaxVarUint32 = 5
	MaxVarUint64 = 10
)

// The positions that a failing read returns.
const (
	PastEnd  = -1 // the bytes end inside the value
	TooLarge = -2 // the value has more bits than its type
)

// VarUint64 reads a varuint64 at pos and returns the position after it, PastEnd
// or TooLarge. It accepts encodings that are longer than necessary.
//
// Spec: "Primitives", varuint64.
func VarUint64(b []byte, pos int) (uint64, int) {
	var v uint64
	for i := 0; i < MaxVarUint64; i++ {
		if uint(pos) >= uint(len(b)) {
			return 0, PastEnd
		}
		c := b[pos]
		pos++
		if c < 0x80 {
			if i == MaxVarUint64-1 && c > 1 {
				return 0, TooLarge
			}
			return v | uint64(c)<<(7*i), pos
		}
		v |= uint64(c&0x7F) << (7 * i)
	}
	return 0, TooLarge
}

// VarUint32 reads a varuint32 at pos and returns the position after it, PastEnd
// or TooLarge. It accepts encodings of up to five bytes that are longer than
// necessary.
//
// Spec: "Primitives", varuint32.
func VarUint32(b []byte, pos int) (uint32, int) {
	var v uint32
	for i := 0; i < MaxVarUint32; i++ {
		if uint(pos) >= uint(len(b)) {
			return 0, PastEnd
		}
		c := b[pos]
		pos++
		if c < 0x80 {
			if i == MaxVarUint32-1 && c > 0x0F {
				return 0, TooLarge
			}
			return v | uint32(c)<<(7*i), pos
		}
		v |= uint32(c&0x7F) << (7 * i)
	}
	return 0, TooLarge
}

// VarInt64 reads a varint64 (zig-zag) at pos. It fails like VarUint64.
//
// Spec: "Primitives", varint.
func VarInt64(b []byte, pos int) (int64, int) {
	v, next := VarUint64(b, pos)
	return int64(v>>1) ^ -int64(v&1), next
}
