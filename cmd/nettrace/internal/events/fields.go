package events

import (
	"encoding/hex"
	"strconv"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/eventtext"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// eventType is what the lines of all events of a metadata row have in common.
type eventType struct {
	metadata *codec.Metadata
	version  uint32
	label    []byte     // provider/name(id)
	known    *clr.Event // whose fields they are read by, nil when the trace tells them
}

// top.typeOf finds the type of an event. Types are kept by the low bits of their
// ids.
func (w *eventText) typeOf(e *codec.Event) *eventType {
	t := &w.types[e.MetadataID%uint32(len(w.types))]
	m := e.Metadata()
	if version := e.Version(); m == nil || t.metadata != m || t.version != version {
		*t = eventType{metadata: m, version: version, label: eventtext.AppendName(t.label[:0], e)}
		if m != nil && len(m.Fields) == 0 {
			t.known, _ = clr.Describe(m, version)
		}
	}
	return t
}

// appendPayload appends the length of the payload and what is wanted of it: the
// fields, and the bytes when they are asked for or nothing else is known.
func (w *eventText) appendPayload(b []byte, e *codec.Event, t *eventType) []byte {
	payload := e.Payload()
	if len(payload) == 0 {
		return b
	}
	b = eventtext.AppendWord(b, " bytes=", uint64(len(payload)))
	start := len(b)
	if w.fields {
		b = appendFields(b, e, t.known)
	}
	if w.payload || w.fields && len(b) == start {
		b = hex.AppendEncode(append(b, " payload="...), payload)
	}
	return b
}

// appendFields appends the fields of an event as name=value. Those of one
// nameless object, as self-describing events have it, stand for themselves.
func appendFields(b []byte, e *codec.Event, known *clr.Event) []byte {
	i := 0
	for name, v := range e.Fields() {
		if name == "" && v.Code() == wire.Object {
			for name, inner := range v.Fields() {
				b = appendField(b, name, inner, nil)
			}
			continue
		}
		var values *clr.ValueMap
		if known != nil && i < len(known.Fields) && known.Fields[i].Name == name {
			values = known.Maps[i]
		}
		b = appendField(b, name, v, values)
		i++
	}
	if bad := codec.RuleOf(e.FieldsError()); bad != rule.None {
		b = append(append(b, " fieldsError="...), bad.String()...)
	}
	return b
}

// appendField appends a field; a value that has a name as name(number). Quotation
// marks are for text: those that JSON puts around large numbers are left out.
func appendField(b []byte, name string, v codec.Value, values *clr.ValueMap) []byte {
	b = append(display.AppendPrintable(append(b, ' '), name), '=')
	if values != nil && !v.IsText() && !v.IsArray() {
		if text := valueName(values, v.Uint64()); text != "" {
			b = append(append(b, text...), '(')
			return append(strconv.AppendUint(b, v.Uint64(), 10), ')')
		}
	}
	start := len(b)
	b = ndjson.AppendValue(b, v)
	if v.IsText() || v.IsArray() || v.Code() == wire.Object {
		return display.MakePrintable(b, start)
	}
	if end := len(b) - 1; b[start] == '"' {
		b = append(b[:start], b[start+1:end]...)
	}
	return b
}

// valueName is the name of a value, or the names of its bits; "" when there is
// none.
func valueName(values *clr.ValueMap, value uint64) string {
	name, ok := values.Name(value)
	if !ok && values.Bits && value != 0 {
		return values.Text(value)
	}
	return name
}
