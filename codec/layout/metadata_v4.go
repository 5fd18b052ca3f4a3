package layout

import (
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// definition is the payload of a metadata row of versions 3 to 5.
//
// Spec: "Metadata event encoding" of the v4/v5 text.
var definition = part{name: "Metadata", missing: rule.MD4003, items: []item{
	{name: "MetaDataId", enc: Uint32},
	{name: "ProviderName", enc: UTF16, rule: rules{missing: rule.MD4004}},
	{name: "EventId", enc: Uint32},
	{name: "EventName", enc: UTF16, rule: rules{missing: rule.MD4004}},
	{name: "Keywords", enc: Uint64},
	{name: "Version", enc: Uint32},
	{name: "Level", enc: Uint32},
	{role: one, of: &fieldsV4, optional: true},
	{role: repeats, of: &tag},
}}

// fieldsV4 is the first list of fields.
var fieldsV4 = part{name: "Payload", missing: rule.MD4003, items: []item{
	{name: "FieldCount", enc: Int32, role: counts, of: &fieldV4, min: 6, rule: rules{wrong: rule.MD4005}},
}}

var fieldV4 = part{name: "Payload", missing: rule.MD4003, items: []item{
	{name: "TypeCode", enc: Uint32, role: chooses, by: &typeV4},
	{name: "FieldName", enc: UTF16, rule: rules{missing: rule.MD4004}},
}}

var typeV4 = choice{in: part{name: "Payload", missing: rule.MD4003}, known: isTypeCode, unknown: rule.MD4008, nests: true, options: []option{
	{value: uint64(wire.Object), items: []item{{role: recursive, self: selfFieldsV4, rule: rules{wrong: rule.MD4009}}}},
	{value: uint64(wire.Array), bad: rule.TYP017},
	{value: uint64(wire.FixedLengthArray), bad: rule.TYP016},
	{value: uint64(wire.RelLoc), bad: rule.TYP016},
	{value: uint64(wire.DataLoc), bad: rule.TYP016},
}}

// isTypeCode reports whether a field may have a type code.
func isTypeCode(v uint64) bool { return v <= 255 && wire.TypeCode(v).InStream() }

// tag is a metadata tag of version 5. Those of unknown kinds are skipped.
var tag = part{name: "Tag", missing: rule.TAG001, items: []item{
	{name: "TagPayloadBytes", enc: Uint32, role: sizesChoice},
	{name: "TagKind", enc: Uint8, role: chooses, by: &tagPayload},
}}

var tagPayload = choice{in: part{name: "Tag", missing: rule.TAG001}, options: []option{
	{value: uint64(wire.TagOpcode), items: []item{{name: "OpCode", enc: Uint8, rule: rules{missing: rule.TAG002}}}},
	{value: uint64(wire.TagV2Params), items: []item{{role: one, of: &fieldsV2}}},
}}

// fieldsV2 is the list of fields in a V2Params tag.
var fieldsV2 = part{name: "V2Params", missing: rule.TAG004, items: []item{
	{name: "V2FieldCount", enc: Int32, role: counts, of: &fieldV2, rule: rules{wrong: rule.TAG004}},
}}

var fieldV2 = part{name: "V2Params", missing: rule.TAG005, items: []item{
	{name: "V2FieldSize", enc: Uint32, role: sizesItself, of: &fieldBodyV2, min: 4, atSize: true, rule: rules{wrong: rule.TAG005}},
}}

var fieldBodyV2 = part{name: "V2Params", missing: rule.TAG004, items: []item{
	{name: "FieldName", enc: UTF16, rule: rules{missing: rule.MD4004}},
	{name: "V2TypeCode", enc: Uint32, role: chooses, by: &typeV2},
}}

var elementV2 = part{name: "V2Params", missing: rule.TAG004, items: []item{
	{name: "ArrayTypeCode", enc: Uint32, role: chooses, by: &typeV2},
}}

var typeV2 = choice{in: part{name: "V2Params", missing: rule.TAG004}, known: isTypeCode, unknown: rule.MD4008, nests: true, options: []option{
	{value: uint64(wire.Object), items: []item{{role: recursive, self: selfFieldsV2}}},
	{value: uint64(wire.Array), items: []item{{role: recursive, self: selfElementV2}}},
	{value: uint64(wire.FixedLengthArray), bad: rule.TYP016},
	{value: uint64(wire.RelLoc), bad: rule.TYP016},
	{value: uint64(wire.DataLoc), bad: rule.TYP016},
}}
