package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// token is a word, a number, a text, a quoted name or a sign of SQL.
type token struct {
	kind tokenKind
	text string // of a name without its quotes
}

type tokenKind uint8

const (
	word tokenKind = iota
	quotedName
	literal
	sign
)

// maxStatement is the max size of a statement in bytes.
const maxStatement = 1 << 20

// quotes are the signs that begin a text or a name, with those that end it.
var quotes = map[byte]byte{'\'': '\'', '"': '"', '`': '`', '[': ']'}

// tokens splits SQL. Comments and white space are left out. What does not end, as SQLite
// reads it, ends with the text.
func tokens(sql string) []token {
	var list []token
	for i := 0; i < len(sql); {
		c := sql[i]
		switch {
		case strings.HasPrefix(sql[i:], "--"):
			i += upTo(sql[i:], "\n")
		case strings.HasPrefix(sql[i:], "/*"):
			i += 2 + upTo(sql[i+2:], "*/")
		case strings.IndexByte(" \t\r\n\f", c) >= 0:
			i++
		case quotes[c] != 0:
			size, text := quoted(sql[i:], quotes[c])
			kind := quotedName
			if c == '\'' {
				kind = literal
			}
			list = append(list, token{kind, text})
			i += size
		case inWord(c):
			end := i
			for end < len(sql) && inWord(sql[end]) {
				end++
			}
			list = append(list, token{word, sql[i:end]})
			i = end
		default:
			list = append(list, token{sign, sql[i : i+1]})
			i++
		}
	}
	return list
}

// upTo returns the length of a text up to the end of a mark, or all of it.
func upTo(text, mark string) int {
	if at := strings.Index(text, mark); at >= 0 {
		return at + len(mark)
	}
	return len(text)
}

// quoted returns the size and the content of the quoted text at the beginning of SQL. A
// quote is doubled in the text.
func quoted(sql string, end byte) (size int, text string) {
	var b strings.Builder
	for i := 1; i < len(sql); i++ {
		if sql[i] != end {
			b.WriteByte(sql[i])
			continue
		}
		if end == ']' || i+1 == len(sql) || sql[i+1] != end {
			return i + 1, b.String()
		}
		b.WriteByte(end)
		i++
	}
	return len(sql), b.String()
}

// inWord reports whether a byte is a part of a word or a number.
func inWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// is reports whether a token is a word, without regard to case.
func (t token) is(text string) bool { return t.kind == word && strings.EqualFold(t.text, text) }

// isAny reports whether a token is one of some words.
func (t token) isAny(list ...string) bool { return slices.ContainsFunc(list, t.is) }

// errNotOneQuery is the reason to refuse a statement.
var errNotOneQuery = errors.New("a query is one statement that begins with SELECT, WITH, VALUES or EXPLAIN")

// first are the words that a query begins with.
var first = []string{"select", "with", "values", "explain"}

// check returns an error if a statement is not a single query.
func check(sql string) error {
	if len(sql) > maxStatement {
		return fmt.Errorf("the query has %d bytes: at most %d are allowed", len(sql), maxStatement)
	}
	if strings.IndexByte(sql, 0) >= 0 {
		return errors.New("the query has a byte 0")
	}
	list := tokens(sql)
	for len(list) > 0 && list[len(list)-1] == (token{sign, ";"}) {
		list = list[:len(list)-1]
	}
	body := list
	for len(body) > 0 && body[0].isAny("explain", "query", "plan") {
		body = body[1:]
	}
	switch {
	case len(body) == 0:
		return fmt.Errorf("the query is empty: %w", errNotOneQuery)
	case slices.Contains(list, token{sign, ";"}):
		return fmt.Errorf("the query has several statements: %w", errNotOneQuery)
	case body[0].isAny("select", "values"):
		return nil
	case body[0].is("with"):
		return checkWith(body)
	}
	return fmt.Errorf("the query begins with %s: %w", body[0].text, errNotOneQuery)
}

// checkWith returns an error if the statement after WITH changes a table.
func checkWith(list []token) error {
	depth := 0
	for _, t := range list {
		switch {
		case t == (token{sign, "("}):
			depth++
		case t == (token{sign, ")"}):
			depth--
		case depth == 0 && t.isAny("select", "values"):
			return nil
		case depth == 0 && t.isAny("insert", "update", "delete", "replace"):
			return fmt.Errorf("WITH is followed by %s: %w", t.text, errNotOneQuery)
		}
	}
	return nil
}
