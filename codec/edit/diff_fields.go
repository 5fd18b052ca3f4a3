package edit

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// diffField is something that is compared: of events, or of traces as a whole
// where same is nil.
type diffField struct {
	name      string
	same      func(a, b *codec.Event) bool
	sequenced bool // v3 does not have it
}

// diffFields are in the order in which they are told.
var diffFields = []diffField{
	{name: "provider", same: func(a, b *codec.Event) bool { return a.Provider() == b.Provider() }},
	{name: "id", same: func(a, b *codec.Event) bool { return a.ID() == b.ID() }},
	{name: "version", same: func(a, b *codec.Event) bool { return a.Version() == b.Version() }},
	{name: "level", same: func(a, b *codec.Event) bool { return a.Level() == b.Level() }},
	{name: "opcode", same: func(a, b *codec.Event) bool { return a.Opcode() == b.Opcode() }},
	{name: "keywords", same: func(a, b *codec.Event) bool { return a.Keywords() == b.Keywords() }},
	{name: "name", same: func(a, b *codec.Event) bool { return a.Name() == b.Name() }},
	{name: "time", same: func(a, b *codec.Event) bool { return a.Timestamp == b.Timestamp }},
	{name: "thread", same: sameNumber((*codec.Event).ThreadID)},
	{name: "captureThread", same: sameNumber((*codec.Event).CaptureThreadID), sequenced: true},
	{name: "process", same: sameNumber((*codec.Event).ProcessID)},
	{name: "processor", same: func(a, b *codec.Event) bool { return a.Processor == b.Processor }, sequenced: true},
	{name: "sequence", same: func(a, b *codec.Event) bool { return a.Sequence == b.Sequence }, sequenced: true},
	{name: "stack", same: func(a, b *codec.Event) bool { return slices.Equal(a.Stack(), b.Stack()) }},
	{name: "activity", same: func(a, b *codec.Event) bool {
		return a.Activity() == b.Activity() && a.RelatedActivity() == b.RelatedActivity()
	}},
	{name: "labels", same: sameLabels},
	{name: "payload", same: func(a, b *codec.Event) bool { return bytes.Equal(a.Payload(), b.Payload()) }},
	{name: "clock"},
	{name: "properties"},
	{name: "lost", sequenced: true},
}

// DiffFields lists the names of what Diff compares: of events, and at the end,
// from "clock" on, of traces as a whole.
func DiffFields() []string {
	var names []string
	for _, f := range diffFields {
		names = append(names, f.name)
	}
	return names
}

// sameNumber compares numbers that may be unknown.
func sameNumber(of func(*codec.Event) (uint64, bool)) func(a, b *codec.Event) bool {
	return func(a, b *codec.Event) bool {
		x, known := of(a)
		y, too := of(b)
		return known == too && x == y
	}
}

// sameLabels compares the labels but those that events have as values of their
// own: activities and what overrides the metadata.
func sameLabels(a, b *codec.Event) bool {
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

// traces compares what the traces say about themselves.
func (d *differ) traces(traces [2]*codec.Trace) {
	a, b := traces[0], traces[1]
	clock := func(t *codec.Trace) string {
		return fmt.Sprintf("%s at %d, %d Hz, pointers of %d bytes", t.SyncTime.Format("2006-01-02T15:04:05.999Z"), t.SyncTicks, t.TickFrequency, t.PointerSize)
	}
	d.wholly("clock", clock(a), clock(b))
	if !slices.Equal(a.Properties, b.Properties) {
		d.wholly("properties", fmt.Sprintf("%q", a.Properties), fmt.Sprintf("%q", b.Properties))
	}
}

// losses compares what the traces have lost, when both are read.
func (d *differ) losses() {
	d.wholly("lost", fmt.Sprint(d.side[0].r.Lost()), fmt.Sprint(d.side[1].r.Lost()))
}

func (d *differ) wholly(name, a, b string) {
	if d.whole[name] && a != b {
		d.found.Whole = append(d.found.Whole, fmt.Sprintf("%s: %s and %s", name, a, b))
	}
}
