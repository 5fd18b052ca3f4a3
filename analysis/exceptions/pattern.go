package exceptions

import (
	"strings"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// texts are distinct texts by number. The text 0 is empty.
type texts struct {
	ids   map[string]int32
	list  []string
	limit int64 // of their bytes
	utf8  []byte
}

func (t *texts) init(limit int64) {
	t.ids, t.list, t.limit = map[string]int32{"": 0}, []string{""}, limit
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
	text := strings.TrimSpace(pattern(string(t.utf8)))
	if id, ok := t.ids[text]; ok {
		return id
	}
	return t.intern(text)
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

// pattern returns a message with variable in place of numbers, GUIDs, quoted text
// and paths.
func pattern(message string) string {
	var b strings.Builder
	for i := 0; i < len(message); {
		n := 0
		atStart := i == 0 || !isWord(message[i-1])
		for _, find := range []func(string) int{guid, path, quoted, hexadecimal} {
			if n == 0 && atStart {
				n = find(message[i:])
			}
		}
		if n == 0 {
			n = digits(message[i:])
		}
		if n == 0 {
			b.WriteByte(message[i])
			i++
			continue
		}
		if q := message[i]; q == '\'' || q == '"' {
			b.WriteString(string(q) + variable + string(q))
		} else {
			b.WriteString(variable)
		}
		i += n
	}
	return b.String()
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }

// digits returns the length of a number at the start of a text: digits, with a dot
// or comma between them.
func digits(s string) int {
	n := 0
	for n < len(s) && (isDigit(s[n]) || n > 0 && (s[n] == '.' || s[n] == ',') && n+1 < len(s) && isDigit(s[n+1])) {
		n++
	}
	return n
}

// hexadecimal returns the length of a number such as 0x1f at the start of a text.
func hexadecimal(s string) int {
	if !strings.HasPrefix(s, "0x") && !strings.HasPrefix(s, "0X") {
		return 0
	}
	n := 2
	for n < len(s) && isHex(s[n]) {
		n++
	}
	if n == 2 {
		return 0
	}
	return n
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

// quoted returns the length of a quoted text at the start of a text.
func quoted(s string) int {
	if s[0] != '\'' && s[0] != '"' {
		return 0
	}
	end := strings.IndexByte(s[1:], s[0])
	if end < 0 {
		return 0
	}
	return end + 2
}

// path returns the length of a path or a URL's path at the start of a text: /a/b or
// C:\a.
func path(s string) int {
	switch {
	case len(s) > 1 && s[0] == '/' && isWord(s[1]):
	case len(s) > 2 && isLetter(s[0]) && s[1] == ':' && s[2] == '\\':
	default:
		return 0
	}
	n := strings.IndexAny(s, " \t\r\n'\"<>|;,)")
	if n < 0 {
		n = len(s)
	}
	return len(strings.TrimRight(s[:n], ".:"))
}
