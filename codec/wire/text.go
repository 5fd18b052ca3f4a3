package wire

import "unicode/utf16"

// String reads a v6 string at pos: a varuint32 length and that many bytes of
// UTF-8. The result is a view into b.
//
// Spec: "Primitives", string.
func String(b []byte, pos int) ([]byte, int) {
	n, pos := VarUint32(b, pos)
	if pos < 0 {
		return nil, pos
	}
	if uint64(n) > uint64(len(b)-pos) {
		return nil, PastEnd
	}
	end := pos + int(n)
	return b[pos:end:end], end
}

// UTF16Z reads a zero-terminated UTF-16 string at pos. The result, a view into
// b, has the code units without the terminator.
//
// Spec: "Metadata event encoding" of the v4/v5 text.
func UTF16Z(b []byte, pos int) ([]byte, int) {
	if pos < 0 || pos > len(b) {
		return nil, PastEnd
	}
	for i := pos; i+2 <= len(b); i += 2 {
		if b[i] == 0 && b[i+1] == 0 {
			return b[pos:i:i], i + 2
		}
	}
	return nil, PastEnd
}

// AppendUTF16 appends the UTF-8 form of little-endian UTF-16 code units to dst.
// An unpaired surrogate becomes three bytes in the manner of UTF-8 (WTF-8), so
// that no information is lost. An odd last byte is ignored.
func AppendUTF16(dst, units []byte) []byte {
	for i := 0; i+2 <= len(units); i += 2 {
		u := rune(units[i]) | rune(units[i+1])<<8
		if u < 0x80 {
			dst = append(dst, byte(u))
			continue
		}
		if i+4 <= len(units) && utf16.IsSurrogate(u) {
			low := rune(units[i+2]) | rune(units[i+3])<<8
			if r := utf16.DecodeRune(u, low); r != 0xFFFD {
				dst = append(dst, 0xF0|byte(r>>18), 0x80|byte(r>>12)&0x3F, 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
				i += 2
				continue
			}
		}
		if u < 0x800 {
			dst = append(dst, 0xC0|byte(u>>6), 0x80|byte(u)&0x3F)
			continue
		}
		dst = append(dst, 0xE0|byte(u>>12), 0x80|byte(u>>6)&0x3F, 0x80|byte(u)&0x3F)
	}
	return dst
}
