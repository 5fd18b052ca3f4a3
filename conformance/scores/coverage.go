package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/cases"
)

// coverage is what the valid cases of the suite have.
type coverage struct {
	flags       map[string]map[byte]bool // values of the flags byte after another row, by version
	alone       int                      // rows with flag 2, without flag 4, whose thread is not the capture thread
	fields      map[string]map[uint64]bool
	rows        int // most rows of an event block
	blocks      int // most event blocks between two sequence points
	threads     int // most capture threads out of order between two sequence points
	tables      map[wire.Kind]int
	tableBlocks map[wire.Kind]int
	locator     uint32   // highest offset in a locator at the start of a payload
	large       []string // cases with 2,000 events or more
}

// measure reads all valid cases.
func measure(list []cases.Case) *coverage {
	c := &coverage{flags: map[string]map[byte]bool{}, fields: map[string]map[uint64]bool{}, tables: map[wire.Kind]int{}, tableBlocks: map[wire.Kind]int{}}
	for i := range list {
		if list[i].Grade() == cases.Valid {
			c.trace(&list[i])
		}
	}
	return c
}

// region is what is between two sequence points.
type region struct {
	blocks, times map[wire.Kind]int // rows and blocks of each kind
	last          uint64
	back          map[uint64]bool // capture threads with a row older than a row of another one before it
}

// trace reads a case.
func (c *coverage) trace(kase *cases.Case) {
	r := codec.NewBytesBlockReader(kase.Trace, codec.Options{OnError: codec.Skip})
	events := 0
	at := region{blocks: map[wire.Kind]int{}, times: map[wire.Kind]int{}, back: map[uint64]bool{}}
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		var rows codec.BlockRows
		kind, compressed := b.Kind, b.Flags&wire.BlockCompressed != 0
		r.Rows(&rows)
		if kind == wire.KindSequencePoint {
			c.region(&at)
			at = region{blocks: map[wire.Kind]int{}, times: map[wire.Kind]int{}, back: map[uint64]bool{}}
			continue
		}
		at.times[kind]++
		at.blocks[kind] += len(rows.Stacks) + len(rows.Threads) + len(rows.LabelLists) + len(rows.Events)
		for i := range rows.Events {
			e := &rows.Events[i]
			if compressed {
				c.row(kase.Version, rows.Events[:i+1])
			}
			if m := r.Metadata(e.MetadataID); m != nil {
				c.locators(m.Fields, e.Payload)
			}
			if e.Timestamp < at.last {
				at.back[e.CaptureThreadIndex] = true
			}
			at.last = max(at.last, e.Timestamp)
		}
		events += len(rows.Events)
		c.rows = max(c.rows, len(rows.Events))
	}
	c.region(&at)
	if events >= 2000 {
		c.large = append(c.large, fmt.Sprintf("%s (%d)", kase.Name, events))
	}
}

// region counts what is between two sequence points.
func (c *coverage) region(at *region) {
	c.blocks = max(c.blocks, at.times[wire.KindEvent])
	c.threads = max(c.threads, len(at.back)+min(1, len(at.back)))
	for kind, n := range at.blocks {
		if n > c.tables[kind] {
			c.tables[kind], c.tableBlocks[kind] = n, at.times[kind]
		}
	}
}

// locators reads the locators at the start of a payload.
func (c *coverage) locators(fields []codec.Field, payload []byte) {
	const size = 4
	for i, f := range fields {
		if code := f.Type.Code; code != wire.RelLoc && code != wire.DataLoc || len(payload) < size*(i+1) {
			return
		}
		c.locator = max(c.locator, binary.LittleEndian.Uint32(payload[size*i:])&0xFFFF)
	}
}

// row counts the last one of the compressed rows of a block so far. Its flags count if
// it follows another row.
func (c *coverage) row(version string, rows []codec.EventRow) {
	e, before := &rows[len(rows)-1], codec.EventRow{}
	if len(rows) > 1 {
		before = rows[len(rows)-2]
		c.rowFlags(version, e)
	}
	for name, v := range map[string]uint64{
		"metadata id": uint64(e.MetadataID), "sequence number": uint64(e.Sequence), "capture thread": e.CaptureThreadIndex,
		"processor": uint64(e.Processor), "thread": e.ThreadIndex, "stack id": uint64(e.StackID), "time": e.Timestamp,
		"difference of times": e.Timestamp - before.Timestamp, "label list": uint64(e.LabelListID), "payload size": uint64(len(e.Payload)),
	} {
		if c.fields[name] == nil {
			c.fields[name] = map[uint64]bool{}
		}
		c.fields[name][v] = true
	}
}

// rowFlags counts the flags of a row that follows another one.
func (c *coverage) rowFlags(version string, e *codec.EventRow) {
	flags := e.Written
	if e.Sorted {
		flags |= wire.RowSorted
	}
	if c.flags[version] == nil {
		c.flags[version] = map[byte]bool{}
	}
	c.flags[version][flags] = true
	if flags&wire.RowSequence != 0 && flags&wire.RowThread == 0 && e.ThreadIndex != e.CaptureThreadIndex {
		c.alone++
	}
}

// powersOf lists the powers of two that a field has, with the numbers next to them.
func (c *coverage) powersOf(field string) string {
	var found []string
	for _, bits := range []int{7, 14, 21, 28, 35, 63} {
		var marks string
		for i, v := range []uint64{1<<bits - 1, 1 << bits, 1<<bits + 1} {
			if c.fields[field][v] {
				marks += []string{"-1", " 0", " +1"}[i]
			}
		}
		if marks != "" {
			found = append(found, fmt.Sprintf("2^%d (%s)", bits, strings.TrimSpace(marks)))
		}
	}
	return strings.Join(found, ", ")
}

// largestPayload says why the row of payload sizes ends at 2^21.
const largestPayload = "| payload sizes of 2^28 | none: a block of v6 has fewer than 2^24 bytes; in v4 the trace and its lines would take 800 MB |\n"

// table returns the section of the file about the coverage.
func (c *coverage) table() []byte {
	var b bytes.Buffer
	b.WriteString("\n## Coverage\n\nWhat the traces of the valid cases have, computed from the traces.\n\n| item | valid cases have |\n|---|---|\n")
	for _, version := range []string{"4", "5", "6"} {
		fmt.Fprintf(&b, "| values of the flags byte, v%s | %d |\n", version, len(c.flags[version]))
	}
	fmt.Fprintf(&b, "| rows with flag 2 without flag 4 whose thread is not the capture thread | %d |\n", c.alone)
	names := make([]string, 0, len(c.fields))
	for name := range c.fields {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "| %s next to powers of two | %s |\n", name, c.powersOf(name))
	}
	b.WriteString(largestPayload)
	fmt.Fprintf(&b, "| most rows of an event block | %d |\n| most event blocks between two sequence points | %d |\n", c.rows, c.blocks)
	fmt.Fprintf(&b, "| most capture threads out of order between two sequence points | %d |\n", c.threads)
	for _, kind := range []wire.Kind{wire.KindStack, wire.KindLabelList, wire.KindThread} {
		fmt.Fprintf(&b, "| most rows of %v blocks between two sequence points | %d in %d blocks |\n", kind, c.tables[kind], c.tableBlocks[kind])
	}
	fmt.Fprintf(&b, "| highest offset in a locator | %d |\n| traces of 2,000 events or more | %d: %s |\n", c.locator, len(c.large), strings.Join(c.large, ", "))
	fmt.Fprintf(&b, "| bytes of all cases in the program | %d |\n", cases.Size)
	return b.Bytes()
}
