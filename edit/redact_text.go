package edit

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf16"
)

// treatment is the way in which a text is replaced.
type treatment uint8

const (
	replaceAll      treatment = iota
	keepAll                   // nothing is replaced
	keepNumber                // replaced unless it is a number
	keepFileName              // only the part after the last separator stays, unless it is a user's name
	keepProgram               // as keepFileName, if it has the extension of a program
	keepOutsideHome           // only the part after a user's home folder is replaced
)

// byName is how PathsOnly treats the value of a field or key.
func byName(name string) treatment {
	switch name = strings.ToLower(name); {
	case strings.HasSuffix(name, "commandline"):
		return replaceAll
	case strings.HasSuffix(name, "filename"):
		return keepFileName
	case strings.HasSuffix(name, "path"), strings.HasSuffix(name, "directory"):
		return keepProgram
	}
	return keepOutsideHome
}

// apply replaces text in place, and returns whether it changed any of it.
func (how treatment) apply(u units) bool {
	switch how {
	case keepAll:
		return false
	case keepNumber:
		return !u.isNumber() && u.mask(0, u.count())
	case keepFileName:
		home, folders := maskHomes(u.b), u.maskFolders() // in this order: the name of a home folder is a folder
		return home || folders
	case keepProgram:
		home, folders, file := maskHomes(u.b), u.maskFolders(), u.maskUnlessProgram()
		return home || folders || file
	case keepOutsideHome:
		return maskHomes(u.b)
	}
	return u.mask(0, u.count())
}

// units is text in code units of one byte (UTF-8 and Latin-1) or two (UTF-16,
// little-endian).
type units struct {
	b    []byte
	size int
}

func (u units) count() int { return len(u.b) / u.size }

// at is a code unit.
func (u units) at(i int) uint16 {
	if u.size == 1 {
		return uint16(u.b[i])
	}
	return binary.LittleEndian.Uint16(u.b[2*i:])
}

// maskUnit replaces a code unit, and returns whether that changed it.
func (u units) maskUnit(i int) bool {
	if u.at(i) == '*' {
		return false
	}
	u.b[i*u.size] = '*'
	if u.size == 2 {
		u.b[2*i+1] = 0
	}
	return true
}

// mask replaces code units from a position up to another one, and returns whether
// that changed any.
func (u units) mask(from, to int) bool {
	changed := false
	for i := from; i < to; i++ {
		changed = u.maskUnit(i) || changed
	}
	return changed
}

// maskNames is mask, except separators.
func (u units) maskNames(from, to int) bool {
	changed := false
	for i := from; i < to; i++ {
		changed = !isSeparator(u.at(i)) && u.maskUnit(i) || changed
	}
	return changed
}

func isSeparator(c uint16) bool { return c == '/' || c == '\\' }

// lastSeparator is the position of the last separator before end, -1 for none.
func (u units) lastSeparator(end int) int {
	i := end - 1
	for i >= 0 && !isSeparator(u.at(i)) {
		i--
	}
	return i
}

// maskFolders replaces the folders of a path. Separators stay.
func (u units) maskFolders() bool { return u.maskNames(0, u.lastSeparator(u.count())) }

// programs are extensions of files with code or symbols.
var programs = []string{".dll", ".exe", ".so", ".dylib", ".pdb", ".winmd"}

// maskUnlessProgram replaces the part after the last separator, unless its
// extension is that of a program.
func (u units) maskUnlessProgram() bool {
	from := u.lastSeparator(u.count()) + 1
	for _, extension := range programs {
		if at := u.count() - len(extension); at > from && u.hasPrefix(at, extension) {
			return false
		}
	}
	return u.mask(from, u.count())
}

// isNumber reports whether the text is a number: digits, signs, dots and
// exponents.
func (u units) isNumber() bool {
	for i := range u.count() {
		if c := u.at(i); c >= 128 || strings.IndexByte("0123456789.+-eE", byte(c)) < 0 {
			return false
		}
	}
	return true
}

// hasPrefix reports whether the text has an ASCII text in lower case at a
// position, in any letter case.
func (u units) hasPrefix(at int, lower string) bool {
	if u.count()-at < len(lower) {
		return false
	}
	for i := range len(lower) {
		c := u.at(at + i)
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != uint16(lower[i]) {
			return false
		}
	}
	return true
}

// homes are the folders that the home folders of users are in.
var homes = []string{"home", "users", "documents and settings"}

// maskHomes replaces the part after home folders of users in b, in both encodings
// at any position, and reports whether it changed anything.
func maskHomes(b []byte) bool {
	changed := false
	for i := 0; i < len(b); i++ {
		if !isSeparator(uint16(b[i])) {
			continue
		}
		for size := 1; size <= 2; size++ {
			rest := units{b[i:], size}
			if from := rest.user(); from > 0 {
				changed = rest.maskUser(from) || changed
			}
		}
	}
	return changed
}

// user returns where the name of a user begins in a text that begins with a
// separator, 0 when it names no home folder.
func (u units) user() int {
	if u.count() == 0 || !isSeparator(u.at(0)) {
		return 0
	}
	for _, home := range homes {
		if end := 1 + len(home); end < u.count() && u.hasPrefix(1, home) && isSeparator(u.at(end)) {
			return end + 1
		}
	}
	const root = "root"
	if end := 1 + len(root); u.hasPrefix(1, root) && (end == u.count() || !isNameUnit(u.at(end))) {
		return 1
	}
	return 0
}

// isNameUnit reports whether a code unit after "root" makes it another name.
func isNameUnit(c uint16) bool {
	return c >= 128 || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.' || c == '*'
}

// maskUser replaces the bytes from a position to the last separator. If no
// separator follows a name, it replaces everything. A file name can have any
// character, so only a double quote or a control character ends the text.
func (u units) maskUser(from int) bool {
	for from < u.count() && isSeparator(u.at(from)) {
		from++
	}
	end := from
	for end < u.count() && u.at(end) >= ' ' && u.at(end) != '"' {
		end++
	}
	if last := u.lastSeparator(end); last > from {
		end = last
	}
	return u.maskNames(from, end)
}

// secret is a text in the encodings in which it is looked for, and whether it was found.
type secret struct {
	text     string
	patterns []pattern
	found    bool
}

// in reports whether b has the text.
func (s *secret) in(b []byte) bool {
	return slices.ContainsFunc(s.patterns, func(p pattern) bool { return bytes.Contains(b, p.b) })
}

type pattern struct {
	b    []byte
	size int // bytes of a code unit
}

func secrets(texts []string) []secret {
	var list []secret
	for _, text := range texts {
		if text == "" {
			continue
		}
		var wide, latin1 []byte
		for _, c := range utf16.Encode([]rune(text)) {
			wide = binary.LittleEndian.AppendUint16(wide, c)
		}
		for _, c := range text {
			if c > 0xFF {
				latin1 = nil
				break
			}
			latin1 = append(latin1, byte(c))
		}
		patterns := []pattern{{[]byte(text), 1}, {wide, 2}}
		if latin1 != nil && !bytes.Equal(latin1, patterns[0].b) {
			patterns = append(patterns, pattern{latin1, 1})
		}
		list = append(list, secret{text: text, patterns: patterns})
	}
	return list
}

// redactTexts replaces the given texts in b, and reports whether it found any.
func (r *Redactor) redactTexts(b []byte) bool {
	for i := range r.texts { // before a text is replaced that has another one in it
		s := &r.texts[i]
		s.found = s.found || s.in(b)
	}
	found := false
	for _, s := range r.texts {
		for _, p := range s.patterns {
			for rest := b; ; {
				i := bytes.Index(rest, p.b)
				if i < 0 {
					break
				}
				u := units{rest[i : i+len(p.b)], p.size}
				found = u.mask(0, u.count()) || found
				rest = rest[i+len(p.b):]
			}
		}
	}
	return found
}
