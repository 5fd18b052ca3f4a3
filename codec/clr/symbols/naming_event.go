package symbols

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// namingKind is the kind of row that a naming event describes.
type namingKind uint8

const (
	notNaming         namingKind = iota
	namesCode                    // a method at a range of addresses: with names, or without them
	namesEntry                   // the entry point of a method compiled ahead of time
	namesDetails                 // the module that loaded a method
	namesModule                  // a module and its assembly
	namesDomainModule            // a module, its assembly and its AppDomain
	namesAssembly                // an assembly and its AppDomain
	namesDomain                  // an AppDomain
	namesProcess                 // a process, its runtime or one of its threads
	namesMapping                 // a mapped file (v6)
	namesSymbol                  // a symbol in a mapped file (v6)
	namesMetadata                // metadata of mappings (v6)
	namesMap                     // the map of a body from native code to IL
	namesFile                    // a source file of a module
	namesSource                  // the source of a method
)

// namingType is how the events of a type are read.
type namingType struct {
	kind namingKind
	read func(e *codec.Event, p *payload, n *naming)
}

// naming has the values that determine whether a slice needs a naming event. It
// has no texts.
type naming struct {
	kind       namingKind
	id         uint64 // of the method, module, assembly, AppDomain, mapping, or mapping of the symbol
	start, end uint64 // addresses: start <= a < end
	module     uint64 // of a method; the metadata of a mapping
	assembly   uint64 // of a module
	domain     uint64 // of a module or an assembly
	token      uint32 // of a method
	named      bool   // the row of a method has its name
}

var namingTypes = map[clr.Kind]namingType{
	clr.KindMethodDCStartV2: {namesCode, readBareCode}, clr.KindMethodDCEndV2: {namesCode, readBareCode},
	clr.KindMethodDCStartVerboseV2: {namesCode, readNamedCode}, clr.KindMethodDCEndVerboseV2: {namesCode, readNamedCode},
	clr.KindMethodLoad: {namesCode, readBareCode}, clr.KindMethodUnload: {namesCode, readBareCode},
	clr.KindMethodLoadVerbose: {namesCode, readNamedCode}, clr.KindMethodUnloadVerbose: {namesCode, readNamedCode},
	clr.KindMethodDCStart: {namesCode, readBareCode}, clr.KindMethodDCEnd: {namesCode, readBareCode},
	clr.KindMethodDCStartVerbose: {namesCode, readNamedCode}, clr.KindMethodDCEndVerbose: {namesCode, readNamedCode},

	clr.KindMethodILToNativeMap: {namesMap, readMapOf}, clr.KindMethodDCStartILToNativeMap: {namesMap, readMapOf}, clr.KindMethodDCEndILToNativeMap: {namesMap, readMapOf},

	clr.KindSourceFile: {namesFile, readSourceFile}, clr.KindMethodSource: {namesSource, readMethodSource},
	clr.KindImageMethod: {namesCode, readNamedCode}, clr.KindImageMap: {namesCode, readImageMap}, clr.KindNativeSymbol: {namesCode, readNativeSymbol},

	clr.KindMethodDetails:    {namesDetails, readDetails},
	clr.KindR2RGetEntryPoint: {namesEntry, readEntry},

	clr.KindModuleDCStartV2: {namesModule, readModule}, clr.KindModuleDCEndV2: {namesModule, readModule},
	clr.KindModuleLoad: {namesModule, readModule}, clr.KindModuleUnload: {namesModule, readModule},
	clr.KindModuleDCStart: {namesModule, readModule}, clr.KindModuleDCEnd: {namesModule, readModule},
	clr.KindDomainModuleLoad:    {namesDomainModule, readDomainModule},
	clr.KindDomainModuleDCStart: {namesDomainModule, readDomainModule}, clr.KindDomainModuleDCEnd: {namesDomainModule, readDomainModule},

	clr.KindAssemblyLoad: {namesAssembly, readAssembly}, clr.KindAssemblyUnload: {namesAssembly, readAssembly},
	clr.KindAssemblyDCStart: {namesAssembly, readAssembly}, clr.KindAssemblyDCEnd: {namesAssembly, readAssembly},
	clr.KindAppDomainLoad: {namesDomain, readDomain}, clr.KindAppDomainUnload: {namesDomain, readDomain},
	clr.KindAppDomainDCStart: {namesDomain, readDomain}, clr.KindAppDomainDCEnd: {namesDomain, readDomain},

	clr.KindThreadCreated: {namesProcess, readThread}, clr.KindThreadDC: {namesProcess, readThread},
	clr.KindRuntimeInformationStart: {namesProcess, readRuntime}, clr.KindRuntimeInformationDCStart: {namesProcess, readRuntime},
	clr.KindProcessInfo: {namesProcess, readProcessInfo},

	clr.KindUniversalExistingProcess: {namesProcess, readProcess}, clr.KindUniversalProcessCreate: {namesProcess, readProcess},
	clr.KindUniversalProcessExit:            {namesProcess, readNothing},
	clr.KindUniversalProcessMapping:         {namesMapping, readMapping},
	clr.KindUniversalProcessSymbol:          {namesSymbol, readSymbol},
	clr.KindUniversalProcessMappingMetadata: {namesMetadata, readMetadata},
}

// Each of these functions reads the fields that every version of its event has,
// then those of later versions if they are there. The payload is bad when a
// field of the first kind does not fit, or one of the second kind is incomplete.

func readBareCode(_ *codec.Event, p *payload, n *naming) {
	n.readCode(p)
	p.rest(2, 8) // ClrInstanceID, ReJITID
}

func readNamedCode(_ *codec.Event, p *payload, n *naming) {
	n.readCode(p)
	p.skipTexts(3)
	n.named = true
	p.rest(2, 8) // ClrInstanceID, ReJITID
}

func (n *naming) readCode(p *payload) {
	n.id, n.module = p.uint64(), p.uint64()
	n.start = p.uint64()
	n.end = n.start + uint64(p.uint32())
	n.token = p.uint32()
	if p.skip(4); n.end < n.start {
		p.pos = -1
	}
}

func readMapOf(_ *codec.Event, p *payload, n *naming) {
	n.id = p.uint64()
	p.skip(8 + 1)
	p.skip(8 * int(p.uint16()))
	p.rest(2, 8) // ClrInstanceID, ILVersionID
}

func readSourceFile(_ *codec.Event, p *payload, n *naming) {
	n.module = p.uint64()
	p.skip(4)
	p.skipTexts(1)
}

func readMethodSource(_ *codec.Event, p *payload, n *naming) {
	n.module, n.token = p.uint64(), p.uint32()
	p.skip(4)
	p.skipTexts(5)
}

func readImageMap(_ *codec.Event, p *payload, n *naming) {
	n.start = p.uint64()
	n.end = n.start + uint64(p.uint32())
	n.named = true
	if p.skipTexts(1); n.end < n.start {
		p.pos = -1
	}
}

func readNativeSymbol(_ *codec.Event, p *payload, n *naming) {
	n.module, n.start, n.end = p.uint64(), p.uint64(), p.uint64()
	p.skip(4)
	n.named = true
	if p.skipTexts(2); n.end < n.start {
		p.pos = -1
	}
}

func readDetails(_ *codec.Event, p *payload, n *naming) {
	n.id = p.uint64()
	p.skip(12)
	parameters := p.uint32()
	n.module = p.uint64()
	if left := len(p.b) - p.pos; !p.bad() && uint64(left) == 8*uint64(parameters) {
		p.skip(left)
	}
}

func readEntry(_ *codec.Event, p *payload, n *naming) {
	n.id = p.uint64()
	p.skipTexts(3)
	n.start = p.uint64()
	n.end = n.start
	p.rest(2) // ClrInstanceID
}

func readModule(_ *codec.Event, p *payload, n *naming) {
	n.id, n.assembly = p.uint64(), p.uint64()
	p.skip(8)
	p.skipTexts(2)
	if !p.rest(2) || p.pos == len(p.b) { // ClrInstanceID
		return
	}
	for range 2 { // debug files of the IL and of the native code: GUID, age, path
		p.skip(20)
		p.skipTexts(1)
	}
}

func readDomainModule(_ *codec.Event, p *payload, n *naming) {
	n.id, n.assembly, n.domain = p.uint64(), p.uint64(), p.uint64()
	p.skip(8)
	p.skipTexts(2)
	p.rest(2) // ClrInstanceID
}

func readAssembly(e *codec.Event, p *payload, n *naming) {
	n.id, n.domain = p.uint64(), p.uint64()
	if e.Version() > 0 {
		p.skip(8)
	}
	p.skip(4)
	p.skipTexts(1)
	p.rest(2) // ClrInstanceID
}

func readDomain(_ *codec.Event, p *payload, n *naming) {
	n.id = p.uint64()
	p.skip(4)
	p.skipTexts(1)
	p.rest(4, 2) // AppDomainIndex, ClrInstanceID
}

func readThread(_ *codec.Event, p *payload, _ *naming) { p.skip(8 + 8 + 4 + 4 + 4 + 2) }

func readRuntime(_ *codec.Event, p *payload, _ *naming) {
	p.skip(10*2 + 4 + 1)
	p.skipTexts(1)
	p.skip(16)
	p.skipTexts(1)
}

// readProcessInfo reads a command line, and from version 1 on the operating
// system and the architecture.
func readProcessInfo(_ *codec.Event, p *payload, _ *naming) {
	if p.skipTexts(1); p.pos != len(p.b) {
		p.skipTexts(2)
	}
}

func readProcess(_ *codec.Event, p *payload, _ *naming) { p.varuint(); p.counted(); p.counted() }

func readNothing(*codec.Event, *payload, *naming) {}

func readMapping(_ *codec.Event, p *payload, n *naming) {
	n.id, n.start = p.varuint(), p.varuint()
	last := p.varuint()
	n.end = after(last)
	p.varuint()
	p.counted()
	if n.module = p.varuint(); !p.bad() && p.pos < len(p.b) {
		p.counted() // SymbolMetadata
		p.counted() // VersionMetadata
	}
	if last < n.start {
		p.pos = -1
	}
}

func readSymbol(_ *codec.Event, p *payload, n *naming) {
	p.varuint()
	n.id, n.start = p.varuint(), p.varuint()
	last := p.varuint()
	n.end = after(last)
	if p.counted(); last < n.start {
		p.pos = -1
	}
}

func readMetadata(_ *codec.Event, p *payload, n *naming) {
	n.id = p.varuint()
	p.counted()
	p.counted()
}

// skipTexts passes over n UTF-16 texts and their zeros.
func (p *payload) skipTexts(n int) {
	for range n {
		_, p.pos = wire.UTF16Z(p.b, p.pos)
	}
}

// rest skips fields of later versions, given by their sizes in bytes, as far as
// they are present. It reports whether the last of them is.
func (p *payload) rest(sizes ...int) bool {
	for _, size := range sizes {
		if p.bad() || p.pos == len(p.b) {
			return false
		}
		p.skip(size)
	}
	return !p.bad()
}
