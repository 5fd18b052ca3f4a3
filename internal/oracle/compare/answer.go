package compare

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// Parse reads the other reader's table of events: one a line, sixteen columns
// between tabs, no heading.
func Parse(table string) ([]Row, error) {
	rows := make([]Row, 0, strings.Count(table, "\n"))
	names := map[string]string{}
	for line := range strings.Lines(table) {
		p := lineParser{cells: strings.Split(strings.TrimRight(line, "\r\n"), "\t")}
		if len(p.cells) != len(columnNames) {
			return nil, fmt.Errorf("line %d of the answer has %d columns instead of %d", len(rows)+1, len(p.cells), len(columnNames))
		}
		row := p.row(names)
		if p.err != nil {
			return nil, fmt.Errorf("line %d of the answer: %w", len(rows)+1, p.err)
		}
		row.Place = int64(len(rows) + 1)
		rows = append(rows, row)
	}
	return rows, nil
}

// lineParser reads the cells of a line one by one and keeps the first error.
type lineParser struct {
	cells []string
	next  int
	err   error
}

// row reads a line. Names of providers are shared.
func (p *lineParser) row(names map[string]string) Row {
	var r Row
	r.Ticks = p.number(10, 64)
	provider := p.cell()
	if names[provider] == "" {
		names[provider] = unescape.Replace(provider)
	}
	r.Provider = names[provider]
	r.ID, r.Version = uint16(p.number(10, 16)), uint8(p.number(10, 8))
	r.Opcode, r.Level = uint8(p.number(10, 8)), uint8(p.number(10, 8))
	r.Keywords = p.hex()
	r.Thread, r.Process = uint32(p.number(10, 32)), uint32(p.number(10, 32))
	r.Processor = uint8(p.number(10, 8))
	r.Size, r.PayloadSum = uint16(p.number(10, 16)), uint32(p.number(16, 32))
	r.Depth, r.StackSum = uint32(p.number(10, 32)), uint32(p.number(16, 32))
	r.Activity, r.Related = p.guid(), p.guid()
	return r
}

func (p *lineParser) cell() string {
	p.next++
	return p.cells[p.next-1]
}

func (p *lineParser) fail(err error) {
	if p.err == nil && err != nil {
		p.err = fmt.Errorf("column %d (%s): %w", p.next, columnNames[p.next-1], err)
	}
}

// number reads a number of at most that many bits. A negative one, from a reader
// that regards the column as signed, is its two's complement.
func (p *lineParser) number(base, bits int) uint64 {
	text := p.cell()
	switch {
	case text == "-":
		return 0
	case strings.HasPrefix(text, "-"):
		n, err := strconv.ParseInt(text, base, bits)
		p.fail(err)
		return uint64(n)
	}
	n, err := strconv.ParseUint(text, base, bits)
	p.fail(err)
	return n
}

func (p *lineParser) hex() uint64 {
	text, ok := strings.CutPrefix(p.cell(), "0x")
	n, err := strconv.ParseUint(text, 16, 64)
	if !ok {
		err = strconv.ErrSyntax
	}
	p.fail(err)
	return n
}

// guid reads the usual form of a GUID back into the bytes of the stream.
func (p *lineParser) guid() (g wire.GUID) {
	text := p.cell()
	if text == "-" {
		return g
	}
	b, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil || len(b) != len(g) {
		p.fail(fmt.Errorf("%q is no GUID", text))
		return g
	}
	for i, at := range [...]int{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15} {
		g[i] = b[at]
	}
	return g
}
