package requests

import "github.com/nettrace-go/nettrace/codec/wire"

// openKey identifies what is open: ids of two providers may be equal.
type openKey struct {
	provider string
	activity wire.GUID
}

// open has what has started and not stopped.
type open[T any] map[openKey]*group[T]

// group is what is open under one key.
type group[T any] struct {
	first     *T // that started
	count     int
	ambiguous bool // several were open at once since the group was empty
}

// start adds an item. It returns the items that are now known to be ambiguous:
// the first of the group, if that was alone so far, and the new one.
func (o open[T]) start(key openKey, item *T) []*T {
	g := o[key]
	if g == nil {
		o[key] = &group[T]{first: item, count: 1}
		return nil
	}
	g.count++
	if g.ambiguous {
		return []*T{item}
	}
	g.ambiguous = true
	return []*T{g.first, item}
}

// stop removes an item. It returns nil if it is unknown which one stops; found
// is false if none is open.
func (o open[T]) stop(key openKey) (item *T, found bool) {
	g := o[key]
	if g == nil {
		return nil, false
	}
	g.count--
	if g.count == 0 {
		delete(o, key)
	}
	if g.ambiguous {
		return nil, true
	}
	return g.first, true
}

// only returns the item that is open under a key, nil if there is none or if
// it is ambiguous.
func (o open[T]) only(key openKey) *T {
	if g := o[key]; g != nil && !g.ambiguous {
		return g.first
	}
	return nil
}
