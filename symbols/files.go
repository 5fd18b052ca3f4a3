package symbols

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/symbols/clrfile"
)

// largestFile is the size of the largest file that is read.
const largestFile = 512 << 20

// readFile reads a file of at most largestFile bytes.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	about, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !about.Mode().IsRegular():
		return nil, errors.New(path + ": not a regular file")
	case about.Size() > largestFile:
		return nil, errors.New(path + ": the file is too large")
	}
	return io.ReadAll(io.LimitReader(f, largestFile))
}

// base is the last part of a path of any system.
func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// stem is base without its extension.
func stem(path string) string {
	name := base(path)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// folder is a folder with PDBs and images: build output, or a symbol store with
// files in NAME/ID/NAME.
type folder struct {
	path string
	ids  map[wire.GUID]stored // nil: not read yet
}

// stored is a PDB in a folder: a file, or an entry of a package of symbols.
type stored struct{ path, entry string }

// maxEntries bounds the files of a folder, or the entries of a package, that are
// examined for their ids.
const maxEntries = 20_000

// headOfPDB is how much of a PDB is read for its id.
const headOfPDB = 4 << 10

// byID returns the PDB with an id, whatever its name.
func (f *folder) byID(id wire.GUID) (stored, bool) {
	if f.ids == nil {
		f.ids = map[wire.GUID]stored{}
		entries, _ := os.ReadDir(f.path) // a folder that cannot be read has no PDBs
		for _, e := range entries[:min(len(entries), maxEntries)] {
			path := filepath.Join(f.path, e.Name())
			switch {
			case e.IsDir():
			case hasExtension(path, ".pdb"):
				f.addHead(stored{path: path}, func() (io.ReadCloser, error) { return os.Open(path) })
			case hasExtension(path, ".snupkg"):
				f.addPackage(path)
			}
		}
	}
	found, ok := f.ids[id]
	return found, ok
}

func hasExtension(path, extension string) bool {
	return strings.EqualFold(filepath.Ext(path), extension)
}

// addHead adds a PDB by its beginning.
func (f *folder) addHead(what stored, open func() (io.ReadCloser, error)) {
	r, err := open()
	if err != nil {
		return
	}
	defer r.Close()
	head := make([]byte, headOfPDB)
	n, _ := io.ReadFull(r, head)
	if id, ok := clrfile.PDBID(head[:n]); ok {
		if _, known := f.ids[id]; !known {
			f.ids[id] = what
		}
	}
}

// addPackage adds the PDBs of a package of symbols (.snupkg), which is a zip file.
func (f *folder) addPackage(path string) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return
	}
	defer z.Close()
	for _, e := range z.File[:min(len(z.File), maxEntries)] {
		if hasExtension(e.Name, ".pdb") {
			f.addHead(stored{path, e.Name}, e.Open)
		}
	}
}

// read returns the bytes of a PDB.
func (s stored) read() ([]byte, error) {
	if s.entry == "" {
		return readFile(s.path)
	}
	z, err := zip.OpenReader(s.path)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	e, err := z.Open(s.entry)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	data, err := io.ReadAll(io.LimitReader(e, largestEntry+1))
	if err == nil && len(data) > largestEntry {
		err = errors.New(s.path + ": " + s.entry + " is too large")
	}
	return data, err
}

// largestEntry is the size of the largest entry of a package that is unpacked.
const largestEntry = 64 << 20
