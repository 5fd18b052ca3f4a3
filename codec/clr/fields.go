package clr

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// fieldList is the content of a line of fields.
type fieldList struct {
	fields    []codec.Field
	fieldMaps []*ValueMap // by field
	maps      []fieldMap  // of the fields in objects too
}

type fieldMap struct {
	path   string
	values *ValueMap
}

var noFields = &fieldList{}

// scalars are the words for types that their code alone identifies.
var scalars = map[string]wire.TypeCode{
	"bool": wire.Boolean, "u8": wire.Byte, "u16": wire.UInt16, "u32": wire.UInt32, "u64": wire.UInt64,
	"i32": wire.Int32, "i64": wire.Int64, "f64": wire.Double, "guid": wire.GUIDCode, "ptr": wire.Pointer,
	"varuint": wire.VarUInt, "str": wire.NullTerminatedUTF16String, "utf8": wire.NullTerminatedUTF8String,
	"counted": wire.CountedUTF8String,
}

// fieldParser reads a line of fields.
type fieldParser struct {
	text string // the remaining text
	maps map[string]*ValueMap
	list fieldList
}

// parseFields reads "NAME:TYPE/MAP NAME:TYPE ...".
func parseFields(text string, maps map[string]*ValueMap) (*fieldList, error) {
	p := &fieldParser{text: text, maps: maps}
	fields, err := p.fields(' ', "")
	if err != nil {
		return nil, err
	}
	p.list.fields = fields
	p.list.fieldMaps = make([]*ValueMap, len(fields))
	for i := range fields {
		at := slices.IndexFunc(p.list.maps, func(m fieldMap) bool { return m.path == fields[i].Name })
		if at >= 0 {
			p.list.fieldMaps[i] = p.list.maps[at].values
		}
	}
	return &p.list, nil
}

// fields reads fields up to a closing brace or the end.
func (p *fieldParser) fields(separator byte, prefix string) ([]codec.Field, error) {
	var fields []codec.Field
	for {
		name := p.word()
		if name == "" || !p.accept(':') {
			return nil, fmt.Errorf("no field at %q", p.text)
		}
		typ, err := p.typ(fields, prefix+name)
		if err != nil {
			return nil, err
		}
		fields = append(fields, codec.Field{Name: name, Type: typ})
		if !p.accept(separator) {
			return fields, nil
		}
	}
}

// typ reads a type. The fields before it in the same list may count it.
func (p *fieldParser) typ(before []codec.Field, path string) (codec.Type, error) {
	var t codec.Type
	if p.accept('{') {
		fields, err := p.fields(',', path+".")
		if err != nil {
			return t, err
		}
		if !p.accept('}') {
			return t, errors.New("no closing brace")
		}
		t = codec.Type{Code: wire.Object, Fields: fields}
	} else if word := p.word(); scalars[word] != 0 {
		t = codec.Type{Code: scalars[word]}
	} else {
		return t, fmt.Errorf("no type %q", word)
	}
	if p.accept('/') {
		word := p.word()
		values := p.maps[word]
		if values == nil {
			return t, fmt.Errorf("no map %q", word)
		}
		p.list.maps = append(p.list.maps, fieldMap{path, values})
	}
	return p.array(t, before)
}

// array reads the suffix that makes an array of a type, if there is one.
func (p *fieldParser) array(element codec.Type, before []codec.Field) (codec.Type, error) {
	if !p.accept('[') {
		return element, nil
	}
	t := codec.Type{Code: wire.Array, Element: &element}
	if name := p.word(); name != "" {
		at := slices.IndexFunc(before, func(f codec.Field) bool { return f.Name == name })
		if at < 0 {
			return t, fmt.Errorf("no field %q before the array", name)
		}
		t.CountField = at + 1
	}
	if !p.accept(']') {
		return t, errors.New("no closing bracket")
	}
	return t, nil
}

// word reads the text before the next special character.
func (p *fieldParser) word() string {
	end := strings.IndexAny(p.text, " :/,{}[]")
	if end < 0 {
		end = len(p.text)
	}
	word := p.text[:end]
	p.text = p.text[end:]
	return word
}

// accept reads one character if it comes next.
func (p *fieldParser) accept(c byte) bool {
	if p.text == "" || p.text[0] != c {
		return false
	}
	p.text = p.text[1:]
	return true
}
