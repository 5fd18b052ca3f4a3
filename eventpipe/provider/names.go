package provider

import "github.com/nettrace-go/nettrace/eventpipe"

// namesKeywords are the loader, the JIT compiler and entry points of code that
// was compiled ahead of time (CompilationDiagnostic).
const namesKeywords = 0x2000000018

// namesEvents are loads and unloads of methods (141, 143, 144), modules,
// assemblies and domains (152 to 156), and entry points (159).
var namesEvents = []uint32{141, 143, 144, 152, 153, 154, 155, 156, 159}

// earlyRundown is a rundown without the maps from IL to native code: loader,
// JIT, NGen, end.
const earlyRundown = 0x138

// noProvider is a provider that no process has: a session with this provider
// only has no events but the rundown.
const noProvider = "NetTrace-Nobody"

// Names returns the configurations of a session that stays open beside others
// and records the names of methods and modules that are loaded meanwhile, for
// record.Names. The first one needs the newest runtime; a runtime that does not
// support it returns an [eventpipe.UnsupportedError], and the next one is to be
// tried. The last one is for all.
//
// It is a session of its own because a provider has one level in a session: names
// need level 5, at which other keywords have far more events.
func Names() []eventpipe.SessionConfig {
	filtered := eventpipe.Provider{Name: Runtime, Keywords: namesKeywords, Level: 5, Filter: &eventpipe.EventFilter{IDs: namesEvents}}
	plain := filtered
	plain.Filter = nil
	return []eventpipe.SessionConfig{
		{Providers: []eventpipe.Provider{filtered}, NoRundown: true, NoStacks: true},
		{Providers: []eventpipe.Provider{plain}, NoRundown: true, NoStacks: true},
		{Providers: []eventpipe.Provider{plain}, NoRundown: true},
	}
}

// EarlyRundown returns the configurations of a session without events, which is
// stopped at once: its rundown has the names of the methods that are loaded at
// that time. See Names for their order.
func EarlyRundown() []eventpipe.SessionConfig {
	nobody := []eventpipe.Provider{{Name: noProvider}}
	return []eventpipe.SessionConfig{
		{Providers: nobody, RundownKeyword: earlyRundown, NoStacks: true},
		{Providers: nobody},
	}
}
