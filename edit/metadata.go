package edit

import (
	"math"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// fitMetadata returns the row as a version can express it, the same row if no
// property is lost.
func fitMetadata(m *codec.Metadata, format wire.Format, c *changes) *codec.Metadata {
	fit := *m
	before := c.total()
	if format.HasOptionalMetadata() {
		fitBytes(&fit, c)
	} else {
		fitOptional(&fit, format, c)
		fit.Provider, fit.Name = endAtNUL(fit.Provider, c), endAtNUL(fit.Name, c)
		fit.Fields = fitFields(fit.Fields, format, c)
	}
	if c.total() == before && fit.V2Params == m.V2Params {
		return m
	}
	return &fit
}

// fitBytes truncates values to a byte that have one byte in v6.
//
// Spec: "OptionalMetadata".
func fitBytes(m *codec.Metadata, c *changes) {
	if m.Level > math.MaxUint8 {
		c.add("levels of metadata truncated to a byte", 1)
		m.Level &= math.MaxUint8
	}
	if m.Version > math.MaxUint8 {
		c.add("versions of metadata truncated to a byte", 1)
		m.Version &= math.MaxUint8
	}
}

// fitOptional removes properties that v4 and v5 cannot express.
//
// Spec: "Metadata event encoding" of the v4/v5 text.
func fitOptional(m *codec.Metadata, format wire.Format, c *changes) {
	if !m.ProviderGUID.IsZero() {
		c.add("GUIDs of providers left out", 1)
		m.ProviderGUID = wire.GUID{}
	}
	if m.Message != "" {
		c.add("messages of metadata left out", 1)
		m.Message = ""
	}
	if m.Description != "" {
		c.add("descriptions of metadata left out", 1)
		m.Description = ""
	}
	c.add("attributes of metadata left out", len(m.Attributes))
	m.Attributes = nil
	if format.HasOpcodes() {
		return
	}
	m.V2Params = false
	if m.OpcodeSet {
		c.add("opcodes of metadata left out", 1)
		m.Opcode, m.OpcodeSet = 0, false
	}
}

// endAtNUL returns a text up to its first zero character: the part that
// zero-terminated UTF-16 can express.
func endAtNUL(s string, c *changes) string {
	before, _, found := strings.Cut(s, "\x00")
	if found {
		c.add("names truncated at a zero character", 1)
	}
	return before
}

// fitFields returns the fields up to the first one that v4 or v5 cannot
// describe: payloads are read as far as they are described.
func fitFields(fields []codec.Field, format wire.Format, c *changes) []codec.Field {
	n := 0
	for n < len(fields) && describable(&fields[n].Type, format) {
		n++
	}
	c.add("fields of metadata left out", len(fields)-n)
	return fitNames(fields[:n], c)
}

// fitNames truncates the names of fields at a zero character. It returns the same
// list when there is none.
func fitNames(fields []codec.Field, c *changes) []codec.Field {
	var fit []codec.Field
	for i := range fields {
		name, t := endAtNUL(fields[i].Name, c), fitTypeNames(&fields[i].Type, c)
		if fit == nil && name == fields[i].Name && t == &fields[i].Type {
			continue
		}
		if fit == nil {
			fit = append(make([]codec.Field, 0, len(fields)), fields[:i]...)
		}
		fit = append(fit, codec.Field{Name: name, Type: *t})
	}
	if fit == nil {
		return fields
	}
	return fit
}

// fitTypeNames does so in a type.
func fitTypeNames(t *codec.Type, c *changes) *codec.Type {
	fit := *t
	fit.Fields = fitNames(t.Fields, c)
	if t.Element != nil {
		fit.Element = fitTypeNames(t.Element, c)
	}
	if fit.Element == t.Element && (len(fit.Fields) == 0 || &fit.Fields[0] == &t.Fields[0]) {
		return t
	}
	return &fit
}

// describable reports whether a version has a type with all of its parts.
func describable(t *codec.Type, format wire.Format) bool {
	if !format.HasType(t.Code) || t.Element != nil && !describable(t.Element, format) {
		return false
	}
	for i := range t.Fields {
		if !describable(&t.Fields[i].Type, format) {
			return false
		}
	}
	return true
}
