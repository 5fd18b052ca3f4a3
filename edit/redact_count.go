package edit

import (
	"cmp"
	"slices"
	"strings"
)

// Place is the kind of value that a Redactor replaced.
type Place uint8

// The places of a Replacement.
const (
	InField             Place = iota // a field of a payload
	InPayload                        // a complete payload
	InUnknownFields                  // bytes of a payload after its fields
	InLabel                          // a string label
	InThreadName                     // the name of a thread
	InThreadAttribute                // an attribute of a thread
	InMetadataAttribute              // an attribute of metadata
	InMetadataText                   // message or description of metadata
	InProperty                       // a property of the trace
	InOthers                         // any of these: after 65,536 entries values are counted together
)

var placeNames = [...]string{
	InField: "field", InPayload: "complete payload", InUnknownFields: "bytes outside of the fields", InLabel: "label", InThreadName: "thread name",
	InThreadAttribute: "thread attribute", InMetadataAttribute: "metadata attribute", InMetadataText: "metadata text",
	InProperty: "trace property", InOthers: "others",
}

// String returns the place in a few words.
func (p Place) String() string { return placeNames[p] }

// Replacement is a field, key or name and the number of its values that a
// Redactor replaced.
type Replacement struct {
	// Where is the kind of value.
	Where    Place
	Provider string // for payloads and texts of metadata, otherwise empty
	// EventID is the event's number within Provider, otherwise 0.
	EventID uint32
	Event   string // name of the event in the metadata, may be empty
	Field   string // field of the payload, nested names joined with dots; or the key
	Count   int64  // values in which text was replaced; 0 for a field that was kept
}

// maxReplacements bounds the list of replacements.
const maxReplacements = 1 << 16

// redactCounts counts replaced values by their place. The Count of its keys is 0.
type redactCounts struct{ byKey map[Replacement]*int64 }

// of returns the counter of a key.
func (c *redactCounts) of(key Replacement) *int64 {
	if n := c.byKey[key]; n != nil {
		return n
	}
	if c.byKey == nil {
		c.byKey = make(map[Replacement]*int64)
	}
	if len(c.byKey) >= maxReplacements && key.Where != InOthers {
		return c.of(Replacement{Where: InOthers})
	}
	key.Field, key.Event, key.Provider = strings.Clone(key.Field), strings.Clone(key.Event), strings.Clone(key.Provider)
	n := new(int64)
	c.byKey[key] = n
	return n
}

func (c *redactCounts) add(key Replacement) { *c.of(key)++ }

// Replaced returns the replacements so far, by provider, event and field. An
// entry with Count 0 is a field whose text was kept: the redacted trace still has
// the text, such as the name of a method.
func (r *Redactor) Replaced() []Replacement {
	var list []Replacement
	for key, n := range r.counts.byKey {
		key.Count = *n
		list = append(list, key)
	}
	slices.SortFunc(list, compareReplacements)
	return list
}

// compareReplacements orders replacements in payloads by event, with kept fields
// last, before all others, which it orders by place.
func compareReplacements(a, b Replacement) int {
	if a.Where > InUnknownFields || b.Where > InUnknownFields {
		return cmp.Or(cmp.Compare(a.Where, b.Where), compareEvents(a, b), strings.Compare(a.Field, b.Field))
	}
	return cmp.Or(compareEvents(a, b), -cmp.Compare(min(a.Count, 1), min(b.Count, 1)),
		cmp.Compare(a.Where, b.Where), strings.Compare(a.Field, b.Field))
}

func compareEvents(a, b Replacement) int {
	return cmp.Or(strings.Compare(a.Provider, b.Provider), cmp.Compare(a.EventID, b.EventID), strings.Compare(a.Event, b.Event))
}
