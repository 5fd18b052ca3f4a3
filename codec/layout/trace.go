package layout

import "github.com/nettrace-go/nettrace/codec/rule"

// traceObject is the Trace object of versions 3 to 5.
//
// Spec: "The First Object: The Trace Object" of the v4/v5 text.
var traceObject = part{name: "Trace", missing: rule.TRC001, items: []item{
	{name: "SyncTimeUTC", enc: Group, size: 16, of: &systemTime},
	{name: "SyncTimeQPC", enc: Uint64},
	{name: "QPCFrequency", enc: Uint64},
	{name: "PointerSize", enc: Uint32},
	{name: "ProcessId", enc: Uint32},
	{name: "NumberOfProcessors", enc: Uint32},
	{name: "ExpectedCPUSamplingRate", enc: Uint32},
}}

// traceBlock is the Trace block of version 6.
//
// Spec: "TraceBlock".
var traceBlock = part{name: "Trace", missing: rule.TRC001, items: []item{
	{name: "SyncTimeUTC", enc: Group, size: 16, of: &systemTime},
	{name: "SyncTimeTicks", enc: Uint64},
	{name: "TickFrequency", enc: Uint64},
	{name: "PointerSize", enc: Uint32},
	{name: "KeyValueCount", enc: Int32, role: countsRows, of: &keyValue, rule: rules{wrong: rule.TRC010}},
}}

var systemTime = part{name: "SyncTimeUTC", missing: rule.TRC001, items: []item{
	{name: "Year", enc: Uint16},
	{name: "Month", enc: Uint16},
	{name: "DayOfWeek", enc: Uint16},
	{name: "Day", enc: Uint16},
	{name: "Hour", enc: Uint16},
	{name: "Minute", enc: Uint16},
	{name: "Second", enc: Uint16},
	{name: "Millisecond", enc: Uint16},
}}

var keyValue = part{name: "KeyValue", missing: rule.TRC010, items: []item{
	{name: "Key", enc: String},
	{name: "Value", enc: String},
}}
