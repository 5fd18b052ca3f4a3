package symbols

import (
	"strings"

	"github.com/nettrace-go/nettrace/codec"
)

// ProcessInfo describes a process in the events of Universal.System (v6).
type ProcessInfo struct {
	// ID is the operating system's id.
	ID uint64
	// Name is the name of the process.
	Name        string
	NamespaceID uint64 // id within its own namespace
	// NamespaceName is the name of that namespace.
	NamespaceName string
	Start         uint64 // ticks of its creation, 0 if it was before the recording
	Exit          uint64 // ticks of its end, 0 if it did not end
}

// universal has the processes, mappings and symbols of Universal.System.
type universal struct {
	symbols   []symbol
	metadatas map[uint64][2]string
}

// mapping is a file or memory with code in the space of a process.
type mapping struct {
	id, metadata uint64
	start, end   uint64 // both inclusive
	ticks        uint64
	module       uint32
}

// symbol names a part of a mapping.
type symbol struct {
	mapping    uint64
	start, end uint64 // both inclusive
	ticks      uint64
	name       uint32
}

// takeProcess reads NamespaceId, Name, NamespaceName.
func takeProcess(t *Table, e *codec.Event, p *payload) bool {
	namespace, name, namespaceName := p.varuint(), p.counted(), p.counted()
	if p.bad() {
		return false
	}
	about := &t.space(Process(e)).about
	about.Name, about.NamespaceID, about.NamespaceName = valid(name), namespace, valid(namespaceName)
	if about.Exit = 0; e.ID() == 1 {
		about.Start = e.Timestamp
	}
	t.hold(len(name) + len(namespaceName))
	return true
}

func takeExit(t *Table, e *codec.Event, _ *payload) bool {
	t.space(Process(e)).about.Exit = e.Timestamp
	return true
}

// takeMapping reads Id, StartAddress, EndAddress, FileOffset, FileName,
// MetadataId.
func takeMapping(t *Table, e *codec.Event, p *payload) bool {
	m := mapping{id: p.varuint(), start: p.varuint(), end: p.varuint(), ticks: e.Timestamp}
	if m.end > m.start && m.end%smallestPage == 0 { // exclusive, of a mapping that record-trace found at its start
		m.end--
	}
	offset, name := p.varuint(), p.counted()
	m.metadata = p.varuint()
	if p.bad() || m.end < m.start {
		return false
	}
	s := t.space(Process(e))
	m.module = uint32(len(t.modules))
	path := valid(name)
	about := &Module{
		ID: m.id, Process: s.process, Path: path, name: fileModuleName(path),
		Start: m.start, End: m.end, FileOffset: offset,
	}
	if strings.HasPrefix(path, memoryMapping) {
		about.name, about.memory = "unknown", true
	}
	t.modules = append(t.modules, about)
	s.mapped = append(s.mapped, m)
	s.built = false
	t.hold(moduleSize + rowSize + len(path))
	return true
}

// smallestPage is the size of a page, or a part of it: mappings begin and end at pages.
const smallestPage = 4096

// takeSymbol reads Id, MappingId, StartAddress, EndAddress, Name.
func takeSymbol(t *Table, e *codec.Event, p *payload) bool {
	p.varuint()
	one := symbol{mapping: p.varuint(), start: p.varuint(), end: p.varuint(), ticks: e.Timestamp}
	name := p.counted()
	if p.bad() || one.end < one.start {
		return false
	}
	one.name = t.text(name)
	t.universal.symbols = append(t.universal.symbols, one)
	for _, s := range t.spaces {
		s.built = false
	}
	t.hold(rowSize)
	return true
}

// takeMetadata reads Id, SymbolMetadata, VersionMetadata.
func takeMetadata(t *Table, _ *codec.Event, p *payload) bool {
	id, symbols, version := p.varuint(), p.counted(), p.counted()
	if p.bad() {
		return false
	}
	if t.universal.metadatas == nil {
		t.universal.metadatas = map[uint64][2]string{}
	}
	t.universal.metadatas[id] = [2]string{valid(symbols), valid(version)}
	t.hold(moduleSize + len(symbols) + len(version))
	return true
}

// mappingLifetimes makes lifetimes of a space's mappings: each is valid from its
// time. The values are numbers of modules.
func (t *Table) mappingLifetimes(s *space) []lifetime {
	list := make([]lifetime, 0, len(s.mapped))
	for i := range s.mapped {
		m := &s.mapped[i]
		about := t.universal.metadatas[m.metadata]
		t.modules[m.module].SymbolMetadata, t.modules[m.module].Version = about[0], about[1]
		list = append(list, lifetime{m.start, after(m.end), m.ticks, forever, m.module, Mapping, 0, 0})
	}
	return list
}

// after is the address after an inclusive end; the last address is left out.
func after(end uint64) uint64 { return max(end, end+1) }

// symbolLifetimes makes lifetimes of the symbols in the mappings of a space.
func (t *Table) symbolLifetimes(s *space) []lifetime {
	if len(s.mapped) == 0 {
		return nil
	}
	byID := make(map[uint64]*mapping, len(s.mapped))
	for i := range s.mapped {
		byID[s.mapped[i].id] = &s.mapped[i]
	}
	var list []lifetime
	for i := range t.universal.symbols {
		one := &t.universal.symbols[i]
		m := byID[one.mapping]
		if m == nil || !s.wanted.any(one.start, after(one.end)) {
			continue
		}
		f := t.function(function{module: m.module, name: one.name})
		list = append(list, lifetime{one.start, after(one.end), one.ticks, forever, f + 1, Native, 0, 0})
	}
	return list
}

// ProcessInfo returns the description of a process by Universal.System, and
// whether there is one.
func (t *Table) ProcessInfo(process uint64) (ProcessInfo, bool) {
	s := t.spaces[process]
	if s == nil || s.about == (ProcessInfo{}) {
		return ProcessInfo{}, false
	}
	about := s.about
	about.ID = process
	return about, true
}
