package model

import (
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// spanField is a field of a start or a stop, by the numbers of its texts.
type spanField struct{ name, value uint32 }

// spanTexts holds the distinct names and values of fields.
type spanTexts struct {
	numbers map[string]uint32
	list    []string
	bytes   []byte
}

// Bounds of what is kept of a start or a stop.
const (
	maxSpanFields = 24
	maxSpanText   = 1000 // bytes of a value
)

// number returns the number of a text.
func (t *spanTexts) number(text []byte) uint32 {
	text = text[:min(len(text), maxSpanText)]
	if n, ok := t.numbers[string(text)]; ok {
		return n
	}
	if t.numbers == nil {
		t.numbers = map[string]uint32{}
	}
	n := uint32(len(t.list))
	t.list = append(t.list, string(text))
	t.numbers[t.list[n]] = n
	return n
}

// fields appends the fields of an event that can tell which span it is of: texts, whole
// numbers, ids, and the entries of lists of keys and values.
func (t *spanTexts) fields(ev *codec.Event, dst []spanField) []spanField {
	for name, v := range ev.Fields() {
		if name == "" && v.Code() == wire.Object {
			for inner, v := range v.Fields() {
				dst = t.field(dst, inner, v)
			}
			continue
		}
		dst = t.field(dst, name, v)
	}
	return dst
}

// field appends a field.
func (t *spanTexts) field(dst []spanField, name string, v codec.Value) []spanField {
	switch {
	case len(dst) >= maxSpanFields:
	case v.IsArray():
		for entry := range v.Elements() {
			dst = t.entry(dst, entry)
		}
	case v.IsText():
		t.bytes = v.AppendText(t.bytes[:0])
		dst = append(dst, spanField{t.number([]byte(name)), t.number(t.bytes)})
	default:
		switch v.Code() {
		case wire.Object, wire.Single, wire.Double, wire.Decimal, wire.DateTime: // no id
		default:
			dst = append(dst, spanField{t.number([]byte(name)), t.number([]byte(v.String()))})
		}
	}
	return dst
}

// entry appends an element of an array if it is a key and a value, both texts.
func (t *spanTexts) entry(dst []spanField, v codec.Value) []spanField {
	if v.Code() != wire.Object || len(dst) >= maxSpanFields {
		return dst
	}
	var texts []uint32
	for _, part := range v.Fields() {
		if !part.IsText() {
			return dst
		}
		t.bytes = part.AppendText(t.bytes[:0])
		texts = append(texts, t.number(t.bytes))
	}
	if len(texts) == 2 {
		dst = append(dst, spanField{texts[0], texts[1]})
	}
	return dst
}

// valueOf returns the number of the value of a field.
func valueOf(fields []spanField, name uint32) (uint32, bool) {
	for _, f := range fields {
		if f.name == name {
			return f.value, true
		}
	}
	return 0, false
}

// bridged returns the name of a span whose event a DiagnosticSource or an ActivitySource
// wrote: the names of the source and of its event, without Start and Stop.
func (t *spanTexts) bridged(fields []spanField, name string) string {
	source, event := "", ""
	for _, f := range fields {
		switch t.list[f.name] {
		case "SourceName":
			source = t.list[f.value]
		case "EventName", "ActivityName":
			event = t.list[f.value]
		}
	}
	for _, suffix := range []string{"Start", "Stop"} {
		event = strings.TrimSuffix(strings.TrimSuffix(event, suffix), ".")
	}
	switch {
	case event == "" && source == "":
		return name
	case event == "":
		return source
	case source == "" || strings.HasPrefix(event, source):
		return event
	}
	return source + "/" + event
}

// Suffixes of the names of fields, in lower case: of ids, and of those that name a span for users.
var (
	identities = []string{"id", "key", "guid", "handle"}
	namings    = []string{
		"path", "url", "uri", "pathandquery", "file", "type", "condition", "route", "host", "address", "target", "task", "operation", "title", "label",
	}
)

// hasSuffix reports whether the name of a field ends with one of some words.
func hasSuffix(name string, words []string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(name, w) })
}

// key returns the values that name a span: of the fields that are called names, or else of
// the others that name something. What follows a ? in an address is not among them.
func (t *spanTexts) key(fields []spanField) string {
	var names, methods, others []string
	for _, f := range fields {
		value := strings.TrimSpace(t.list[f.value])
		name := t.list[f.name]
		switch {
		case value == "", name == "SourceName", name == "EventName", name == "ActivityName":
		case hasSuffix(name, []string{"name"}):
			names = append(names, value)
		case strings.EqualFold(name, "method"):
			methods = append(methods, value)
		case hasSuffix(name, namings):
			if address, _, query := strings.Cut(value, "?"); query && (strings.HasPrefix(value, "/") || strings.Contains(value, "://")) {
				value = address
			}
			others = append(others, value)
		}
	}
	if len(names) > 0 {
		return strings.Join(names, " ")
	}
	return strings.Join(append(methods, others...), " ")
}
