package main

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/cases"
)

// mark names what begins at an offset of the trace.
type mark struct {
	offset int64
	text   string
	block  bool
}

// text returns the readable form of a trace: its bytes, divided at blocks and
// rows, with the fault at its place. With a fault it shows only the block with
// the fault and names the blocks next to it: the others are those of the trace
// without the fault.
func (m *made) text(c *cases.Case) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n# %s: %q\n", c.About, c.Basis, c.Heading)
	if c.Kind != "" {
		fmt.Fprintf(&b, "# %s\n", c.Kind)
	}
	for _, a := range c.Accept {
		fmt.Fprintf(&b, "# %s: %s\n", a.Basis, a.About)
	}
	list := marks(m.trace)
	if len(list) > manyRows {
		return append(b.Bytes(), blocksOnly(list)...)
	}
	block := int64(-1) // the shown block; -1: all
	if m.rule != rule.None {
		block = blockAt(list, m.offset)
		list = append(list, mark{m.offset, "! " + m.rule.String() + ": " + m.rule.Rule().Sentence, false})
	}
	slices.SortStableFunc(list, func(a, c mark) int { return cmp.Compare(a.offset, c.offset) })
	shown := block < 0
	for i, k := range list {
		shown = shown && !k.block || block < 0 || k.block && k.offset == block
		if shown || k.block {
			fmt.Fprintf(&b, "%s\n", k.text)
		}
		end := int64(len(m.trace))
		if i+1 < len(list) {
			end = min(end, list[i+1].offset)
		}
		if shown {
			dump(&b, m.trace, k.offset, end)
		}
	}
	return b.Bytes()
}

// manyRows is the number of rows and blocks above which a trace is not printed in full.
const manyRows = 1200

// blocksOnly prints the blocks of a trace without their bytes.
func blocksOnly(list []mark) []byte {
	var b bytes.Buffer
	for _, k := range list {
		if k.block {
			fmt.Fprintf(&b, "%8d  %s\n", k.offset, k.text)
		}
	}
	return b.Bytes()
}

// blockAt is where the block begins that holds an offset.
func blockAt(list []mark, offset int64) int64 {
	block := int64(0)
	for _, k := range list {
		if k.block && k.offset <= offset {
			block = max(block, k.offset)
		}
	}
	return block
}

// marks finds the blocks and the rows that begin at an offset of their own, as
// far as a reader gets.
func marks(trace []byte) []mark {
	list := []mark{{0, "stream header", true}}
	r := codec.NewBytesBlockReader(trace, codec.Options{OnError: codec.Skip, Schemas: clr.Schemas})
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		list = append(list, mark{b.Offset, fmt.Sprintf("%v block, %d bytes", b.Kind, b.Size), true})
		for n := 0; ; n++ {
			e, ok := r.NextEvent()
			if !ok {
				break
			}
			list = append(list, mark{e.Offset(), fmt.Sprintf("  row %d: metadata %d, thread %d, sequence %d, time %d, payload %d",
				n, e.MetadataID, e.CaptureThreadIndex, e.Sequence, e.Timestamp, len(e.Payload())), false})
		}
		for _, row := range b.Metadata {
			list = append(list, mark{row.Offset, fmt.Sprintf("  metadata %d: %q %d %q", row.Metadata.ID,
				row.Metadata.Provider, row.Metadata.EventID, row.Metadata.Name), false})
		}
	}
	return append(list, mark{r.Offset(), "end of what was read", true})
}

// width is the number of bytes in a line of a dump.
const width = 16

// dump prints the first and the last lines of many bytes, and all lines of others.
func dump(b *bytes.Buffer, trace []byte, from, to int64) {
	const head, tail = 32 * width, 4 * width
	if to-from <= 2*head {
		dumpLines(b, trace, from, to)
		return
	}
	dumpLines(b, trace, from, from+head)
	fmt.Fprintf(b, "          ... %d bytes\n", to-from-head-tail)
	dumpLines(b, trace, to-tail, to)
}

// dumpLines prints bytes in lines. A run of equal lines is printed as one.
func dumpLines(b *bytes.Buffer, trace []byte, from, to int64) {
	var before []byte
	skipped := false
	for ; from < to; from += width {
		row := trace[from:min(from+width, to)]
		if bytes.Equal(row, before) {
			if !skipped {
				fmt.Fprintln(b, "          *")
			}
			skipped = true
			continue
		}
		before, skipped = row, false
		fmt.Fprintf(b, "%8d  %-32s  %s\n", from, hex.EncodeToString(row), printable(row))
	}
}

func printable(row []byte) []byte {
	row = bytes.Clone(row)
	for i, c := range row {
		if c < ' ' || c > '~' {
			row[i] = '.'
		}
	}
	return row
}
