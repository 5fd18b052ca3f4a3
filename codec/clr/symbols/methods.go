package symbols

const (
	runtimeProvider   = "Microsoft-Windows-DotNETRuntime"
	rundownProvider   = "Microsoft-Windows-DotNETRuntimeRundown"
	privateProvider   = "Microsoft-Windows-DotNETRuntimePrivate"
	universalProvider = "Universal.System"
)

// eventType is the key of handlers.
type eventType struct {
	provider string
	id       uint32
}

// handlers are those of all events that name addresses.
var handlers = map[eventType]handler{
	{runtimeProvider, 72}:  {take: takeDetails},
	{runtimeProvider, 141}: methodHandler(loaded, false),
	{runtimeProvider, 142}: methodHandler(unloaded, false),
	{runtimeProvider, 143}: methodHandler(loaded, true),
	{runtimeProvider, 144}: methodHandler(unloaded, true),
	{runtimeProvider, 159}: {take: takeEntryPoint},
	{rundownProvider, 141}: methodHandler(present, false),
	{rundownProvider, 142}: methodHandler(stillLoaded, false),
	{rundownProvider, 143}: methodHandler(present, true),
	{rundownProvider, 144}: methodHandler(stillLoaded, true),

	// The rundown of the .NET Framework, in the runtime's own provider.
	{runtimeProvider, 137}: methodHandler(present, false),
	{runtimeProvider, 138}: methodHandler(stillLoaded, false),
	{runtimeProvider, 139}: methodHandler(present, true),
	{runtimeProvider, 140}: methodHandler(stillLoaded, true),

	{runtimeProvider, 190}: {take: takeMap, lines: true},
	{rundownProvider, 149}: {take: takeMap, lines: true},
	{rundownProvider, 150}: {take: takeMap, lines: true},
	{privateProvider, 189}: {take: takeRich, lines: true},

	{runtimeProvider, 149}: {take: takeModule},
	{runtimeProvider, 150}: {take: takeModule},
	{runtimeProvider, 151}: {take: takeDomainModule},
	{runtimeProvider, 152}: {take: takeModule},
	{runtimeProvider, 153}: {take: takeModule},
	{runtimeProvider, 154}: {take: takeAssembly},
	{runtimeProvider, 155}: {take: takeAssembly},
	{rundownProvider, 151}: {take: takeDomainModule},
	{rundownProvider, 152}: {take: takeDomainModule},
	{rundownProvider, 153}: {take: takeModule},
	{rundownProvider, 154}: {take: takeModule},
	{rundownProvider, 155}: {take: takeAssembly},
	{rundownProvider, 156}: {take: takeAssembly},

	{universalProvider, 0}: {take: takeProcess},
	{universalProvider, 1}: {take: takeProcess},
	{universalProvider, 2}: {take: takeExit},
	{universalProvider, 3}: {take: takeMapping},
	{universalProvider, 4}: {take: takeSymbol},
	{universalProvider, 5}: {take: takeMetadata},
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
	if !asked && c.kind == stillLoaded && len(s.entries) == 0 {
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
