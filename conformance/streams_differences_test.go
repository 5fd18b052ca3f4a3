package conformance_test

import (
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// differences compares the decoder's properties of an event with those of codec.
// A missing row of codec is -1 or 0 in the decoder. If the expected result is an
// event without metadata, that replaces the decoder's result.
func (w *expectedEvent) differences(e *codec.Event, v verdict) []string {
	var list []string
	check := func(what string, got, want any) {
		if got, want := fmt.Sprint(got), fmt.Sprint(want); got != want {
			list = append(list, fmt.Sprintf("%s is %s, want %s", what, got, want))
		}
	}
	check("time", e.Timestamp, uint64(w.Ticks))
	if v.depth == 0 || v.depth == len(w.Stack) { // it keeps sizes of stacks in 16 bits
		check("stack", addresses(e), w.Stack)
	}
	if w.PayloadHex != nil && (w.Row == nil || w.PayloadLen == w.Row.PayloadSize) { // those of payloads likewise
		check("payload", hex.EncodeToString(e.Payload()), *w.PayloadHex)
	}
	if w.Row == nil { // v3
		return list
	}
	check("metadata id", e.MetadataID, w.Row.MetadataID)
	check("sequence number", e.Sequence, w.Row.Sequence)
	check("thread", e.ThreadIndex, w.Row.Thread)
	check("capture thread", e.CaptureThreadIndex, w.Row.CaptureThread)
	check("processor", e.Processor, w.Row.CaptureProcessor)
	check("stack id", e.StackID, w.Row.StackID)
	check("sorted", e.Sorted(), w.Row.Sorted)
	check("payload size", len(e.Payload()), w.Row.PayloadSize)
	if w.Row.LabelListID == 0 {
		check("labels", len(e.Labels()), 0)
	}
	check("labels", labelsOf(e), w.labels()) // not in file order
	w.overrides(e, check)
	thread, ok := e.ThreadID()
	check("thread of the system", signed(thread, ok, -1), w.Row.OSThreadID)
	process, ok := e.ProcessID()
	check("process", signed(process, ok, 0), w.Row.OSProcessID)
	w.thread(e, check)
	m := e.Metadata()
	if v.bad != rule.None && v.defect == rule.REF001 {
		check("metadata", m, (*codec.Metadata)(nil))
	} else {
		w.metadata(m, check)
	}
	return list
}

func addresses(e *codec.Event) []string {
	list := []string{}
	for _, a := range e.Stack() {
		list = append(list, "0x"+strconv.FormatUint(a, 16))
	}
	return list
}

func signed(id uint64, known bool, unknown int64) int64 {
	if !known {
		return unknown
	}
	return int64(id)
}

// metadata compares the properties of a metadata row.
func (w *expectedEvent) metadata(m *codec.Metadata, check func(string, any, any)) {
	if m == nil {
		check("metadata", nil, w.Metadata)
		return
	}
	check("provider", m.Provider, w.Metadata.Provider)
	guid := m.ProviderGUID
	if guid.IsZero() {
		guid = nameGUID(m.Provider)
	}
	check("provider GUID", guid, w.Metadata.ProviderGUID)
	check("event id", m.EventID, w.Metadata.EventID)
	name, opcode := startStop(m)
	check("event name", name, w.Metadata.EventName)
	check("version", m.Version, w.Metadata.Version)
	check("level", m.Level, w.Metadata.Level)
	check("keywords", "0x"+strconv.FormatUint(m.Keywords, 16), w.Metadata.Keywords)
	want := -1
	if w.Metadata.Opcode != nil {
		want = int(*w.Metadata.Opcode)
	}
	check("opcode", opcode, want)
	check("message", m.Message, textOf(w.Metadata.MessageTemplate))
	check("description", m.Description, textOf(w.Metadata.Description))
	check("attributes", attributes(m.Attributes), w.Metadata.Attributes)
	var fields []string
	for _, f := range m.Fields {
		fields = append(fields, f.Name)
	}
	if !dropsFields(m) && !inventsFields(m) {
		check("fields", fields, w.Metadata.Fields)
	}
}

// startStop changes a name and an opcode, -1 for none, like the decoder: the
// ending Start or Stop of a name becomes an opcode, and is removed.
func startStop(m *codec.Metadata) (name string, opcode int) {
	name, opcode = m.Name, -1
	if m.OpcodeSet {
		opcode = int(m.Opcode)
	}
	for i, suffix := range []string{"start", "stop"} {
		bare := len(name) - len(suffix)
		if (opcode == -1 || opcode == i+1) && bare >= 0 && strings.EqualFold(name[bare:], suffix) {
			return name[:bare], i + 1
		}
	}
	return name, opcode
}

// inventsFields reports that the decoder has fields where the row has none: it
// knows the events of one provider.
func inventsFields(m *codec.Metadata) bool {
	return m.Provider == "Microsoft-Diagnostics-DiagnosticSource" && len(m.Fields) == 0
}

// dropsFields reports that the decoder has no fields where the row has some: in
// versions before 6 it does not know the types of version 6.
func dropsFields(m *codec.Metadata) bool {
	return m.V2Params && slices.ContainsFunc(m.Fields, func(f codec.Field) bool {
		code := f.Type.Code
		if code == wire.Array {
			code = f.Type.Element.Code
		}
		return code == wire.VarInt || code == wire.VarUInt || code == wire.UTF8CodeUnit
	})
}

// thread compares a row of the thread table. The decoder looks it up when it
// lists the event, so the row may already be removed.
func (w *expectedEvent) thread(e *codec.Event, check func(string, any, any)) {
	t := e.Thread()
	if w.ThreadRow == nil || t == nil {
		return
	}
	check("thread row: thread", signed(t.ThreadID, t.HasThreadID, -1), w.ThreadRow.OSThread)
	check("thread row: process", signed(t.ProcessID, t.HasProcessID, 0), w.ThreadRow.OSProcess)
	check("thread row: name", t.Name, textOf(w.ThreadRow.Name))
	check("thread row: attributes", attributes(t.Attributes), w.ThreadRow.Attributes)
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func attributes(pairs []codec.KeyValue) map[string]string {
	m := map[string]string{}
	for _, p := range pairs {
		m[p.Key] = p.Value
	}
	return m
}

// overrides compares the labels that override metadata.
func (w *expectedEvent) overrides(e *codec.Event, check func(string, any, any)) {
	effective := map[string]any{
		"OpCode": e.Opcode(), "Keywords": "0x" + strconv.FormatUint(e.Keywords(), 16), "Level": e.Level(), "Version": e.Version(),
	}
	for _, l := range w.Labels {
		if l.Override != "" {
			check(l.Override, effective[l.Override], l.Value)
			delete(effective, l.Override)
		}
	}
	if m := e.Metadata(); m != nil && len(effective) == 4 {
		check("values without labels", []any{e.Opcode(), e.Keywords(), e.Level(), e.Version()}, []any{m.Opcode, m.Keywords, m.Level, m.Version})
	}
}

// labels are the decoder's labels as labelsOf writes them.
func (w *expectedEvent) labels() []string {
	var list []string
	for _, l := range w.Labels {
		if l.Override == "" {
			list = append(list, fmt.Sprint(l.Key, "=", l.Value))
		}
	}
	slices.Sort(list)
	return list
}

func labelsOf(e *codec.Event) []string {
	var list []string
	for _, l := range e.Labels() {
		key, value := l.Key, ""
		switch l.Kind {
		case wire.LabelActivityID, wire.LabelRelatedActivityID, wire.LabelTraceID:
			key, value = labelNames[l.Kind], l.GUID.String()
		case wire.LabelKeyString:
			value = l.Value
		case wire.LabelKeyNumber:
			value = strconv.FormatInt(int64(l.Number), 10)
		default:
			key, value = labelNames[l.Kind], strconv.FormatUint(l.Number, 10)
		}
		list = append(list, key+"="+value)
	}
	slices.Sort(list)
	return list
}

var labelNames = map[wire.LabelKind]string{
	wire.LabelActivityID: "ActivityId", wire.LabelRelatedActivityID: "RelatedActivityId", wire.LabelTraceID: "TraceId",
	wire.LabelSpanID: "SpanId", wire.LabelOpcode: "OpCode", wire.LabelKeywords: "Keywords",
	wire.LabelLevel: "Level", wire.LabelVersion: "Version",
}

// wellKnown are providers whose GUID is not computed from their name.
var wellKnown = map[string]string{
	"Microsoft-Windows-DotNETRuntime":                   "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4",
	"Microsoft-Windows-Application Server-Applications": "c651f5f6-1c0d-492e-8ae1-b4efd7c9d503",
}

// nameGUID computes the GUID that .NET gives a provider without one: a SHA-1 over
// a namespace and the name in upper case, big-endian UTF-16.
func nameGUID(name string) (g wire.GUID) {
	text, known := wellKnown[name]
	if known {
		b, _ := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
		for i, at := range []int{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15} {
			g[i] = b[at]
		}
		return g
	}
	b, _ := hex.DecodeString("482c2db2c39047c887f81a15bfc130fb")
	for _, unit := range utf16.Encode([]rune(strings.ToUpper(name))) {
		b = binary.BigEndian.AppendUint16(b, unit)
	}
	sum := sha1.Sum(b)
	copy(g[:], sum[:])
	g[7] = g[7]&0x0F | 0x50
	return g
}
