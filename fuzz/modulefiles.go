package fuzz

import (
	"testing"

	"github.com/nettrace-go/nettrace/symbols"
	"github.com/nettrace-go/nettrace/symbols/clrfile"
)

// longestModule is the size of the longest file of a module that is read: larger than the seeds.
const longestModule = 128 << 10

// methodsRead is the number of methods of a file that are examined.
const methodsRead = 300

// fuzzPDB reads a portable PDB: no result is larger than the file allows.
func fuzzPDB(t testing.TB, data []byte) {
	if len(data) > longestModule {
		return
	}
	clrfile.PDBID(data)
	pdb, err := clrfile.ReadPDB(data)
	if err != nil {
		return
	}
	for row := range uint32(methodsRead) {
		points := pdb.Points(0x06000000 | row)
		if len(points) > len(data) {
			t.Fatalf("%d points in %d bytes", len(points), len(data))
		}
		for i := range points {
			if p := &points[i]; !p.Hidden() && p.EndLine < p.Line {
				t.Fatalf("lines %d to %d", p.Line, p.EndLine)
			}
		}
		if len(points) > 0 {
			pdb.Document(points[0].Document)
		}
		pdb.Document(row)
		pdb.Kickoff(0x06000000 | row)
	}
}

// fuzzImage reads an assembly with its ready-to-run code: no result is larger than the file
// allows, and each method is found at its address.
func fuzzImage(t testing.TB, data []byte) {
	if len(data) > longestModule {
		return
	}
	image, err := clrfile.ReadImage(data)
	if err != nil {
		return
	}
	if pdb, err := image.EmbeddedPDB(); err == nil && pdb != nil {
		fuzzPDB(t, pdb)
	}
	image.MVID()
	for row := range uint32(methodsRead) {
		token := 0x06000000 | row
		image.Method(token)
		image.Signature(token)
		if body, ok := image.Body(token); ok {
			body.Caught(row)
			body.Statement(0, 1<<31)
		}
	}
	code, err := image.ReadyToRun()
	if err != nil || code == nil {
		return
	}
	if code.Methods() > 8*len(data) {
		t.Fatalf("%d methods in %d bytes", code.Methods(), len(data))
	}
	for i := range min(code.Methods(), methodsRead) {
		m := code.Method(i)
		code.Name(m)
		if points := code.Map(m); len(points) > 8*len(data) {
			t.Fatalf("%d points in %d bytes", len(points), len(data))
		}
		if found, ok := code.Find(m.Address); ok && found.Address != m.Address {
			t.Fatalf("0x%x is in the method at 0x%x", m.Address, found.Address)
		}
	}
}

// fuzzELF reads the symbols of an ELF file: each is found at its address.
func fuzzELF(t testing.TB, data []byte) {
	if len(data) > longestModule {
		return
	}
	f, err := symbols.ReadELF(data)
	if err != nil {
		return
	}
	for _, address := range []uint64{0, 1, 0x1000, 1 << 40, 1<<64 - 1} {
		if s, ok := f.Find(address); ok && (s.Address > address || address-s.Address >= s.Size) {
			t.Fatalf("0x%x is in %+v", address, s)
		}
		f.AddressOf(address)
		f.Managed(address)
	}
}
