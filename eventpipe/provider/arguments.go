package provider

import (
	"fmt"
	"strconv"
	"strings"
)

// parseArguments reads "key=value;key=value" and returns it in the form that the
// runtime reads. A key or value with a semicolon or an equals sign must be between
// quotes. With escapes, a backslash begins an escape of dotnet-trace; otherwise it has no meaning.
//
// The runtime would end a value at a second equals sign, and takes text without one for
// no argument at all: both are errors, with the form that has the quotes. The runtime
// removes all quotes, so that a quote that is escaped is not in the value either.
func parseArguments(text string, escapes bool) (string, error) {
	var pairs []string
	keys := map[string]bool{}
	for rest := text; rest != ""; {
		one, more, err := nextArgument(rest, escapes)
		if err != nil {
			return "", err
		}
		switch written := rest[:len(rest)-len(more)]; {
		case !one.hasValue && len(pairs) == 0:
			return "", fmt.Errorf("argument %q has no value: want key=value", strings.TrimSuffix(written, ";"))
		case !one.hasValue:
			return "", fmt.Errorf(`argument %q has no value: want key=value, and a value with a semicolon between quotes: %s`,
				strings.TrimSuffix(written, ";"), quotedAll(text))
		case one.key == "":
			return "", fmt.Errorf("argument %q has no key: want key=value", strings.TrimSuffix(written, ";"))
		case keys[one.key]:
			return "", fmt.Errorf("argument %s is given twice", one.key)
		}
		keys[one.key] = true
		pairs = append(pairs, quoted(one.key)+"="+quoted(one.value))
		rest = more
	}
	return strings.Join(pairs, ";"), nil
}

// quotedAll returns an argument with all after its first equals sign between quotes.
func quotedAll(text string) string {
	key, value, _ := strings.Cut(text, "=")
	return key + `="` + strings.ReplaceAll(value, `"`, "") + `"`
}

// argument is one key=value without quotes and escapes.
type argument struct {
	key, value string
	hasValue   bool
}

// nextArgument reads an argument up to its semicolon, and returns the text after that.
func nextArgument(text string, escapes bool) (a argument, rest string, err error) {
	var b strings.Builder
	inQuotes := false
	for i := 0; i < len(text); {
		c := text[i]
		i++
		switch {
		case c == '\\' && escapes:
			char, n, err := unescape(text[i:])
			if err != nil {
				return a, "", err
			}
			if i += n; char != '"' {
				b.WriteRune(char)
			}
		case c == 0:
			return a, "", fmt.Errorf("argument %q has a NUL, which ends the text in the runtime", text)
		case c == '"':
			inQuotes = !inQuotes
		case c == ';' && !inQuotes:
			return a.with(b.String()), text[i:], nil
		case c == '=' && !inQuotes && a.hasValue:
			one, _, _ := strings.Cut(text, ";")
			return a, "", fmt.Errorf("argument %q has a second =: put the value between quotes: %s", one, quotedAll(one))
		case c == '=' && !inQuotes:
			a.key, a.hasValue = b.String(), true
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	if inQuotes {
		return a, "", fmt.Errorf("argument %q has a quote that is not closed", text)
	}
	return a.with(b.String()), "", nil
}

// with returns the argument with its last part.
func (a argument) with(text string) argument {
	if a.hasValue {
		a.value = text
	} else {
		a.key = text
	}
	return a
}

// escapes are the characters that a letter after a backslash means.
var escapes = map[byte]rune{'n': '\n', 'r': '\r', 't': '\t', 'a': '\a', 'b': '\b', 'e': 0x1B, 'f': '\f', 'v': '\v'}

// unescape reads an escape without its backslash, and returns its length.
func unescape(text string) (char rune, n int, err error) {
	if text == "" {
		return 0, 0, fmt.Errorf(`a backslash at the end: write \\ for a backslash`)
	}
	c := text[0]
	if char, ok := escapes[c]; ok {
		return char, 1, nil
	}
	if digits := map[byte]int{'x': 2, 'u': 4}[c]; digits > 0 && len(text) > digits {
		code, err := strconv.ParseUint(text[1:1+digits], 16, 16)
		if err == nil && code > 0 && (code < 0xD800 || code > 0xDFFF) {
			return rune(code), 1 + digits, nil
		}
	}
	if isWord := c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80; isWord || c == 0 {
		return 0, 0, fmt.Errorf(`\%.1s is no escape: want \r, \n, \t, \", \\, \xHH or \uHHHH, and \\ for a backslash`, text)
	}
	return rune(c), 1, nil
}

// quoted puts a key or value between quotes if it needs them: the runtime takes a key
// with an empty value that has none for no argument.
func quoted(s string) string {
	if s == "" || strings.ContainsAny(s, ";=") {
		return `"` + s + `"`
	}
	return s
}
