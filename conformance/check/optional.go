package check

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// optional checks the optional metadata of a row, of the size that a field
// states.
//
// Spec: "MetadataBlock", OptionalMetadata.
func (w *rowWalk) optional(size *layout.Field) {
	var seen [10]bool
	var keys nameSet
	var kind wire.OptionalMetadata
	at, twice := 0, false
	for ; w.next < len(w.list) && w.list[w.next].Depth > size.Depth; w.next++ {
		switch f := &w.list[w.next]; f.Name {
		case "Kind":
			kind, at = wire.OptionalMetadata(f.Value), f.Pos
			w.c.filtered = w.c.filtered || filters(kind)
		case "Key":
			w.text(f, rule.OPT010)
			at = f.Pos
			twice = keys.again(w.c.text(f))
		case "Value":
			if w.text(f, rule.OPT010); twice {
				w.found(rule.OPT005, at)
			}
		default:
			if w.optionalValue(kind, f); seen[kind] {
				w.found(rule.OPT004, at)
			}
			seen[kind] = true
		}
	}
}

// filters reports whether an event can be filtered by a kind of optional metadata.
func filters(kind wire.OptionalMetadata) bool {
	return kind == wire.MetadataVersion || kind == wire.MetadataLevel || kind == wire.MetadataKeywords
}

// optionalValue checks the value of a kind that a row states once.
func (w *rowWalk) optionalValue(kind wire.OptionalMetadata, f *layout.Field) {
	switch kind {
	case wire.MetadataLevel:
		if f.Value > mostLevel {
			if found := w.found(rule.OPT006, f.Pos); found != nil {
				found.want("0 to 5", f.Value)
			}
		}
	case wire.MetadataMessageTemplate:
		w.text(f, rule.OPT010)
		w.at.message = f.Pos
	case wire.MetadataDescription:
		w.text(f, rule.OPT010)
	case wire.MetadataProviderGUID:
		w.at.guid = f.Pos
		if wire.GUID(w.c.bytes(f)).IsZero() {
			w.found(rule.OPT007, f.Pos)
		}
	}
}

// checkGUID compares the GUIDs of a provider's rows.
func (c *checker) checkGUID(m *codec.Metadata, at spot) {
	if m.ProviderGUID.IsZero() {
		return
	}
	if other, ok := c.guids[m.Provider]; ok && other != m.ProviderGUID {
		if f := c.found(rule.OPT007, 1, at); f != nil {
			f.id("metadata", uint64(m.ID)).want(other, m.ProviderGUID)
		}
	}
	if len(c.guids) < mostPending {
		c.guids[m.Provider] = m.ProviderGUID
	}
	if well := clr.ProviderGUID(m.Provider); m.ProviderGUID == swapped(well) && m.ProviderGUID != well {
		if f := c.found(rule.OPT008, 0, at); f != nil {
			f.id("metadata", uint64(m.ID)).want(well, m.ProviderGUID)
		}
	}
}

// swapped is a GUID with its first three parts in the other byte order.
func swapped(g wire.GUID) wire.GUID {
	return wire.GUID{g[3], g[2], g[1], g[0], g[5], g[4], g[7], g[6], g[8], g[9], g[10], g[11], g[12], g[13], g[14], g[15]}
}
