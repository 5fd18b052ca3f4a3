package codec

import (
	"encoding/binary"
	"strings"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// appendDefinitionV4 appends the payload of a metadata row of v4, which has no
// tags.
//
// Spec: "Metadata event encoding" of the v4/v5 text.
func appendDefinitionV4(dst []byte, m *Metadata, format wire.Format) ([]byte, error) {
	if m.OpcodeSet || m.V2Params || needsV2(m.Fields) {
		return dst, &FormatError{format, "the opcode of metadata, or an array among its fields"}
	}
	return appendDefinitionV5(dst, m, format)
}

// appendDefinitionV5 appends the payload of a metadata row of v5: the inverse of
// rowV4. Fields without arrays are in the first list, unless the row has
// V2Params.
//
// Spec: "Metadata event encoding" of the v4/v5 text.
func appendDefinitionV5(dst []byte, m *Metadata, format wire.Format) ([]byte, error) {
	le := binary.LittleEndian
	if !m.ProviderGUID.IsZero() || m.Message != "" || m.Description != "" || len(m.Attributes) > 0 {
		return dst, &FormatError{format, "a provider's GUID, a message, a description or an attribute of metadata"}
	}
	if strings.Contains(m.Provider, "\x00") || strings.Contains(m.Name, "\x00") {
		return dst, errZero(format)
	}
	dst = le.AppendUint32(dst, m.ID)
	dst = wire.AppendUTF16Z(dst, m.Provider)
	dst = le.AppendUint32(dst, m.EventID)
	dst = wire.AppendUTF16Z(dst, m.Name)
	dst = le.AppendUint64(dst, m.Keywords)
	dst = le.AppendUint32(dst, m.Version)
	dst = le.AppendUint32(dst, m.Level)
	v1 := m.Fields
	v2 := m.V2Params || needsV2(m.Fields)
	if v2 {
		v1 = nil
	}
	dst, err := appendFieldsV4(dst, v1, format)
	if m.OpcodeSet {
		dst = append(le.AppendUint32(dst, 1), byte(wire.TagOpcode), m.Opcode)
	}
	if v2 && err == nil {
		at := len(dst)
		dst = append(le.AppendUint32(dst, 0), byte(wire.TagV2Params))
		dst, err = appendFieldsV2(dst, m.Fields, format)
		le.PutUint32(dst[at:], uint32(len(dst)-at-5))
	}
	return dst, err
}

// errZero is the error for a zero character in a name: names end with one.
func errZero(format wire.Format) error { return &FormatError{format, "a zero character in a name"} }

// needsV2 reports whether a field list cannot be in the first list.
func needsV2(fields []Field) bool {
	for i := range fields {
		if t := &fields[i].Type; t.Code.HasElement() || needsV2(t.Fields) {
			return true
		}
	}
	return false
}

// codeV4 appends a type code, if v4 and v5 have it.
func codeV4(dst []byte, t *Type, format wire.Format) ([]byte, error) {
	if t.CountField > 0 || t.Code > wire.Array || !t.Code.InStream() || t.Code.HasElement() && t.Element == nil {
		return dst, &FormatError{format, "a field of type " + t.Code.String()}
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(t.Code)), nil
}

// appendFieldsV4 appends a list in which the type precedes the name.
func appendFieldsV4(dst []byte, fields []Field, format wire.Format) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(fields)))
	for i := range fields {
		f := &fields[i]
		if strings.Contains(f.Name, "\x00") {
			return dst, errZero(format)
		}
		var err error
		if dst, err = codeV4(dst, &f.Type, format); err == nil && f.Type.Code == wire.Object {
			dst, err = appendFieldsV4(dst, f.Type.Fields, format)
		}
		if err != nil {
			return dst, err
		}
		dst = wire.AppendUTF16Z(dst, f.Name)
	}
	return dst, nil
}

// appendFieldsV2 appends the list of a V2Params tag. Each field begins with its
// size, which counts itself.
func appendFieldsV2(dst []byte, fields []Field, format wire.Format) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(fields)))
	for i := range fields {
		if strings.Contains(fields[i].Name, "\x00") {
			return dst, errZero(format)
		}
		at := len(dst)
		dst = wire.AppendUTF16Z(binary.LittleEndian.AppendUint32(dst, 0), fields[i].Name)
		var err error
		if dst, err = appendTypeV2(dst, &fields[i].Type, format); err != nil {
			return dst, err
		}
		binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at))
	}
	return dst, nil
}

func appendTypeV2(dst []byte, t *Type, format wire.Format) ([]byte, error) {
	dst, err := codeV4(dst, t, format)
	switch {
	case err != nil:
	case t.Code == wire.Array:
		return appendTypeV2(dst, t.Element, format)
	case t.Code == wire.Object:
		return appendFieldsV2(dst, t.Fields, format)
	}
	return dst, err
}
