package edit

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// units is text in code units of one byte (UTF-8) or two (UTF-16, low byte
// first).
type units struct {
	b    []byte
	size int
}

func (u units) count() int { return len(u.b) / u.size }

// at is a code unit, those of several bytes in UTF-8 one by one.
func (u units) at(i int) uint16 {
	if u.size == 1 {
		return uint16(u.b[i])
	}
	return binary.LittleEndian.Uint16(u.b[2*i:])
}

// mask replaces a code unit.
func (u units) mask(i int) {
	u.b[i*u.size] = '*'
	if u.size == 2 {
		u.b[2*i+1] = 0
	}
}

func isSeparator(c uint16) bool { return c == '/' || c == '\\' }

// maskAll replaces everything but zeros, which end texts.
func (u units) maskAll() {
	for i := range u.count() {
		if u.at(i) != 0 {
			u.mask(i)
		}
	}
}

// maskFolders replaces the folders of a path. Separators stay, and what follows
// the last one.
func (u units) maskFolders() {
	last := -1
	for i := range u.count() {
		if isSeparator(u.at(i)) {
			last = i
		}
	}
	for i := range max(last, 0) {
		if c := u.at(i); !isSeparator(c) && c != 0 {
			u.mask(i)
		}
	}
}

// endsPath says whether a code unit is not part of a path. A space may be.
func endsPath(c uint16) bool {
	return c < ' ' || bytes.IndexByte([]byte(`"'<>|*?;,`), byte(c)) >= 0 && c < 128
}

// maskUser replaces what stands behind a folder of users, which ends at from, up
// to the last separator of the path; a name without one as a whole. It returns
// where the path ends.
func (u units) maskUser(from int) int {
	end, last := from, -1
	for ; end < u.count() && !endsPath(u.at(end)); end++ {
		if isSeparator(u.at(end)) {
			last = end
		}
	}
	stop := last
	if last < 0 {
		stop = end
	}
	for i := from; i < stop; i++ {
		if !isSeparator(u.at(i)) {
			u.mask(i)
		}
	}
	return end
}

// userFolders are what the home folders of users lie in; root is one itself.
var userFolders = secrets([]string{"/home/", "/Users/", `\Users\`, "/users/", `\users\`, `\USERS\`, `\home\`})

var rootFolder = secrets([]string{"/root"})

// secret is a text in both encodings.
type secret struct{ utf8, utf16 []byte }

func secrets(texts []string) []secret {
	var list []secret
	for _, text := range texts {
		s := secret{utf8: []byte(text)}
		if text == "" {
			continue
		}
		for _, c := range utf16.Encode([]rune(text)) {
			s.utf16 = binary.LittleEndian.AppendUint16(s.utf16, c)
		}
		list = append(list, s)
	}
	return list
}

// each calls f for each place where a text stands in b, with b from there on and
// the number of code units of the text. f returns how many units it has done
// with.
func (s *secret) each(b []byte, f func(u units, length int) int) {
	for size, pattern := range [...][]byte{1: s.utf8, 2: s.utf16} {
		if size == 0 {
			continue
		}
		for rest := b; ; {
			i := bytes.Index(rest, pattern)
			if i < 0 {
				break
			}
			rest = rest[i:]
			n := f(units{rest[:len(rest)/size*size], size}, len(pattern)/size)
			rest = rest[n*size:]
		}
	}
}

// sweep replaces folders of users and the given texts in b, whatever they stand
// in.
func (r *Redactor) sweep(b []byte) {
	if bytes.IndexByte(b, '/') >= 0 || bytes.IndexByte(b, '\\') >= 0 {
		sweepFolders(b)
	}
	for i := range r.texts {
		r.texts[i].each(b, func(u units, length int) int {
			units{u.b[:length*u.size], u.size}.maskAll()
			return length
		})
	}
}

// sweepFolders replaces what stands behind folders of users.
func sweepFolders(b []byte) {
	for i := range userFolders {
		userFolders[i].each(b, func(u units, length int) int { return u.maskUser(length) })
	}
	for i := range rootFolder {
		rootFolder[i].each(b, func(u units, length int) int {
			switch {
			case length == u.count() || endsPath(u.at(length)) || u.at(length) == ' ':
				u.maskUser(1)
			case isSeparator(u.at(length)):
				return u.maskUser(1)
			}
			return length
		})
	}
}
