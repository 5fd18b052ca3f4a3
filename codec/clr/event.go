package clr

import (
	"cmp"
	"iter"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
)

// Event is the schema of one version of a known event. All callers share it and
// must not modify it or anything it refers to.
type Event struct {
	// Provider is the name of the provider.
	Provider string
	ID       uint32 // 0 also if the provider assigns ids dynamically; see LookupName
	// Version is the version of the event.
	Version uint32
	// Name is the name without the version suffix.
	Name       string
	Task       string // "" for none
	OpcodeName string // "" for none
	// Opcode is the number of OpcodeName, 0 for none.
	Opcode uint8
	Level  uint8 // 1 critical ... 5 verbose, 0 always logged
	// Keywords is the mask of the event's keywords.
	Keywords uint64
	Fields   []codec.Field // of the payload, in order
	Maps     []*ValueMap   // enumerations of Fields by index; nil for a field without one

	named bool
	list  *fieldList
}

// Lookup returns the schema of an event. For an unknown version it returns the
// highest known version below it, whose fields are the beginning of the
// payload. It returns false for an unknown id, for a version lower than all
// known ones, and for providers that assign ids dynamically. Only the first
// call for a provider allocates. Lookup is safe for concurrent use.
func Lookup(provider string, id, version uint32) (*Event, bool) {
	p := providerOf(provider)
	if p == nil {
		return nil, false
	}
	events := p.load().events
	at, exact := slices.BinarySearchFunc(events, key{id: id, version: version}, (*Event).compare)
	if exact {
		return events[at], true
	}
	if at == 0 || events[at-1].ID != id || events[at-1].named {
		return nil, false
	}
	return events[at-1], true
}

// LookupName returns the schema of an event by its name, with the same rule for
// versions. It is for providers that assign ids dynamically
// (Microsoft-Diagnostics-DiagnosticSource, Microsoft-Extensions-Logging,
// Universal.Events), but finds the events of others too. It searches all of the
// provider's events.
func LookupName(provider, name string, version uint32) (*Event, bool) {
	p := providerOf(provider)
	if p == nil {
		return nil, false
	}
	var e *Event
	for _, have := range p.load().events {
		if have.Name == name && have.Version <= version && (e == nil || have.Version > e.Version) {
			e = have
		}
	}
	return e, e != nil
}

// Describe returns the schema for a metadata row: by id, or by name if the
// provider assigns ids dynamically. version is the event's version, which a
// label list may have changed.
func Describe(m *codec.Metadata, version uint32) (*Event, bool) {
	p := providerOf(m.Provider)
	if p == nil {
		return nil, false
	}
	if p.load().named {
		return LookupName(m.Provider, m.Name, version)
	}
	return Lookup(m.Provider, m.EventID, version)
}

// Events iterates over every version of every known event, by provider, then by
// id and version.
func Events() iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		for _, p := range index().providers {
			for _, e := range p.load().events {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// Map returns the enumeration of a field, nil if it has none. The names of
// fields of objects and of array elements are joined with dots: "Values.Flags".
func (e *Event) Map(path string) *ValueMap {
	for i := range e.list.maps {
		if e.list.maps[i].path == path {
			return e.list.maps[i].values
		}
	}
	return nil
}

// key is the sort key of a provider's events; those found by name come last.
type key struct{ id, version uint32 }

func (e *Event) compare(k key) int {
	if e.named {
		return 1
	}
	return cmp.Or(cmp.Compare(e.ID, k.id), cmp.Compare(e.Version, k.version))
}
