package provider

import (
	"fmt"
	"strings"

	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/async"
)

// Names of the providers that the profiles use.
const (
	Runtime        = clr.RuntimeProvider
	RuntimePrivate = clr.PrivateProvider
	SampleProfiler = clr.SamplerProvider
	Tasks          = clr.TasksProvider
	Diagnostics    = clr.DiagnosticsProvider
	Logging        = clr.LoggingProvider
	Hosting        = clr.HostingProvider
	Kestrel        = clr.KestrelProvider
	HTTP           = clr.HTTPProvider
	NameResolution = clr.NameResolutionProvider
	Sockets        = clr.SocketsProvider
	Security       = clr.SecurityProvider
	AsyncProfiler  = async.Provider
)

// Keywords of the runtime's provider that this package speaks of.
const (
	keywordGC     = 0x1
	keywordLoader = 0x8
	keywordJIT    = 0x10
	allKeywords   = 1<<64 - 1
)

// RuntimeKeyword is a keyword of the provider Microsoft-Windows-DotNETRuntime.
type RuntimeKeyword struct {
	// Name is the name that dotnet-trace uses, in lower case.
	Name string
	// Mask is the keyword's bit.
	Mask uint64
}

// RuntimeKeywords are the known keywords, ordered by mask. Several names of one
// keyword are adjacent.
var RuntimeKeywords = []RuntimeKeyword{
	{"gc", 0x1},
	{"gchandle", 0x2},
	{"assemblyloader", 0x4}, {"fusion", 0x4},
	{"loader", 0x8},
	{"jit", 0x10},
	{"ngen", 0x20},
	{"startenumeration", 0x40},
	{"endenumeration", 0x80},
	{"security", 0x400},
	{"appdomainresourcemanagement", 0x800},
	{"jittracing", 0x1000},
	{"interop", 0x2000},
	{"contention", 0x4000},
	{"exception", 0x8000},
	{"threading", 0x10000},
	{"jittedmethodiltonativemap", 0x20000},
	{"overrideandsuppressngenevents", 0x40000},
	{"type", 0x80000},
	{"gcheapdump", 0x100000},
	{"gcsampledobjectallocationhigh", 0x200000},
	{"gcheapsurvivalandmovement", 0x400000},
	{"managedheapcollect", 0x800000}, {"managedheadcollect", 0x800000}, {"gcheapcollect", 0x800000},
	{"gcheapandtypenames", 0x1000000},
	{"gcsampledobjectallocationlow", 0x2000000},
	{"perftrack", 0x20000000},
	{"stack", 0x40000000},
	{"threadtransfer", 0x80000000},
	{"debugger", 0x100000000},
	{"monitoring", 0x200000000},
	{"codesymbols", 0x400000000},
	{"eventsource", 0x800000000},
	{"compilation", 0x1000000000},
	{"compilationdiagnostic", 0x2000000000},
	{"methoddiagnostic", 0x4000000000},
	{"typediagnostic", 0x8000000000},
	{"jitinstrumentationdata", 0x10000000000},
	{"profiler", 0x20000000000},
	{"waithandle", 0x40000000000},
	{"allocationsampling", 0x80000000000},
}

// ParseRuntimeKeywords returns the mask of keyword names separated by +:
// "gc+exception". An unknown name is an error.
func ParseRuntimeKeywords(text string) (uint64, error) {
	mask := uint64(0)
	for name := range strings.SplitSeq(text, "+") {
		name = strings.ToLower(strings.TrimSpace(name))
		found := false
		for _, k := range RuntimeKeywords {
			if k.Name == name {
				mask |= k.Mask
				found = true
			}
		}
		if !found {
			return 0, fmt.Errorf("%q is not a keyword of the runtime: want %s", name, keywordNames())
		}
	}
	return mask, nil
}

func keywordNames() string {
	names := make([]string, len(RuntimeKeywords))
	for i, k := range RuntimeKeywords {
		names[i] = k.Name
	}
	return strings.Join(names, ", ")
}
