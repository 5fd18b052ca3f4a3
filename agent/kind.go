package agent

import (
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/profile"
)

// Kind is a kind of profile. The zero value is Wall.
type Kind uint8

// The kinds of profiles.
const (
	Wall       Kind = iota // time of threads, running or not
	ProcessCPU             // processor time
	Memory                 // allocations
	Mutex                  // waiting for contended locks
	Block                  // waiting for wait handles and on monitors (.NET 9 and later)
	Exceptions             // thrown exceptions

	kindCount
)

// AllKinds returns all kinds.
func AllKinds() []Kind { return []Kind{Wall, ProcessCPU, Memory, Mutex, Block, Exceptions} }

// ParseKind returns the kind with a name, such as "process_cpu".
func ParseKind(name string) (Kind, bool) {
	for k := range kindCount {
		if kinds[k].name == name {
			return k, true
		}
	}
	return 0, false
}

// String returns the name of the kind: "wall", "process_cpu", "memory", "mutex",
// "block" or "exceptions".
func (k Kind) String() string {
	if k >= kindCount {
		return "unknown"
	}
	return kinds[k].name
}

// valueType is a quantity with its unit.
type valueType struct{ name, unit string }

// kindInfo is a row of kinds. The names of values are those that profilers of
// other languages use, so that servers show them with titles.
type kindInfo struct {
	name    string
	of      profile.Type
	sampled bool // the sample profiler records it
	value   valueType
	count   valueType // no name: it is of no interest
	period  valueType
}

var (
	nanoseconds = valueType{"delay", "nanoseconds"}
	contentions = valueType{"contentions", "count"}
	cpuTime     = valueType{"cpu", "nanoseconds"}
	wallTime    = valueType{"wall", "nanoseconds"}
	exception   = valueType{"exception", "count"}
)

var kinds = [kindCount]kindInfo{
	Wall:       {name: "wall", of: profile.Wall, sampled: true, value: wallTime, period: wallTime},
	ProcessCPU: {name: "process_cpu", of: profile.CPUApprox, sampled: true, value: cpuTime, period: cpuTime},
	Memory: {name: "memory", of: profile.Alloc, value: valueType{"alloc_space", "bytes"}, count: valueType{"alloc_objects", "count"},
		period: valueType{"space", "bytes"}},
	Mutex:      {name: "mutex", of: profile.Lock, value: nanoseconds, count: contentions, period: contentions},
	Block:      {name: "block", of: profile.Wait, value: nanoseconds, count: contentions, period: contentions},
	Exceptions: {name: "exceptions", of: profile.Exception, value: exception, period: exception},
}

// recorded are the keywords of the runtime's provider that record a kind.
// keywordGC has the allocations before .NET 10, about one event for 100 kB.
const (
	keywordGC                 = 0x1
	keywordContention         = 0x4000
	keywordException          = 0x8000
	keywordWaitHandle         = 0x40000000000
	keywordAllocationSampling = 0x80000000000

	allocationSamplingSince = 10 // major version of .NET
)

// profiledEvents are the events of the runtime's provider that the kinds are made of:
// allocations, exceptions, contended locks and waits. Their keywords have others too,
// such as five events for each exception that is caught. The kinds ask for no keyword of 15, 20 and 32,
// which a profile of memory is made of where a trace has them.
var profiledEvents = []uint32{10, 15, 20, 32, 80, 81, 91, 301, 302, 303}

// filterSince is the major version of .NET that supports filters of events.
const filterSince = 10

// eventProvider returns the provider of the kinds that are made of events, and
// whether there is one.
func eventProvider(list []Kind, major int) (eventpipe.Provider, bool) {
	p := eventpipe.Provider{Name: provider.Runtime, Level: 5}
	for _, k := range list {
		switch k {
		case Memory:
			p.Keywords |= keywordAllocationSampling
			if major < allocationSamplingSince {
				p.Keywords |= keywordGC
			}
		case Mutex:
			p.Keywords |= keywordContention
		case Block:
			p.Keywords |= keywordWaitHandle
		case Exceptions:
			p.Keywords |= keywordException
		}
	}
	return p, p.Keywords != 0
}

// samplerSession is the session of the sample profiler. Names come from another
// one.
var samplerSession = eventpipe.SessionConfig{
	Providers: []eventpipe.Provider{{Name: provider.SampleProfiler, Keywords: 0xF00000000000, Level: 4}},
	NoRundown: true, BufferMB: 64,
}
