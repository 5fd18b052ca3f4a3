// Package runtimes has what the events of .NET's runtime mean in each of its versions.
//
// The version of a process comes from its event 187 (RuntimeInformationStart), which the runtime
// writes at the begin of a session that it has from its start, and in the rundown. A trace
// without one has an unknown version, and what depends on it is unknown too.
//
//	threads := runtimes.NewThreads()
//	for ev := range events {
//		if runtimes.IsThread(ev.Metadata()) {
//			threads.Add(ev)
//		}
//	}
//	owner, why := threads.Owner(id, ticks, firstSeen)
package runtimes

import (
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Version is the major version of a runtime, such as 8.
type Version uint16

const (
	// Unknown is the version of a process without event 187.
	Unknown Version = 0
	// Core3 is the version of .NET Core 3.1 and those before it, which all call
	// themselves 4.0.
	Core3 Version = 3
)

// rules are what depends on the version, by the first version that a rule holds for.
// Sources: measurements of .NET Core 3.1.32, 8.0.34, 9.0.23, 10.0.12 and 11.0.0.
type rules struct {
	from Version

	// managedOwner: ContentionStart has the managed id of the owner's thread, others that of
	// the operating system. Since 11 class Monitor is written in C#, on class Lock.
	managedOwner bool
	// hiddenLock: ContentionStart and ContentionLockCreated have the address of the Lock that
	// belongs to the locked object, others that of the object itself.
	hiddenLock bool
	// throwAgain: "throw;" makes another ExceptionThrown, with flag 0x4. Since 9 the exceptions
	// are dispatched in C#, which makes none.
	throwAgain bool
	// openFilter: an exception that leaves a filter ends it without ExceptionFilterStop.
	openFilter bool
	// waits: there are events WaitHandleWaitStart and Stop. .NET 9 has them first.
	waits bool
	// joinWaits: Thread.Join makes them too.
	joinWaits bool
	// decimalInterval: DOTNET_EventPipeThreadSamplingRate is a decimal number of milliseconds,
	// others read a hexadecimal one.
	decimalInterval bool
	// oneSampleType: the sampler calls all samples external.
	oneSampleType bool
}

// table has the rules of all versions, the newest first.
var table = []rules{
	{from: 11, managedOwner: true, hiddenLock: true, waits: true, decimalInterval: true},
	{from: 10, waits: true, joinWaits: true},
	{from: 9, waits: true, joinWaits: true, oneSampleType: true},
	{from: Core3, throwAgain: true, openFilter: true},
}

// rules returns the rules of a version, nil for an unknown one.
func (v Version) rules() *rules {
	for i := range table {
		if v >= table[i].from {
			return &table[i]
		}
	}
	return nil
}

// HidesLocks reports whether the object of ContentionStart is not the locked one but the Lock
// that belongs to it: since .NET 11.
func (v Version) HidesLocks() bool { r := v.rules(); return r != nil && r.hiddenLock }

// ThrowsAgain reports whether "throw;" makes another ExceptionThrown, with flag 0x4: up to .NET 8.
func (v Version) ThrowsAgain() bool { r := v.rules(); return r != nil && r.throwAgain }

// LeavesFilters reports whether an exception that leaves a filter ends it without
// ExceptionFilterStop: up to .NET 8.
func (v Version) LeavesFilters() bool { r := v.rules(); return r != nil && r.openFilter }

// HasWaits reports whether the runtime writes events about waits: since .NET 9. It is true for
// an unknown version.
func (v Version) HasWaits() bool { r := v.rules(); return r == nil || r.waits }

// JoinsAreWaits reports whether Thread.Join makes an event about a wait: .NET 9 and 10. It is true
// for an unknown version.
func (v Version) JoinsAreWaits() bool { r := v.rules(); return r == nil || r.joinWaits }

// OneSampleType reports whether the sampler calls all samples external, so that the type does not
// tell whether a thread runs: .NET 9.
func (v Version) OneSampleType() bool { r := v.rules(); return r != nil && r.oneSampleType }

// SamplingInterval is the variable of the environment with the interval of the sampler, which the
// runtime reads at its start.
const SamplingInterval = "DOTNET_EventPipeThreadSamplingRate"

// The intervals of the sampler, in milliseconds. At longer ones it never sleeps: the process
// runs at half its speed.
const (
	DefaultInterval = 1
	MaxInterval     = 999
)

// FormatInterval returns the value of SamplingInterval for an interval in milliseconds: decimal
// since .NET 11, hexadecimal before.
func (v Version) FormatInterval(milliseconds int) string {
	if r := v.rules(); r != nil && r.decimalInterval {
		return strconv.Itoa(milliseconds)
	}
	return strconv.FormatInt(int64(milliseconds), 16)
}

// ReadInterval returns the interval in milliseconds that the version reads from a value of
// FormatInterval, 0 for a text of another form.
func (v Version) ReadInterval(text string) int {
	base := 16
	if r := v.rules(); r != nil && r.decimalInterval {
		base = 10
	}
	n, _ := strconv.ParseUint(text, base, 16)
	return int(n)
}

// IsInformation reports whether a metadata row is that of the event with the version.
func IsInformation(m *codec.Metadata) bool {
	kind := clr.KindOf(m)
	return kind == clr.KindRuntimeInformationStart || kind == clr.KindRuntimeInformationDCStart
}

// ReadVersion returns the version in an event 187, Unknown if its payload is too short.
func ReadVersion(ev *codec.Event) Version {
	e := clr.RuntimeInformationStart(ev)
	major := Version(e.BclMajorVersion())
	const framework = 4 // of mscorlib, which .NET Core had up to 3.1
	switch {
	case major == 0:
		return Unknown
	case major <= framework:
		return Core3
	}
	return major
}
