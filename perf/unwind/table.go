package unwind

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"slices"
)

// Table has the unwind tables of one ELF file: .eh_frame. It is for one goroutine.
//
// The format is that of DWARF's call frame information, with the changes that the Linux
// Standard Base describes.
type Table struct {
	entries  []entry // sorted by start
	segments []elf.ProgHeader
	known    map[uint64]*rules // by address
}

// entry is the rules of a range of code (an FDE).
type entry struct {
	start, end uint64
	common     *common
	code       []byte
}

// common is what several entries share (a CIE).
type common struct {
	encoding      byte
	augmented     bool
	signal        bool
	codeAlign     uint64
	dataAlign     int64
	returnAddress uint64
	code          []byte
}

var errFormat = errors.New("unwind: malformed .eh_frame")

// maxEntries bounds the entries of a file.
const maxEntries = 4 << 20

// Read reads the tables of an ELF file for x86-64; nil without an error if it has none.
func Read(data []byte) (*Table, error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	s := f.Section(".eh_frame")
	if f.Machine != elf.EM_X86_64 || s == nil || s.Type == elf.SHT_NOBITS {
		return nil, nil
	}
	b, err := s.Data()
	if err != nil {
		return nil, err
	}
	t := &Table{known: map[uint64]*rules{}}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			t.segments = append(t.segments, p.ProgHeader)
		}
	}
	if err := t.add(b, s.Addr); err != nil {
		return nil, err
	}
	return t, nil
}

// add reads a section at an address.
func (t *Table) add(b []byte, address uint64) error {
	commons := map[int]*common{}
	for pos := 0; pos+4 <= len(b); {
		size := int(binary.LittleEndian.Uint32(b[pos:]))
		if size == 0 {
			break
		}
		body := pos + 4
		end := body + size
		if size < 4 || end > len(b) || len(t.entries) > maxEntries {
			return errFormat
		}
		id := int(binary.LittleEndian.Uint32(b[body:]))
		r := &reader{b: b[:end], pos: body + 4, base: address}
		if id == 0 {
			c := r.common()
			if r.bad {
				return errFormat
			}
			commons[pos] = c
		} else if c := commons[body-id]; c != nil {
			e := entry{common: c}
			e.start = r.pointer(c.encoding)
			e.end = e.start + r.pointer(c.encoding&0xF)
			if c.augmented {
				r.skip(r.unsigned())
			}
			if r.bad {
				return errFormat
			}
			e.code = r.b[r.pos:]
			t.entries = append(t.entries, e)
		}
		pos = end
	}
	slices.SortFunc(t.entries, func(a, b entry) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	return nil
}

// addressOf returns the address in the file's own space of an offset in the file.
func (t *Table) addressOf(offset uint64) (uint64, bool) {
	for _, p := range t.segments {
		if offset >= p.Off && offset-p.Off < p.Filesz {
			return offset - p.Off + p.Vaddr, true
		}
	}
	return 0, false
}

// reader reads numbers of the tables.
type reader struct {
	b    []byte
	pos  int
	base uint64 // address of b
	bad  bool
}

func (r *reader) skip(n uint64) {
	if n > uint64(len(r.b)-r.pos) {
		r.bad, n = true, uint64(len(r.b)-r.pos)
	}
	r.pos += int(n)
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b)-r.pos {
		r.bad = true
		return make([]byte, max(n, 0)&0xFF+8)
	}
	b := r.b[r.pos : r.pos+n]
	r.pos += n
	return b
}

func (r *reader) byte() byte { return r.bytes(1)[0] }

// unsigned reads a ULEB128 number.
func (r *reader) unsigned() (v uint64) {
	for shift := 0; ; shift += 7 {
		b := r.byte()
		if r.bad {
			return 0
		}
		if shift < 64 {
			v |= uint64(b&0x7F) << shift
		}
		if b&0x80 == 0 {
			return v
		}
	}
}

// signed reads an SLEB128 number.
func (r *reader) signed() (v int64) {
	for shift := 0; ; shift += 7 {
		b := r.byte()
		if r.bad {
			return 0
		}
		if shift < 64 {
			v |= int64(b&0x7F) << shift
		}
		if b&0x80 == 0 {
			if shift < 57 && b&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
}

// pointer reads an encoded pointer: the low four bits are the size, the next three what it is
// relative to.
func (r *reader) pointer(encoding byte) uint64 {
	at := r.base + uint64(r.pos)
	var v uint64
	switch encoding & 0xF {
	case 0, 4, 12:
		v = binary.LittleEndian.Uint64(r.bytes(8))
	case 2:
		v = uint64(binary.LittleEndian.Uint16(r.bytes(2)))
	case 3:
		v = uint64(binary.LittleEndian.Uint32(r.bytes(4)))
	case 10:
		v = uint64(int64(int16(binary.LittleEndian.Uint16(r.bytes(2)))))
	case 11:
		v = uint64(int64(int32(binary.LittleEndian.Uint32(r.bytes(4)))))
	default:
		r.bad = true
	}
	const relative, mask = 0x10, 0x70
	if encoding&mask == relative {
		v += at
	}
	return v
}

// common reads a CIE after its id.
func (r *reader) common() *common {
	c := &common{}
	r.byte() // version
	end := bytes.IndexByte(r.b[r.pos:], 0)
	if end < 0 {
		r.bad = true
		return c
	}
	augmentation := r.bytes(end)
	r.byte()
	c.codeAlign, c.dataAlign, c.returnAddress = r.unsigned(), r.signed(), r.unsigned()
	if len(augmentation) > 0 && augmentation[0] == 'z' {
		c.augmented = true
		size := r.unsigned()
		from := r.pos
		for _, what := range augmentation[1:] {
			switch what {
			case 'R':
				c.encoding = r.byte()
			case 'P':
				r.pointer(r.byte())
			case 'L':
				r.byte()
			case 'S':
				c.signal = true
			}
		}
		r.pos = from
		r.skip(size)
	}
	c.code = r.b[r.pos:]
	return c
}
