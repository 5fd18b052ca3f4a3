package layout

import (
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// metadataBlock is a metadata block of version 6.
//
// Spec: "MetadataBlock".
var metadataBlock = part{name: "MetadataBlock", missing: rule.MD001, items: []item{
	{name: "HeaderSize", enc: Uint16, role: sizes},
	{role: rows, of: &metadataRow},
}}

var metadataRow = part{name: "MetadataRow", missing: rule.MD003, items: []item{
	{name: "Size", enc: Uint16, role: sizes, of: &metadataFields},
}}

var metadataFields = part{name: "MetadataRow", missing: rule.MD004, items: []item{
	{name: "MetaDataId", enc: VarUint32},
	{name: "ProviderName", enc: String},
	{name: "EventId", enc: VarUint32},
	{name: "EventName", enc: String},
	{role: one, of: &fieldsV6, rule: rules{missing: rule.TYP001}},
	{role: one, of: &optionalMetadata},
}}

// fieldsV6 is a list of field descriptions.
//
// Spec: "MetadataBlock", FieldDescriptions.
var fieldsV6 = part{name: "FieldDescriptions", missing: rule.TYP001, items: []item{
	{name: "Count", enc: Uint16, role: counts, of: &fieldV6},
}}

var fieldV6 = part{name: "FieldDescriptions", missing: rule.TYP001, items: []item{
	{name: "FieldSize", enc: Uint16, role: sizes, of: &fieldBodyV6},
}}

var fieldBodyV6 = part{name: "FieldDescriptions", missing: rule.TYP002, items: []item{
	{name: "FieldName", enc: String},
	{role: one, of: &typePartV6, rule: rules{missing: rule.TYP002}},
}}

// Spec: "MetadataBlock", Type.
var typePartV6 = part{name: "Type", missing: rule.TYP002, items: []item{
	{name: "TypeCode", enc: Uint8, role: chooses, by: &typeV6},
}}

var elementV6 = item{role: recursive, self: selfTypeV6, rule: rules{missing: rule.TYP005}}

var typeV6 = choice{in: part{name: "Type", missing: rule.TYP002}, known: isTypeCode, unknown: rule.TYP003, nests: true, options: []option{
	{value: 0, bad: rule.TYP004}, // Empty and DBNull of older versions
	{value: 2, bad: rule.TYP004},
	{value: uint64(wire.Object), items: []item{{role: recursive, self: selfFieldsV6, rule: rules{missing: rule.TYP007}}}},
	{value: uint64(wire.Array), items: []item{elementV6}},
	{value: uint64(wire.FixedLengthArray), items: []item{
		elementV6, {name: "ElementCount", enc: Uint16, rule: rules{missing: rule.TYP006}},
	}},
	{value: uint64(wire.RelLoc), items: []item{elementV6}},
	{value: uint64(wire.DataLoc), items: []item{elementV6}},
}}

// Spec: "MetadataBlock", OptionalMetadata.
var optionalMetadata = part{name: "OptionalMetadata", missing: rule.OPT001, items: []item{
	{name: "Size", enc: Uint16, role: sizes, of: &optionalElements, rule: rules{missing: rule.MD004, wrong: rule.OPT001}},
}}

var optionalElements = part{name: "OptionalMetadata", items: []item{{role: repeats, of: &optionalElement}}}

var optionalElement = part{name: "OptionalMetadata", missing: rule.OPT001, items: []item{
	{name: "Kind", enc: Uint8, role: chooses, by: &optionalKind},
}}

var optionalKind = choice{in: part{name: "OptionalMetadata", missing: rule.OPT001}, unknown: rule.OPT002, options: []option{
	{value: uint64(wire.MetadataOpcode), items: []item{{name: "OpCode", enc: Uint8}}},
	{value: 2, bad: rule.OPT003}, // V2Params of version 5
	{value: uint64(wire.MetadataKeywords), items: []item{{name: "Keywords", enc: Uint64}}},
	{value: uint64(wire.MetadataMessageTemplate), items: []item{{name: "MessageTemplate", enc: String}}},
	{value: uint64(wire.MetadataDescription), items: []item{{name: "Description", enc: String}}},
	{value: uint64(wire.MetadataKeyValue), items: []item{{name: "Key", enc: String}, {name: "Value", enc: String}}},
	{value: uint64(wire.MetadataProviderGUID), items: []item{{name: "ProviderGuid", enc: GUID}}},
	{value: uint64(wire.MetadataLevel), items: []item{{name: "Level", enc: Uint8}}},
	{value: uint64(wire.MetadataVersion), items: []item{{name: "Version", enc: Uint8}}},
}}
