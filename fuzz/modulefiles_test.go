package fuzz

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// moduleSeed adds a file of package clrfile, and parts of it.
func moduleSeed(f *testing.F, path string) {
	data, err := os.ReadFile("../symbols/clrfile/testdata/" + path)
	expect.NoError(f, err)
	for _, n := range []int{len(data), len(data) / 2, 512, 64} {
		f.Add(data[:n])
	}
}

// FuzzPDB: a malformed portable PDB gives an error or fewer results.
func FuzzPDB(f *testing.F) {
	moduleSeed(f, "lines.pdb")
	fuzz(f)
}

// FuzzImage: the same of an assembly with ready-to-run code.
func FuzzImage(f *testing.F) {
	moduleSeed(f, "lines-r2r.dll")
	fuzz(f)
}

// FuzzELF: the same of an ELF file.
func FuzzELF(f *testing.F) {
	f.Add(smallELF())
	fuzz(f)
}

// smallELF returns an ELF file with one function.
func smallELF() []byte {
	names := []byte("\x00.symtab\x00.strtab\x00main\x00")
	var b bytes.Buffer
	put := func(v any) { _ = binary.Write(&b, binary.LittleEndian, v) }
	const header, section, symbol = 64, 64, 24
	symbols := uint64(header + 3*section)
	text := symbols + 2*symbol
	h := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Shoff: header, Ehsize: header, Shentsize: section, Shnum: 3, Shstrndx: 2}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	put(h)
	put(elf.Section64{})
	put(elf.Section64{Name: 1, Type: uint32(elf.SHT_SYMTAB), Off: symbols, Size: 2 * symbol, Link: 2, Entsize: symbol})
	put(elf.Section64{Name: 9, Type: uint32(elf.SHT_STRTAB), Off: text, Size: uint64(len(names))})
	put(elf.Sym64{})
	put(elf.Sym64{Name: 17, Info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), Shndx: 1, Value: 0x1000, Size: 16})
	b.Write(names)
	return b.Bytes()
}
