package symbols

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ELF has the names of functions of a program or library, or of the file with its
// separate debug information.
type ELF struct {
	// BuildID is the id of the build in lower-case hex, "" for none.
	BuildID string
	// DebugLink is the name of the file with the separate debug information, "" for
	// none.
	DebugLink string
	// Complete reports that the file has the table of all symbols, not only of those
	// for other modules.
	Complete bool

	symbols  []ELFSymbol // sorted by address; of several at one address the best
	segments []elf.ProgHeader
	managed  section // managed code of NativeAOT
}

type section struct{ start, end uint64 }

// ELFSymbol is a function of an ELF file.
type ELFSymbol struct {
	// Address is the address in the file's own space, and Size the number of bytes.
	Address, Size uint64
	// Name is the name in the file, not demangled.
	Name string

	rank symbolRank
}

// symbolRank orders the symbols of one address: the lowest is the best.
type symbolRank struct {
	kind, alias, underscores, binding, length int
}

// rankOf ranks a symbol: functions before others, never an alias or a cold part
// that the compiler made, then fewest leading underscores, global before weak
// before local, then the shortest.
func rankOf(s *elf.Symbol) symbolRank {
	r := symbolRank{length: len(s.Name)}
	if kind := elf.ST_TYPE(s.Info); kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC {
		r.kind = 1
	}
	if strings.Contains(s.Name, ".localalias") || strings.Contains(s.Name, ".cold") {
		r.alias = 1
	}
	r.underscores = len(s.Name) - len(strings.TrimLeft(s.Name, "_"))
	switch elf.ST_BIND(s.Info) {
	case elf.STB_GLOBAL:
	case elf.STB_WEAK:
		r.binding = 1
	default:
		r.binding = 2
	}
	return r
}

func (r symbolRank) compare(o symbolRank) int {
	return cmp.Or(cmp.Compare(r.alias, o.alias), cmp.Compare(r.kind, o.kind), cmp.Compare(r.underscores, o.underscores),
		cmp.Compare(r.binding, o.binding), cmp.Compare(r.length, o.length))
}

// maxSymbols bounds the symbols of a file.
const maxSymbols = 4 << 20

// ReadELF reads the symbols of functions of an ELF file. It keeps no part of data.
// It returns an error for other files and for malformed ones.
func ReadELF(data []byte) (out *ELF, err error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("symbols: %w", err)
	}
	out = &ELF{}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			out.segments = append(out.segments, p.ProgHeader)
		}
	}
	for _, s := range f.Sections {
		if s.Name == "__managedcode" { // a file with symbols only has no bytes of it
			out.managed = section{s.Addr, s.Addr + s.Size}
		}
		if s.Flags&elf.SHF_COMPRESSED != 0 || s.FileSize > uint64(len(data)) {
			continue
		}
		switch {
		case s.Name == ".note.gnu.build-id":
			out.BuildID = buildID(s, f.ByteOrder)
		case s.Name == ".gnu_debuglink":
			if b, err := s.Data(); err == nil {
				name, _, _ := bytes.Cut(b, []byte{0})
				out.DebugLink = string(name)
			}
		}
	}
	symbols, err := f.Symbols()
	out.Complete = err == nil
	if errors.Is(err, elf.ErrNoSymbols) {
		symbols, err = f.DynamicSymbols()
	}
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, fmt.Errorf("symbols: %w", err)
	}
	if len(symbols) > maxSymbols {
		return nil, fmt.Errorf("symbols: the ELF file has %d symbols, more than %d", len(symbols), maxSymbols)
	}
	out.add(symbols)
	return out, nil
}

// buildID reads a note: sizes of the name and of the id, the type, the name, the id.
func buildID(s *elf.Section, order binary.ByteOrder) string {
	b, err := s.Data()
	if err != nil || len(b) < 16 {
		return ""
	}
	name, size := uint64(order.Uint32(b)), uint64(order.Uint32(b[4:]))
	from := 12 + (name+3)&^3
	if from+size > uint64(len(b)) || size > 64 {
		return ""
	}
	return hex.EncodeToString(b[from : from+size])
}

// add keeps the best symbol of each address.
func (f *ELF) add(symbols []elf.Symbol) {
	for i := range symbols {
		s := &symbols[i]
		kind := elf.ST_TYPE(s.Info)
		if s.Section == elf.SHN_UNDEF || s.Value == 0 || s.Name == "" || kind == elf.STT_SECTION || kind == elf.STT_FILE || kind == elf.STT_TLS || kind == elf.STT_OBJECT {
			continue
		}
		f.symbols = append(f.symbols, ELFSymbol{s.Value, s.Size, s.Name, rankOf(s)})
	}
	slices.SortFunc(f.symbols, func(a, b ELFSymbol) int {
		return cmp.Or(cmp.Compare(a.Address, b.Address), a.rank.compare(b.rank), cmp.Compare(a.Name, b.Name))
	})
	f.symbols = slices.CompactFunc(f.symbols, func(a, b ELFSymbol) bool { return a.Address == b.Address })
}

// Find returns the function that contains an address in the file's own space.
func (f *ELF) Find(address uint64) (ELFSymbol, bool) {
	n := sortedBelow(len(f.symbols), func(i int) bool { return f.symbols[i].Address <= address })
	if n == 0 {
		return ELFSymbol{}, false
	}
	s := f.symbols[n-1]
	return s, address-s.Address < s.Size
}

// Managed reports whether an address is in the managed code of NativeAOT.
func (f *ELF) Managed(address uint64) bool {
	return address >= f.managed.start && address < f.managed.end
}

// AddressOf returns the address in the file's own space of an offset in the file.
func (f *ELF) AddressOf(offset uint64) (uint64, bool) {
	for _, p := range f.segments {
		if offset >= p.Off && offset-p.Off < p.Filesz {
			return offset - p.Off + p.Vaddr, true
		}
	}
	return 0, false
}

// FirstCode returns the address, in the file's own space, and the offset of the first segment
// with code; 0 and 0 if there is none.
func (f *ELF) FirstCode() (address, offset uint64) {
	for _, p := range f.segments {
		if p.Flags&elf.PF_X != 0 {
			return p.Vaddr, p.Off
		}
	}
	return 0, 0
}
