package clr

import "iter"

// Kind is the kind of an event that this repository interprets: its provider and
// id, or its name where a provider assigns ids dynamically. KindOther is any other
// event. internal/clrmanifest/events.txt lists them.
type Kind uint16

// kindRow is what a kind stands for.
type kindRow struct {
	provider string
	id       uint32
	name     string
}

// Provider returns the name of the provider, "" for KindOther.
func (k Kind) Provider() string { return rows[k].provider }

// ID returns the number of the event within its provider, 0 if the provider assigns
// ids dynamically.
func (k Kind) ID() uint32 { return rows[k].id }

// String returns the name of the event, "" for KindOther.
func (k Kind) String() string { return rows[k].name }

// Kinds iterates over all kinds but KindOther.
func Kinds() iter.Seq[Kind] {
	return func(yield func(Kind) bool) {
		for k := range rows {
			if k > 0 && !yield(Kind(k)) {
				return
			}
		}
	}
}
