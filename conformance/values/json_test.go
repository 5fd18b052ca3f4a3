package values_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A JSON value is nil, a bool, a json.Number, a string, a []any or an object.
// Objects keep the order of their members and duplicate names. An unpaired
// surrogate in a string is the mark and its four hex digits.
type object []member

type member struct {
	name  string
	value any
}

// surrogateMark is a code point that no text holds.
const surrogateMark = "\uFDD0"

var (
	escapes    = regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|.)`)
	surrogates = regexp.MustCompile(surrogateMark + "d[89a-f][0-9a-f]{2}")
)

// get returns a member's value.
func (o object) get(name string) (any, bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

// text returns a string member, or "".
func (o object) text(name string) string {
	v, _ := o.get(name)
	s, _ := v.(string)
	return s
}

// number returns a member that is a number without a sign, or 0.
func (o object) number(name string) uint64 {
	v, _ := o.get(name)
	n, _ := v.(json.Number)
	u, _ := strconv.ParseUint(string(n), 10, 64)
	return u
}

// list returns an array member.
func (o object) list(name string) []any {
	v, _ := o.get(name)
	list, _ := v.([]any)
	return list
}

// parseLines parses one object a line.
func parseLines(t *testing.T, text []byte) []object {
	t.Helper()
	var list []object
	for line := range bytes.Lines(text) {
		o, ok := parse(t, line).(object)
		if !ok {
			t.Fatalf("no object: %s", line)
		}
		list = append(list, o)
	}
	return list
}

// parse parses one JSON value.
func parse(t *testing.T, text []byte) any {
	t.Helper()
	d := newDecoder(text)
	v, err := parseValue(d)
	if err != nil {
		t.Fatalf("%v in %.200q", err, text)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("more than one value in %.200q", text)
	}
	return v
}

func newDecoder(text []byte) *json.Decoder {
	d := json.NewDecoder(bytes.NewReader(markSurrogates(text)))
	d.UseNumber()
	return d
}

// markSurrogates replaces escapes of unpaired surrogates.
func markSurrogates(text []byte) []byte {
	found := escapes.FindAllIndex(text, -1)
	var marked []byte
	done := 0
	for i := 0; i < len(found); i++ {
		at := found[i]
		kind := surrogate(text[at[0]:at[1]])
		if kind == 'h' && i+1 < len(found) && found[i+1][0] == at[1] && surrogate(text[at[1]:found[i+1][1]]) == 'l' {
			i++
			continue
		}
		if kind != 0 {
			marked = append(marked, text[done:at[0]]...)
			marked = append(marked, surrogateMark...)
			marked = append(marked, bytes.ToLower(text[at[0]+2:at[1]])...)
			done = at[1]
		}
	}
	return append(marked, text[done:]...)
}

// surrogate reports whether an escape is a high ('h') or low ('l') surrogate.
func surrogate(escape []byte) byte {
	if len(escape) != 6 || escape[2]|0x20 != 'd' {
		return 0
	}
	switch c := escape[3] | 0x20; {
	case escape[3] == '8' || escape[3] == '9' || c == 'a' || c == 'b':
		return 'h'
	case c >= 'c' && c <= 'f':
		return 'l'
	}
	return 0
}

func parseValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		return parseArray(d)
	case json.Delim('{'):
		return parseObject(d)
	}
	return token, nil
}

func parseArray(d *json.Decoder) (any, error) {
	list := []any{}
	for d.More() {
		v, err := parseValue(d)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.Token()
	return list, err
}

func parseObject(d *json.Decoder) (any, error) {
	o := object{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := parseValue(d)
		if err != nil {
			return nil, err
		}
		o = append(o, member{name.(string), v})
	}
	_, err := d.Token()
	return o, err
}

// difference is a place where two values are not the same.
type difference struct {
	path         string
	ours, theirs any
}

func (d difference) String() string {
	return fmt.Sprintf("%s: %s, want %s", d.path, show(d.ours), show(d.theirs))
}

// absent is the value of a missing member.
type absent struct{}

// show formats a value on one line, shortened when long.
func show(v any) string {
	text := fmt.Sprintf("%#v", v)
	switch v := v.(type) {
	case nil:
		text = "null"
	case absent:
		text = "nothing"
	case json.Number:
		text = string(v)
	}
	text = strings.NewReplacer("values_test.", "", "interface {}", "any").Replace(text)
	if len(text) > 120 {
		text = fmt.Sprintf("%.100s... (%d bytes)", text, len(text))
	}
	return text
}

// differences compares our value with the other reader's. Members must have
// the same order; numbers the same bits as doubles.
func differences(path string, ours, theirs any) []difference {
	switch o := ours.(type) {
	case object:
		if t, ok := theirs.(object); ok {
			return objectDifferences(path, o, t)
		}
	case []any:
		if t, ok := theirs.([]any); ok && len(o) == len(t) {
			var found []difference
			for i := range o {
				found = append(found, differences(fmt.Sprintf("%s[%d]", path, i), o[i], t[i])...)
			}
			return found
		}
	case json.Number:
		if t, ok := theirs.(json.Number); ok && sameNumber(o, t) {
			return nil
		}
	case string:
		if t, ok := theirs.(string); ok && sameText(o, t) {
			return nil
		}
	default:
		if ours == theirs && ours != nil {
			return nil
		}
	}
	return []difference{{path, ours, theirs}}
}

func objectDifferences(path string, ours, theirs object) []difference {
	var found []difference
	for i := range max(len(ours), len(theirs)) {
		switch {
		case i >= len(theirs):
			found = append(found, difference{path + "." + ours[i].name, ours[i].value, absent{}})
		case i >= len(ours):
			found = append(found, difference{path + "." + theirs[i].name, absent{}, theirs[i].value})
		case ours[i].name != theirs[i].name:
			return append(found, difference{path, ours, theirs})
		default:
			found = append(found, differences(path+"."+ours[i].name, ours[i].value, theirs[i].value)...)
		}
	}
	return found
}

func sameNumber(ours, theirs json.Number) bool {
	x, err := ours.Float64()
	y, errToo := theirs.Float64()
	return err == nil && errToo == nil && math.Float64bits(x) == math.Float64bits(y)
}

// sameText compares texts. The other reader writes U+FFFD for an unpaired
// surrogate: its output is UTF-8, which has no other way.
func sameText(ours, theirs string) bool {
	return ours == theirs || surrogates.ReplaceAllString(ours, "\uFFFD") == theirs
}
