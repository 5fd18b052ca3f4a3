package compare

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// Row is one event in the columns of the other reader's answer, with the widths
// that it keeps: the numbers below are cut to them on our side.
type Row struct {
	Ticks      uint64
	Provider   string
	ID         uint16
	Version    uint8
	Opcode     uint8
	Level      uint8
	Keywords   uint64
	Thread     uint32 // of the operating system
	Process    uint32 // likewise
	Processor  uint8
	Size       uint16 // of the payload
	PayloadSum uint32 // CRC-32 (IEEE) of its first Size bytes
	Depth      uint32 // of the stack
	StackSum   uint32 // CRC-32 of its addresses as little-endian 64-bit numbers, leaf first
	Activity   wire.GUID
	Related    wire.GUID

	Place  int64   // of our event: offset in the stream; of an answer: number of the line, from 1
	Silent Columns // of our event: not compared
}

// Columns is a set of columns.
type Columns uint16

// The columns in the order of the answer.
const (
	Ticks Columns = 1 << iota
	Provider
	ID
	Version
	Opcode
	Level
	Keywords
	Thread
	Process
	Processor
	Size
	PayloadSum
	Depth
	StackSum
	Activity
	Related

	stack = Depth | StackSum
)

var columnNames = [...]string{
	"ticks", "provider", "id", "version", "opcode", "level", "keywords", "thread", "process", "processor",
	"payload length", "payload checksum", "stack depth", "stack checksum", "activity", "related activity",
}

// String lists the names.
func (c Columns) String() string {
	var names []string
	for i, name := range columnNames {
		if c&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// differing returns the columns in which a line of the answer differs from
// codec's event, without those that are left out.
func (ours *Row) differing(theirs *Row) Columns {
	var c Columns
	for i, same := range [len(columnNames)]bool{
		ours.Ticks == theirs.Ticks, ours.Provider == theirs.Provider, ours.ID == theirs.ID,
		ours.Version == theirs.Version, ours.Opcode == theirs.Opcode, ours.Level == theirs.Level,
		ours.Keywords == theirs.Keywords, ours.Thread == theirs.Thread, ours.Process == theirs.Process,
		ours.Processor == theirs.Processor, ours.Size == theirs.Size, ours.PayloadSum == theirs.PayloadSum,
		ours.Depth == theirs.Depth, ours.StackSum == theirs.StackSum,
		ours.Activity == theirs.Activity, ours.Related == theirs.Related,
	} {
		if !same {
			c |= 1 << i
		}
	}
	return c &^ ours.Silent
}

// String is the line of the answer; columns left out are question marks.
func (ours *Row) String() string {
	sum := func(size, sum uint32) string {
		if size == 0 {
			return "-"
		}
		return fmt.Sprintf("%08x", sum)
	}
	guid := func(g wire.GUID) string {
		if g.IsZero() {
			return "-"
		}
		return g.String()
	}
	cells := []string{
		strconv.FormatUint(ours.Ticks, 10), escape.Replace(ours.Provider),
		number(ours.ID), number(ours.Version), number(ours.Opcode), number(ours.Level),
		"0x" + strconv.FormatUint(ours.Keywords, 16), number(ours.Thread), number(ours.Process), number(ours.Processor),
		number(ours.Size), fmt.Sprintf("%08x", ours.PayloadSum),
		number(ours.Depth), sum(ours.Depth, ours.StackSum), guid(ours.Activity), guid(ours.Related),
	}
	for i := range cells {
		if ours.Silent&(1<<i) != 0 {
			cells[i] = "?"
		}
	}
	return strings.Join(cells, "\t")
}

func number[T uint8 | uint16 | uint32](n T) string { return strconv.FormatUint(uint64(n), 10) }

var (
	escape   = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`)
	unescape = strings.NewReplacer(`\\`, "\\", `\t`, "\t", `\n`, "\n")
)
