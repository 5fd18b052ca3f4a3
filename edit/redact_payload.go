package edit

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// fieldNode is a field of a type of event, with the treatment of its text. The
// root is the payload.
type fieldNode struct {
	r        *Redactor
	metadata *codec.Metadata
	key      Replacement
	name     string // its own
	how      treatment
	count    *redactCount // set when it is needed
	children []*fieldNode
	rest     *fieldNode // of a root: bytes that belong to no field
}

// newRoot makes the tree for an event type, without its fields.
func (r *Redactor) newRoot(t redactedType) *fieldNode {
	n := &fieldNode{r: r, metadata: t.metadata, key: Replacement{Where: InPayload}}
	if m := t.metadata; m != nil {
		n.key.Provider, n.key.EventID, n.key.Event = m.Provider, m.EventID, m.Name
	}
	rest := *n
	rest.key.Where = InUnknownFields
	n.rest = &rest
	n.declare()
	return n
}

// declare puts the names that stay in the metadata into the list of counts.
func (n *fieldNode) declare() {
	m := n.metadata
	switch {
	case m == nil:
	case len(m.Fields) > 0:
		n.declareFields(m.Fields)
	case m.Name != "":
		n.r.counts.of(n.key)
	}
}

func (n *fieldNode) declareFields(fields []codec.Field) {
	for i := range fields {
		t := &fields[i].Type
		for t.Element != nil {
			t = t.Element
		}
		c := n.child(i, fields[i].Name)
		if t.Code == wire.Object {
			c.declareFields(t.Fields)
		} else {
			n.r.counts.of(c.key)
		}
	}
}

// child is the field at a position of an object, or of the payload.
func (n *fieldNode) child(i int, name string) *fieldNode {
	for len(n.children) <= i {
		n.children = append(n.children, nil)
	}
	if c := n.children[i]; c != nil && c.name == name {
		return c
	}
	c := &fieldNode{r: n.r, metadata: n.metadata, key: n.key, name: name}
	c.key.Where = InField
	switch { // a nameless object has no part in the path
	case c.key.Field == "":
		c.key.Field = name
	case name != "":
		c.key.Field += "." + name
	}
	c.how = c.choose(n)
	n.children[i] = c
	return c
}

// choose returns how a field of parent is treated.
func (n *fieldNode) choose(parent *fieldNode) treatment {
	how := kept(n.metadata, n.key.Field)
	switch {
	case !n.r.opt.PathsOnly || how == keepFileName:
		return how
	case parent.name != "" && byName(parent.name) != keepOutsideHome:
		return parent.how // parts of a command line or a path
	}
	return byName(n.name)
}

// add counts a value of the field, whose text is b after the redaction.
func (n *fieldNode) add(replaced bool, b []byte) {
	if n.count == nil {
		n.count = n.r.counts.of(n.key)
	}
	n.count.add(replaced, b)
}

// payloadWalk writes a redacted payload. It starts with asterisks only, and
// copies what stays, so that bytes that belong to no field never stay.
type payloadWalk struct {
	r      *Redactor
	in     []byte
	out    []byte
	copied []extent // in order of fields, adjacent ones joined
	failed bool     // a layout does not fit
}

// extent is a range of bytes in a payload.
type extent struct{ start, end int }

// payload returns the redacted payload of an event.
func (w *payloadWalk) payload(e *codec.Event, root *fieldNode) []byte {
	w.begin(e.Payload())
	bad := codec.RuleOf(e.FieldsError())
	switch {
	case bad == rule.None:
		w.fields(e, root)
	case universalLayout(root.metadata) != "":
		w.universal(root, universalLayout(root.metadata))
	case bad == rule.PAY003 && w.r.opt.Names != nil && w.r.opt.Names(e): // only bytes after the fields
		w.fields(e, root)
	default:
		w.failed = true
	}
	if !w.failed && bad == rule.None && len(w.copied) == 0 { // no fields
		if layout := universalLayout(root.metadata); layout != "" {
			w.universal(root, layout)
		} else if w.r.opt.PathsOnly {
			w.text(root, 0, len(w.in), 1)
			return w.out
		}
	}
	w.finish(root)
	return w.out
}

func (w *payloadWalk) begin(payload []byte) {
	w.in, w.out, w.copied, w.failed = payload, w.out[:0], w.copied[:0], false
	w.out = slices.Grow(w.out, len(payload))[:len(payload)]
	w.fill()
}

func (w *payloadWalk) fill() {
	for i := range w.out {
		w.out[i] = '*'
	}
}

// finish replaces the complete payload if its layout is uncertain, and counts
// replaced bytes that belong to no field.
func (w *payloadWalk) finish(root *fieldNode) {
	size := 0
	for _, x := range w.copied {
		size += x.end - x.start
	}
	switch {
	case w.failed || len(w.copied) == 0 || w.overlap():
		w.fill()
		w.count(root, true)
	case size < len(w.in):
		w.count(root.rest, !bytes.Equal(w.in, w.out))
	}
}

func (w *payloadWalk) count(n *fieldNode, replaced bool) {
	if replaced {
		n.add(true, nil)
	}
}

// overlap reports whether fields share bytes, as locators can make them do: then
// a copied number could hold text of another field.
func (w *payloadWalk) overlap() bool {
	if len(w.copied) < 2 {
		return false
	}
	slices.SortFunc(w.copied, func(a, b extent) int { return cmp.Compare(a.start, b.start) })
	for i := range w.copied[1:] {
		if w.copied[i+1].start < w.copied[i].end {
			return true
		}
	}
	return false
}

// keep copies a range of the payload.
func (w *payloadWalk) keep(start, end int) {
	if end <= start {
		return
	}
	copy(w.out[start:end], w.in[start:end])
	if n := len(w.copied); n > 0 && w.copied[n-1].end == start {
		w.copied[n-1].end = end
		return
	}
	w.copied = append(w.copied, extent{start, end})
}

// text copies the text of a field as far as it stays.
func (w *payloadWalk) text(n *fieldNode, start, end, size int) {
	if end <= start {
		return
	}
	w.keep(start, end)
	how := n.how
	if n.key.Where == InPayload {
		how = keepOutsideHome
	}
	text := w.out[start:end]
	n.add(w.r.replace(units{text, size}, how), text)
}

// fields walks over the fields of a payload.
func (w *payloadWalk) fields(e *codec.Event, root *fieldNode) {
	i, at := 0, 0
	for name, v := range e.Fields() {
		at = w.value(root.child(i, name), v, at)
		i++
	}
}

// value walks over a value at a position, and returns its end.
func (w *payloadWalk) value(n *fieldNode, v codec.Value, at int) int {
	end := at + len(v.Bytes())
	switch v.Code() {
	case wire.Object:
		i := 0
		for name, inner := range v.Fields() {
			at = w.value(n.child(i, name), inner, at)
			i++
		}
	case wire.Array:
		if v.Type().CountField == 0 {
			w.keep(at, at+2)
			at += 2
		}
		w.elements(n, v, at, end)
	case wire.FixedLengthArray:
		w.elements(n, v, at, end)
	case wire.RelLoc, wire.DataLoc:
		w.keep(at, end)
		start, stop := located(v, end)
		w.elements(n, v, start, stop)
	case wire.NullTerminatedUTF16String:
		w.text(n, at, end-2, 2)
		w.keep(end-2, end)
	case wire.NullTerminatedUTF8String:
		w.text(n, at, end-1, 1)
		w.keep(end-1, end)
	case wire.CountedUTF8String:
		w.keep(at, at+2)
		w.text(n, at+2, end, 1)
	case wire.UTF8CodeUnit:
		w.text(n, at, end, 1)
	case wire.UTF16CodeUnit:
		w.text(n, at, end, 2)
	default:
		w.keep(at, end)
	}
	return end
}

// located returns the range that a locator, whose own bytes end at pos, refers
// to.
//
// Spec: "TypeCode", RelLoc and DataLoc.
func located(v codec.Value, pos int) (start, end int) {
	b := v.Bytes()
	start = int(binary.LittleEndian.Uint16(b))
	if v.Code() == wire.RelLoc {
		start += pos
	}
	return start, start + int(binary.LittleEndian.Uint16(b[2:]))
}

// elements walks over the elements of an array or of the range of a locator.
func (w *payloadWalk) elements(n *fieldNode, v codec.Value, start, end int) {
	switch element := v.Type().Element; {
	case element.Code == wire.UTF16CodeUnit:
		w.text(n, start, end, 2)
	case element.Code == wire.UTF8CodeUnit, element.Code == wire.Byte, element.Code == wire.SByte:
		w.text(n, start, end, 1)
	case isNumeric(element):
		w.keep(start, end)
	default:
		for x := range v.Elements() {
			start = w.value(n, x, start)
		}
	}
}

// isNumeric reports whether values of a type have no text, at any depth.
func isNumeric(t *codec.Type) bool {
	switch t.Code {
	case wire.Object:
		for i := range t.Fields {
			if !isNumeric(&t.Fields[i].Type) {
				return false
			}
		}
		return true
	case wire.Array, wire.FixedLengthArray:
		return t.Element.Code != wire.Byte && t.Element.Code != wire.SByte && isNumeric(t.Element)
	case wire.RelLoc, wire.DataLoc, wire.NullTerminatedUTF16String, wire.NullTerminatedUTF8String, wire.CountedUTF8String,
		wire.UTF8CodeUnit, wire.UTF16CodeUnit:
		return false
	}
	return true
}

// universalLayouts are the fields of the events of Universal.System by id, as
// package codec/clr/symbols reads them whatever the trace declares: v is a VarUInt,
// c a counted string.
var universalLayouts = [...]struct {
	layout string
	fields []string
}{
	0: {"vcc", []string{"NamespaceId", "Name", "NamespaceName"}},
	1: {"vcc", []string{"NamespaceId", "Name", "NamespaceName"}},
	3: {"vvvvcv", []string{"Id", "StartAddress", "EndAddress", "FileOffset", "FileName", "MetadataId"}},
	4: {"vvvvc", []string{"Id", "MappingId", "StartAddress", "EndAddress", "Name"}},
	5: {"vcc", []string{"Id", "SymbolMetadata", "VersionMetadata"}},
}

// universalLayout is the layout of an event of Universal.System, empty for other
// events.
func universalLayout(m *codec.Metadata) string {
	if m == nil || m.Provider != universalSystem || int(m.EventID) >= len(universalLayouts) {
		return ""
	}
	return universalLayouts[m.EventID].layout
}

// universal walks over a payload of Universal.System that its declaration does
// not fit.
func (w *payloadWalk) universal(root *fieldNode, layout string) {
	at := 0
	for i, code := range layout {
		name := universalLayouts[root.metadata.EventID].fields[i]
		if code == 'v' {
			_, end := wire.VarUint64(w.in, at)
			if w.failed = end < 0; w.failed {
				return
			}
			w.keep(at, end)
			at = end
			continue
		}
		count, start := wire.Uint16(w.in, at)
		end := wire.Skip(w.in, start, int(count))
		if w.failed = end < 0; w.failed {
			return
		}
		w.keep(at, start)
		w.text(root.rest.child(i, name), start, end, 1)
		at = end
	}
}
