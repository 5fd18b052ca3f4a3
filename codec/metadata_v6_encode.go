package codec

import (
	"encoding/binary"
	"math"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// appendMetadataV6 appends a metadata row with its size. The optional elements
// come in the order of their numbers.
//
// Spec: "Metadata block".
func appendMetadataV6(dst []byte, m *Metadata, format wire.Format) ([]byte, error) {
	row := len(dst)
	dst = wire.AppendVarUint(append(dst, 0, 0), uint64(m.ID))
	dst = wire.AppendString(dst, m.Provider)
	dst = wire.AppendVarUint(dst, uint64(m.EventID))
	dst = wire.AppendString(dst, m.Name)
	dst, err := appendFieldsV6(dst, m.Fields, format)
	if err != nil {
		return dst, err
	}
	optional := len(dst)
	dst, err = appendOptional(append(dst, 0, 0), m, format)
	if err != nil {
		return dst, err
	}
	if err := putSize16(dst, optional, "OptionalMetadata"); err != nil {
		return dst, err
	}
	return dst, putSize16(dst, row, "Metadata row")
}

// putSize16 writes the size of the bytes after the two bytes at pos.
func putSize16(b []byte, pos int, what string) error {
	size := len(b) - pos - 2
	if size > math.MaxUint16 {
		return &LimitError{Name: what, Size: int64(size), Limit: math.MaxUint16}
	}
	binary.LittleEndian.PutUint16(b[pos:], uint16(size))
	return nil
}

// appendOptional appends the optional part of the row.
//
// Spec: "OptionalMetadata".
func appendOptional(dst []byte, m *Metadata, format wire.Format) ([]byte, error) {
	if m.Level > math.MaxUint8 || m.Version > math.MaxUint8 {
		return dst, &FormatError{format, "a level or version of metadata above 255"}
	}
	if m.OpcodeSet {
		dst = append(dst, byte(wire.MetadataOpcode), m.Opcode)
	}
	if m.Keywords != 0 {
		dst = binary.LittleEndian.AppendUint64(append(dst, byte(wire.MetadataKeywords)), m.Keywords)
	}
	if m.Message != "" {
		dst = wire.AppendString(append(dst, byte(wire.MetadataMessageTemplate)), m.Message)
	}
	if m.Description != "" {
		dst = wire.AppendString(append(dst, byte(wire.MetadataDescription)), m.Description)
	}
	for _, kv := range m.Attributes {
		dst = appendKeyValue(append(dst, byte(wire.MetadataKeyValue)), kv)
	}
	if !m.ProviderGUID.IsZero() {
		dst = append(append(dst, byte(wire.MetadataProviderGUID)), m.ProviderGUID[:]...)
	}
	if m.Level != 0 {
		dst = append(dst, byte(wire.MetadataLevel), byte(m.Level))
	}
	if m.Version != 0 {
		dst = append(dst, byte(wire.MetadataVersion), byte(m.Version))
	}
	return dst, nil
}

func appendKeyValue(dst []byte, kv KeyValue) []byte {
	return wire.AppendString(wire.AppendString(dst, kv.Key), kv.Value)
}

// appendFieldsV6 appends a list of field descriptions.
//
// Spec: "FieldDescriptions".
func appendFieldsV6(dst []byte, fields []Field, format wire.Format) ([]byte, error) {
	if len(fields) > math.MaxUint16 {
		return dst, &LimitError{Name: "Fields", Size: int64(len(fields)), Limit: math.MaxUint16}
	}
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(fields)))
	for i := range fields {
		at := len(dst)
		var err error
		dst = wire.AppendString(append(dst, 0, 0), fields[i].Name)
		if dst, err = appendTypeV6(dst, &fields[i].Type, format); err == nil {
			err = putSize16(dst, at, "FieldDescription")
		}
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// appendTypeV6 appends a type.
//
// Spec: "Type format".
func appendTypeV6(dst []byte, t *Type, format wire.Format) ([]byte, error) {
	if t.CountField > 0 || !t.Code.InStream() || t.Code.HasElement() && t.Element == nil {
		return dst, &FormatError{format, "a field of type " + t.Code.String()}
	}
	dst = append(dst, byte(t.Code))
	var err error
	if t.Code.HasElement() {
		dst, err = appendTypeV6(dst, t.Element, format)
	}
	if t.Code == wire.FixedLengthArray {
		dst = binary.LittleEndian.AppendUint16(dst, t.Count)
	}
	if t.Code == wire.Object && err == nil {
		dst, err = appendFieldsV6(dst, t.Fields, format)
	}
	return dst, err
}
