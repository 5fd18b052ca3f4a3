package wire

import "encoding/binary"

// Uint16 reads a little-endian 16-bit integer at pos.
func Uint16(b []byte, pos int) (uint16, int) {
	if pos < 0 || pos > len(b)-2 {
		return 0, PastEnd
	}
	return binary.LittleEndian.Uint16(b[pos:]), pos + 2
}

// Uint32 reads a little-endian 32-bit integer at pos.
func Uint32(b []byte, pos int) (uint32, int) {
	if pos < 0 || pos > len(b)-4 {
		return 0, PastEnd
	}
	return binary.LittleEndian.Uint32(b[pos:]), pos + 4
}

// Uint64 reads a little-endian 64-bit integer at pos.
func Uint64(b []byte, pos int) (uint64, int) {
	if pos < 0 || pos > len(b)-8 {
		return 0, PastEnd
	}
	return binary.LittleEndian.Uint64(b[pos:]), pos + 8
}

// Byte1 reads one byte at pos.
func Byte1(b []byte, pos int) (byte, int) {
	if pos < 0 || pos >= len(b) {
		return 0, PastEnd
	}
	return b[pos], pos + 1
}

// Skip returns the position n bytes after pos, or PastEnd.
func Skip(b []byte, pos, n int) int {
	if pos < 0 || n < 0 || n > len(b)-pos {
		return PastEnd
	}
	return pos + n
}
