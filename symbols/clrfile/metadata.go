package clrfile

import (
	"errors"
	"fmt"
	"math/bits"
)

// Numbers of the tables of metadata that are used (ECMA-335 II.22, and those of
// portable PDBs from Document on).
const (
	tableModule                = 0x00
	tableTypeRef               = 0x01
	tableTypeDef               = 0x02
	tableField                 = 0x04
	tableMethodDef             = 0x06
	tableMemberRef             = 0x0A
	tableTypeSpec              = 0x1B
	tableAssemblyRef           = 0x23
	tableNestedClass           = 0x29
	tableMethodSpec            = 0x2B
	tableDocument              = 0x30
	tableMethodDebugInfo       = 0x31
	tableStateMachine          = 0x36
	tableCustomDebugInfo       = 0x37
	tables                     = 64
	coded                uint8 = 0x80 // a column of a coded index: this plus its number
)

// Columns of rows: a byte below tables is an index into that table.
const (
	col2 = tables + iota // two bytes
	col4
	colS // index into #Strings
	colG // into #GUID
	colB // into #Blob
)

// codedIndexes are the kinds of indexes into one of several tables: the number of
// bits that choose, and the tables.
var codedIndexes = [...]struct {
	bits   int
	tables []uint8
}{
	{2, []uint8{2, 1, 27}}, // TypeDefOrRef
	{2, []uint8{4, 8, 23}}, // HasConstant
	{5, []uint8{6, 4, 1, 2, 8, 9, 10, 0, 14, 23, 20, 17, 26, 27, 32, 35, 38, 39, 40, 42, 44, 43}}, // HasCustomAttribute
	{1, []uint8{4, 8}},            // HasFieldMarshal
	{2, []uint8{2, 6, 32}},        // HasDeclSecurity
	{3, []uint8{2, 1, 26, 6, 27}}, // MemberRefParent
	{1, []uint8{20, 23}},          // HasSemantics
	{1, []uint8{6, 10}},           // MethodDefOrRef
	{1, []uint8{4, 6}},            // MemberForwarded
	{2, []uint8{38, 35, 39}},      // Implementation
	{3, []uint8{6, 10}},           // CustomAttributeType
	{2, []uint8{0, 26, 35, 1}},    // ResolutionScope
	{1, []uint8{2, 6}},            // TypeOrMethodDef
	{5, []uint8{6, 4, 1, 2, 8, 9, 10, 0, 14, 23, 20, 17, 26, 27, 32, 35, 38, 39, 40, 42, 44, 43, 0x30, 0x32, 0x33, 0x34, 0x35}}, // HasCustomDebugInformation
}

// Columns of the coded indexes above.
const (
	colTypeDefOrRef = coded + iota
	colHasConstant
	colHasCustomAttribute
	colHasFieldMarshal
	colHasDeclSecurity
	colMemberRefParent
	colHasSemantics
	colMethodDefOrRef
	colMemberForwarded
	colImplementation
	colCustomAttributeType
	colResolutionScope
	colTypeOrMethodDef
	colHasCustomDebugInfo
)

// columns are those of the rows of each table.
var columns = [tables][]uint8{
	0x00: {col2, colS, colG, colG, colG},
	0x01: {colResolutionScope, colS, colS},
	0x02: {col4, colS, colS, colTypeDefOrRef, 0x04, 0x06},
	0x03: {0x04},
	0x04: {col2, colS, colB},
	0x05: {0x06},
	0x06: {col4, col2, col2, colS, colB, 0x08},
	0x07: {0x08},
	0x08: {col2, col2, colS},
	0x09: {0x02, colTypeDefOrRef},
	0x0A: {colMemberRefParent, colS, colB},
	0x0B: {col2, colHasConstant, colB},
	0x0C: {colHasCustomAttribute, colCustomAttributeType, colB},
	0x0D: {colHasFieldMarshal, colB},
	0x0E: {col2, colHasDeclSecurity, colB},
	0x0F: {col2, col4, 0x02},
	0x10: {col4, 0x04},
	0x11: {colB},
	0x12: {0x02, 0x14},
	0x13: {0x14},
	0x14: {col2, colS, colTypeDefOrRef},
	0x15: {0x02, 0x17},
	0x16: {0x17},
	0x17: {col2, colS, colB},
	0x18: {col2, 0x06, colHasSemantics},
	0x19: {0x02, colMethodDefOrRef, colMethodDefOrRef},
	0x1A: {colS},
	0x1B: {colB},
	0x1C: {col2, colMemberForwarded, colS, 0x1A},
	0x1D: {col4, 0x04},
	0x1E: {col4, col4},
	0x1F: {col4},
	0x20: {col4, col2, col2, col2, col2, col4, colB, colS, colS},
	0x21: {col4},
	0x22: {col4, col4, col4},
	0x23: {col2, col2, col2, col2, col4, colB, colS, colS, colB},
	0x24: {col4, 0x23},
	0x25: {col4, col4, col4, 0x23},
	0x26: {col4, colS, colB},
	0x27: {col4, col4, colS, colS, colImplementation},
	0x28: {col4, col4, colS, colImplementation},
	0x29: {0x02, 0x02},
	0x2A: {col2, col2, colTypeOrMethodDef, colS},
	0x2B: {colMethodDefOrRef, colB},
	0x2C: {0x2A, colTypeDefOrRef},

	0x30: {colB, colG, colB, colG},
	0x31: {0x30, colB},
	0x32: {0x06, 0x35, 0x33, 0x34, col4, col4},
	0x33: {col2, col2, colS},
	0x34: {colS, colB},
	0x35: {0x35, colB},
	0x36: {0x06, 0x06},
	0x37: {colHasCustomDebugInfo, colG, colB},
}

// metadata is a metadata root: its streams and tables.
type metadata struct {
	strings, blobs, guids, pdb []byte
	rows                       [tables]uint32 // of this file
	sizes                      [tables]uint32 // for the widths of indexes: of a PDB also those of its module
	wide                       [3]bool        // indexes into #Strings, #GUID and #Blob have four bytes
	table                      [tables][]byte
	width                      [tables]int
}

const metadataSignature = 0x424A5342 // "BSJB"

var errMetadata = errors.New("clrfile: malformed metadata")

// readMetadata reads a metadata root.
func readMetadata(b []byte) (*metadata, error) {
	c := at(b, 0)
	if c.uint32() != metadataSignature {
		return nil, errors.New("clrfile: no metadata: the signature BSJB is missing")
	}
	c.skip(2 + 2 + 4)
	c.skip(uint64(c.uint32())) // the version's text
	c.skip(2)
	streams := c.uint16()
	m := &metadata{}
	var heap []byte
	for range streams {
		offset, size := c.uint32(), c.uint32()
		name := zeroEnded(b, uint64(c.pos))
		c.skip(uint64(len(name)/4+1) * 4)
		s := at(b, uint64(offset))
		data := s.take(uint64(size))
		if c.bad() || s.bad() {
			return nil, errMetadata
		}
		switch name {
		case "#Strings":
			m.strings = data
		case "#Blob":
			m.blobs = data
		case "#GUID":
			m.guids = data
		case "#Pdb":
			m.pdb = data
		case "#~", "#-":
			heap = data
		}
	}
	return m, m.readTables(heap)
}

// readTables reads the stream of tables.
func (m *metadata) readTables(b []byte) error {
	if m.pdb != nil {
		c := at(m.pdb, 20+4)
		for present := c.uint64(); present != 0; present &= present - 1 {
			m.sizes[bits.TrailingZeros64(present)] = c.uint32()
		}
		if c.bad() {
			return errMetadata
		}
	}
	c := at(b, 6)
	heaps := c.uint8()
	c.skip(1)
	present := c.uint64()
	c.skip(8)
	m.wide = [3]bool{heaps&1 != 0, heaps&2 != 0, heaps&4 != 0}
	for left := present; left != 0; left &= left - 1 {
		t := bits.TrailingZeros64(left)
		m.rows[t] = c.uint32()
		m.sizes[t] = m.rows[t]
	}
	if heaps&0x40 != 0 { // four more bytes
		c.skip(4)
	}
	for left := present; left != 0; left &= left - 1 {
		t := bits.TrailingZeros64(left)
		if columns[t] == nil {
			return fmt.Errorf("clrfile: unknown table of metadata 0x%x", t)
		}
		for _, kind := range columns[t] {
			m.width[t] += m.columnWidth(kind)
		}
		m.table[t] = c.take(uint64(m.rows[t]) * uint64(m.width[t]))
	}
	if c.bad() {
		return errMetadata
	}
	return nil
}

// columnWidth is the number of bytes of a column.
func (m *metadata) columnWidth(kind uint8) int {
	wide := false
	switch {
	case kind < tables:
		wide = m.sizes[kind] > 0xFFFF
	case kind == col2:
	case kind == col4:
		wide = true
	case kind == colS, kind == colG, kind == colB:
		wide = m.wide[kind-colS]
	default:
		k := codedIndexes[kind-coded]
		for _, t := range k.tables {
			wide = wide || m.sizes[t] >= 1<<(16-k.bits)
		}
	}
	if wide {
		return 4
	}
	return 2
}

// cell returns a column of a row, which is counted from 1; 0 if there is no such row.
func (m *metadata) cell(table uint8, row uint32, column int) uint32 {
	if row == 0 || row > m.rows[table] {
		return 0
	}
	c := at(m.table[table], uint64(row-1)*uint64(m.width[table]))
	for _, kind := range columns[table][:column] {
		c.skip(uint64(m.columnWidth(kind)))
	}
	if m.columnWidth(columns[table][column]) == 4 {
		return c.uint32()
	}
	return uint32(c.uint16())
}

// decoded splits a coded index.
func decoded(kind uint8, v uint32) (table uint8, row uint32) {
	k := codedIndexes[kind-coded]
	which := v & (1<<k.bits - 1)
	if int(which) >= len(k.tables) {
		return tables, 0
	}
	return k.tables[which], v >> k.bits
}

func (m *metadata) string(index uint32) string { return zeroEnded(m.strings, uint64(index)) }

// blob returns the bytes of a blob, nil if the index is wrong.
func (m *metadata) blob(index uint32) []byte {
	c := at(m.blobs, uint64(index))
	return c.take(uint64(c.compressed()))
}

// guid returns a GUID by its index, which is counted from 1.
func (m *metadata) guid(index uint32) []byte {
	if index == 0 {
		return nil
	}
	c := at(m.guids, 16*uint64(index-1))
	return c.take(16)
}
