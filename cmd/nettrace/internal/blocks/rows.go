package blocks

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/eventtext"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// row is one row of a block as --rows prints it.
type row struct {
	offset int64
	size   int // bytes, 0: up to the next row
	flags  int // byte that opens a compressed row, -1 for none
	text   string
}

// eventRow is the row of an event.
func (w *blockText) eventRow(b *codec.Block, e *codec.Event) row {
	flags := -1
	if b.Compressed() {
		flags = int(e.RowFlags())
	}
	text := display.AppendTime(nil, w.trace, e.Timestamp)
	text = eventtext.AppendThread(append(text, "  "...), e)
	text = eventtext.AppendName(append(text, "  "...), e)
	text = eventtext.AppendWord(text, " metadata=", uint64(e.MetadataID))
	text = eventtext.AppendWord(text, " sequence=", uint64(e.Sequence))
	text = eventtext.AppendWord(text, " stack=", uint64(e.StackID))
	text = eventtext.AppendWord(text, " bytes=", uint64(len(e.Payload())))
	return row{offset: e.Offset(), flags: flags, text: string(text)}
}

// appendRows adds the rows of a block that are no events, and sorts all by
// offset.
func appendRows(list []row, r *codec.BlockReader, b *codec.Block) []row {
	for i := range b.Metadata {
		list = append(list, metadataRow(b, &b.Metadata[i]))
	}
	switch b.Kind {
	case wire.KindStack:
		list = appendStackRows(list, r, b)
	case wire.KindLabelList:
		list = appendLabelRows(list, r, b)
	case wire.KindThread:
		list = appendThreadRows(list, b)
	case wire.KindRemoveThread:
		list = appendPairs(list, b, b.Removed, 0, "index ")
	case wire.KindSequencePoint:
		list = appendSequenceRows(list, b)
	}
	slices.SortStableFunc(list, func(a, b row) int { return cmp.Compare(a.offset, b.offset) })
	return list
}

func metadataRow(b *codec.Block, m *codec.MetadataRow) row {
	flags := -1
	if b.Compressed() {
		flags = int(m.Flags)
	}
	d := m.Metadata
	text := fmt.Sprintf("metadata %d  %s/%s(%d) version=%d level=%d keywords=0x%x fields=%d", d.ID,
		display.Printable(d.Provider), display.Printable(ndjson.EventName(d, d.Version)), d.EventID, d.Version, d.Level, d.Keywords, len(d.Fields))
	return row{m.Offset, m.Size, flags, text}
}

// appendStackRows walks the stacks of a block: a size, then addresses.
func appendStackRows(list []row, r *codec.BlockReader, b *codec.Block) []row {
	pos := 8
	for i := range b.Rows {
		size, next := wire.Uint32(b.Body, pos)
		if next = wire.Skip(b.Body, next, int(size)); next < 0 {
			break
		}
		id := b.FirstID + uint32(i)
		text := fmt.Sprintf("stack %d  %s", id, display.Counted(int64(len(r.Stack(id))), "frame"))
		list = append(list, row{b.BodyOffset + int64(pos), next - pos, -1, text})
		pos = next
	}
	return list
}

// appendThreadRows walks the rows of a thread block: a size, then the row.
func appendThreadRows(list []row, b *codec.Block) []row {
	pos := 0
	for _, t := range b.Threads {
		size, next := wire.Uint16(b.Body, pos)
		if next = wire.Skip(b.Body, next, int(size)); next < 0 {
			break
		}
		text := fmt.Sprintf("thread %d", t.Index)
		if t.HasProcessID {
			text += fmt.Sprintf(" process=%d", t.ProcessID)
		}
		if t.HasThreadID {
			text += fmt.Sprintf(" thread=%d", t.ThreadID)
		}
		if t.Name != "" {
			text += " name=" + display.Printable(t.Name)
		}
		list = append(list, row{b.BodyOffset + int64(pos), next - pos, -1, text})
		pos = next
	}
	return list
}

// appendPairs walks entries of a thread and a sequence number, both of variable
// length.
func appendPairs(list []row, b *codec.Block, entries []codec.ThreadSequence, pos int, what string) []row {
	for _, entry := range entries {
		_, next := wire.VarUint64(b.Body, pos)
		if next >= 0 {
			_, next = wire.VarUint32(b.Body, next)
		}
		if next < 0 {
			break
		}
		list = append(list, pairRow(b, entry, pos, next, what))
		pos = next
	}
	return list
}

func pairRow(b *codec.Block, entry codec.ThreadSequence, pos, next int, what string) row {
	text := what + strconv.FormatUint(entry.Thread, 10) + " sequence=" + strconv.FormatUint(uint64(entry.Sequence), 10)
	return row{b.BodyOffset + int64(pos), next - pos, -1, text}
}

// appendSequenceRows walks the entries of a sequence point: of fixed size
// behind a head of 12 bytes in objects (v4, v5), of variable size behind one of
// 16 bytes in v6.
func appendSequenceRows(list []row, b *codec.Block) []row {
	const headV4, entryV4, headV6 = 12, 12, 16
	if b.TypeName == "" {
		return appendPairs(list, b, b.SequencePoint.Threads, headV6, "index ")
	}
	pos := headV4
	for _, entry := range b.SequencePoint.Threads {
		list = append(list, pairRow(b, entry, pos, pos+entryV4, "thread "))
		pos += entryV4
	}
	return list
}

// appendLabelRows walks the lists of a label list block.
func appendLabelRows(list []row, r *codec.BlockReader, b *codec.Block) []row {
	pos := 8
	for i := range b.Rows {
		next := skipLabels(b.Body, pos)
		if next < 0 {
			break
		}
		id := b.FirstID + uint32(i)
		text := fmt.Appendf(nil, "labels %d ", id)
		for _, l := range r.LabelList(id) {
			text = eventtext.AppendLabel(text, &l)
		}
		list = append(list, row{b.BodyOffset + int64(pos), next - pos, -1, string(text)})
		pos = next
	}
	return list
}

// skipLabels returns the position behind a label list, negative when the bytes
// do not hold one.
func skipLabels(b []byte, pos int) int {
	for pos >= 0 {
		kind, next := wire.Byte1(b, pos)
		if pos = skipLabel(b, next, wire.LabelKind(kind&^wire.LastLabel)); kind&wire.LastLabel != 0 {
			return pos
		}
	}
	return pos
}

func skipLabel(b []byte, pos int, kind wire.LabelKind) int {
	switch kind {
	case wire.LabelActivityID, wire.LabelRelatedActivityID, wire.LabelTraceID:
		return wire.Skip(b, pos, 16)
	case wire.LabelSpanID, wire.LabelKeywords:
		return wire.Skip(b, pos, 8)
	case wire.LabelOpcode, wire.LabelLevel, wire.LabelVersion:
		return wire.Skip(b, pos, 1)
	}
	if pos < 0 {
		return pos
	}
	if _, pos = wire.String(b, pos); pos < 0 {
		return pos
	}
	if kind == wire.LabelKeyNumber {
		_, pos = wire.VarInt64(b, pos)
	} else {
		_, pos = wire.String(b, pos)
	}
	return pos
}

// printRows prints the rows of the current block. A row whose size is not known
// reaches to the next one, or to the end of the body.
func (w *blockText) printRows(b *codec.Block) {
	end := b.BodyOffset + int64(len(b.Body))
	for i := range w.rowList {
		r := &w.rowList[i]
		flags := "-"
		if r.flags >= 0 {
			flags = fmt.Sprintf("0x%02x", r.flags)
		}
		w.buf = fmt.Appendf(w.buf, "%14d  %-4s  %s\n", r.offset, flags, r.text)
		if !w.hex {
			continue
		}
		next := r.offset + int64(r.size)
		if r.size == 0 {
			next = end
			if i+1 < len(w.rowList) {
				next = w.rowList[i+1].offset
			}
		}
		from, to := r.offset-b.BodyOffset, next-b.BodyOffset
		if 0 <= from && from <= to && to <= int64(len(b.Body)) {
			w.buf = appendDump(w.buf, b.Body[from:to], r.offset)
		}
	}
}
