package clr

import (
	"cmp"
	"iter"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
)

// Event describes one version of a known event. It is shared: do not change
// it or anything it refers to.
type Event struct {
	Provider   string
	ID         uint32 // 0 also where ids are not fixed; see LookupName
	Version    uint32
	Name       string
	Task       string // "" for none
	OpcodeName string // "" for none
	Opcode     uint8
	Level      uint8 // 1 critical ... 5 verbose, 0 always
	Keywords   uint64
	Fields     []codec.Field // of the payload, in order
	Maps       []*ValueMap   // enumerations of Fields, same length; nil where a field has none

	named bool
	list  *fieldList
}

// Lookup finds an event: of the version asked for, else of the highest known
// version below it, whose fields are the beginning of the payload. It returns
// false for an unknown id, for a version older than all known ones, and for
// sources whose ids are not fixed. It does not allocate but for the first call
// that asks for a provider, and is safe for concurrent use.
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

// LookupName finds an event by its name, with the same rule for versions. It
// is meant for sources that give their events other ids in each process
// (Microsoft-Diagnostics-DiagnosticSource, Microsoft-Extensions-Logging,
// Universal.Events), and finds the events of others too. The time it takes
// grows with the number of the provider's events.
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

// Describe finds the event that a metadata row is about: by id, or by name
// where ids are not fixed. The version is that of the event, which a label may
// have changed.
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

// Events yields every version of every known event, by provider, then by id and
// version.
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

// Map returns the enumeration of a field, nil if it has none. Fields of
// objects and of the elements of arrays are told with dots: "Values.Flags".
func (e *Event) Map(path string) *ValueMap {
	for i := range e.list.maps {
		if e.list.maps[i].path == path {
			return e.list.maps[i].values
		}
	}
	return nil
}

// key is what the events of a provider are sorted by; those found by name come
// last.
type key struct{ id, version uint32 }

func (e *Event) compare(k key) int {
	if e.named {
		return 1
	}
	return cmp.Or(cmp.Compare(e.ID, k.id), cmp.Compare(e.Version, k.version))
}
