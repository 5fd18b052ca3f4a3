package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// layout is the fields of one version of an event, or of an element of an array.
type layout struct {
	version int
	fields  []part
	ends    int // fields of variable length
}

// part is a field with its place.
type part struct {
	name, goName string
	typ          string  // its word; "" for an array or an object
	elements     *layout // of an array of objects
	scalars      string  // word of the elements of an array
	counted      bool    // the count is in the two bytes before an array
	at, after    place
}

// place is a position: after a field of variable length, a number of bytes and a
// number of pointers. unknown: it is after an array.
type place struct {
	end, bytes, pointers int
	unknown              bool
}

// sizes are the bytes of the types of fixed length.
var sizes = map[string]int{"bool": 4, "u8": 1, "u16": 2, "u32": 4, "u64": 8, "i32": 4, "i64": 8, "f64": 8, "guid": 16}

// goTypes are the types of fields.
var goTypes = map[string]string{
	"bool": "bool", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "i32": "int32", "i64": "int64", "f64": "float64",
	"guid": "wire.GUID", "ptr": "uint64", "varuint": "uint64", "str": "[]byte", "counted": "[]byte",
}

// newLayout places the fields of a version. names are the names of fields that
// differ from those of the lists.
func newLayout(version int, fields []field, names map[string]string) (layout, error) {
	l := layout{version: version}
	var at place
	for _, f := range fields {
		name, typ, _ := strings.Cut(string(f.plain()), ":")
		if strings.Contains(string(f), "{") {
			_, typ, _ = strings.Cut(string(f), ":")
		}
		p := part{name: name, goName: cmp.Or(names[name], exported(name)), at: at}
		if open := strings.LastIndex(typ, "["); open >= 0 {
			if err := p.array(typ[:open], typ[open:] == "[]"); err != nil {
				return l, err
			}
			p.after = place{unknown: true}
		} else if p.typ = typ; goTypes[typ] == "" {
			return l, fmt.Errorf("no type %q", typ)
		} else if p.after = at; sizes[typ] > 0 {
			p.after.bytes += sizes[typ]
		} else if typ == "ptr" {
			p.after.pointers++
		} else {
			l.ends++
			p.after = place{end: l.ends, unknown: at.unknown}
		}
		at = p.after
		l.fields = append(l.fields, p)
	}
	return l, nil
}

// array sets the elements of an array.
func (p *part) array(element string, counted bool) error {
	p.counted = counted
	inner, isObject := strings.CutPrefix(element, "{")
	if !isObject {
		p.scalars = element
		return nil
	}
	var fields []field
	for word := range strings.SplitSeq(strings.TrimSuffix(inner, "}"), ",") {
		fields = append(fields, field(word))
	}
	l, err := newLayout(0, fields, nil)
	p.elements = &l
	return err
}

// exported is the name of a field in Go.
func exported(name string) string {
	name = strings.ToUpper(name[:1]) + name[1:]
	if start, ok := strings.CutSuffix(name, "Id"); ok {
		name = start + "ID"
	}
	return name
}

// begins reports whether another layout begins with the same fields.
func (l *layout) begins(with *layout) bool {
	if len(l.fields) > len(with.fields) {
		return false
	}
	for i := range l.fields {
		a, b := &l.fields[i], &with.fields[i]
		if a.name != b.name || a.typ != b.typ || a.scalars != b.scalars || (a.elements == nil) != (b.elements == nil) {
			return false
		}
	}
	return true
}

// end is the position after the last field that has a known one.
func (l *layout) end() place {
	var end place
	for _, f := range l.fields {
		if !f.after.unknown {
			end = f.after
		}
	}
	return end
}

// fixed reports whether all fields have a fixed length.
func (l *layout) fixed() bool { return l.ends == 0 && !l.end().unknown && !l.hasArray() }

func (l *layout) hasArray() bool {
	for _, f := range l.fields {
		if f.typ == "" {
			return true
		}
	}
	return false
}

// field returns a field by its name.
func (l *layout) field(goName string) *part {
	for i := range l.fields {
		if l.fields[i].goName == goName {
			return &l.fields[i]
		}
	}
	return nil
}

// text is the position in Go.
func (p place) text() string {
	var terms []string
	if p.end > 0 {
		terms = append(terms, fmt.Sprintf("e.ends[%d]", p.end-1))
	}
	if p.pointers == 1 {
		terms = append(terms, "e.pointer")
	} else if p.pointers > 1 {
		terms = append(terms, fmt.Sprintf("%d*e.pointer", p.pointers))
	}
	if p.bytes > 0 || len(terms) == 0 {
		terms = append(terms, fmt.Sprint(p.bytes))
	}
	return strings.Join(terms, "+")
}

// read is the expression that reads a field.
func (p *part) read() string {
	if sizes[p.typ] > 0 || p.typ == "ptr" {
		return fmt.Sprintf("e.%s(%s)", p.typ, p.at.text())
	}
	return fmt.Sprintf("e.%s(%s, %s)", p.typ, p.at.text(), p.after.text())
}

// setEnds writes the statements that find the ends of the fields of variable length.
func (l *layout) setEnds(b *bytes.Buffer) {
	for _, f := range l.fields {
		if f.typ != "" && !f.at.unknown && f.after.end > 0 && f.after.bytes == 0 && f.after.pointers == 0 && sizes[f.typ] == 0 {
			fmt.Fprintf(b, "e.ends[%d] = e.after%s(%s)\n", f.after.end-1, map[string]string{"str": "Str", "counted": "Counted", "varuint": "VarUint"}[f.typ], f.at.text())
		}
	}
}

// writeReader writes the type, the function and the methods of an event.
func (e *reader) writeReader(b *bytes.Buffer) {
	newest, odd := e.newest(), e.odd()
	ends := newest.ends
	for _, l := range odd {
		ends = max(ends, l.ends)
	}
	fmt.Fprintf(b, "\n// %[1]sEvent has the fields of an event of Kind%[1]s.\ntype %[1]sEvent struct {\npayload\n", e.goName)
	if len(odd) > 0 {
		b.WriteString("version uint32\n")
	}
	if ends > 0 {
		fmt.Fprintf(b, "ends [%d]int // of the fields of variable length\n", ends)
	}
	fmt.Fprintf(b, "}\n\n// %[1]s reads an event of Kind%[1]s. The fields are valid until the Reader's next step.\nfunc %[1]s(ev *codec.Event) %[1]sEvent {\n", e.goName)
	if len(odd) == 0 && ends == 0 {
		fmt.Fprintf(b, "return %sEvent{payloadOf(ev)}\n}\n\n", e.goName)
	} else {
		fmt.Fprintf(b, "e := %sEvent{payload: payloadOf(ev)}\n", e.goName)
		if len(odd) > 0 {
			b.WriteString("e.version = ev.Version()\n")
		}
		for _, l := range odd {
			if l.ends > 0 {
				fmt.Fprintf(b, "if e.version == %d {\n", l.version)
				l.setEnds(b)
				b.WriteString("return e\n}\n")
			}
		}
		newest.setEnds(b)
		b.WriteString("return e\n}\n\n")
	}
	e.writeShort(b, odd)
	base := e.base()
	for i := range newest.fields {
		f := &newest.fields[i]
		switch {
		case f.typ != "" && !f.at.unknown:
			e.writeField(b, f, odd)
			lacks := func(l layout) bool { return l.field(f.goName) == nil }
			if lacks(*base) || slices.ContainsFunc(odd, lacks) {
				e.writeHas(b, f, odd)
			}
		case f.elements != nil && f.elements.fixed() && !f.at.unknown:
			e.writeElements(b, f)
		}
	}
}

// writeShort writes the method that compares the payload with its fields.
func (e *reader) writeShort(b *bytes.Buffer, odd []layout) {
	fmt.Fprintf(b, "// Short reports whether the payload ends before the fields that every version has.\nfunc (e %sEvent) Short() bool {\n", e.goName)
	for _, l := range odd {
		fmt.Fprintf(b, "if e.version == %d {\nreturn %s\n}\n", l.version, shorter(l.end().text()))
	}
	fmt.Fprintf(b, "return %s\n}\n\n", shorter(e.base().end().text()))
}

// shorter returns the comparison of the payload with the end of fields.
func shorter(end string) string {
	if end == "0" {
		return "false" // there are none
	}
	return end + " > len(e.b)"
}

// writeField writes the method that returns a field.
func (e *reader) writeField(b *bytes.Buffer, f *part, odd []layout) {
	fmt.Fprintf(b, "// %s returns the field %s%s.\nfunc (e %sEvent) %s() %s {\n", f.goName, f.name, map[bool]string{true: ", in UTF-16"}[f.typ == "str"], e.goName, f.goName, goTypes[f.typ])
	for _, l := range odd {
		value := map[string]string{"[]byte": "nil", "bool": "false", "wire.GUID": "wire.GUID{}"}[goTypes[f.typ]]
		if old := l.field(f.goName); old != nil {
			if value = old.read(); old.typ != f.typ {
				value = goTypes[f.typ] + "(" + value + ")"
			}
		}
		if value != f.read() {
			fmt.Fprintf(b, "if e.version == %d {\nreturn %s\n}\n", l.version, cmp.Or(value, "0"))
		}
	}
	fmt.Fprintf(b, "return %s\n}\n\n", f.read())
}

// writeHas writes the method that reports whether a field of a later version is there.
func (e *reader) writeHas(b *bytes.Buffer, f *part, odd []layout) {
	fmt.Fprintf(b, "// Has%[2]s reports whether the event has the field %[3]s.\nfunc (e %[1]sEvent) Has%[2]s() bool {\n", e.goName, f.goName, f.name)
	for _, l := range odd {
		has := "false"
		if old := l.field(f.goName); old != nil {
			has = old.after.text() + " <= len(e.b)"
		}
		fmt.Fprintf(b, "if e.version == %d {\nreturn %s\n}\n", l.version, has)
	}
	fmt.Fprintf(b, "return %s <= len(e.b)\n}\n\n", f.after.text())
}

// element is the name of the type of the elements of an array.
func (e *reader) element(f *part) string { return e.goName + strings.TrimSuffix(f.goName, "s") }

// writeElements writes the type of the elements of an array, and the method that
// returns one.
func (e *reader) writeElements(b *bytes.Buffer, f *part) {
	typ, end := e.element(f), f.elements.end()
	fmt.Fprintf(b, "// %s is an element of %s.\ntype %s struct{ payload }\n\n", typ, f.name, typ)
	fmt.Fprintf(b, "// %[2]s returns an element of %[3]s: an empty one if the payload does not have it.\nfunc (e %[1]sEvent) %[2]s(i int) %[4]s {\nreturn %[4]s{e.row(%[5]s, i, %[6]s)}\n}\n\n",
		e.goName, strings.TrimSuffix(f.goName, "s"), f.name, typ, f.at.text(), end.text())
	for i := range f.elements.fields {
		inner := &f.elements.fields[i]
		fmt.Fprintf(b, "// %[2]s returns the field %[3]s.\nfunc (e %[1]s) %[2]s() %[4]s { return %[5]s }\n\n", typ, inner.goName, inner.name, goTypes[inner.typ], inner.read())
	}
}

// writeEncoder writes the type of the fields of an event and its method that encodes them.
func (e *reader) writeEncoder(b *bytes.Buffer) {
	newest := e.newest()
	fmt.Fprintf(b, "// %[1]sFields are the fields of an event of Kind%[1]s, to be encoded.\n", e.goName)
	newest.writeStruct(b, e.goName+"Fields", e)
	fmt.Fprintf(b, "// Append appends the payload of the event in the version ofEvent.\nfunc (f *%sFields) Append(b []byte, ofEvent uint32, pointerSize int) []byte {\ne := encoder{b, pointerSize}\n", e.goName)
	for _, l := range e.odd() {
		fmt.Fprintf(b, "if ofEvent == %d {\n", l.version)
		for i := range l.fields {
			of := newest.field(l.fields[i].goName)
			l.fields[i].append(b, "f", of.typ != l.fields[i].typ)
		}
		b.WriteString("return e.b\n}\n")
	}
	written := 0
	for _, l := range e.versions {
		if !l.begins(newest) {
			continue
		}
		if written > 0 && len(l.fields) > written || written == 0 && len(l.fields) > 0 && len(e.base().fields) == 0 {
			fmt.Fprintf(b, "if ofEvent < %d {\nreturn e.b\n}\n", l.version)
		}
		for ; written < len(l.fields); written++ {
			newest.fields[written].append(b, "f", false)
		}
	}
	b.WriteString("return e.b\n}\n")
}

// writeStruct writes the type with the fields, and those of the elements of its arrays.
func (l *layout) writeStruct(b *bytes.Buffer, name string, e *reader) {
	fmt.Fprintf(b, "type %s struct {\n", name)
	var arrays []*part
	for i := range l.fields {
		f := &l.fields[i]
		typ := goTypes[f.typ]
		switch {
		case f.elements != nil:
			typ = "[]" + e.element(f) + "Fields"
			arrays = append(arrays, f)
		case f.scalars != "":
			typ = "[]" + goTypes[f.scalars]
		case f.typ == "str", f.typ == "counted":
			typ = "string"
		}
		fmt.Fprintf(b, "%s %s // field %s\n", f.goName, typ, f.name)
	}
	b.WriteString("}\n\n")
	for _, f := range arrays {
		fmt.Fprintf(b, "// %sFields are the fields of an element of %s.\n", e.element(f), f.name)
		f.elements.writeStruct(b, e.element(f)+"Fields", e)
	}
}

// append writes the statement that encodes a field of a variable.
func (p *part) append(b *bytes.Buffer, of string, convert bool) {
	value := of + "." + p.goName
	if convert {
		value = goTypes[p.typ] + "(" + value + ")"
	}
	if p.typ != "" {
		fmt.Fprintf(b, "e.%s(%s)\n", p.typ, value)
		return
	}
	if p.counted {
		fmt.Fprintf(b, "e.u16(uint16(len(%s)))\n", value)
	}
	one := of + "x"
	if p.scalars != "" {
		fmt.Fprintf(b, "for _, %s := range %s {\ne.%s(%s)\n}\n", one, value, p.scalars, one)
		return
	}
	fmt.Fprintf(b, "for i := range %s {\n%s := &%s[i]\n", value, one, value)
	for i := range p.elements.fields {
		p.elements.fields[i].append(b, one, false)
	}
	b.WriteString("}\n")
}
