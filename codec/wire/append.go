package wire

import (
	"encoding/binary"
	"time"
	"unicode/utf8"
)

// AppendVarUint appends v in its shortest form.
//
// Spec: "Primitives", varuint.
func AppendVarUint(dst []byte, v uint64) []byte {
	for v >= 1<<7 {
		dst = append(dst, byte(v)|1<<7)
		v >>= 7
	}
	return append(dst, byte(v))
}

// AppendVarInt appends v in zig-zag form.
//
// Spec: "Primitives", varint.
func AppendVarInt(dst []byte, v int64) []byte {
	return AppendVarUint(dst, uint64(v)<<1^uint64(v>>63))
}

// AppendString appends a v6 string: its length in bytes and its bytes.
//
// Spec: "Primitives", string.
func AppendString(dst []byte, s string) []byte {
	return append(AppendVarUint(dst, uint64(len(s))), s...)
}

// AppendUTF16Z appends text as zero-terminated UTF-16, the inverse of UTF16Z
// and AppendUTF16: the three bytes of an unpaired surrogate become that
// surrogate.
//
// Spec: "Metadata event encoding" of the v4/v5 text.
func AppendUTF16Z(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 && i+3 <= len(s) && s[i] == 0xED && s[i+1]&0xE0 == 0xA0 && s[i+2]&0xC0 == 0x80 {
			r, n = 0xD000|rune(s[i+1]&0x3F)<<6|rune(s[i+2]&0x3F), 3
		}
		if r >= 1<<16 {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(0xD800+(r-1<<16)>>10))
			r = 0xDC00 + (r-1<<16)&0x3FF
		}
		dst = binary.LittleEndian.AppendUint16(dst, uint16(r))
		i += n
	}
	return append(dst, 0, 0)
}

// AppendSystemTime appends a time as SYSTEMTIME, in UTC and truncated to the
// millisecond. It appends the zero time as zeros, which are no valid time.
//
// Spec: "Trace block", SyncTimeUTC.
func AppendSystemTime(dst []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(dst, make([]byte, SystemTimeSize)...)
	}
	t = t.UTC()
	for _, n := range []int{
		t.Year(), int(t.Month()), int(t.Weekday()), t.Day(), t.Hour(), t.Minute(), t.Second(),
		t.Nanosecond() / int(time.Millisecond),
	} {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(n))
	}
	return dst
}
