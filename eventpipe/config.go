package eventpipe

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// DefaultRundown is the keyword of the rundown that runtimes write by default:
// methods, modules and the maps from IL to native code, of the provider
// Microsoft-Windows-DotNETRuntimeRundown.
const DefaultRundown = 0x80020139

// Format is the trace format of a session's stream. The zero value is NetTrace.
type Format int

// The formats that runtimes write.
const (
	NetTrace Format = iota // format version 4, in all runtimes so far
	NetPerf                // format version 3
)

// formats are the protocol's numbers.
var formats = [...]uint32{NetTrace: 1, NetPerf: 0}

// SessionConfig selects what a session records. At least one provider is
// required; the zero values of the other fields are the defaults of
// dotnet-trace.
type SessionConfig struct {
	// Providers are the sources of events. At least one is required.
	// Each name may occur once: runtimes ignore the second one.
	Providers []Provider
	// BufferMB is the size of the target's buffer for events that have not been
	// sent, in MB. When it is full, the runtime drops new events. 0 means 256.
	BufferMB int
	// BlockWhenFull makes the target's threads wait when the buffer is full, so
	// that no events are dropped. It requires .NET 11.
	BlockWhenFull bool
	// RundownKeyword selects the events about methods and modules that the
	// runtime writes at the end. 0 means DefaultRundown. A value that is not
	// the default requires .NET 9.
	RundownKeyword uint64
	// NoRundown omits the rundown; RundownKeyword is then ignored.
	NoRundown bool
	// NoStacks records events without stacks, except those of the sample
	// profiler. It requires .NET 9.
	NoStacks bool
	// Format is the trace format of the stream.
	Format Format
}

// Provider selects the events of one provider.
type Provider struct {
	// Name is the provider's name, such as "Microsoft-Windows-DotNETRuntime".
	// It is required.
	Name string
	// Keywords is the mask of the keywords that are recorded. An event without
	// keywords is always recorded.
	Keywords uint64
	// Level is the most verbose level that is recorded: 1 critical, 2 error, 3
	// warning, 4 informational, 5 verbose. 0 records only events of level 0.
	Level int
	// Arguments is a text for the provider, "key=value;key=value". May be
	// empty.
	Arguments string
	// Filter selects events by id, after keywords and level. Nil selects all. A
	// filter requires .NET 10.
	Filter *EventFilter
}

// EventFilter selects events by id.
type EventFilter struct {
	IDs  []uint32 // event ids
	Deny bool     // record all events except IDs; otherwise only IDs
}

func (c *SessionConfig) rundown() uint64 {
	switch {
	case c.NoRundown:
		return 0
	case c.RundownKeyword == 0:
		return DefaultRundown
	}
	return c.RundownKeyword
}

func (c *SessionConfig) buffer() uint32 {
	if c.BufferMB == 0 {
		return 256
	}
	return uint32(c.BufferMB)
}

// check returns an error for a configuration that no runtime accepts, that kills one or that
// means something else to it, before anything is sent.
func (c *SessionConfig) check() error {
	switch {
	case len(c.Providers) == 0:
		return fmt.Errorf("eventpipe: the session has no provider: it needs at least one")
	case c.BufferMB < 0 || int64(c.BufferMB) > math.MaxUint32:
		return fmt.Errorf("eventpipe: buffer of %d MB: the size is not 1 to %d", c.BufferMB, uint32(math.MaxUint32))
	case c.Format < 0 || int(c.Format) >= len(formats):
		return fmt.Errorf("eventpipe: format %d: runtimes write formats 3 and 4", c.Format)
	}
	for i, p := range c.Providers {
		switch {
		case p.Name == "":
			return fmt.Errorf("eventpipe: provider %d has no name", i)
		case strings.ContainsRune(p.Name+p.Arguments, 0):
			return fmt.Errorf("eventpipe: provider %q: a NUL in the name or the arguments ends the text", p.Name)
		case slices.ContainsFunc(c.Providers[:i], func(q Provider) bool { return q.Name == p.Name }):
			return fmt.Errorf("eventpipe: provider %s occurs twice: a runtime ignores the second one", p.Name)
		case p.Filter != nil && !p.Filter.Deny && len(p.Filter.IDs) == 0:
			return fmt.Errorf("eventpipe: provider %s: the filter selects no event", p.Name)
		}
		if p.Level < 0 || p.Level > 5 {
			return fmt.Errorf("eventpipe: provider %s: level %d is not one of 0 to 5", p.Name, p.Level)
		}
	}
	return nil
}

// needs returns the first setting that requires a later command than the one
// before, for the error that a runtime does not support it.
func (c *SessionConfig) needs() (Command, string) {
	for _, p := range c.Providers {
		if c.BlockWhenFull {
			return CollectTracing6, "a buffer that blocks when full"
		} else if p.Filter != nil {
			return CollectTracing5, "an event filter (provider " + p.Name + ")"
		}
	}
	switch k := c.rundown(); {
	case k != 0 && k != DefaultRundown:
		return CollectTracing4, fmt.Sprintf("a rundown keyword of its own (0x%x)", k)
	case c.NoStacks:
		return CollectTracing3, "recording without stacks"
	case k == 0:
		return CollectTracing2, "recording without rundown"
	}
	return CollectTracing, "sessions"
}

// encode returns the payload of cmd, which must support all settings.
func (c *SessionConfig) encode(cmd Command) []byte {
	var b []byte
	if cmd >= CollectTracing5 {
		b = binary.LittleEndian.AppendUint32(b, 0) // a session that streams
	}
	b = binary.LittleEndian.AppendUint32(b, c.buffer())
	b = binary.LittleEndian.AppendUint32(b, formats[c.Format])
	switch {
	case cmd >= CollectTracing4:
		b = binary.LittleEndian.AppendUint64(b, c.rundown())
	case cmd >= CollectTracing2:
		b = appendBool(b, c.rundown() != 0)
	}
	if cmd >= CollectTracing3 {
		b = appendBool(b, !c.NoStacks)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(c.Providers)))
	for _, p := range c.Providers {
		b = p.append(b, cmd >= CollectTracing5)
	}
	if cmd >= CollectTracing6 {
		b = binary.LittleEndian.AppendUint32(b, uint32(appendBool(nil, c.BlockWhenFull)[0]))
	}
	return b
}

func (p *Provider) append(b []byte, filter bool) []byte {
	b = binary.LittleEndian.AppendUint64(b, p.Keywords)
	b = binary.LittleEndian.AppendUint32(b, uint32(p.Level))
	b = appendString(b, p.Name)
	b = appendString(b, p.Arguments)
	if !filter {
		return b
	}
	if p.Filter == nil {
		p = &Provider{Filter: &EventFilter{Deny: true}}
	}
	b = appendBool(b, !p.Filter.Deny)
	ids := slices.Compact(slices.Sorted(slices.Values(p.Filter.IDs))) // an id that occurs twice turns the provider off
	b = binary.LittleEndian.AppendUint32(b, uint32(len(ids)))
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint32(b, id)
	}
	return b
}
