package rows

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// decimal is a number of 64 bits as a decimal string. A negative one is in two's
// complement.
type decimal uint64

// UnmarshalJSON reads a string.
func (d *decimal) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte(`"-`)) {
		v, err := strconv.ParseInt(string(bytes.Trim(b, `"`)), 10, 64)
		*d = decimal(v)
		return err
	}
	v, err := unquoted(b, 10)
	*d = decimal(v)
	return err
}

// hexNumber is a number of 64 bits as a hex string with 0x.
type hexNumber uint64

// UnmarshalJSON reads a string.
func (h *hexNumber) UnmarshalJSON(b []byte) error {
	v, err := unquoted(b, 0)
	*h = hexNumber(v)
	return err
}

func unquoted(b []byte, base int) (uint64, error) {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return 0, err
	}
	return strconv.ParseUint(text, base, 64)
}

// pairs are the keys of an object, in their order. A key that occurs twice has
// "#2" appended: it stays so.
type pairs []codec.KeyValue

// UnmarshalJSON reads an object.
func (p *pairs) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var value string
		if err := d.Decode(&value); err != nil {
			return err
		}
		*p = append(*p, codec.KeyValue{Key: fmt.Sprint(key), Value: value})
	}
	return nil
}

// field is a field of a payload; without a name, a type.
type field struct {
	Name    string
	Type    string
	Count   uint16
	Element *field
	Fields  []field
}

func parseFields(text json.RawMessage) ([]codec.Field, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var list []field
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	return fieldsOf(list)
}

func fieldsOf(list []field) ([]codec.Field, error) {
	var out []codec.Field
	for i := range list {
		t, err := list[i].typeOf()
		if err != nil {
			return nil, err
		}
		out = append(out, codec.Field{Name: list[i].Name, Type: t})
	}
	return out, nil
}

func (f *field) typeOf() (codec.Type, error) {
	t := codec.Type{Count: f.Count}
	var err error
	if t.Code, err = typeCode(f.Type); err != nil {
		return t, err
	}
	if f.Element != nil {
		element, err := f.Element.typeOf()
		if err != nil {
			return t, err
		}
		t.Element = &element
	}
	t.Fields, err = fieldsOf(f.Fields)
	return t, err
}

// typeCode finds a type by its name.
func typeCode(name string) (wire.TypeCode, error) {
	for code := wire.TypeCode(1); code.InStream() || code < wire.Boolean8; code++ {
		if code.InStream() && code.String() == name {
			return code, nil
		}
	}
	return 0, fmt.Errorf("no type is called %q", name)
}

// label is a label of an event: its keys determine its kind.
type label struct {
	Activity, RelatedActivity *string
	TraceID, SpanID           *string
	Key                       *string
	Value, Number             *string
	Opcode, Level, Version    *uint64
	Keywords                  *hexNumber
}

func parseLabels(list []label) ([]codec.Label, error) {
	var out []codec.Label
	for i := range list {
		l, err := list[i].label()
		if err != nil {
			return nil, fmt.Errorf("label %d: %w", i, err)
		}
		out = append(out, l)
	}
	return out, nil
}

func (l *label) label() (out codec.Label, err error) {
	switch {
	case l.Activity != nil:
		out.Kind = wire.LabelActivityID
		out.GUID, err = parseGUID(*l.Activity)
	case l.RelatedActivity != nil:
		out.Kind = wire.LabelRelatedActivityID
		out.GUID, err = parseGUID(*l.RelatedActivity)
	case l.TraceID != nil:
		out.Kind = wire.LabelTraceID
		err = hexInto(out.GUID[:], *l.TraceID)
	case l.SpanID != nil:
		var b [8]byte
		out.Kind = wire.LabelSpanID
		err = hexInto(b[:], *l.SpanID)
		out.Number = binary.LittleEndian.Uint64(b[:])
	case l.Key != nil && l.Value != nil:
		out = codec.Label{Kind: wire.LabelKeyString, Key: *l.Key, Value: *l.Value}
	case l.Key != nil && l.Number != nil:
		var n int64
		n, err = strconv.ParseInt(*l.Number, 10, 64)
		out = codec.Label{Kind: wire.LabelKeyNumber, Key: *l.Key, Number: uint64(n)}
	default:
		return l.override()
	}
	return out, err
}

// override is a label that overrides a part of the metadata.
func (l *label) override() (codec.Label, error) {
	switch {
	case l.Opcode != nil:
		return codec.Label{Kind: wire.LabelOpcode, Number: *l.Opcode}, nil
	case l.Level != nil:
		return codec.Label{Kind: wire.LabelLevel, Number: *l.Level}, nil
	case l.Version != nil:
		return codec.Label{Kind: wire.LabelVersion, Number: *l.Version}, nil
	case l.Keywords != nil:
		return codec.Label{Kind: wire.LabelKeywords, Number: uint64(*l.Keywords)}, nil
	}
	return codec.Label{}, fmt.Errorf("of no kind")
}

// hexInto fills dst with the bytes of a hex string.
func hexInto(dst []byte, text string) error {
	b, err := hex.DecodeString(text)
	if err == nil && len(b) != len(dst) {
		err = fmt.Errorf("%d bytes, want %d", len(b), len(dst))
	}
	copy(dst, b)
	return err
}
