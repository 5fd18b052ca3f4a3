package blocks

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// printFields prints the fields of a block, and the places where the block does
// not have the form of its kind. With an offset it prints only the fields that
// contain it.
func (w *blockText) printFields(b *codec.Block) {
	walker := layout.NewWalker(layout.Options{Format: w.trace.Format, PointerSize: w.trace.PointerSize})
	for f := range walker.Block(b.Kind, b.Body) {
		start := b.BodyOffset + int64(f.Pos)
		if w.offset < 0 || start <= w.offset && w.offset < start+int64(f.Size) {
			w.printField(b, &f)
		}
	}
	if f := walker.Fault(); f.Rule != rule.None {
		line := fmt.Sprintf("%14d  %v: %s", b.BodyOffset+int64(f.Pos), f.Rule, f.Rule.Rule().Sentence)
		w.buf = append(append(w.buf, w.screen.Wrap(line, 16)...), '\n')
	}
}

// printField prints one field: its offset, its row, its name, its bytes and
// its value.
func (w *blockText) printField(b *codec.Block, f *layout.Field) {
	row := ""
	if f.Row != layout.Header {
		row = "row " + strconv.Itoa(f.Row)
	}
	bytes := b.Body[f.Pos : f.Pos+f.Size]
	more := ""
	if len(bytes) > w.columns.bytes {
		bytes, more = bytes[:w.columns.bytes], "..."
	}
	name := strings.Repeat("  ", f.Depth) + f.Name
	if w.columns.fieldName > 0 {
		name = terminal.Shorten(name, w.columns.fieldName)
	}
	w.lastColumn(fmt.Sprintf(w.columns.field, b.BodyOffset+int64(f.Pos), row, name, hex.EncodeToString(bytes)+more),
		fieldValue(f, b.Body))
}

// fieldValue returns the value of a field, or the number of its bytes.
func fieldValue(f *layout.Field, body []byte) string {
	switch f.Encoding {
	case layout.GUID:
		return wire.GUID(body[f.Pos : f.Pos+f.Size]).String()
	case layout.String:
		return strconv.Quote(display.Printable(string(body[f.From:f.To])))
	case layout.UTF16:
		return strconv.Quote(display.Printable(string(wire.AppendUTF16(nil, body[f.From:f.To]))))
	case layout.Bytes, layout.Group:
		return display.Counted(int64(f.Size), "byte")
	case layout.Int32, layout.VarInt64:
		return strconv.FormatInt(int64(f.Value), 10)
	}
	return strconv.FormatUint(f.Value, 10)
}
