package main

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// headings makes the names of headings as GitHub does: lower case, without
// punctuation, a dash for each space, and a number if the page has the name already.
type headings struct{ used map[string]bool }

// Generate returns the name of a heading.
func (h *headings) Generate(value []byte, _ ast.NodeKind) []byte {
	first := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, string(value))
	name := first
	for k := 1; h.used[name]; k++ {
		name = first + "-" + strconv.Itoa(k)
	}
	h.used[name] = true
	return []byte(name)
}

// Put reserves a name.
func (h *headings) Put(value []byte) { h.used[string(value)] = true }
