package check

import "unicode/utf8"

// overlong reports whether the variable-length number that ends before next has
// superfluous zeros at its end.
func overlong(b []byte, start, next int) bool {
	return next-start > 1 && b[next-1] == 0
}

// flaws of a text.
type flaws uint8

const (
	notUTF8 flaws = 1 << iota
	control
)

// look finds the flaws of UTF-8 text: control characters are those besides tab
// and line ends.
func look(text []byte) (f flaws) {
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(text[i:])
			if r == utf8.RuneError && n == 1 {
				return f | notUTF8
			}
			i += n - 1
		case b < ' ' && b != '\t' && b != '\n' && b != '\r':
			f |= control
		}
	}
	return f
}
