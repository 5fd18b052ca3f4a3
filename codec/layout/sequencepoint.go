package layout

import "github.com/nettrace-go/nettrace/codec/rule"

// sequencePointObject is a sequence point of versions 4 and 5.
//
// Spec: "SequencePointBlock Object" of the v4/v5 text.
var sequencePointObject = part{name: "SequencePointBlock", missing: rule.SQP001, items: []item{
	{name: "TimeStamp", enc: Uint64},
	{name: "ThreadCount", enc: Uint32, role: countsRows, of: &threadSequenceV4},
}}

var threadSequenceV4 = part{name: "ThreadSequence", missing: rule.SQP001, items: []item{
	{name: "ThreadId", enc: Uint64},
	{name: "SequenceNumber", enc: Uint32},
}}

// sequencePointBlock is a sequence point of version 6.
//
// Spec: "SequencePointBlock".
var sequencePointBlock = part{name: "SequencePointBlock", missing: rule.SQP001, items: []item{
	{name: "TimeStamp", enc: Uint64},
	{name: "Flags", enc: Uint32},
	{name: "ThreadCount", enc: Uint32, role: countsRows, of: &threadSequenceV6},
}}

var threadSequenceV6 = part{name: "ThreadSequence", missing: rule.SQP001, items: []item{
	{name: "ThreadIndex", enc: VarUint64},
	{name: "SequenceNumber", enc: VarUint32},
}}
