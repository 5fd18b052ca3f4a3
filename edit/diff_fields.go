package edit

import (
	"bytes"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// diffField is something that is compared: of events, or of traces as a whole
// where same is nil.
type diffField struct {
	name string
	same func(d *differ, a, b *codec.Event) bool
	// since is the first version that has a place for it, 0 for all.
	since uint32
	// beyond reports whether an event has a value for which the other stream has
	// no place: if that is older than since, or of a version for which limited is
	// set.
	beyond  func(d *differ, e *codec.Event) bool
	limited func(mine, other uint32) bool
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
	{name: "name", same: func(_ *differ, a, b *codec.Event) bool { return a.Name() == b.Name() }},
	{name: "guid", since: 6, same: sameMetadata(func(m *codec.Metadata) string { return string(m.ProviderGUID[:]) }),
		beyond: hasMetadata(func(m *codec.Metadata) bool { return !m.ProviderGUID.IsZero() }), text: metadataText(guidText)},
	{name: "fields", same: (*differ).sameFields, limited: toOlder,
		beyond: (*differ).fieldsBeyond, text: metadataText(fieldsText)},
	{name: "message", since: 6, same: sameMetadata(func(m *codec.Metadata) string { return m.Message }),
		beyond: hasMetadata(func(m *codec.Metadata) bool { return m.Message != "" }), text: metadataText(messageText)},
	{name: "description", since: 6, same: sameMetadata(func(m *codec.Metadata) string { return m.Description }),
		beyond: hasMetadata(func(m *codec.Metadata) bool { return m.Description != "" }), text: metadataText(descriptionText)},
	{name: "attributes", since: 6, same: sameMetadataAttributes,
		beyond: hasMetadata(func(m *codec.Metadata) bool { return len(m.Attributes) > 0 }), text: metadataText(attributesText)},
	{name: "time", same: func(_ *differ, a, b *codec.Event) bool { return a.Timestamp == b.Timestamp }},
	{name: "thread", same: sameNumber((*codec.Event).ThreadID), limited: fromTable, beyond: unknownNumber((*codec.Event).ThreadID)},
	{name: "captureThread", same: sameNumber((*codec.Event).CaptureThreadID), since: 4, limited: fromTable,
		beyond: unknownCapture},
	{name: "threadName", since: 6, same: sameThreads(func(a, b *codec.Thread) bool { return a.Name == b.Name }),
		beyond: hasThread(func(t *codec.Thread) bool { return t.Name != "" }), text: threadsText(threadNameText)},
	{name: "threadAttributes", since: 6, same: sameThreads(func(a, b *codec.Thread) bool { return slices.Equal(a.Attributes, b.Attributes) }),
		beyond: hasThread(func(t *codec.Thread) bool { return len(t.Attributes) > 0 }), text: threadsText(threadAttributesText)},
	{name: "process", same: sameNumber((*codec.Event).ProcessID), limited: fromTable, beyond: (*differ).processBeyond},
	{name: "processor", same: func(_ *differ, a, b *codec.Event) bool { return a.Processor == b.Processor }, since: 4,
		beyond: func(_ *differ, e *codec.Event) bool { return e.Processor != wire.UnknownProcessor }},
	{name: "sequence", same: func(_ *differ, a, b *codec.Event) bool { return a.Sequence == b.Sequence }, since: 4,
		beyond: func(_ *differ, e *codec.Event) bool { return e.Sequence != 0 }},
	{name: "stack", same: func(_ *differ, a, b *codec.Event) bool { return slices.Equal(a.Stack(), b.Stack()) }},
	{name: "activity", same: func(_ *differ, a, b *codec.Event) bool {
		return a.Activity() == b.Activity() && a.RelatedActivity() == b.RelatedActivity()
	}},
	{name: "labels", since: 6, same: sameLabels, beyond: func(_ *differ, e *codec.Event) bool { return ownLabel(e.Labels(), 0) < len(e.Labels()) }},
	{name: "payload", same: func(_ *differ, a, b *codec.Event) bool { return bytes.Equal(a.Payload(), b.Payload()) }},
	{name: "clock"},
	{name: "properties"},
	{name: "sequencePoints", since: 4},
	{name: "lost", since: 4},
}

// DiffFields lists the names of what Diff compares: of events, and at the end,
// from "clock" on, of traces as a whole.
func DiffFields() []string {
	var names []string
	for i := range diffFields {
		names = append(names, diffFields[i].name)
	}
	return names
}

// tables is the first version that has a table of threads.
const tables = 6

// fromTable says that the other version is one without a table of threads, and
// this one is not.
func fromTable(mine, other uint32) bool { return mine >= tables && other < tables }

// toOlder says that the other version has fewer types than this one.
func toOlder(mine, other uint32) bool { return mine > other }

// toBytes says that the other version keeps in a byte what this one has in four.
func toBytes(mine, other uint32) bool { return mine < tables && other >= tables }

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
	if min(d.side[0].major, d.side[1].major) < 4 {
		return true
	}
	_, known := e.CaptureThreadID()
	return !known
}

// processBeyond reports whether the process of an event is not that of its trace,
// or unknown: before v6 all events are of the trace's process.
func (d *differ) processBeyond(e *codec.Event) bool {
	id, known := e.ProcessID()
	for i := range d.side {
		if d.side[i].major >= tables {
			of, is := d.side[i].trace.ProcessID()
			return !known || is && id != of
		}
	}
	return false
}

// sameLabels compares the labels, except those that events have as values of their
// own: activities and what overrides the metadata.
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

// ownLabel is the position of the next label, from at on, that is to be
// compared.
func ownLabel(list []codec.Label, at int) int {
	for ; at < len(list); at++ {
		switch list[at].Kind {
		case wire.LabelTraceID, wire.LabelSpanID, wire.LabelKeyString, wire.LabelKeyNumber:
			return at
		}
	}
	return at
}
