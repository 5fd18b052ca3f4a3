package ndjson

import (
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Rows writes those row lines of the Reader's current block that it has not
// written yet, if Options.Rows is set. Call it at the beginning of each block,
// and before and after the events of an event block: blocks of v3 define
// metadata between events.
func (w *Writer) Rows(b *codec.Block) error {
	if !w.opt.Rows {
		return w.err
	}
	if b.Offset != w.block {
		w.block, w.told = b.Offset, 0
		w.tables(b)
	}
	for ; w.told < len(b.Metadata); w.told++ {
		w.metadata(b.Metadata[w.told].Metadata)
	}
	return w.err
}

// tables writes the table rows of a block.
func (w *Writer) tables(b *codec.Block) {
	for _, t := range b.Threads {
		w.thread(t)
	}
	for _, entry := range b.Removed {
		w.removeThread(entry)
	}
	if b.Kind == wire.KindSequencePoint {
		w.sequencePoint(&b.SequencePoint)
	}
}

// metadata writes a metadata line. It omits "guid" when it is zero, "name",
// "message", "description", "attributes" and "fields" when they are empty,
// "opcode" when the row does not have one.
func (w *Writer) metadata(m *codec.Metadata) {
	b := append(w.buf, `{"type":"metadata","id":`...)
	b = strconv.AppendUint(b, uint64(m.ID), 10)
	b = AppendString(append(b, `,"provider":`...), m.Provider)
	b = appendActivity(b, `,"guid":"`, m.ProviderGUID)
	b = append(b, `,"eventId":`...)
	b = strconv.AppendUint(b, uint64(m.EventID), 10)
	b = appendTextKey(b, `,"name":`, m.Name)
	b = append(b, `,"version":`...)
	b = strconv.AppendUint(b, uint64(m.Version), 10)
	b = append(b, `,"level":`...)
	b = strconv.AppendUint(b, uint64(m.Level), 10)
	if m.OpcodeSet {
		b = append(b, `,"opcode":`...)
		b = strconv.AppendUint(b, uint64(m.Opcode), 10)
	}
	b = appendAddress(append(b, `,"keywords":`...), m.Keywords)
	b = appendTextKey(b, `,"message":`, m.Message)
	b = appendTextKey(b, `,"description":`, m.Description)
	b = appendAttributes(b, m.Attributes)
	b = appendFields(b, m.Fields)
	w.buf = append(b, '}')
	_ = w.line()
}

// thread writes a thread line. It omits "process" and "thread" when the row does
// not have them, "name" and "attributes" when they are empty.
func (w *Writer) thread(t *codec.Thread) {
	b := append(w.buf, `{"type":"thread"`...)
	b = appendDecimalKey(b, `,"index":`, t.Index)
	if t.HasProcessID {
		b = appendDecimalKey(b, `,"process":`, t.ProcessID)
	}
	if t.HasThreadID {
		b = appendDecimalKey(b, `,"thread":`, t.ThreadID)
	}
	b = appendTextKey(b, `,"name":`, t.Name)
	b = appendAttributes(b, t.Attributes)
	w.buf = append(b, '}')
	_ = w.line()
}

func (w *Writer) removeThread(entry codec.ThreadSequence) {
	b := append(w.buf, `{"type":"removeThread"`...)
	b = appendDecimalKey(b, `,"index":`, entry.Thread)
	b = append(b, `,"sequence":`...)
	b = strconv.AppendUint(b, uint64(entry.Sequence), 10)
	w.buf = append(b, '}')
	_ = w.line()
}

// sequencePoint writes a sequencePoint line, all keys always; its threads are
// operating-system ids before v6.
func (w *Writer) sequencePoint(p *codec.SequencePoint) {
	b := append(w.buf, `{"type":"sequencePoint"`...)
	b = w.appendLongKey(b, `,"time":`, p.Timestamp)
	b = append(b, `,"flags":`...)
	b = strconv.AppendUint(b, uint64(p.Flags), 10)
	b = append(b, `,"threads":[`...)
	for i, entry := range p.Threads {
		if i > 0 {
			b = append(b, ',')
		}
		b = w.appendLong(append(b, '['), entry.Thread)
		b = append(b, ',')
		b = strconv.AppendUint(b, uint64(entry.Sequence), 10)
		b = append(b, ']')
	}
	w.buf = append(b, ']', '}')
	_ = w.line()
}

func appendTextKey(b []byte, key, text string) []byte {
	if text == "" {
		return b
	}
	return AppendString(append(b, key...), text)
}

func appendAttributes(b []byte, pairs []codec.KeyValue) []byte {
	if len(pairs) == 0 {
		return b
	}
	b = append(b, `,"attributes":[`...)
	for i, p := range pairs {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(append(b, '['), p.Key)
		b = AppendString(append(b, ','), p.Value)
		b = append(b, ']')
	}
	return append(b, ']')
}

// appendFields appends descriptions of payload fields.
func appendFields(b []byte, fields []codec.Field) []byte {
	if len(fields) == 0 {
		return b
	}
	b = append(b, `,"fields":[`...)
	for i := range fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(append(b, `{"name":`...), fields[i].Name)
		b = appendType(append(b, ','), &fields[i].Type)
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendType appends the keys of a type: its name, then the keys for arrays and
// objects.
func appendType(b []byte, t *codec.Type) []byte {
	b = AppendString(append(b, `"type":`...), t.Code.String())
	if t.Code == wire.FixedLengthArray {
		b = append(b, `,"count":`...)
		b = strconv.AppendUint(b, uint64(t.Count), 10)
	}
	if t.Element != nil {
		b = appendType(append(b, `,"element":{`...), t.Element)
		b = append(b, '}')
	}
	return appendFields(b, t.Fields)
}
