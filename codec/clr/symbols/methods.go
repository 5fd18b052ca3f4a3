package symbols

import "github.com/nettrace-go/nettrace/codec/clr"

// handlers are those of all events that name addresses.
var handlers = map[clr.Kind]handler{
	clr.KindMethodDetails:        {take: takeDetails},
	clr.KindMethodLoad:           methodHandler(loaded, false),
	clr.KindMethodUnload:         methodHandler(unloaded, false),
	clr.KindMethodLoadVerbose:    methodHandler(loaded, true),
	clr.KindMethodUnloadVerbose:  methodHandler(unloaded, true),
	clr.KindR2RGetEntryPoint:     {take: takeEntryPoint},
	clr.KindMethodDCStart:        methodHandler(present, false),
	clr.KindMethodDCEnd:          methodHandler(stillLoaded, false),
	clr.KindMethodDCStartVerbose: methodHandler(present, true),
	clr.KindMethodDCEndVerbose:   methodHandler(stillLoaded, true),

	// The rundown of the .NET Framework, in the runtime's own provider.
	clr.KindMethodDCStartV2:        methodHandler(present, false),
	clr.KindMethodDCEndV2:          methodHandler(stillLoaded, false),
	clr.KindMethodDCStartVerboseV2: methodHandler(present, true),
	clr.KindMethodDCEndVerboseV2:   methodHandler(stillLoaded, true),

	clr.KindMethodILToNativeMap:        {take: takeMap, lines: true},
	clr.KindMethodDCStartILToNativeMap: {take: takeMap, lines: true},
	clr.KindMethodDCEndILToNativeMap:   {take: takeMap, lines: true},
	clr.KindJittedMethodRichDebugInfo:  {take: takeRich, lines: true},

	// What files said, see ModuleSource.
	clr.KindSourceFile:   {take: takeSourceFile, lines: true},
	clr.KindMethodSource: {take: takeMethodSource, lines: true},
	clr.KindImageMap:     {take: takeImageMap, lines: true},
	clr.KindImageMethod:  methodHandler(inImage, true),
	clr.KindNativeSymbol: {take: takeNativeSymbol},

	clr.KindModuleDCStartV2:     {take: takeModule},
	clr.KindModuleDCEndV2:       {take: takeModule},
	clr.KindDomainModuleLoad:    {take: takeDomainModule},
	clr.KindModuleLoad:          {take: takeModule},
	clr.KindModuleUnload:        {take: takeModule},
	clr.KindAssemblyLoad:        {take: takeAssembly},
	clr.KindAssemblyUnload:      {take: takeAssembly},
	clr.KindDomainModuleDCStart: {take: takeDomainModule},
	clr.KindDomainModuleDCEnd:   {take: takeDomainModule},
	clr.KindModuleDCStart:       {take: takeModule},
	clr.KindModuleDCEnd:         {take: takeModule},
	clr.KindAssemblyDCStart:     {take: takeAssembly},
	clr.KindAssemblyDCEnd:       {take: takeAssembly},

	clr.KindUniversalExistingProcess:        {take: takeProcess},
	clr.KindUniversalProcessCreate:          {take: takeProcess},
	clr.KindUniversalProcessExit:            {take: takeExit},
	clr.KindUniversalProcessMapping:         {take: takeMapping},
	clr.KindUniversalProcessSymbol:          {take: takeSymbol},
	clr.KindUniversalProcessMappingMetadata: {take: takeMetadata},
}

// methodHandler returns the handler of an event about a method, with or without
// names.
func methodHandler(kind rowKind, verbose bool) handler {
	return handler{code: true, kind: kind, verbose: verbose}
}

// code is the content of an event about a range of code.
type code struct {
	row
	process, module uint64
	token, flags    uint32
	names           []byte // of a verbose one: namespace, name and signature
	verbose         bool
}

// The positions of the size and of the names in the payload that readCode reads.
const sizeAt, namesAt = 24, 36

// readCode reads an event about a range of code: MethodID, ModuleID, start, size,
// token, flags, and of a verbose one namespace, name and signature. The event is of a time in ticks.
func (h *handler) readCode(ticks, process uint64, p *payload) (c code, ok bool) {
	c.method, c.module = p.uint64(), p.uint64()
	c.start, c.size = p.uint64(), p.uint32()
	c.kind, c.ticks, c.verbose = h.kind, ticks, h.verbose
	if c.token, c.flags = p.uint32(), p.uint32(); p.bad() || c.end() < c.start {
		return c, false
	}
	c.process, c.names = process, p.b[p.pos:]
	return c, true
}

// addCode adds a range of code. It returns false if its names are malformed.
func (t *Table) addCode(c *code) bool {
	if c.size == 0 {
		return true
	}
	s := t.space(c.process)
	s.rundown = s.rundown || c.kind == present || c.kind == stillLoaded
	t.addWitness(s, c)
	asked := c.kind == loaded || c.kind == present || s.wanted.any(c.start, c.end())
	if !asked && c.kind >= stillLoaded && len(s.entries) == 0 {
		return true
	}
	names := payload{b: c.names}
	if asked && c.verbose {
		f, ok := t.method(s, c.module, &names)
		if !ok {
			return false
		}
		c.function = f + 1
	}
	if asked && t.lines {
		k := codeKey{start: c.start, size: c.size, method: c.method, token: c.token, flags: c.flags, module: t.module(s, c.module)}
		names.skip(2) // ClrInstanceID
		k.body = names.uint64()
		c.code = t.codeNumber(k)
	}
	s.add(c.row)
	t.hold(rowSize)
	return true
}

// method reads namespace, name and signature.
func (t *Table) method(s *space, module uint64, p *payload) (uint32, bool) {
	b := p.appendText(t.scratch[:0])
	namespace := len(b)
	b = p.appendText(b)
	name := len(b)
	b = p.appendText(b)
	t.scratch = b
	if p.bad() {
		return 0, false
	}
	return t.function(function{
		module:    t.module(s, module),
		namespace: t.text(b[:namespace]), name: t.text(b[namespace:name]), signature: t.text(b[name:]),
	}), true
}
