package codec

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Label is one entry of a label list (v6).
//
// Spec: "LabelList block".
type Label struct {
	// Kind is the kind of the label, which decides the other fields that are
	// set.
	Kind   wire.LabelKind
	GUID   wire.GUID // of ActivityID, RelatedActivityID and TraceID, in the byte order of the file
	Key    string    // of KeyString and KeyNumber
	Value  string    // of KeyString
	Number uint64    // of SpanID, Opcode, Keywords, Level, Version; of KeyNumber as an int64
}

// labelTable holds the label lists since the last sequence point: labels in one
// arena, spans by list id.
type labelTable struct {
	spans idTable[stackSpan]
	arena []Label
}

// get returns the labels of a list, nil when the id is unknown or 0.
func (t *labelTable) get(id uint32) []Label {
	span := t.spans.get(uint64(id))
	if span.count == 0 {
		return nil
	}
	start := span.start - 1
	return t.arena[start : start+span.count : start+span.count]
}

// held estimates the bytes of the table without texts, which the interner counts.
func (t *labelTable) held() int64 {
	return int64(cap(t.arena))*labelSize + t.spans.held()
}

func (t *labelTable) clear() {
	t.spans.clear()
	t.cut(0)
}

// cut removes the labels after the first n.
func (t *labelTable) cut(n int) {
	clear(t.arena[n:])
	t.arena = t.arena[:n]
}

// trim releases unused memory.
func (t *labelTable) trim() {
	if len(t.arena) == 0 {
		t.arena = nil
	}
	t.spans.trim()
}

// readLabelListBlock reads the lists of a block.
//
// Spec: "LabelList block".
func readLabelListBlock(r *stream, b *raw.Block) {
	c := cursor{b: b.Body}
	first := c.uint32(rule.LBL001)
	count := c.uint32(rule.LBL002)
	r.block.FirstID = first
	if c.bad == rule.None && first == 0 {
		r.defect(rule.LBL001, b.BodyOffset)
	}
	if c.bad == rule.None && count > 0 && uint64(first)+uint64(count)-1 > 1<<32-1 {
		c.fail(rule.LBL005, 0)
	}
	r.mayHoldAt(&c, r.labels.spans.more(min(int64(count), int64(len(c.b)/2))), 4)
	for uint32(r.block.Rows) < count && c.bad == rule.None {
		if c.pos >= len(c.b) {
			c.step(wire.PastEnd, rule.LBL002)
			break
		}
		r.defineLabels(b, &c, first+uint32(r.block.Rows))
	}
	c.slack(rule.LBL002)
	r.badRow(b, &c)
}

// defineLabels reads one list and puts it into the table. List 0 stays empty,
// whatever the file has.
func (r *stream) defineLabels(b *raw.Block, c *cursor, id uint32) {
	t := &r.labels
	from, at := len(t.arena), c.pos
	for more := true; more && c.bad == rule.None; {
		more = r.label(c)
	}
	if c.bad != rule.None {
		t.cut(from)
		return
	}
	r.block.Rows++
	if id == 0 {
		t.cut(from)
		return
	}
	if t.spans.get(uint64(id)) != (stackSpan{}) {
		if slices.Equal(t.get(id), t.arena[from:]) {
			t.cut(from)
			return
		}
		if !r.beforeReplace(c, at) {
			t.cut(from)
			return
		}
		r.defect(rule.LBL005, b.BodyOffset+int64(at))
	}
	t.spans.set(uint64(id), stackSpan{uint32(from) + 1, uint32(len(t.arena) - from)})
}

// label reads one label and reports whether the list continues.
func (r *stream) label(c *cursor) bool {
	at := c.pos
	id := rule.LBL004
	kind := c.byte(id)
	l := Label{Kind: wire.LabelKind(kind &^ wire.LastLabel)}
	switch l.Kind {
	case wire.LabelActivityID, wire.LabelRelatedActivityID, wire.LabelTraceID:
		l.GUID = c.guid(id)
	case wire.LabelSpanID, wire.LabelKeywords:
		l.Number = c.uint64(id)
	case wire.LabelKeyString:
		key, value := c.text(id), c.text(id)
		if r.mayHoldAt(c, int64(len(key)+len(value)), at) {
			l.Key, l.Value = r.names.utf8(key), r.names.utf8(value)
		}
	case wire.LabelKeyNumber:
		if key := c.text(id); r.mayHoldAt(c, int64(len(key)), at) {
			l.Key = r.names.utf8(key)
		}
		l.Number = r.labelNumber(c)
	case wire.LabelOpcode, wire.LabelLevel, wire.LabelVersion:
		l.Number = uint64(c.byte(id))
	default:
		c.fail(rule.LBL003, at)
	}
	if n := int64(len(r.labels.arena)); n >= r.limits.Labels {
		c.limit = &LimitError{Name: "Labels", Size: n + 1, Limit: r.limits.Labels}
		c.fail(rule.LIM008, at)
	}
	if r.mayAddLabel(c, at) {
		r.labels.arena = append(r.labels.arena, l)
	}
	return kind&wire.LastLabel == 0
}

// labelNumber reads the number of a label: in zig-zag form, unless the writer is
// known to write plain numbers.
func (r *stream) labelNumber(c *cursor) uint64 {
	v, next := wire.VarUint64(c.b, c.pos)
	if !c.large(next, rule.LBL004, rule.LBL008) {
		return 0
	}
	if r.counted8 {
		return v
	}
	return v>>1 ^ -(v & 1)
}

// mayAddLabel reports whether there is memory for one more label. A full arena is
// replaced by one of twice its size: both exist for a while, and longer when
// waiting events hold their labels.
func (r *stream) mayAddLabel(c *cursor, at int) bool {
	t := &r.labels
	n := len(t.arena)
	if c.bad != rule.None || n < cap(t.arena) {
		return c.bad == rule.None
	}
	size := min(max(2*int64(n), 4), r.limits.Labels)
	if !r.mayHoldAt(c, size*labelSize, at) {
		return false
	}
	if r.owner.holds() {
		r.outdated += int64(n) * labelSize
	}
	t.arena = append(make([]Label, 0, size), t.arena...)
	return true
}
