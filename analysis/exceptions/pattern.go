package exceptions

import (
	"strings"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// texts are distinct texts by number. The text 0 is empty.
type texts struct {
	ids      map[string]int32
	list     []string
	examples map[int32]string // the first message of a pattern that is another text
	limit    int64            // of their bytes
	utf8     []byte
}

func (t *texts) init(limit int64) {
	t.ids, t.list, t.examples, t.limit = map[string]int32{"": 0}, []string{""}, map[int32]string{}, limit
}

// leftOut is the text for those beyond the limit.
const leftOut = "[left out]"

// add returns the number of a text in UTF-16.
func (t *texts) add(units []byte) int32 {
	t.utf8 = wire.AppendUTF16(t.utf8[:0], units)
	if id, ok := t.ids[string(t.utf8)]; ok {
		return id
	}
	return t.intern(string(t.utf8))
}

// addMessage returns the number of the pattern of a message in UTF-16.
func (t *texts) addMessage(units []byte) int32 {
	t.utf8 = wire.AppendUTF16(t.utf8[:0], shortMessage(units))
	message := strings.TrimSpace(string(t.utf8))
	text := pattern(message)
	if id, ok := t.ids[text]; ok {
		return id
	}
	id := t.intern(text)
	if t.list[id] == text && message != text {
		if t.limit -= int64(len(message)); t.limit >= 0 {
			t.examples[id] = message
		}
	}
	return id
}

// shortMessage returns the part of a message that makes its pattern.
func shortMessage(units []byte) []byte { return units[:min(len(units), maxMessage)] }

// maxMessage is the number of bytes of a message, in UTF-16, that make its pattern.
const maxMessage = 2 * 400

func (t *texts) intern(text string) int32 {
	if t.limit -= int64(len(text)); t.limit < 0 {
		text = leftOut
		if id, ok := t.ids[text]; ok {
			return id
		}
	}
	id := int32(len(t.list))
	t.ids[text] = id
	t.list = append(t.list, text)
	return id
}

// variable replaces a part of a message that differs from throw to throw.
const variable = "*"

// pattern returns a message with variable in place of numbers, GUIDs and hexadecimal words. A digit within another
// word stays: it is part of a name.
func pattern(message string) string {
	var b strings.Builder
	for i := 0; i < len(message); {
		if !isWord(message[i]) {
			b.WriteByte(message[i])
			i++
			continue
		}
		n := guid(message[i:])
		if n == 0 {
			n = number(message[i:])
		}
		if n > 0 {
			b.WriteString(variable)
			i += n
		}
		for i < len(message) && isWord(message[i]) { // the rest of the word, such as the unit of a number
			b.WriteByte(message[i])
			i++
		}
	}
	return b.String()
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }

// Bounds of words that are numbers.
const (
	minHex  = 6 // digits of a hexadecimal word without 0x
	maxUnit = 3 // letters of a unit, as in 12ms
)

// number returns the length of a number at the start of a word: of a decimal one, with dots and commas between its
// digits and perhaps with a unit behind it, or of a hexadecimal word.
func number(s string) int {
	word := 0
	for word < len(s) && isWord(s[word]) {
		word++
	}
	if isHexadecimal(s[:word]) {
		return word
	}
	n := 0
	for n < len(s) && (isDigit(s[n]) || n > 0 && (s[n] == '.' || s[n] == ',') && n+1 < len(s) && isDigit(s[n+1])) {
		n++
	}
	unit := n
	for unit < len(s) && isLetter(s[unit]) {
		unit++
	}
	if n == 0 || unit-n > maxUnit || unit < len(s) && isWord(s[unit]) {
		return 0
	}
	return n
}

// isHexadecimal reports whether a word is a hexadecimal number: with 0x, or long and with digits.
func isHexadecimal(word string) bool {
	rest, prefixed := strings.CutPrefix(strings.ToLower(word), "0x")
	digits := 0
	for i := range len(rest) {
		if !isHex(rest[i]) {
			return false
		}
		if isDigit(rest[i]) {
			digits++
		}
	}
	return prefixed && rest != "" || len(rest) >= minHex && digits > 0
}

// guid returns the length of a GUID at the start of a text.
func guid(s string) int {
	const form = "00000000-0000-0000-0000-000000000000"
	if len(s) < len(form) {
		return 0
	}
	for i := range len(form) {
		if form[i] == '-' && s[i] != '-' || form[i] == '0' && !isHex(s[i]) {
			return 0
		}
	}
	if len(s) > len(form) && isWord(s[len(form)]) {
		return 0
	}
	return len(form)
}
