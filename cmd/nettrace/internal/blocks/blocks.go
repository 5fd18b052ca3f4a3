// Package blocks is the command blocks, which lists the blocks of a trace, their rows and
// their fields.
package blocks

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// options are the flags of blocks.
type options struct {
	rows, hex, fields, strict bool
	offset                    int64 // -1: not given
	screen                    terminal.Flags
}

// Command returns the command blocks.
func Command(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "blocks FILE",
		Short: "List the blocks of a trace file",
		Long: "blocks prints one line per block: its offset in the uncompressed stream, its kind, the size of its\n" +
			"body, the number of rows, the times of its oldest and newest row (of a sequence point its own\n" +
			"time), and the ids that it defines. --rows also prints each row with its offset and the flags byte\n" +
			"of a compressed row. --hex also prints bytes: of each row, or of each body. --fields also prints\n" +
			"each field with its offset, its name in the specification, its first 16 bytes and its value.\n" +
			"--offset prints the block and the fields that contain an offset.",
		Example: "  nettrace blocks trace.nettrace\n  nettrace blocks --rows --hex trace.nettrace | less\n" +
			"  nettrace blocks --offset 5120 trace.nettrace",
		Args: run.OneFile,
		RunE: func(_ *cobra.Command, args []string) error { return listBlocks(p, args[0], &o) },
	}
	cmd.Flags().BoolVar(&o.rows, "rows", false, "print each row with its offset and flags")
	cmd.Flags().BoolVar(&o.hex, "hex", false, "print the bytes of each body, or with --rows of each row")
	cmd.Flags().BoolVar(&o.fields, "fields", false, "print each field with its offset, bytes and value")
	cmd.Flags().Int64Var(&o.offset, "offset", -1, "print the block and the fields that contain this `OFFSET`")
	cmd.MarkFlagsMutuallyExclusive("fields", "rows", "offset")
	cmd.MarkFlagsMutuallyExclusive("fields", "hex", "offset")
	cmd.Flags().BoolVar(&o.strict, "strict", false, "stop at the first defect")
	o.screen.AddWideFlag(cmd)
	return cmd
}

// listBlocks lists the blocks of one file.
func listBlocks(p *run.Program, name string, o *options) error {
	screen := o.screen.Screen(p.Stdout)
	out := &blockText{dst: p.Stdout, screen: screen, columns: columnsOf(screen), rows: o.rows, hex: o.hex, fields: o.fields || o.offset >= 0, offset: o.offset}
	in, err := input.Open(p, name, input.Options{Before: func() { _ = out.flush() }})
	if err != nil {
		return err
	}
	defer in.Close()
	r := codec.NewBlockReader(in, input.ReaderOptions(o.strict))
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if err := out.block(r, b); err != nil {
			return exit.WriteError(err)
		}
		if out.done {
			in.EndProgress()
			return nil
		}
	}
	err = r.Err()
	if o.offset >= 0 {
		_ = out.flush()
		in.EndProgress()
		input.Report(p, in, r, err)
		return exit.With(exit.Usage, fmt.Errorf("%s: no block contains offset %d", name, o.offset))
	}
	if err == nil {
		err = out.trailing(r)
	}
	if end := out.total(); end != nil {
		return exit.WriteError(end)
	}
	in.EndProgress()
	input.Report(p, in, r, err)
	input.ReportLost(p, name, r)
	return nil
}

// blockText prints blocks as lines for users.
type blockText struct {
	dst       io.Writer
	screen    terminal.Screen
	columns   *columns
	rows, hex bool
	fields    bool
	offset    int64 // only the block and the fields that contain it; -1: all
	done      bool  // the block with the offset was printed
	trace     *codec.Trace

	buf      []byte
	rowList  []row
	bad      int // bad blocks before this one
	count    int64
	events   int64
	first    uint64 // oldest and newest event of the current block
	last     uint64
	hasTimes bool
	err      error
}

// block prints a block and the parts of its content that the flags select.
func (w *blockText) block(r *codec.BlockReader, b *codec.Block) error {
	if w.trace == nil {
		w.trace, _ = r.Trace()
		w.heading()
	}
	w.count++
	w.rowList, w.hasTimes = w.rowList[:0], false
	for e, ok := r.NextEvent(); ok; e, ok = r.NextEvent() {
		w.event(b, e)
	}
	if b.Kind == wire.KindSequencePoint {
		w.first, w.last, w.hasTimes = b.SequencePoint.Timestamp, b.SequencePoint.Timestamp, true
	}
	if w.offset >= 0 {
		return w.blockAt(r, b)
	}
	w.line(r, b)
	if w.fields {
		w.printFields(b)
	} else if w.rows {
		w.addRows(r, b)
		w.printRows(b)
	} else if w.hex {
		w.buf = appendDump(w.buf, w.columns.dump, b.Body, b.BodyOffset)
	}
	if len(w.buf) >= display.FlushSize {
		return w.flush()
	}
	return w.err
}

// blockAt prints a block if it contains the offset of --offset.
func (w *blockText) blockAt(r *codec.BlockReader, b *codec.Block) error {
	if w.offset < b.Offset || w.offset >= max(r.Offset(), b.BodyOffset+int64(len(b.Body))) {
		return w.err
	}
	w.line(r, b)
	if w.offset < b.BodyOffset {
		w.buf = fmt.Appendf(w.buf, "%14d  header of the block, %s\n", b.Offset, display.Counted(b.BodyOffset-b.Offset, "byte"))
	}
	w.printFields(b)
	w.done = true
	return w.flush()
}

// event adds an event of the current block.
func (w *blockText) event(b *codec.Block, e *codec.Event) {
	w.events++
	if !w.hasTimes {
		w.first, w.last, w.hasTimes = e.Timestamp, e.Timestamp, true
	}
	w.first, w.last = min(w.first, e.Timestamp), max(w.last, e.Timestamp)
	if w.rows {
		w.rowList = append(w.rowList, w.eventRow(b, e))
	}
}

func (w *blockText) flush() error {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.dst.Write(w.buf)
	}
	w.buf = w.buf[:0]
	return w.err
}
