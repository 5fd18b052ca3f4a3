package blocks

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/eventtext"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// row is one row of a block as --rows prints it.
type row struct {
	offset int64
	size   int // bytes, 0: up to the next row
	flags  int // first byte of a compressed row, -1 for none
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

// addRows adds the rows of a block that are not events, and sorts all rows by
// offset.
func (w *blockText) addRows(r *codec.BlockReader, b *codec.Block) {
	for i := range b.Metadata {
		w.rowList = append(w.rowList, metadataRow(b, &b.Metadata[i]))
	}
	switch b.Kind {
	case wire.KindStack:
		w.addTable(b, b.Rows, func(i int) string { return stackText(r, b.FirstID+uint32(i)) })
	case wire.KindLabelList:
		w.addTable(b, b.Rows, func(i int) string { return labelsText(r, b.FirstID+uint32(i)) })
	case wire.KindThread:
		w.addTable(b, len(b.Threads), func(i int) string { return threadText(b.Threads[i]) })
	case wire.KindRemoveThread:
		w.addTable(b, len(b.Removed), func(i int) string { return "index " + sequenceText(b.Removed[i]) })
	case wire.KindSequencePoint:
		what := "thread "
		if w.trace.Format.HasThreadTable() {
			what = "index "
		}
		w.addTable(b, len(b.SequencePoint.Threads), func(i int) string { return what + sequenceText(b.SequencePoint.Threads[i]) })
	}
	slices.SortStableFunc(w.rowList, func(a, b row) int { return cmp.Compare(a.offset, b.offset) })
}

// addTable adds the first n rows of a table.
func (w *blockText) addTable(b *codec.Block, n int, text func(i int) string) {
	walker := layout.NewWalker(layout.Options{Format: w.trace.Format, PointerSize: w.trace.PointerSize})
	ends := slices.Collect(walker.Rows(b.Kind, b.Body))
	ends = append(ends, walker.Pos())
	for i := range min(n, len(ends)-1) {
		w.rowList = append(w.rowList, row{b.BodyOffset + int64(ends[i]), ends[i+1] - ends[i], -1, text(i)})
	}
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

func stackText(r *codec.BlockReader, id uint32) string {
	return fmt.Sprintf("stack %d  %s", id, display.Counted(int64(len(r.Stack(id))), "frame"))
}

func labelsText(r *codec.BlockReader, id uint32) string {
	text := fmt.Appendf(nil, "labels %d ", id)
	for _, l := range r.LabelList(id) {
		text = eventtext.AppendLabel(text, &l)
	}
	return string(text)
}

func threadText(t *codec.Thread) string {
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
	return text
}

func sequenceText(s codec.ThreadSequence) string {
	return strconv.FormatUint(s.Thread, 10) + " sequence=" + strconv.FormatUint(uint64(s.Sequence), 10)
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
		w.lastColumn(fmt.Sprintf(w.columns.row, r.offset, flags), r.text)
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
			w.buf = appendDump(w.buf, w.columns.dump, b.Body[from:to], r.offset)
		}
	}
}
