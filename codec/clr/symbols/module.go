package symbols

import (
	"cmp"
	"iter"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Module is a managed module, or a file that a process has mapped (v6). All
// callers share it and must not modify it.
type Module struct {
	ID         uint64 // the runtime's ModuleID, or the id of the mapping
	Process    uint64 // key of the process
	Path       string // of the assembly (IL), or of the mapped file
	NativePath string // of the image with code compiled ahead of time, if it is a separate file
	Assembly   string // full name, "" if unknown
	PDB        PDB    // of the IL, zero if unknown
	// BuildID is the build id of the ELF image of a NativeAOT program, in lower-case hex,
	// whose address is ID; "" for other modules.
	BuildID string

	Start, End uint64 // range of a mapping (v6), both inclusive, otherwise 0
	// FileOffset is the offset in the file of a mapping (v6).
	FileOffset     uint64
	SymbolMetadata string // of a mapping (v6): JSON that describes where to find the file's symbols
	Version        string // of a mapping (v6): JSON

	// Source is what the trace stores of the files of the module, nil for nothing. A Table
	// with Options.Lines has it.
	Source *ModuleSource

	name     string
	assembly uint64
	memory   bool // the mapping is no file: the runtime makes code there
}

// PDB identifies the file with a module's debug information.
type PDB struct {
	// GUID is the signature of the file.
	GUID wire.GUID
	// Age is the number of times that the file was written, 1 for a new one.
	Age  uint32
	Path string // where the compiler wrote it
}

// Name returns the module's name in raw names: the last part of its path,
// without the extension .dll, .exe, .netmodule or .winmd. It is
// "ManagedModule" if the trace has no name of the module, "unknown" for memory
// of generated code.
func (m *Module) Name() string { return m.name }

// unknownModule is the name of a module without a row.
const unknownModule = "ManagedModule"

// moduleName is the last part of a path, without the extension of a module and ".ni". What
// follows the last dot of another name is part of it: "/app/MyApp.Core".
func moduleName(path string) string {
	return cmp.Or(strings.TrimSuffix(fileModuleName(path), ".ni"), unknownModule)
}

// module returns the number of a module by the runtime's id.
func (t *Table) module(s *space, id uint64) uint32 {
	n, known := s.modules[id]
	if !known {
		n = uint32(len(t.modules))
		t.modules = append(t.modules, &Module{ID: id, Process: s.process, name: unknownModule})
		s.modules[id] = n
		t.hold(moduleSize)
	}
	return n
}

// takeModule reads ModuleID, AssemblyID, flags, a reserved number and two paths,
// then (version 2) the identity of the PDB.
func takeModule(t *Table, e *codec.Event, p *payload) bool { return t.takePaths(e, p, 8) }

// takeDomainModule is the same with an AppDomainID before the flags.
func takeDomainModule(t *Table, e *codec.Event, p *payload) bool { return t.takePaths(e, p, 16) }

func (t *Table) takePaths(e *codec.Event, p *payload, between int) bool {
	id, assembly := p.uint64(), p.uint64()
	p.skip(between)
	b := p.appendText(t.scratch[:0])
	path := len(b)
	b = p.appendText(b)
	t.scratch = b
	if p.bad() {
		return false
	}
	s := t.space(Process(e))
	m := t.modules[t.module(s, id)]
	m.assembly = assembly
	if m.Path == "" && path > 0 {
		m.Path = valid(b[:path])
		m.name = moduleName(m.Path)
		t.hold(path)
	}
	if native := valid(b[path:]); native != "" && native != m.Path && m.BuildID == "" {
		t.hold(len(native) - len(m.NativePath))
		m.NativePath = native
	}
	if p.skip(2); !p.bad() && between == 8 { // ClrInstanceID
		t.takePDB(m, p)
	}
	return true
}

// takePDB reads GUID, age and path, if they are present.
func (t *Table) takePDB(m *Module, p *payload) {
	guid, age := p.guid(), p.uint32()
	b := p.appendText(t.scratch[:0])
	if t.scratch = b; p.bad() || m.PDB.Path != "" {
		return
	}
	m.PDB = PDB{GUID: guid, Age: age, Path: valid(b)}
	t.hold(len(b))
	t.takeBuildID(m, p)
}

// takeBuildID reads the PDB of the native image, GUID, age and path, and then the
// build id (version 3).
func (t *Table) takeBuildID(m *Module, p *payload) {
	p.skip(16 + 4)
	p.skipTexts(1)
	b := p.appendText(t.scratch[:0])
	if t.scratch = b; p.bad() || len(b) == 0 {
		return
	}
	m.BuildID = strings.ToLower(valid(b))
	t.hold(len(b))
	// .NET 10 and 11 do not end the path of a NativeAOT program: up to three characters follow that
	// are parts of a pointer.
	path := []rune(m.NativePath)
	for n := 0; n < 3 && len(path) > 1 && (path[len(path)-1] > 0x7E || path[len(path)-1] < 0x20); n++ {
		path = path[:len(path)-1]
	}
	if m.NativePath = string(path); m.Path == "" {
		m.name = fileModuleName(m.NativePath)
	}
}

// takeAssembly reads AssemblyID, AppDomainID, (version 1) a binding id, flags and
// the full name.
func takeAssembly(t *Table, e *codec.Event, p *payload) bool {
	id := p.uint64()
	p.skip(8 + 4)
	if e.Version() > 0 {
		p.skip(8)
	}
	b := p.appendText(t.scratch[:0])
	if t.scratch = b; p.bad() {
		return false
	}
	s := t.space(Process(e))
	if s.assemblies == nil {
		s.assemblies = map[uint64]uint32{}
	}
	s.assemblies[id] = t.text(b)
	t.hold(16)
	return true
}

// nameAssemblies gives the modules of a space the names of their assemblies.
func (t *Table) nameAssemblies(s *space) {
	for _, n := range s.modules {
		m := t.modules[n]
		m.Assembly = valid(t.texts.get(s.assemblies[m.assembly]))
	}
}

// Modules iterates over the modules and mappings of all processes.
func (t *Table) Modules() iter.Seq[*Module] {
	return func(yield func(*Module) bool) {
		for _, m := range t.modules {
			if m != nil && !yield(m) {
				return
			}
		}
	}
}
