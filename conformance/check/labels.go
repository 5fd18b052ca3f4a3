package check

import (
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// labelState is the state of label lists (v6).
type labelState struct {
	lists      spans // ids of the region
	listHashes map[uint64]struct{}
	listUsed   map[uint32]struct{} // by events of the region (lint)
	listBlocks []stackBlock        // of the region (lint)
}

// placeholder is the label that one-collect writes for labels that it could not
// fill.
const placeholderKey, placeholderValue = "Error", "Expected actual values"

// ownKinds are the keys of things that have a kind of label of their own.
var ownKinds = []string{"OpCode", "Keywords", "Level", "Version"}

// countKeys are keys whose numbers are never negative.
var countKeys = []string{"OpCode", "Version", "Level", "count"}

// labelSeen has the keys and kinds of a list so far.
type labelSeen struct {
	kinds [11]bool
	keys  map[string]bool
}

// labelRow is the current list.
type labelRow struct {
	seen labelSeen
	open bool // labels of the list were read
	kind wire.LabelKind
	last bool // the label is the last of the list
	at   int  // of the kind, or the key
	key  []byte
}

// checkLabels checks a block of label lists.
//
// Spec: "LabelListBlock".
func (c *checker) checkLabels(bad bool) {
	if c.b.Size == 0 {
		return
	}
	c.table.label = labelRow{}
	fault := c.walkTable()
	if fault.Rule != rule.None {
		c.layoutFault(fault)
		c.spoiled.labels = true
	}
	if first, n := c.table.first, c.table.rows; n > 0 {
		if c.lists.add(uint64(first), uint64(first)+uint64(n)) && len(c.again) == 0 {
			if f := c.found(rule.LBL005, 0, c.in(0, -1)); f != nil {
				f.id("labelList", uint64(first))
			}
		}
		if c.lint && len(c.listBlocks) < mostPending {
			c.listBlocks = append(c.listBlocks, stackBlock{first, uint32(n), c.here()})
		}
	}
	c.limited(bad, fault.Rule)
}

// labelField checks a field of a block of label lists.
func (c *checker) labelField(f *layout.Field) {
	t, l := &c.table, &c.table.label
	switch f.Name {
	case "firstIndex":
		t.first = uint32(f.Value)
		return
	case "count":
		switch {
		case uint64(t.first)+f.Value > 1<<32:
			c.fail(rule.LBL005, 0)
		case t.first == 0:
			c.found(rule.LBL001, 0, c.in(0, -1))
		case f.Value == 0:
			c.found(rule.LBL017, 0, c.in(f.Pos, -1))
		}
		return
	case "Kind":
		if !l.open {
			t.start, l.open, l.seen = f.Pos, true, labelSeen{}
		}
		l.kind, l.last, l.at, l.key = wire.LabelKind(f.Value&^wire.LastLabel), f.Value&wire.LastLabel != 0, f.Pos, nil
		return
	case "Key":
		l.at, l.key = f.Pos, c.text(f)
		c.labelText(l.key, f.Pos, true)
		return
	}
	c.labelValue(f)
	c.labelTwice(&l.seen, l.kind, l.key, l.at, t.rows)
	if l.last {
		c.endList(f.Pos + f.Size)
	}
}

// labelValue checks the value of a label.
func (c *checker) labelValue(f *layout.Field) {
	l, at := &c.table.label, c.in(f.Pos, c.table.rows)
	switch l.kind {
	case wire.LabelActivityID, wire.LabelRelatedActivityID:
		if wire.GUID(c.bytes(f)).IsZero() {
			c.found(rule.LBL012, 0, at)
		}
	case wire.LabelTraceID:
		if wire.GUID(c.bytes(f)).IsZero() {
			c.found(rule.LBL011, 0, at)
		}
	case wire.LabelSpanID:
		if f.Value == 0 {
			c.found(rule.LBL011, 0, at)
		}
	case wire.LabelKeyString:
		c.labelText(c.text(f), f.Pos, false)
		if string(l.key) == placeholderKey && string(c.text(f)) == placeholderValue {
			c.found(rule.LBL016, 0, c.in(l.at, c.table.rows))
		}
	case wire.LabelKeyNumber:
		c.labelNumber(int64(f.Value), f.Pos)
	case wire.LabelLevel:
		if f.Value > 5 {
			if found := c.found(rule.LBL010, 0, at); found != nil {
				found.want("0 to 5", f.Value)
			}
		}
	}
}

// endList checks a list that ends at a position.
func (c *checker) endList(end int) {
	t, l := &c.table, &c.table.label
	l.open = false
	row := t.rows
	t.rows++
	if l.seen.kinds[wire.LabelSpanID] && !l.seen.kinds[wire.LabelTraceID] {
		c.found(rule.LBL011, 1, c.in(t.start, row))
	}
	if !c.lint {
		return
	}
	h := maphash.Bytes(c.seed, c.b.Body[t.start:end])
	if _, twice := c.listHashes[h]; twice {
		c.found(rule.LBL015, 1, c.in(t.start, row))
	} else if len(c.listHashes) < mostUsed {
		if c.listHashes == nil {
			c.listHashes = map[uint64]struct{}{}
		}
		c.listHashes[h] = struct{}{}
	}
}

// labelText checks a key or a value.
func (c *checker) labelText(text []byte, at int, key bool) {
	switch {
	case look(text)&notUTF8 != 0:
		c.found(rule.LBL007, 0, c.in(at, c.table.rows))
	case key && len(text) == 0:
		c.foundAs(rule.LBL007, rule.Warning, 0, c.in(at, c.table.rows))
	}
}

// labelNumber checks the number of a label of kind 6, which is zig-zag.
func (c *checker) labelNumber(read int64, at int) {
	key := c.table.label.key
	plain := c.recordTrace
	for _, name := range countKeys {
		plain = plain || read < 0 && strings.EqualFold(string(key), name)
	}
	if plain {
		if f := c.foundAs(rule.LBL008, rule.Warning, 0, c.in(at, c.table.rows)); f != nil {
			f.want("a zig-zag number", fmt.Sprintf("%d for %s, read as %d", uint64(read<<1)^uint64(read>>63), key, read))
		}
	}
}

// labelTwice checks for duplicates of what a list may have once, and for keys
// that have a kind of their own.
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
