package symbols

import (
	"slices"

	clr "github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/symbols/clrfile"
)

// Options configure a Resolver. The zero value finds no files.
type Options struct {
	// Folders have PDBs and images: the output of a build, a symbol store
	// (NAME/ID/NAME), or packages of symbols (.snupkg).
	Folders []string
	// RecordedPaths reads the files at the paths in the trace, on this machine, if
	// Folders is empty.
	RecordedPaths bool
	// Program is the path of the program's file, if it is known: the trace of a NativeAOT
	// program can have a relative one. The build id shows whether it is that program.
	Program string
	// Root is put before the recorded paths: that of a container. Default: none.
	Root string
}

// Resolver finds source lines. It is for one goroutine.
type Resolver struct {
	opt     Options
	folders []*folder
	modules map[*clr.Module]*moduleFiles
	maps    map[*clr.Code]*ilMap
	placed  map[uint64][]placed // images by process, sorted; nil: not made yet
	elfs    map[string]*ELF     // by build id; nil: not found
	natives map[nativeKey]*native
}

// NewResolver returns a Resolver.
func NewResolver(opt Options) *Resolver {
	r := &Resolver{opt: opt, modules: map[*clr.Module]*moduleFiles{}, maps: map[*clr.Code]*ilMap{}, elfs: map[string]*ELF{}, natives: map[nativeKey]*native{}}
	for _, path := range opt.Folders {
		r.folders = append(r.folders, &folder{path: path})
	}
	return r
}

// Missing is the reason why an address has no source line.
type Missing uint8

// The reasons.
const (
	Found       Missing = iota // there is a line
	NoMethod                   // the address is in no known method
	Dynamic                    // the runtime made the code, without metadata
	NoPDB                      // there is no PDB of the module
	OtherBuild                 // there are only PDBs of other builds of the module
	WindowsPDB                 // the PDB is in the format of Windows, which is not read
	NoMap                      // there is no map from native code to IL at the address
	ThrowHelper                // the code throws exceptions for several statements
	NoSource                   // the method has no source text: the compiler made it
)

var missingNames = [...]string{
	"", "no method", "dynamic method", "no pdb", "pdb of another build", "windows pdb", "no map", "throw helper", "no source",
}

// String returns the reason in a few words, such as "no pdb"; "" for Found.
func (m Missing) String() string { return missingNames[min(int(m), len(missingNames)-1)] }

// Location is the place of an address in source text.
type Location struct {
	// File is the path of the source file, as the compiler wrote it; "" if the line is
	// not known.
	File string
	// Line is the line of the statement, from 1; 0 if it is not known. Where the compiler
	// merged statements, it is that of the first.
	Line int
	// EndLine is the line of the last merged statement; equal to Line for a single one.
	EndLine int
	// StartLine is the first line of the method, 0 if it is not known.
	StartLine int
	// Missing is the reason why there is no line.
	Missing Missing
	// Inlined are the methods that were inlined at the address, innermost first. The
	// method of the body itself calls the last.
	Inlined []InlinedFrame
}

// InlinedFrame is an inlined method at an address.
type InlinedFrame struct {
	// Name and RawName are the method's names, as those of clr.Symbol; "[inlined method]" if
	// neither the trace nor an image has them.
	Name, RawName string
	Module        *clr.Module // that declares it, nil if unknown
	// File and Line are the place of the innermost method; the runtime does not record
	// those of the others, which have "" and 0.
	File string
	Line int // see File
}

// Locate returns the source line of an address of a stack, in the body that
// contains it. The address is a return address or that of a thread that was
// stopped: at such a point the instruction before is the one that was executed.
func (r *Resolver) Locate(code *clr.Code, address uint64) Location {
	return r.LocateInstruction(code, address-1)
}

// LocateInstruction is Locate for the address of the instruction itself, as an
// interrupt of the processor finds it.
func (r *Resolver) LocateInstruction(code *clr.Code, address uint64) Location {
	switch {
	case code == nil:
		return Location{Missing: NoMethod}
	case code.Token == 0:
		return Location{Missing: Dynamic}
	}
	offset := uint32(0)
	if address > code.Start {
		offset = uint32(min(address-code.Start, uint64(code.Size)))
	}
	f := r.files(code.Module)
	where := r.line(f, code, offset)
	where.Inlined = r.inlined(code, offset)
	return where
}

// line finds the line of an offset in a body.
func (r *Resolver) line(f *moduleFiles, code *clr.Code, offset uint32) Location {
	switch {
	case !f.hasSource():
		return Location{Missing: f.noPDB}
	case !f.knows(code.Token):
		return Location{Missing: NoPDB}
	}
	points := f.pointsOf(code.Token)
	m := r.mapOf(f, code)
	il, why := m.at(offset)
	if why != Found {
		return Location{Missing: why}
	}
	at := visible(points, il)
	if at < 0 {
		return Location{Missing: NoSource}
	}
	point := &points[at]
	where := Location{File: f.document(point.Document), Line: int(point.Line), EndLine: int(point.Line)}
	if first := slices.IndexFunc(points, func(p clrfile.Point) bool { return !p.Hidden() }); points[first].Document == point.Document {
		where.StartLine = int(points[first].Line)
	}
	where.merge(points, at, m, code.Optimized())
	return where
}

// visible returns the index of the last point at or before an IL offset that has
// source text; -1 if there is none.
func visible(points []clrfile.Point, il uint32) int {
	at := sortedBelow(len(points), func(i int) bool { return points[i].IL <= il }) - 1
	for at >= 0 && points[at].Hidden() {
		at--
	}
	return at
}

// maxMerged is the number of lines of the longest range; the rest of a longer one
// is left out.
const maxMerged = 9

// smallStatement is the number of bytes of IL below which a statement has no
// code worth mentioning: a constant, a copy, a jump, a return.
const smallStatement = 4

// merge extends a location by the statements that have no code of their own in
// the map. The compiler keeps a boundary only where the evaluation stack is empty:
// a statement that leaves a value there is joined with those after it. Optimization
// also moves a statement into a later one that uses its value: those before the
// point, up to the last one with code.
func (l *Location) merge(points []clrfile.Point, at int, m *ilMap, optimized bool) {
	below, _ := m.around(points[at].IL)
	_, above := m.around(points[at].IL)
	extend := func(i int) bool {
		p := &points[i]
		if p.Hidden() || p.Document != points[at].Document {
			return false
		}
		small := i+1 < len(points) && points[i+1].IL-p.IL < smallStatement || i+1 == len(points)
		first, last := min(l.Line, int(p.Line)), max(l.EndLine, int(p.Line))
		if (!small || !optimized) && last-first < maxMerged {
			l.Line, l.EndLine = first, last
		}
		return true
	}
	for i := at + 1; i < len(points) && points[i].IL < above && extend(i); i++ {
	}
	for i := at - 1; optimized && i >= 0 && int64(points[i].IL) > below && extend(i); i-- {
	}
}

// mapOf returns the map of a body: the runtime's, or that of the image.
func (r *Resolver) mapOf(f *moduleFiles, code *clr.Code) *ilMap {
	m := r.maps[code]
	if m == nil {
		points := code.Map
		if points == nil && code.Precompiled {
			points = f.mapOf(code)
		}
		m = newILMap(points)
		r.maps[code] = m
	}
	return m
}

// Learn records that a body is in memory. The bodies that were compiled
// ahead of time give the places of their images.
func (r *Resolver) Learn(code *clr.Code) {
	if code == nil || !code.Precompiled || code.Token == 0 {
		return
	}
	f := r.files(code.Module)
	f.learned = append(f.learned, code)
	r.placed = nil
}

// mapOf returns the map of a precompiled body in the image.
func (f *moduleFiles) mapOf(code *clr.Code) []clr.ILPoint {
	image := f.openCode()
	if image == nil || code.Start < f.loaded.base {
		return nil
	}
	method, ok := image.Find(uint32(code.Start - f.loaded.base))
	if !ok || uint64(method.Address) != code.Start-f.loaded.base {
		return nil
	}
	var points []clr.ILPoint
	for _, p := range image.Map(method) {
		points = append(points, clr.ILPoint{Native: p.Native, IL: p.IL})
	}
	return points
}

// inlined returns the inlined methods at an offset.
func (r *Resolver) inlined(code *clr.Code, offset uint32) []InlinedFrame {
	in := code.Inlines
	if in == nil {
		return nil
	}
	n := sortedBelow(len(in.Points), func(i int) bool { return in.Points[i].Native <= offset })
	if n == 0 {
		return nil
	}
	point := in.Points[n-1]
	var frames []InlinedFrame
	for at := point.Method; at > 0 && len(frames) < len(in.Methods); at = in.Methods[at].Parent {
		frames = append(frames, r.inlinedFrame(&in.Methods[at]))
	}
	if len(frames) > 0 && isIL(point.IL) {
		m := &in.Methods[point.Method]
		if m.Module != nil && m.Token != 0 {
			f := r.files(m.Module)
			points := f.pointsOf(m.Token)
			if at := visible(points, point.IL); at >= 0 {
				frames[0].File, frames[0].Line = f.document(points[at].Document), int(points[at].Line)
			}
		}
	}
	return frames
}

// inlinedFrame names an inlined method: by the events, or else by the image.
func (r *Resolver) inlinedFrame(m *clr.InlinedMethod) InlinedFrame {
	frame := InlinedFrame{Module: m.Module, Name: "[inlined method]", RawName: "[inlined method]"}
	switch {
	case m.Symbol != nil:
		frame.Name, frame.RawName = m.Symbol.Name(), m.Symbol.RawName()
	case m.Module != nil && m.Token != 0:
		if s := r.files(m.Module).nameOf(m.Module, m.Token); s != nil {
			frame.Name, frame.RawName = s.Name(), s.RawName()
		}
	}
	return frame
}

// nameOf names a method by the image, or by what the trace stores of it; nil if neither has the
// name.
func (f *moduleFiles) nameOf(m *clr.Module, token uint32) *clr.Symbol {
	s, known := f.inlined[token]
	if known {
		return s
	}
	if image := f.openImage(); image != nil {
		if typ, name, ok := image.Method(token); ok {
			s = &clr.Symbol{Module: m, Namespace: typ, Method: name, Signature: image.Signature(token)}
		}
	} else if f.stored != nil {
		if of := f.stored.Methods[token]; of != nil && of.Method != "" {
			s = &clr.Symbol{Module: m, Namespace: of.Namespace, Method: of.Method, Signature: of.Signature}
		}
	}
	f.inlined[token] = s
	return s
}
