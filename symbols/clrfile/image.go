package clrfile

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// Image is an assembly: a PE image with metadata. It keeps the file's bytes.
type Image struct {
	data        []byte
	sections    []section
	directories [16]directory
	meta        *metadata
	owners      []uint32 // first MethodDef of each TypeDef, when a name was asked for
	enclosing   map[uint32]uint32

	// PDB is the id of the PDB with which the image was built, zero if it has none.
	PDB wire.GUID
	// PDBPath is the path where the compiler wrote the PDB.
	PDBPath string
	// WindowsPDB reports that the PDB is in the format of Windows, which is not read.
	WindowsPDB bool

	embedded directory
}

// section is a part of the file and its place in memory.
type section struct{ address, size, offset, raw uint32 }

type directory struct{ address, size uint32 }

// Data directories of a PE image.
const (
	directoryDebug = 6
	directoryCLI   = 14
)

var errImage = errors.New("clrfile: malformed PE image")

// ReadImage reads the headers of an assembly. It keeps data, which must not
// change. It returns an error for a file without the metadata of .NET. The
// package debug/pe does not read ready-to-run images of Linux and macOS, whose
// numbers of machines it does not know.
func ReadImage(data []byte) (*Image, error) {
	im := &Image{data: data}
	c := at(data, 0)
	if c.uint16() != 0x5A4D {
		return nil, errors.New("clrfile: no PE image: the signature MZ is missing")
	}
	c = at(data, 0x3C)
	c = at(data, uint64(c.uint32()))
	if c.uint32() != 0x4550 {
		return nil, errors.New("clrfile: no PE image: the signature PE is missing")
	}
	c.skip(2)
	sections := c.uint16()
	c.skip(12)
	optional := c.uint16()
	c.skip(2)
	header := at(c.take(uint64(optional)), 0)
	directories := uint64(96)
	if header.uint16() == 0x20B {
		directories = 112
	}
	header = at(header.b, directories-4)
	for i := range min(header.uint32(), 16) {
		im.directories[i] = directory{header.uint32(), header.uint32()}
	}
	for range sections {
		c.skip(8)
		s := section{}
		size := c.uint32()
		s.address, s.raw, s.offset = c.uint32(), c.uint32(), c.uint32()
		s.size = max(size, s.raw)
		c.skip(16)
		if c.bad() {
			return nil, errImage
		}
		im.sections = append(im.sections, s)
	}
	cli := im.at(im.directories[directoryCLI].address)
	cli.skip(8)
	address, size := cli.uint32(), cli.uint32()
	if cli.bad() {
		return nil, errors.New("clrfile: the PE image has no metadata of .NET")
	}
	var err error
	if im.meta, err = readMetadata(im.bytes(address, size)); err != nil {
		return nil, err
	}
	im.readDebug()
	return im, nil
}

// at returns a cursor at an address in the image. It ends where the file's part of
// the section ends.
func (im *Image) at(address uint32) cursor {
	for i := range im.sections {
		s := &im.sections[i]
		if address >= s.address && address-s.address < s.size {
			end := min(uint64(s.offset)+uint64(s.raw), uint64(len(im.data)))
			return at(im.data[:end], uint64(s.offset)+uint64(address-s.address))
		}
	}
	return cursor{end: true}
}

// bytes returns the bytes of a range of addresses, nil if they are not in the file.
func (im *Image) bytes(address, size uint32) []byte {
	c := im.at(address)
	return c.take(uint64(size))
}

// readDebug reads the debug directory.
func (im *Image) readDebug() {
	d := im.directories[directoryDebug]
	entries := at(im.bytes(d.address, d.size), 0)
	for {
		entries.skip(8 + 2)
		minor := entries.uint16()
		kind, size, address, offset := entries.uint32(), entries.uint32(), entries.uint32(), entries.uint32()
		if entries.bad() {
			return
		}
		_ = address
		c := at(im.data, uint64(offset))
		b := c.take(uint64(size))
		switch {
		case kind == 2 && len(b) > 24 && string(b[:4]) == "RSDS":
			im.PDB, _ = wire.ReadGUID(b, 4)
			im.PDBPath, im.WindowsPDB = zeroEnded(b, 24), minor != 0x504D
		case kind == 17 && len(b) > 8 && string(b[:4]) == "MPDB":
			im.embedded = directory{offset, size}
		}
	}
}

// largestEmbedded is the size of the largest embedded PDB that is unpacked.
const largestEmbedded = 64 << 20

// EmbeddedPDB returns the PDB in the image, nil if it has none.
func (im *Image) EmbeddedPDB() ([]byte, error) {
	if im.embedded.size == 0 {
		return nil, nil
	}
	b := im.data[im.embedded.address:][:im.embedded.size]
	c := at(b, 4)
	size := c.uint32()
	if size > largestEmbedded {
		return nil, fmt.Errorf("clrfile: the embedded PDB has %d bytes, more than %d", size, largestEmbedded)
	}
	out, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b[8:])), int64(size)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("clrfile: embedded PDB: %w", err)
	case len(out) != int(size):
		return nil, fmt.Errorf("clrfile: the embedded PDB has not the %d bytes that its header says", size)
	}
	return out, nil
}

// MVID returns the id of the module's version, which the compiler makes anew for
// each build.
func (im *Image) MVID() wire.GUID {
	g, _ := wire.ReadGUID(im.meta.guid(im.meta.cell(tableModule, 1, 2)), 0)
	return g
}

// Size returns the number of bytes that the image has in memory.
func (im *Image) Size() uint32 {
	size := uint32(0)
	for _, s := range im.sections {
		size = max(size, s.address+s.size)
	}
	return size
}
