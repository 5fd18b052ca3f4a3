package layout

import (
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// stackBlock is a stack block of all versions.
//
// Spec: "StackBlock Object".
var stackBlock = part{name: "StackBlock", missing: rule.STK001, items: []item{
	{name: "FirstId", enc: Uint32},
	{name: "Count", enc: Uint32, role: countsRows, of: &stackRow},
}}

var stackRow = part{name: "StackRow", missing: rule.STK001, items: []item{
	{name: "StackSize", enc: Uint32, role: sizes, of: &stack, rule: rules{wrong: rule.STK002}},
}}

var stack = part{name: "StackRow", items: []item{{name: "Stack", enc: Group, role: everything, of: &addresses}}}

var addresses = part{name: "StackRow", items: []item{{name: "IP", role: pointers}}}

// threadBlock is a thread block.
//
// Spec: "ThreadBlock".
var threadBlock = part{name: "ThreadBlock", items: []item{{role: rows, of: &threadRow}}}

var threadRow = part{name: "ThreadRow", missing: rule.THR001, items: []item{
	{name: "RowSize", enc: Uint16, role: sizes, of: &threadFields},
}}

var threadFields = part{name: "ThreadRow", missing: rule.THR001, items: []item{
	{name: "Index", enc: VarUint64},
	{role: repeats, of: &threadInfo},
}}

var threadInfo = part{name: "OptionalThreadInfo", missing: rule.THR003, items: []item{
	{name: "Kind", enc: Uint8, role: chooses, by: &threadInfoKind},
}}

var threadInfoKind = choice{in: part{name: "OptionalThreadInfo", missing: rule.THR003}, unknown: rule.THR002, options: []option{
	{value: uint64(wire.ThreadName), items: []item{{name: "Name", enc: String}}},
	{value: uint64(wire.ThreadOSProcessID), items: []item{{name: "Id", enc: VarUint64}}},
	{value: uint64(wire.ThreadOSThreadID), items: []item{{name: "Id", enc: VarUint64}}},
	{value: uint64(wire.ThreadKeyValue), items: []item{{name: "Key", enc: String}, {name: "Value", enc: String}}},
}}

// removeThreadBlock is a block of removed threads.
//
// Spec: "RemoveThreadBlock".
var removeThreadBlock = part{name: "RemoveThreadBlock", items: []item{{role: rows, of: &removedThread}}}

var removedThread = part{name: "RemoveThreadRow", missing: rule.RMT001, items: []item{
	{name: "Index", enc: VarUint64},
	{name: "SequenceNumber", enc: VarUint32},
}}

// labelListBlock is a block of label lists.
//
// Spec: "LabelListBlock".
var labelListBlock = part{name: "LabelListBlock", items: []item{
	{name: "firstIndex", enc: Uint32, rule: rules{missing: rule.LBL001}},
	{name: "count", enc: Uint32, role: countsRows, of: &labelList, rule: rules{missing: rule.LBL002}},
}}

var labelList = part{name: "LabelList", missing: rule.LBL002, min: 1, items: []item{{role: untilLast, of: &label}}}

var label = part{name: "Label", missing: rule.LBL004, items: []item{
	{name: "Kind", enc: Uint8, role: chooses, by: &labelKind},
}}

var labelKind = choice{in: part{name: "Label", missing: rule.LBL004}, unknown: rule.LBL003, last: wire.LastLabel, options: []option{
	{value: uint64(wire.LabelActivityID), items: []item{{name: "ActivityId", enc: GUID}}},
	{value: uint64(wire.LabelRelatedActivityID), items: []item{{name: "RelatedActivityId", enc: GUID}}},
	{value: uint64(wire.LabelTraceID), items: []item{{name: "TraceId", enc: GUID}}},
	{value: uint64(wire.LabelSpanID), items: []item{{name: "SpanId", enc: Uint64}}},
	{value: uint64(wire.LabelKeyString), items: []item{{name: "Key", enc: String}, {name: "Value", enc: String}}},
	{value: uint64(wire.LabelKeyNumber), items: []item{
		{name: "Key", enc: String}, {name: "Value", enc: VarInt64, rule: rules{large: rule.LBL008}},
	}},
	{value: uint64(wire.LabelOpcode), items: []item{{name: "OpCode", enc: Uint8}}},
	{value: uint64(wire.LabelKeywords), items: []item{{name: "Keywords", enc: Uint64}}},
	{value: uint64(wire.LabelLevel), items: []item{{name: "Level", enc: Uint8}}},
	{value: uint64(wire.LabelVersion), items: []item{{name: "Version", enc: Uint8}}},
}}
