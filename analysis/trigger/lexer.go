package trigger

import (
	"fmt"
	"strings"
)

// SyntaxError reports a text that is not a rule.
type SyntaxError struct {
	Text   string // the rule
	Offset int    // in Text, bytes from 0
	Reason string // what was expected
}

// Error returns the place, as a column from 1, and what was expected there.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("rule %q, column %d: %s", e.Text, e.Offset+1, e.Reason)
}

// token is a part of a rule.
type token struct {
	text   string // of a word without its quotes
	pos    int
	op     op // of a comparison, otherwise opNone
	comma  bool
	end    bool
	quoted bool
}

// word reports whether the token is a word.
func (t *token) word() bool { return t.op == opNone && !t.comma && !t.end }

// split splits a rule into tokens; the last one is the end.
func split(text string) ([]token, error) {
	var list []token
	for pos := 0; ; {
		pos += len(text[pos:]) - len(strings.TrimLeft(text[pos:], " \t\r\n"))
		if pos == len(text) {
			return append(list, token{pos: pos, end: true}), nil
		}
		t, size, err := first(text, pos)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
		pos += size
	}
}

// first returns the token at a position and its size in the text.
func first(text string, pos int) (token, int, error) {
	rest := text[pos:]
	for _, known := range ops {
		if strings.HasPrefix(rest, known.text) {
			return token{text: known.text, pos: pos, op: known.op}, len(known.text), nil
		}
	}
	switch rest[0] {
	case ',':
		return token{text: ",", pos: pos, comma: true}, 1, nil
	case '"':
		size := strings.IndexByte(rest[1:], '"')
		if size < 0 {
			return token{}, 0, &SyntaxError{text, pos, "the quote does not end"}
		}
		return token{text: rest[1 : 1+size], pos: pos, quoted: true}, size + 2, nil
	}
	size := strings.IndexAny(rest, " \t\r\n,\"<>=!")
	switch {
	case size < 0:
		size = len(rest)
	case size == 0: // a ! without =
		return token{}, 0, &SyntaxError{text, pos, `"!" without "="`}
	}
	return token{text: rest[:size], pos: pos}, size, nil
}
