package clr

import (
	"iter"
	"strings"
)

// Tags iterates over the tags of an activity in a text that the bridge of DiagnosticSource wrote: "[key, value],[key, value]"
// (TagObjects.*Enumerate), or "key:value, key:value" (TagObjects). The values are not escaped: what is no tag of
// its own belongs to the value before.
func Tags(text string) iter.Seq2[string, string] {
	between, after := ", ", ":"
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		text, between, after = text[1:len(text)-1], "],[", ", "
	}
	return func(yield func(key, value string) bool) {
		for text != "" {
			key, rest, ok := strings.Cut(text, after)
			if !ok || !isTagKey(key) {
				return
			}
			end := endOfTag(rest, between, after)
			if !yield(key, rest[:end]) {
				return
			}
			text = strings.TrimPrefix(rest[end:], between)
		}
	}
}

// endOfTag returns the position after a value: where another tag begins.
func endOfTag(rest, between, after string) int {
	for end := 0; ; end += len(between) {
		n := strings.Index(rest[end:], between)
		if n < 0 {
			return len(rest)
		}
		end += n
		if key, _, ok := strings.Cut(rest[end+len(between):], after); ok && isTagKey(key) {
			return end
		}
	}
}

// isTagKey reports whether a text can be the name of a tag.
func isTagKey(key string) bool { return key != "" && !strings.ContainsAny(key, " ,[]") }
