package edit

import (
	"cmp"
	"slices"
	"strings"
)

// Place says what a replaced value belonged to.
type Place uint8

// The places of values.
const (
	InField             Place = iota // a field of a payload
	InPayload                        // a payload that was replaced whole
	InRest                           // bytes of a payload that belong to no field
	InLabel                          // a string label
	InThreadName                     // the name of a thread
	InThreadAttribute                // an attribute of a thread
	InMetadataAttribute              // an attribute of metadata
	InMetadataText                   // message or description of metadata
	InProperty                       // a property of the trace
	InOthers                         // any of these: beyond 65,536 entries values are counted together
)

var placeNames = [...]string{
	InField: "field", InPayload: "whole payload", InRest: "bytes outside of the fields", InLabel: "label", InThreadName: "thread name",
	InThreadAttribute: "thread attribute", InMetadataAttribute: "metadata attribute", InMetadataText: "metadata text",
	InProperty: "trace property", InOthers: "others",
}

// String returns the place in words.
func (p Place) String() string { return placeNames[p] }

// Replacement is one field, key or name of which a Redactor replaced values.
type Replacement struct {
	Where    Place
	Provider string // of payloads and of texts of metadata, else empty
	EventID  uint32
	Event    string // name of the event in the metadata, can be empty
	Field    string // of the payload, nested names joined with dots; or the key
	Count    int64  // values in which text was replaced; 0 for a field that was met and kept
}

// maxReplacements bounds the list of replacements.
const maxReplacements = 1 << 16

// redactCounts counts replaced values by what they belong to. The Count of its
// keys is 0.
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

// Replaced lists what the Redactor has replaced so far, by provider, event and
// field. It has an entry with Count 0 for each field that the metadata of an event
// names and in which nothing was replaced, because that name stays.
func (r *Redactor) Replaced() []Replacement {
	var list []Replacement
	for key, n := range r.counts.byKey {
		key.Count = *n
		list = append(list, key)
	}
	slices.SortFunc(list, compareReplacements)
	return list
}

// compareReplacements orders what is in payloads by event, with kept fields last,
// before everything else, which it orders by place.
func compareReplacements(a, b Replacement) int {
	if a.Where > InRest || b.Where > InRest {
		return cmp.Or(cmp.Compare(a.Where, b.Where), compareEvents(a, b), strings.Compare(a.Field, b.Field))
	}
	return cmp.Or(compareEvents(a, b), -cmp.Compare(min(a.Count, 1), min(b.Count, 1)),
		cmp.Compare(a.Where, b.Where), strings.Compare(a.Field, b.Field))
}

func compareEvents(a, b Replacement) int {
	return cmp.Or(strings.Compare(a.Provider, b.Provider), cmp.Compare(a.EventID, b.EventID), strings.Compare(a.Event, b.Event))
}
