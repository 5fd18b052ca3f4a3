package symbols

import (
	"path/filepath"
	"strings"

	clr "github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/symbols/clrfile"
)

// moduleFiles are the files of a module.
type moduleFiles struct {
	pdb     *clrfile.PDB
	stored  *clr.ModuleSource          // of the trace, if there is no PDB
	noPDB   Missing                    // why there is neither
	bodies  map[uint32]*clrfile.Body   // by token; nil: not known
	inlined map[uint32]*clr.Symbol     // that the image named, by token
	points  map[uint32][]clrfile.Point // by token
	paths   []string                   // where the image can be, until it is opened
	id      wire.GUID                  // of the PDB
	image   *clrfile.Image             // nil if it was not found
	code    *clrfile.ReadyToRun        // nil if there is none, or it was not needed
	loaded  imageBase
	named   map[uint32]*imageCode // methods of code by address
	learned []*clr.Code           // precompiled ones that are not in loaded yet
}

// imageBase is where an image is in memory.
type imageBase struct {
	votes map[uint64]int
	base  uint64
	most  int
}

// vote counts a base. Images are mapped at the border of a page.
func (b *imageBase) vote(base uint64) {
	if base%4096 != 0 {
		return
	}
	if b.votes == nil {
		b.votes = map[uint64]int{}
	}
	if b.votes[base]++; b.votes[base] > b.most {
		b.base, b.most = base, b.votes[base]
	}
}

// files returns the files of a module, which are opened once.
func (r *Resolver) files(m *clr.Module) *moduleFiles {
	f := r.modules[m]
	if f == nil {
		f = &moduleFiles{
			points: map[uint32][]clrfile.Point{}, bodies: map[uint32]*clrfile.Body{}, inlined: map[uint32]*clr.Symbol{},
			paths: r.imagePaths(m), id: m.PDB.GUID,
		}
		r.modules[m] = f
		if m.Source == nil || len(r.folders) > 0 {
			f.noPDB = f.openPDB(r, m)
		}
		if f.pdb == nil && m.Source != nil {
			f.stored, f.noPDB = m.Source, Found
		}
	}
	return f
}

// openImage returns the image of a module, nil if it is not found. An image of
// another build is not used.
func (f *moduleFiles) openImage() *clrfile.Image {
	for _, path := range f.paths {
		data, err := readFile(path)
		if err != nil {
			continue
		}
		image, err := clrfile.ReadImage(data)
		if err == nil && image.PDB == f.id && !f.id.IsZero() {
			f.image = image
			break
		}
	}
	f.paths = nil
	return f.image
}

// openCode returns the code that the image was compiled to, nil if there is none
// or its place in memory is not known.
func (f *moduleFiles) openCode() *clrfile.ReadyToRun {
	image := f.openImage()
	if image == nil || len(f.learned) == 0 {
		return f.placedCode()
	}
	if f.code == nil {
		if f.code, _ = image.ReadyToRun(); f.code == nil {
			f.learned = nil
			return nil
		}
	}
	bodies := make(map[uint32][]*clr.Code, len(f.learned)) // several instances of a generic method have one token
	for _, b := range f.learned {
		bodies[b.Token] = append(bodies[b.Token], b)
	}
	f.learned = nil
	for i := range f.code.Methods() {
		m := f.code.Method(i)
		for _, b := range bodies[m.Token] {
			if b.Size == m.Size && b.Start >= uint64(m.Address) {
				f.loaded.vote(b.Start - uint64(m.Address))
			}
		}
	}
	return f.placedCode()
}

func (f *moduleFiles) placedCode() *clrfile.ReadyToRun {
	if f.loaded.most == 0 {
		return nil
	}
	return f.code
}

// openPDB finds the PDB with an id. It returns the reason if there is none.
func (f *moduleFiles) openPDB(r *Resolver, m *clr.Module) Missing {
	id := f.id
	if id.IsZero() {
		return NoPDB
	}
	why := NoPDB
	try := func(data []byte, err error) bool {
		if err != nil || data == nil {
			return false
		}
		pdb, err := clrfile.ReadPDB(data)
		switch {
		case err == nil && pdb.GUID == id:
			f.pdb = pdb
			return true
		case err == clrfile.ErrWindowsPDB:
			why = WindowsPDB
		case err == nil && why == NoPDB:
			why = OtherBuild
		}
		return false
	}
	for _, path := range r.pdbPaths(m) {
		if try(readFile(path)) {
			return Found
		}
	}
	for _, in := range r.folders {
		if found, ok := in.byID(id); ok && try(found.read()) {
			return Found
		}
	}
	if image := f.openImage(); image != nil && try(image.EmbeddedPDB()) {
		return Found
	}
	return why
}

// recorded returns the path on this machine of a recorded path.
func (r *Resolver) recorded(path string) string {
	if r.opt.Root == "" {
		return path
	}
	return filepath.Join(r.opt.Root, path)
}

// imagePaths are the paths where a module's image can be.
func (r *Resolver) imagePaths(m *clr.Module) []string {
	if m.Path == "" {
		return nil
	}
	if len(r.folders) == 0 {
		if !r.opt.RecordedPaths {
			return nil
		}
		return []string{r.recorded(m.Path)}
	}
	var paths []string
	for _, in := range r.folders {
		paths = append(paths, filepath.Join(in.path, base(m.Path)))
	}
	return paths
}

// pdbPaths are the paths where a module's PDB can be, by its names.
func (r *Resolver) pdbPaths(m *clr.Module) []string {
	var names []string
	if m.Path != "" {
		names = append(names, stem(m.Path)+".pdb")
	}
	if name := base(m.PDB.Path); name != "" && (len(names) == 0 || name != names[0]) {
		names = append(names, name)
	}
	var paths []string
	if len(r.folders) == 0 {
		if !r.opt.RecordedPaths {
			return nil
		}
		if m.Path != "" {
			for _, name := range names {
				paths = append(paths, filepath.Join(filepath.Dir(r.recorded(m.Path)), name))
			}
		}
		if filepath.IsAbs(m.PDB.Path) {
			paths = append(paths, r.recorded(m.PDB.Path))
		}
		return paths
	}
	// In a symbol store the id is that of a portable PDB, with the age FFFFFFFF.
	id := strings.ReplaceAll(m.PDB.GUID.String(), "-", "")
	for _, in := range r.folders {
		for _, name := range names {
			paths = append(paths, filepath.Join(in.path, name))
			for _, key := range [...]string{id + "ffffffff", strings.ToUpper(id) + "FFFFFFFF"} {
				paths = append(paths, filepath.Join(in.path, name, key, name),
					filepath.Join(in.path, strings.ToLower(name), key, strings.ToLower(name)))
			}
		}
	}
	return paths
}

// hasSource reports whether there are sequence points of methods: a PDB, or what the trace stores
// of one.
func (f *moduleFiles) hasSource() bool { return f.pdb != nil || f.stored != nil }

// knows reports whether there is source text of a method.
func (f *moduleFiles) knows(token uint32) bool {
	return f.pdb != nil || f.stored != nil && f.stored.Methods[token] != nil
}

// pointsOf returns the sequence points of a method.
func (f *moduleFiles) pointsOf(token uint32) []clrfile.Point {
	points, known := f.points[token]
	if known || !f.knows(token) {
		return points
	}
	if f.pdb != nil {
		points = f.pdb.Points(token)
	} else {
		points = parsePoints(f.stored.Methods[token].Points)
	}
	f.points[token] = points
	return points
}

// document returns the path of a source file.
func (f *moduleFiles) document(number uint32) string {
	if f.pdb != nil {
		return f.pdb.Document(number)
	}
	return f.stored.Files[number]
}

// bodyOf returns what the IL of a method does, by the module's image or what the trace stores of
// it.
func (f *moduleFiles) bodyOf(token uint32) (*clrfile.Body, bool) {
	body, known := f.bodies[token]
	if !known {
		if image := f.openImage(); image != nil {
			body, _ = image.Body(token)
		} else if f.stored != nil && f.stored.Methods[token] != nil {
			body = parseEffects(f.stored.Methods[token].Effects)
		}
		f.bodies[token] = body
	}
	return body, body != nil
}
