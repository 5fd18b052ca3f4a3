package check

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// optional looks at the optional metadata of a row.
//
// Spec: "MetadataBlock", OptionalMetadata.
func (w *rowWalk) optional(cur *cursor) {
	var seen [10]bool
	keys := map[string]bool(nil)
	for !cur.done() {
		at := cur.pos
		kind := wire.OptionalMetadata(cur.byte(rule.OPT001))
		twice, id := false, rule.OPT004
		switch kind {
		case wire.MetadataOpcode:
			cur.byte(rule.OPT001)
		case wire.MetadataVersion:
			cur.byte(rule.OPT001)
			w.c.filtered = true
		case wire.MetadataLevel:
			w.c.filtered = true
			if v := cur.byte(rule.OPT001); v > mostLevel {
				if f := w.found(rule.OPT006, cur.was); f != nil {
					f.want("0 to 5", v)
				}
			}
		case wire.MetadataKeywords:
			cur.uint64(rule.OPT001)
			w.c.filtered = true
		case wire.MetadataMessageTemplate, wire.MetadataDescription:
			w.text(cur.text(rule.OPT001), cur.was, rule.OPT010)
			if kind == wire.MetadataMessageTemplate {
				w.at.message = cur.was
			}
		case wire.MetadataProviderGUID:
			w.at.guid = cur.pos
			if g := cur.guid(rule.OPT001); g.IsZero() && cur.bad == rule.None {
				w.found(rule.OPT007, cur.was)
			}
		case wire.MetadataKeyValue:
			key := cur.text(rule.OPT001)
			at = cur.was
			w.text(key, cur.was, rule.OPT010)
			w.text(cur.text(rule.OPT001), cur.was, rule.OPT010)
			if keys == nil {
				keys = map[string]bool{}
			}
			twice, id = keys[string(key)], rule.OPT005
			keys[string(key)] = true
		case 2:
			cur.fail(rule.OPT003, at)
		default:
			cur.fail(rule.OPT002, at)
		}
		if cur.bad == rule.None && kind != wire.MetadataKeyValue {
			twice = seen[kind]
			seen[kind] = true
		}
		if twice && cur.bad == rule.None {
			w.found(id, at)
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
