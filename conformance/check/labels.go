package check

import (
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// labelState is what is known of label lists (v6).
type labelState struct {
	lists      spans // ids of the region
	listHashes map[uint64]struct{}
	listUsed   map[uint32]struct{} // by events of the region (lint)
	listBlocks []stackBlock        // of the region (lint)
}

// placeholder is what one-collect writes for labels that it could not fill.
const placeholderKey, placeholderValue = "Error", "Expected actual values"

// ownKinds are the keys of things that have a kind of label of their own.
var ownKinds = []string{"OpCode", "Keywords", "Level", "Version"}

// countKeys are keys whose numbers are never negative.
var countKeys = []string{"OpCode", "Version", "Level", "count"}

// labelSeen is what a list has so far.
type labelSeen struct {
	kinds [11]bool
	keys  map[string]bool
}

// checkLabels looks at a block of label lists.
//
// Spec: "LabelListBlock".
func (c *checker) checkLabels(bad bool) {
	cur := cursor{b: c.b.Body}
	first := cur.uint32(rule.LBL001)
	count := cur.uint32(rule.LBL002)
	switch {
	case c.b.Size == 0:
		return
	case cur.bad != rule.None:
	case uint64(first)+uint64(count) > 1<<32:
		cur.fail(rule.LBL005, 0)
	case first == 0:
		c.found(rule.LBL001, 0, c.in(0, -1))
	}
	row := 0
	for ; uint32(row) < count && cur.bad == rule.None; row++ {
		if cur.pos >= len(cur.b) {
			cur.end = true
			cur.fail(rule.LBL002, cur.pos)
			break
		}
		if c.checkList(&cur, row); cur.bad != rule.None {
			break
		}
	}
	if cur.bad == rule.None && cur.pos < len(cur.b) {
		cur.slack(rule.LBL002)
	}
	if cur.bad != rule.None {
		c.layoutFault(&cur, row)
		c.spoiled.labels = true
	}
	if row > 0 {
		if c.lists.add(uint64(first), uint64(first)+uint64(row)) && len(c.again) == 0 {
			if f := c.found(rule.LBL005, 0, c.in(0, -1)); f != nil {
				f.id("labelList", uint64(first))
			}
		}
		if c.lint && len(c.listBlocks) < mostPending {
			c.listBlocks = append(c.listBlocks, stackBlock{first, uint32(row), c.here()})
		}
	}
	c.limited(bad, cur.bad)
}

// checkList looks at one list.
func (c *checker) checkList(cur *cursor, row int) {
	start := cur.pos
	var seen labelSeen
	for more := true; more && cur.bad == rule.None; {
		more = c.checkLabel(cur, &seen, row)
	}
	if seen.kinds[wire.LabelSpanID] && !seen.kinds[wire.LabelTraceID] && cur.bad == rule.None {
		c.found(rule.LBL011, 1, c.in(start, row))
	}
	if !c.lint || cur.bad != rule.None {
		return
	}
	h := maphash.Bytes(c.seed, cur.b[start:cur.pos])
	if _, twice := c.listHashes[h]; twice {
		c.found(rule.LBL015, 1, c.in(start, row))
	} else if len(c.listHashes) < mostUsed {
		if c.listHashes == nil {
			c.listHashes = map[uint64]struct{}{}
		}
		c.listHashes[h] = struct{}{}
	}
}

// checkLabel looks at one label and says whether the list goes on.
func (c *checker) checkLabel(cur *cursor, seen *labelSeen, row int) bool {
	at := cur.pos
	const id = rule.LBL004
	kind := cur.byte(id)
	if cur.bad != rule.None {
		return false
	}
	k := wire.LabelKind(kind &^ wire.LastLabel)
	var key []byte
	switch k {
	case wire.LabelActivityID, wire.LabelRelatedActivityID, wire.LabelTraceID:
		if g := cur.guid(id); g.IsZero() && cur.bad == rule.None {
			which := rule.LBL012
			if k == wire.LabelTraceID {
				which = rule.LBL011
			}
			c.found(which, 0, c.in(cur.was, row))
		}
	case wire.LabelSpanID:
		if cur.uint64(id) == 0 && cur.bad == rule.None {
			c.found(rule.LBL011, 0, c.in(cur.was, row))
		}
	case wire.LabelKeywords:
		cur.uint64(id)
	case wire.LabelKeyString:
		key = c.labelText(cur, row, true)
		at = cur.was
		value := c.labelText(cur, row, false)
		if string(key) == placeholderKey && string(value) == placeholderValue {
			c.found(rule.LBL016, 0, c.in(at, row))
		}
	case wire.LabelKeyNumber:
		key = c.labelText(cur, row, true)
		at = cur.was
		c.labelNumber(cur, key, row)
	case wire.LabelOpcode, wire.LabelLevel, wire.LabelVersion:
		if v := cur.byte(id); k == wire.LabelLevel && v > 5 {
			if f := c.found(rule.LBL010, 0, c.in(cur.was, row)); f != nil {
				f.want("0 to 5", v)
			}
		}
	default:
		cur.fail(rule.LBL003, at)
		return false
	}
	if cur.bad == rule.None {
		c.labelTwice(seen, k, key, at, row)
	}
	return kind&wire.LastLabel == 0
}

// labelText reads a key or a value.
func (c *checker) labelText(cur *cursor, row int, key bool) []byte {
	text := cur.text(rule.LBL004)
	switch {
	case cur.bad != rule.None:
	case look(text)&notUTF8 != 0:
		c.found(rule.LBL007, 0, c.in(cur.was, row))
	case key && len(text) == 0:
		c.foundAs(rule.LBL007, rule.Warning, 0, c.in(cur.was, row))
	}
	return text
}

// labelNumber reads the number of a label of kind 6, which is zig-zag.
func (c *checker) labelNumber(cur *cursor, key []byte, row int) {
	at := cur.pos
	v, next := wire.VarUint64(cur.b, cur.pos)
	if !cur.large(next, rule.LBL004, rule.LBL008) {
		return
	}
	read := int64(v>>1) ^ -int64(v&1)
	plain := c.recordTrace
	for _, name := range countKeys {
		plain = plain || read < 0 && strings.EqualFold(string(key), name)
	}
	if plain {
		if f := c.foundAs(rule.LBL008, rule.Warning, 0, c.in(at, row)); f != nil {
			f.want("a zig-zag number", fmt.Sprintf("%d for %s, read as %d", v, key, read))
		}
	}
}

// labelTwice looks at what a list should have once, and at keys for which there
// are kinds.
func (c *checker) labelTwice(seen *labelSeen, k wire.LabelKind, key []byte, at, row int) {
	twice := false
	if k == wire.LabelKeyString || k == wire.LabelKeyNumber {
		if seen.keys == nil {
			seen.keys = map[string]bool{}
		}
		twice = seen.keys[string(key)]
		if len(seen.keys) < mostPending {
			seen.keys[string(key)] = true
		}
		for _, name := range ownKinds {
			if strings.EqualFold(string(key), name) {
				if f := c.found(rule.LBL013, 0, c.in(at, row)); f != nil {
					f.want("a label of kind 7 to 10", strconv.Quote(string(key)))
				}
			}
		}
	} else {
		twice = seen.kinds[k]
	}
	seen.kinds[k] = true
	if twice {
		c.found(rule.LBL009, 0, c.in(at, row))
	}
}

// endLabelRegion forgets the lists of a region.
func (c *checker) endLabelRegion() {
	if c.lint {
		for _, b := range c.listBlocks {
			for i := range b.count {
				if _, ok := c.listUsed[b.first+i]; !ok && !c.cut {
					c.found(rule.LBL015, 0, b.at)
				}
			}
		}
		c.listBlocks = c.listBlocks[:0]
		clear(c.listUsed)
		clear(c.listHashes)
	}
	c.lists, c.spoiled.labels = c.lists[:0], false
}
