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

// Replacement is a field, key or name with the numbers of its values that a
// Redactor replaced and kept.
type Replacement struct {
	// Where is the kind of value.
	Where    Place
	Provider string // for payloads and texts of metadata, otherwise empty
	// EventID is the event's number within Provider, otherwise 0.
	EventID uint32
	Event   string // name of the event in the metadata, may be empty
	Field   string // field of the payload, nested names joined with dots; or the key
	Count   int64  // values in which text was replaced
	Kept    int64  // values of which text stayed, complete or a part
}

// maxReplacements bounds the list of replacements.
const maxReplacements = 1 << 16

// redactCounts counts replaced and kept values by their place. The numbers of its
// keys are 0.
type redactCounts struct{ byKey map[Replacement]*redactCount }

type redactCount struct{ replaced, kept int64 }

// of returns the counter of a key.
func (c *redactCounts) of(key Replacement) *redactCount {
	if n := c.byKey[key]; n != nil {
		return n
	}
	if c.byKey == nil {
		c.byKey = make(map[Replacement]*redactCount)
	}
	if len(c.byKey) >= maxReplacements && key.Where != InOthers {
		return c.of(Replacement{Where: InOthers})
	}
	key.Field, key.Event, key.Provider = strings.Clone(key.Field), strings.Clone(key.Event), strings.Clone(key.Provider)
	n := new(redactCount)
	c.byKey[key] = n
	return n
}

// add counts a value whose text is b after the redaction.
func (n *redactCount) add(replaced bool, b []byte) {
	if replaced {
		n.replaced++
	}
	if hasText(b) {
		n.kept++
	}
}

// hasText reports whether any of a redacted text stayed: something other than
// asterisks, in code units of one or two bytes.
func hasText(b []byte) bool {
	for _, c := range b {
		if c != '*' && c != 0 {
			return true
		}
	}
	return false
}

// Replaced returns the replacements so far, by provider, event and field. The
// redacted trace still has text of an entry with Kept > 0, such as the name of a
// method. An entry with neither is a field without text that the trace declares:
// its name stays.
func (r *Redactor) Replaced() []Replacement {
	var list []Replacement
	for key, n := range r.counts.byKey {
		key.Count, key.Kept = n.replaced, n.kept
		list = append(list, key)
	}
	slices.SortFunc(list, compareReplacements)
	return list
}

// TextsNotFound returns the RedactOptions.Texts that so far were in no value that
// otherwise stays: they may be misspelt.
func (r *Redactor) TextsNotFound() []string {
	var list []string
	for i := range r.texts {
		if !r.texts[i].found {
			list = append(list, r.texts[i].text)
		}
	}
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
