package gen

import (
	"bytes"
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Roles of the blocks of a template, in file order. Not every version has each.
const (
	roleTrace         = "trace"
	roleMetadata      = "metadata"       // of event types 1 and 2, and 3, which is not used
	roleStacks        = "stacks"         // 1 to 3
	roleThreads       = "threads"        // 1 to 4; 3 is removed
	roleLabels        = "labels"         // 1 and 2
	roleRows          = "rows"           // compressed, every field written
	rolePlain         = "plain"          // not compressed
	roleRemove        = "remove"         // of threads 3
	rolePoint         = "point"          // between the regions
	roleSecondStacks  = "second stacks"  // 1
	roleSecondLabels  = "second labels"  // 1
	roleValues        = "values"         // rows of event type 2
	roleSpareMetadata = "spare metadata" // not used, as all that follow
	roleSpareStacks   = "spare stacks"
	roleSpareThreads  = "spare threads"
	roleSpareLabels   = "spare labels"
	roleLastPoint     = "last point"
	roleFinalPoint    = "final point" // the point without events before it
)

// template is a small legal trace into which faults are injected: its blocks
// without the fault and with it.
type template struct {
	dice
	format    wire.Format
	trace     *Trace
	roles     []string // of the blocks
	good, bad []part
	fault     place
	row       int // position in the body of the row in which the fault is, -1: the block itself
	stream    func(b []byte) []byte
}

// part is a block of a template.
type part struct {
	kind               wire.Kind
	typeName           string
	version, minReader int32
	body               []byte
}

// place is a position in the body of a block, or in the stream.
type place struct {
	part int // -1: of the stream
	pos  int
}

// templateBuilder makes the trace of a template.
type templateBuilder struct {
	dice
	b      *Builder
	format wire.Format
	roles  []string
	start  uint64
}

// newTemplate makes a template. The seed decides on its numbers and texts, not on its
// blocks.
func newTemplate(format wire.Format, seed uint64) *template {
	y := &templateBuilder{dice: newDice(seed), format: format}
	trace := y.make()
	s := &template{dice: y.dice, format: format, trace: trace, roles: y.roles, row: -1}
	s.good = partsOf(trace)
	s.bad = partsOf(trace)
	return s
}

// partsOf encodes the blocks of a trace.
func partsOf(t *Trace) []part {
	var parts []part
	var r raw.Reader
	r.ResetMemory(t.Bytes(), -1)
	for {
		b, err := r.Next()
		if err != nil || b.Kind == wire.KindEndOfStream {
			return parts
		}
		parts = append(parts, part{b.Kind, b.TypeName, b.Version, b.MinReader, bytes.Clone(b.Body)})
	}
}

// flush writes the waiting rows and gives the blocks these roles.
func (y *templateBuilder) flush(roles ...string) {
	y.b.Flush()
	y.roles = append(y.roles, roles...)
}

// make makes the trace. Its clock is so coarse that times fit between two times.
func (y *templateBuilder) make() *Trace {
	r := newRun(Order{Format: y.format, Seed: y.n(1 << 32)})
	if y.format.HasTraceProperties() {
		r.head.Properties = append(r.head.Properties,
			codec.KeyValue{Key: "alpha", Value: "one"}, codec.KeyValue{Key: "gamma", Value: "two"})
	}
	y.start = r.head.SyncTicks + 1000*y.between(1, 1000)
	y.b = NewBuilder(BuilderOptions{Format: y.format, Trace: r.head})
	y.roles = []string{roleTrace}
	y.define()
	y.first()
	y.middle()
	y.second()
	y.spare()
	return y.b.Trace()
}

// define defines the table rows of the first region.
func (y *templateBuilder) define() {
	b := y.b
	b.Metadata(y.meta("Order", codec.Field{Name: "Count", Type: codec.Type{Code: wire.Int32}},
		codec.Field{Name: "Price", Type: codec.Type{Code: wire.Int64}}))
	b.Metadata(y.meta("Value", y.valueFields()...))
	b.Metadata(y.unused("Third"))
	y.flush(roleMetadata)
	for range 3 {
		b.Stack(y.addresses())
	}
	y.flush(roleStacks)
	if !y.format.HasThreadTable() {
		return
	}
	for i := range uint64(4) {
		b.Thread(y.thread(i + 1))
	}
	y.flush(roleThreads)
	b.Labels(y.labels()...)
	b.Labels(codec.Label{Kind: wire.LabelOpcode, Number: 1 + y.n(9)}, codec.Label{Kind: wire.LabelActivityID, GUID: y.guid()})
	y.flush(roleLabels)
}

// meta describes an event type. The provider is the same for all.
func (y *templateBuilder) meta(name string, fields ...codec.Field) *codec.Metadata {
	m := &codec.Metadata{
		Provider: "Contoso", EventID: uint32(y.between(1, 100)), Name: name + number(y.n(10)), Level: 4, Version: 1,
		Keywords: 1 << y.n(40), Fields: fields,
	}
	if y.format.HasOpcodes() {
		m.Opcode, m.OpcodeSet = 3, true
	}
	if y.format.HasOptionalMetadata() {
		m.ProviderGUID = wire.GUID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	}
	return m
}

// valueFields are the fields of event type 2.
func (y *templateBuilder) valueFields() []codec.Field {
	unit := &codec.Type{Code: wire.UInt16}
	list := []codec.Field{
		{Name: "Flag", Type: codec.Type{Code: wire.Boolean}},
		{Name: "Text", Type: codec.Type{Code: wire.NullTerminatedUTF16String}},
	}
	if y.format.HasType(wire.Array) {
		list = append(list, codec.Field{Name: "Many", Type: codec.Type{Code: wire.Array, Element: &codec.Type{Code: wire.Int32}}})
	}
	if y.format.HasType(wire.VarUInt) {
		list = append(list,
			codec.Field{Name: "Name", Type: codec.Type{Code: wire.Array, Element: &codec.Type{Code: wire.UTF8CodeUnit}}},
			codec.Field{Name: "Size", Type: codec.Type{Code: wire.VarUInt}},
			codec.Field{Name: "Near", Type: codec.Type{Code: wire.RelLoc, Element: unit}},
			codec.Field{Name: "Far", Type: codec.Type{Code: wire.DataLoc, Element: unit}})
	}
	return list
}

// unused describes an event type with a field of each shape, which no event has.
func (y *templateBuilder) unused(name string) *codec.Metadata {
	long := codec.Type{Code: wire.Int64}
	fields := []codec.Field{
		{Name: "One", Type: codec.Type{Code: wire.Int32}},
		{Name: "Two", Type: codec.Type{Code: wire.Object, Fields: []codec.Field{{Name: "Sub", Type: long}}}},
	}
	if y.format.HasType(wire.RelLoc) {
		fields = append(fields,
			codec.Field{Name: "Six", Type: codec.Type{Code: wire.RelLoc, Element: &codec.Type{Code: wire.Byte}}},
			codec.Field{Name: "Ten", Type: codec.Type{Code: wire.FixedLengthArray, Element: &long, Count: 2}},
			codec.Field{Name: "Last", Type: codec.Type{Code: wire.Array, Element: &long}})
	}
	m := y.meta(name, fields...)
	if y.format.HasOptionalMetadata() {
		m.Message, m.Description = "{One} of it", "about "+name
		m.Attributes = []codec.KeyValue{{Key: "left", Value: "a"}, {Key: "link", Value: "b"}}
	}
	return m
}

func (y *templateBuilder) addresses() []uint64 {
	list := make([]uint64, 2+y.n(3))
	for i := range list {
		list[i] = 0x7F3A_5C00_0000 + y.n(1<<24)
	}
	return list
}

func (y *templateBuilder) thread(index uint64) *codec.Thread {
	return &codec.Thread{
		Index: index, Name: "worker " + number(index), ProcessID: 70, ThreadID: 70 + index, HasProcessID: true, HasThreadID: true,
		Attributes: []codec.KeyValue{{Key: "pool", Value: "x"}, {Key: "slot", Value: number(y.n(9))}},
	}
}

// labels is a list with every kind of label.
func (y *templateBuilder) labels() []codec.Label {
	return []codec.Label{
		{Kind: wire.LabelActivityID, GUID: y.guid()}, {Kind: wire.LabelRelatedActivityID, GUID: y.guid()},
		{Kind: wire.LabelTraceID, GUID: y.guid()}, {Kind: wire.LabelSpanID, Number: 1 + y.n(1<<60)},
		{Kind: wire.LabelKeyString, Key: "user", Value: "anna"}, {Kind: wire.LabelKeyString, Key: "role", Value: "boss"},
		{Kind: wire.LabelKeyNumber, Key: "size", Number: 700 + y.n(900)}, {Kind: wire.LabelKeywords, Number: 4},
		{Kind: wire.LabelLevel, Number: 3}, {Kind: wire.LabelVersion, Number: 2}, {Kind: wire.LabelOpcode, Number: 9},
	}
}

// everyField makes a compressed row write each field that its version has.
func (y *templateBuilder) everyField() byte {
	f := byte(wire.RowMetadataID | wire.RowSequence | wire.RowThread | wire.RowStackID | wire.RowActivity | wire.RowPayloadSize)
	if !y.format.HasLabelLists() {
		f |= wire.RowRelated
	}
	return f
}

// order is a row of event type 1. Its time is relative to the start.
func (y *templateBuilder) order(thread, ticks uint64, sorted bool) codec.EventRow {
	row := codec.EventRow{
		MetadataID: 1, CaptureThreadIndex: thread, ThreadIndex: thread, Processor: uint32(y.n(4)), StackID: 1 + uint32(y.n(3)),
		Timestamp: y.start + ticks, Sorted: sorted, Written: y.everyField(),
		Payload: binary.LittleEndian.AppendUint64([]byte{7, 0, 0, 0}, y.n(1<<40)),
	}
	if y.format.HasLabelLists() {
		row.LabelListID = 1 + uint32(y.n(2))
	} else {
		row.Activity, row.Related = y.guid(), y.guid()
	}
	return row
}
