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

// eventType has the parts that the lines of all events of a metadata row share.
type eventType struct {
	metadata *codec.Metadata
	version  uint32
	label    []byte     // provider/name(id)
	known    *clr.Event // the schema of the fields, nil when the trace describes them
}

// typeOf returns the type of an event. The table of types is indexed by the low
// bits of metadata ids.
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

// appendPayload appends the length of the payload, the fields if they are
// requested, and the bytes if they are requested or the fields are unknown.
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

// appendFields appends the fields of an event as name=value. If the only field
// is an object without a name, as in self-describing events, it appends the
// fields of that object.
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

// appendField appends a field. A value that has a name becomes name(number).
// Only text is in quotation marks: those that JSON puts around large numbers
// are left out.
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

// valueName returns the name of a value, or the names of its bits; "" when
// there is none.
func valueName(values *clr.ValueMap, value uint64) string {
	name, ok := values.Name(value)
	if !ok && values.Bits && value != 0 {
		return values.Text(value)
	}
	return name
}
