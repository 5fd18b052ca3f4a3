package symbols

import "github.com/nettrace-go/nettrace/codec"

const (
	runtimeProvider   = "Microsoft-Windows-DotNETRuntime"
	rundownProvider   = "Microsoft-Windows-DotNETRuntimeRundown"
	universalProvider = "Universal.System"
)

// eventType is the key of handlers.
type eventType struct {
	provider string
	id       uint32
}

// handlers are the functions for the handled events.
var handlers = map[eventType]handler{
	{runtimeProvider, 72}:  takeDetails,
	{runtimeProvider, 141}: methodHandler(loaded, false),
	{runtimeProvider, 142}: methodHandler(unloaded, false),
	{runtimeProvider, 143}: methodHandler(loaded, true),
	{runtimeProvider, 144}: methodHandler(unloaded, true),
	{runtimeProvider, 159}: takeEntryPoint,
	{rundownProvider, 141}: methodHandler(present, false),
	{rundownProvider, 142}: methodHandler(stillLoaded, false),
	{rundownProvider, 143}: methodHandler(present, true),
	{rundownProvider, 144}: methodHandler(stillLoaded, true),

	// The rundown of the .NET Framework, in the runtime's own provider.
	{runtimeProvider, 137}: methodHandler(present, false),
	{runtimeProvider, 138}: methodHandler(stillLoaded, false),
	{runtimeProvider, 139}: methodHandler(present, true),
	{runtimeProvider, 140}: methodHandler(stillLoaded, true),

	{runtimeProvider, 149}: takeModule,
	{runtimeProvider, 150}: takeModule,
	{runtimeProvider, 151}: takeDomainModule,
	{runtimeProvider, 152}: takeModule,
	{runtimeProvider, 153}: takeModule,
	{runtimeProvider, 154}: takeAssembly,
	{runtimeProvider, 155}: takeAssembly,
	{rundownProvider, 151}: takeDomainModule,
	{rundownProvider, 152}: takeDomainModule,
	{rundownProvider, 153}: takeModule,
	{rundownProvider, 154}: takeModule,
	{rundownProvider, 155}: takeAssembly,
	{rundownProvider, 156}: takeAssembly,

	{universalProvider, 0}: takeProcess,
	{universalProvider, 1}: takeProcess,
	{universalProvider, 2}: takeExit,
	{universalProvider, 3}: takeMapping,
	{universalProvider, 4}: takeSymbol,
	{universalProvider, 5}: takeMetadata,
}

// methodHandler returns the handler of an event about a method, with or without
// names.
func methodHandler(kind rowKind, verbose bool) handler {
	return func(t *Table, e *codec.Event, p *payload) bool {
		return t.takeMethod(e, p, kind, verbose)
	}
}

// takeMethod reads an event about a range of code: MethodID, ModuleID, start,
// size, token, flags, and of a verbose one namespace, name and signature.
func (t *Table) takeMethod(e *codec.Event, p *payload, kind rowKind, verbose bool) bool {
	method, module := p.uint64(), p.uint64()
	r := row{start: p.uint64(), method: method, size: p.uint32(), kind: kind, ticks: e.Timestamp}
	p.skip(8)
	if p.bad() || r.end() < r.start {
		return false
	}
	if r.size == 0 {
		return true
	}
	s := t.space(Process(e))
	s.rundown = s.rundown || kind == present || kind == stillLoaded
	asked := kind == loaded || kind == present || s.wanted.any(r.start, r.end())
	if !asked && kind == stillLoaded && len(s.entries) == 0 {
		return true
	}
	if asked && verbose {
		f, ok := t.method(s, module, p)
		if !ok {
			return false
		}
		r.function = f + 1
	}
	s.rows = append(s.rows, r)
	s.built = false
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
