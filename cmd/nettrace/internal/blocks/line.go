package blocks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

func (w *blockText) heading() {
	w.lastColumn(fmt.Sprintf(w.columns.block, "OFFSET", "KIND", "SIZE", "ROWS", "FIRST", "LAST"), "CONTENT")
}

// lastColumn prints a line: the text of the last column is shortened to the width of the
// terminal.
func (w *blockText) lastColumn(others, text string) {
	text = w.screen.Shorten(text, terminal.Columns(others))
	w.buf = append(append(w.buf, strings.TrimRight(others+text, " ")...), '\n')
}

// line prints the block's own line.
func (w *blockText) line(r *codec.BlockReader, b *codec.Block) {
	var first, last, rows string
	if w.hasTimes {
		first = string(display.AppendTime(nil, w.trace, w.first))
		last = string(display.AppendTime(nil, w.trace, w.last))
	}
	if b.Kind != wire.KindTrace && b.Kind != wire.KindEndOfStream && b.Kind.Known() {
		rows = strconv.Itoa(b.Rows)
	}
	text := content(b)
	if int64(len(b.Body)) < b.Size {
		text += fmt.Sprintf("  truncated after %d bytes", len(b.Body))
	}
	if bad, _ := r.BadBlocks(); bad > w.bad {
		w.bad = bad
		text += "  BAD"
	}
	w.lastColumn(fmt.Sprintf(w.columns.block, strconv.FormatInt(b.Offset, 10), b.Kind, strconv.FormatInt(b.Size, 10),
		rows, first, last), text)
}

// content describes briefly the content or the definitions of a block.
func content(b *codec.Block) string {
	switch b.Kind {
	case wire.KindEvent:
		return eventContent(b)
	case wire.KindMetadata:
		return "ids " + spans(metadataIDs(b))
	case wire.KindStack, wire.KindLabelList:
		return "ids " + listIDs(b)
	case wire.KindThread:
		return "indexes " + spans(threadIndexes(b))
	case wire.KindRemoveThread:
		return "indexes " + spans(removedIndexes(b))
	case wire.KindSequencePoint:
		return sequenceContent(b)
	case wire.KindUnknown:
		return display.Printable(b.TypeName)
	}
	return ""
}

func eventContent(b *codec.Block) string {
	text := "plain"
	if b.Compressed() {
		text = "compressed"
	}
	if len(b.Metadata) > 0 {
		text += ", metadata ids " + spans(metadataIDs(b))
	}
	return text
}

func sequenceContent(b *codec.Block) string {
	text := display.Counted(int64(len(b.SequencePoint.Threads)), "thread")
	if b.SequencePoint.Flags&wire.SequenceThreads != 0 {
		text += ", flushes threads"
	}
	if b.SequencePoint.Flags&wire.SequenceMetadata != 0 {
		text += ", flushes metadata"
	}
	return text
}

// listIDs returns the ids of a block whose rows are numbered from FirstID on.
func listIDs(b *codec.Block) string {
	last := uint64(b.FirstID) + uint64(b.Rows) - 1
	switch b.Rows {
	case 0:
		return "none"
	case 1:
		return strconv.FormatUint(last, 10)
	}
	return fmt.Sprintf("%d-%d", b.FirstID, last)
}

func metadataIDs(b *codec.Block) []uint64 {
	var ids []uint64
	for i := range b.Metadata {
		ids = append(ids, uint64(b.Metadata[i].Metadata.ID))
	}
	return ids
}

func threadIndexes(b *codec.Block) []uint64 {
	var ids []uint64
	for _, t := range b.Threads {
		ids = append(ids, t.Index)
	}
	return ids
}

func removedIndexes(b *codec.Block) []uint64 {
	var ids []uint64
	for _, entry := range b.Removed {
		ids = append(ids, entry.Thread)
	}
	return ids
}

// spans writes numbers with runs of neighbours as from-to: "1-4,7". A long list
// is shortened.
func spans(ids []uint64) string {
	const most = 8
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return "none"
	}
	var b []byte
	for i, n := 0, 0; i < len(ids); n++ {
		if n == most {
			return string(b) + fmt.Sprintf(" and %d more", len(ids)-i)
		}
		if n > 0 {
			b = append(b, ',')
		}
		from := i
		for i++; i < len(ids) && ids[i] == ids[i-1]+1; i++ {
		}
		b = strconv.AppendUint(b, ids[from], 10)
		if i-from > 1 {
			b = strconv.AppendUint(append(b, '-'), ids[i-1], 10)
		}
	}
	return string(b)
}

// trailing prints a line for the bytes after the end mark.
func (w *blockText) trailing(r *codec.BlockReader) error {
	at := r.Offset()
	n, err := r.TrailingBytes()
	if n > 0 {
		w.buf = fmt.Appendf(w.buf, "%12d  (after the end)  %6d\n", at, n)
	}
	return err
}

// total prints the last line and flushes the output.
func (w *blockText) total() error {
	if w.trace != nil {
		w.buf = fmt.Appendf(w.buf, "%s, %s\n", display.Counted(w.count, "block"), display.Counted(w.events, "event"))
	}
	return w.flush()
}
