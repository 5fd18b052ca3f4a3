package edit

import (
	"bytes"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// diffField is a compared property: of events, or of traces if same is nil.
type diffField struct {
	name string
	same func(d *differ, a, b *codec.Event) bool
	// has reports whether a version can express it; nil: all can.
	has func(wire.Format) bool
	// beyond reports whether an event has a value that the other stream cannot
	// express: if has is false for its version, or limited is set.
	beyond  func(d *differ, e *codec.Event) bool
	limited func(mine, other wire.Format) bool
	// text shows the value where the line of an event does not have it.
	text func(e *codec.Event) string
}

// diffFields are in the order in which differences are reported.
var diffFields = []diffField{
	{name: "provider", same: func(_ *differ, a, b *codec.Event) bool { return a.Provider() == b.Provider() }},
	{name: "id", same: func(_ *differ, a, b *codec.Event) bool { return a.ID() == b.ID() }},
	{name: "version", same: func(_ *differ, a, b *codec.Event) bool { return a.Version() == b.Version() },
		limited: toBytes, beyond: func(_ *differ, e *codec.Event) bool { return e.Version() > 255 }},
	{name: "level", same: func(_ *differ, a, b *codec.Event) bool { return a.Level() == b.Level() },
		limited: toBytes, beyond: func(_ *differ, e *codec.Event) bool { return e.Level() > 255 }},
	{name: "opcode", same: func(_ *differ, a, b *codec.Event) bool { return a.Opcode() == b.Opcode() }},
	{name: "keywords", same: func(_ *differ, a, b *codec.Event) bool { return a.Keywords() == b.Keywords() }},
	{name: "name", same: func(_ *differ, a, b *codec.Event) bool { return nameOf(a) == nameOf(b) }},
	{name: "guid", has: wire.Format.HasOptionalMetadata, same: sameMetadata(func(m *codec.Metadata) string { return string(m.ProviderGUID[:]) }),
		beyond: hasMetadata(func(m *codec.Metadata) bool { return !m.ProviderGUID.IsZero() }), text: metadataText(guidText)},
	{name: "fields", same: (*differ).sameFields, limited: toOlder,
		beyond: (*differ).fieldsBeyond, text: metadataText(fieldsText)},
	{name: "message", has: wire.Format.HasOptionalMetadata, same: sameMetadata(func(m *codec.Metadata) string { return m.Message }),
		beyond: hasMetadata(func(m *codec.Metadata) bool { return m.Message != "" }), text: metadataText(messageText)},
	{name: "description", has: wire.Format.HasOptionalMetadata, same: sameMetadata(func(m *codec.Metadata) string { return m.Description }),
		beyond: hasMetadata(func(m *codec.Metadata) bool { return m.Description != "" }), text: metadataText(descriptionText)},
	{name: "attributes", has: wire.Format.HasOptionalMetadata, same: sameMetadataAttributes,
		beyond: hasMetadata(func(m *codec.Metadata) bool { return len(m.Attributes) > 0 }), text: metadataText(attributesText)},
	{name: "time", same: func(_ *differ, a, b *codec.Event) bool { return a.Timestamp == b.Timestamp }},
	{name: "thread", same: sameNumber((*codec.Event).ThreadID), limited: fromTable, beyond: unknownNumber((*codec.Event).ThreadID)},
	{name: "captureThread", same: sameNumber((*codec.Event).CaptureThreadID), has: wire.Format.HasSequenceNumbers, limited: fromTable,
		beyond: unknownCapture},
	{name: "threadName", has: wire.Format.HasThreadTable, same: sameThreads(func(a, b *codec.Thread) bool { return a.Name == b.Name }),
		beyond: hasThread(func(t *codec.Thread) bool { return t.Name != "" }), text: threadsText(threadNameText)},
	{name: "threadAttributes", has: wire.Format.HasThreadTable, same: sameThreads(func(a, b *codec.Thread) bool { return slices.Equal(a.Attributes, b.Attributes) }),
		beyond: hasThread(func(t *codec.Thread) bool { return len(t.Attributes) > 0 }), text: threadsText(threadAttributesText)},
	{name: "process", same: sameNumber((*codec.Event).ProcessID), limited: fromTable, beyond: (*differ).processBeyond},
	{name: "processor", same: func(_ *differ, a, b *codec.Event) bool { return a.Processor == b.Processor }, has: wire.Format.HasSequenceNumbers,
		beyond: func(_ *differ, e *codec.Event) bool { return e.Processor != wire.UnknownProcessor }},
	{name: "sequence", same: func(_ *differ, a, b *codec.Event) bool { return a.Sequence == b.Sequence }, has: wire.Format.HasSequenceNumbers,
		beyond: func(_ *differ, e *codec.Event) bool { return e.Sequence != 0 }},
	{name: "stack", same: func(_ *differ, a, b *codec.Event) bool { return slices.Equal(a.Stack(), b.Stack()) }},
	{name: "activity", same: func(_ *differ, a, b *codec.Event) bool {
		return a.Activity() == b.Activity() && a.RelatedActivity() == b.RelatedActivity()
	}},
	{name: "labels", has: wire.Format.HasLabelLists, same: sameLabels, beyond: func(_ *differ, e *codec.Event) bool { return ownLabel(e.Labels(), 0) < len(e.Labels()) }},
	{name: "payload", same: func(_ *differ, a, b *codec.Event) bool { return bytes.Equal(a.Payload(), b.Payload()) }},
	{name: "clock"},
	{name: "properties"},
	{name: "sequencePoints", has: wire.Format.HasSequencePoints},
	{name: "lost", has: wire.Format.HasSequenceNumbers},
}

// DiffFields returns the names of the properties that Diff compares: those of
// events and, from "clock" on, those of traces.
func DiffFields() []string {
	var names []string
	for i := range diffFields {
		names = append(names, diffFields[i].name)
	}
	return names
}

// placed reports whether a version can express the field.
func (f *diffField) placed(in wire.Format) bool { return f.has == nil || f.has(in) }

// fromTable reports whether this version has a table of threads, and the other
// one has not.
func fromTable(mine, other wire.Format) bool { return mine.HasThreadTable() && !other.HasThreadTable() }

// toOlder reports whether the other version has fewer types than this one.
func toOlder(mine, other wire.Format) bool { return other.Before(mine) }

// toBytes reports whether the other version has one byte for a value that has
// four here.
func toBytes(mine, other wire.Format) bool {
	return !mine.HasOptionalMetadata() && other.HasOptionalMetadata()
}

// sameNumber compares numbers that may be unknown.
func sameNumber(of func(*codec.Event) (uint64, bool)) func(_ *differ, a, b *codec.Event) bool {
	return func(_ *differ, a, b *codec.Event) bool {
		x, known := of(a)
		y, too := of(b)
		return known == too && x == y
	}
}

func unknownNumber(of func(*codec.Event) (uint64, bool)) func(*differ, *codec.Event) bool {
	return func(_ *differ, e *codec.Event) bool {
		_, known := of(e)
		return !known
	}
}

// unknownCapture reports whether the stream has no capture thread for an event.
// Of v3, which never has one, nothing is counted.
func unknownCapture(d *differ, e *codec.Event) bool {
	if !d.side[0].format.HasSequenceNumbers() || !d.side[1].format.HasSequenceNumbers() {
		return true
	}
	_, known := e.CaptureThreadID()
	return !known
}

// processBeyond reports whether the process of an event is not that of its trace,
// or one of both is unknown: before v6 all events are of the trace's process.
func (d *differ) processBeyond(e *codec.Event) bool {
	id, known := e.ProcessID()
	for i := range d.side {
		if d.side[i].format.HasThreadTable() {
			of, is := d.side[i].trace.ProcessID()
			return !known || !is || id != of
		}
	}
	return false
}

// sameLabels compares the labels, except those that events have as values of
// their own: activities and overridden metadata.
func sameLabels(_ *differ, a, b *codec.Event) bool {
	x, y := a.Labels(), b.Labels()
	for i, j := ownLabel(x, 0), ownLabel(y, 0); ; i, j = ownLabel(x, i+1), ownLabel(y, j+1) {
		if i == len(x) || j == len(y) {
			return i == len(x) && j == len(y)
		}
		if x[i] != y[j] {
			return false
		}
	}
}

// ownLabel returns the position of the next compared label, from at on.
func ownLabel(list []codec.Label, at int) int {
	for ; at < len(list); at++ {
		switch list[at].Kind {
		case wire.LabelTraceID, wire.LabelSpanID, wire.LabelKeyString, wire.LabelKeyNumber:
			return at
		}
	}
	return at
}

// nameOf is the event's name as the metadata has it.
func nameOf(e *codec.Event) string {
	if m := e.Metadata(); m != nil {
		return m.Name
	}
	return ""
}
