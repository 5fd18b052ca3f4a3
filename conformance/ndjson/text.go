package ndjson

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string, with quotes.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := len(dst)
	return quote(append(dst, s...), start)
}

// quote makes the text from start to the end of dst the content of a JSON string
// and ends the string. Most text needs no escapes and stays where it is.
func quote(dst []byte, start int) []byte {
	i := plainASCII(dst, start)
	for i < len(dst) {
		n := plain(dst[i:])
		if n == 0 {
			break
		}
		i += n
	}
	if i < len(dst) {
		dst = escape(dst, i)
	}
	return append(dst, '"')
}

// escape replaces the text from start on by its escaped form. It builds that form
// after the text and then moves it.
func escape(dst []byte, start int) []byte {
	end := len(dst)
	text := dst[start:end]
	for len(text) > 0 {
		n := plain(text)
		if n > 0 {
			dst = append(dst, text[:n]...)
		} else {
			dst, n = appendEscaped(dst, text)
		}
		text = text[n:]
	}
	return dst[:start+copy(dst[start:], dst[end:])]
}

// plainASCII returns a position in b from start on; the bytes before it are ASCII
// that needs no escapes in a JSON string. It examines eight bytes at a time.
func plainASCII(b []byte, start int) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; start+8 <= len(b); start += 8 {
		x := binary.LittleEndian.Uint64(b[start:])
		quotes, slashes := x^ones*'"', x^ones*'\\'
		// The high bit of a byte is set where x has it, or is below ' ', or where one
		// of the others is 0. A borrow from a byte below can set one too much, never
		// one too few.
		if (x|(x-ones*' ')|(quotes-ones)|(slashes-ones))&high != 0 {
			break
		}
	}
	return start
}

// plain returns the length of the first character of s if it needs no escape in a
// JSON string, otherwise 0.
func plain(s []byte) int {
	switch c := s[0]; {
	case c < ' ' || c == '"' || c == '\\':
		return 0
	case c < utf8.RuneSelf:
		return 1
	}
	r, n := utf8.DecodeRune(s)
	if r == utf8.RuneError && n == 1 {
		return 0
	}
	return n
}

// appendEscaped appends the first character of s, which needs an escape, and
// returns its number of bytes in s.
func appendEscaped(dst, s []byte) ([]byte, int) {
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

// appendAddress appends an address or a keyword mask as a hex string with 0x.
func appendAddress(dst []byte, v uint64) []byte {
	dst = append(dst, '"', '0', 'x')
	dst = strconv.AppendUint(dst, v, 16)
	return append(dst, '"')
}

// appendHex appends bytes as a hex string.
func appendHex(dst, b []byte) []byte {
	dst = hex.AppendEncode(append(dst, '"'), b)
	return append(dst, '"')
}

// unique makes the keys of an object unique: the second "a" becomes "a#2", the
// third "a#3". The zero value is ready to use.
type unique struct {
	first [16]string // the names of the object's members, as far as they fit: most objects are small
	n     int
	seen  map[string]int // all names, once first is full or a key came twice
}

// Name returns the unique name of the next key.
func (u *unique) Name(key string) string {
	if u.seen == nil {
		if u.n < len(u.first) && !slices.Contains(u.first[:u.n], key) {
			u.first[u.n] = key
			u.n++
			return key
		}
		u.seen = make(map[string]int)
		for _, name := range u.first[:u.n] {
			u.seen[name] = 1
		}
	}
	name := key
	for u.seen[name] > 0 {
		u.seen[key]++
		name = key + "#" + strconv.Itoa(u.seen[key])
	}
	u.seen[name] = 1
	return name
}
