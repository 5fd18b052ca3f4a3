package ndjson

import (
	"encoding/hex"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string, quotes included.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		n := plain(s[i:])
		if n > 0 {
			i += n
			continue
		}
		dst = append(dst, s[start:i]...)
		dst, n = appendEscaped(dst, s[i:])
		i += n
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// plain is the length of the first character of s if it stands for itself in a
// JSON string, else 0.
func plain(s string) int {
	switch c := s[0]; {
	case c < ' ' || c == '"' || c == '\\':
		return 0
	case c < utf8.RuneSelf:
		return 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return 0
	}
	return n
}

// appendEscaped appends the first character of s, which is not plain, and
// returns the number of bytes it takes in s.
func appendEscaped(dst []byte, s string) ([]byte, int) {
	switch c := s[0]; {
	case c == '"' || c == '\\':
		return append(dst, '\\', c), 1
	case c < ' ':
		return appendControl(dst, c), 1
	case len(s) >= 3 && c == 0xED && s[1]&0xE0 == 0xA0 && s[2]&0xC0 == 0x80:
		return append(dst, '\\', 'u', 'd', hexDigits[8|s[1]>>2&7], hexDigits[s[1]&3<<2|s[2]>>4&3], hexDigits[s[2]&15]), 3
	}
	return append(dst, "\uFFFD"...), 1
}

func appendControl(dst []byte, c byte) []byte {
	switch c {
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// AppendDecimal appends a 64-bit integer as a decimal string.
func AppendDecimal(dst []byte, v uint64) []byte {
	dst = append(dst, '"')
	dst = strconv.AppendUint(dst, v, 10)
	return append(dst, '"')
}

// AppendAddress appends an address or a set of keywords as a hex string.
func AppendAddress(dst []byte, v uint64) []byte {
	dst = append(dst, '"', '0', 'x')
	dst = strconv.AppendUint(dst, v, 16)
	return append(dst, '"')
}

// AppendHex appends bytes as a hex string.
func AppendHex(dst, b []byte) []byte {
	dst = hex.AppendEncode(append(dst, '"'), b)
	return append(dst, '"')
}

// Unique gives each key of an object a name of its own: the second "a" becomes
// "a#2", the third "a#3". The zero value is ready.
type Unique struct {
	seen map[string]int
}

// Name returns the name of the next key.
func (u *Unique) Name(key string) string {
	if u.seen == nil {
		u.seen = make(map[string]int)
	}
	name := key
	for u.seen[name] > 0 {
		u.seen[key]++
		name = key + "#" + strconv.Itoa(u.seen[key])
	}
	u.seen[name] = 1
	return name
}
