package symbols

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/ianlancetaylor/demangle"

	clr "github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// Native names an address in a native program or library: of the code of a
// NativeAOT program, module is its module in the trace and its address is that of
// the image; of a mapping (v6) it is the mapping. The file with the symbols is
// found by its build id. name is for users: demangled, or the type and the method
// of managed code. The frame's raw name is that of the symbol table.
func (r *Resolver) Native(m *clr.Module, address uint64) (f clr.Frame, name string, ok bool) {
	file, place := r.elfOf(m), uint64(0)
	switch {
	case file == nil:
		return f, "", false
	case m.Start != 0:
		if place, ok = file.AddressOf(address - m.Start + m.FileOffset); !ok {
			return f, "", false
		}
	case address < m.ID:
		return f, "", false
	default:
		place = address - m.ID
	}
	s, ok := file.Find(place)
	if place > 0 && (!ok || s.Address == place) { // after a call that does not return, at the end of a function
		if before, found := file.Find(place - 1); found {
			s, ok = before, true
		}
	}
	if !ok {
		return f, "", false
	}
	key := nativeKey{m, s.Address}
	n := r.natives[key]
	if n == nil {
		n = &native{symbol: &clr.Symbol{Module: m, Method: s.Name}, start: address - (place - s.Address), size: s.Size, managed: file.Managed(place)}
		if n.managed {
			n.shown = readableAOT(s.Name, m.Name())
		} else {
			n.shown = demangle.Filter(s.Name)
		}
		r.natives[key] = n
	}
	f = clr.Frame{Address: address, Symbol: n.symbol, Module: m, Evidence: clr.Native}
	if n.managed {
		f.Evidence = clr.Image
	}
	return f, n.shown, true
}

// native is a function of a native program at its place in the memory of a process.
type native struct {
	symbol      *clr.Symbol
	shown       string // the name for users
	start, size uint64
	managed     bool
}

// nativeKey identifies a function of a module.
type nativeKey struct {
	module  *clr.Module
	address uint64
}

// BuildID returns the build id of the ELF file of a module or mapping, in lower-case hex; ""
// if the trace does not have it. The module may be nil.
func BuildID(m *clr.Module) string {
	switch {
	case m == nil:
		return ""
	case m.BuildID != "" || m.SymbolMetadata == "":
		return m.BuildID
	}
	return strings.ToLower(fileMetadata(m).BuildID)
}

// IsImage reports whether a mapping (v6) is one of a .NET image, whose machine code was
// compiled ahead of time from managed code.
func IsImage(m *clr.Module) bool {
	if m.SymbolMetadata != "" {
		return fileMetadata(m).Type == "PE"
	}
	return m.Start != 0 && (hasExtension(m.Path, ".dll") || hasExtension(m.Path, ".exe"))
}

// mappedFile describes the file of a mapping, as in the event ProcessMappingMetadata.
type mappedFile struct {
	Type    string `json:"type"`
	BuildID string `json:"build_id"`
}

func fileMetadata(m *clr.Module) (about mappedFile) {
	_ = json.Unmarshal([]byte(m.SymbolMetadata), &about) // empty for other files
	return about
}

// elfOf returns the ELF file of a module, nil if it is not found.
func (r *Resolver) elfOf(m *clr.Module) *ELF {
	id := BuildID(m)
	if id == "" {
		return nil
	}
	file, known := r.elfs[id]
	if !known {
		file = r.findELF(m, id)
		r.elfs[id] = file
	}
	return file
}

// findELF returns the file with a build id that has the most symbols.
func (r *Resolver) findELF(m *clr.Module, id string) *ELF {
	var best *ELF
	for _, path := range r.elfPaths(m, id) {
		data, err := readFile(path)
		if err != nil || len(data) < 4 || string(data[:4]) != "\x7fELF" {
			continue
		}
		f, err := ReadELF(data)
		if err != nil || f.BuildID != id {
			continue
		}
		if best == nil || !best.Complete && f.Complete {
			best = f
		}
		if best.Complete {
			break
		}
	}
	return best
}

// elfPaths are the paths where the symbols of a module can be.
func (r *Resolver) elfPaths(m *clr.Module, id string) []string {
	inStore := ""
	if len(id) > 2 {
		inStore = filepath.Join(".build-id", id[:2], id[2:]+".debug")
	}
	recorded := m.Path
	if recorded == "" {
		recorded = m.NativePath
	}
	if len(r.folders) == 0 {
		if !r.opt.RecordedPaths {
			return nil
		}
		paths := []string{r.recorded(filepath.Join("/usr/lib/debug", inStore))}
		for _, path := range [...]string{r.recorded(recorded), r.opt.Program} {
			paths = append(paths, path, path+".dbg", path+".debug")
		}
		return paths
	}
	var paths []string
	for _, in := range r.folders {
		name := filepath.Join(in.path, base(recorded))
		paths = append(paths, filepath.Join(in.path, inStore), name+".dbg", name+".debug", name)
		entries, _ := os.ReadDir(in.path) // of any name
		for _, e := range entries[:min(len(entries), maxEntries)] {
			path := filepath.Join(in.path, e.Name())
			if !e.IsDir() && beginsAsELF(path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

func beginsAsELF(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [4]byte
	n, _ := f.Read(magic[:])
	return n == 4 && string(magic[:]) == elfMagic
}

const elfMagic = "\x7fELF"

// readableAOT is the name of a NativeAOT symbol for users: the assembly is left out
// if it is known, and the last "__" outside of type arguments, which separates type
// and method, is a dot. The compiler replaces all other special characters by "_",
// which cannot be undone.
func readableAOT(symbol, program string) string {
	name := symbol
	for _, assembly := range [...]string{mangled(program) + "_", "S_P_CoreLib_"} {
		if rest, ok := strings.CutPrefix(name, assembly); ok && rest != "" {
			name = rest
			break
		}
	}
	depth, at := 0, -1
	for i := 0; i+1 < len(name); i++ {
		switch {
		case name[i] == '<':
			depth++
		case name[i] == '>':
			depth--
		case depth == 0 && name[i] == '_' && name[i+1] == '_' && i > 0:
			if at < 0 || i > at+1 {
				at = i
			}
			for i+1 < len(name) && name[i+1] == '_' {
				i++
			}
		}
	}
	if at <= 0 || at+2 >= len(name) {
		return name
	}
	return name[:at] + "." + name[at+2:]
}

// mangled is a name with every character but letters, digits and "_" replaced.
func mangled(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '_'
	}, name)
}
