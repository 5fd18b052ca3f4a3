package fuzz

import (
	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// rowFields are fields of a body, which are read in order.
type rowFields struct {
	body   []byte
	fields []layout.Field
}

// rowsOf returns the fields of a body: those of the header, and those of each
// complete row. complete reports that there is no fault.
func (v version) rowsOf(kind wire.Kind, body []byte) (header rowFields, rows []rowFields, complete bool) {
	w := layout.NewWalker(layout.Options{Format: v.Format, PointerSize: v.pointer})
	header.body = body
	for f := range w.Block(kind, body) {
		switch {
		case f.Row == layout.Header:
			header.fields = append(header.fields, f)
			continue
		case f.Row == len(rows):
			rows = append(rows, rowFields{body: body})
		}
		last := &rows[f.Row]
		last.fields = append(last.fields, f)
	}
	fault := w.Fault()
	if fault.Rule != rule.None && fault.Row == len(rows)-1 {
		rows = rows[:max(fault.Row, 0)]
	}
	return header, rows, fault.Rule == rule.None
}

// find returns the value of the first field of a name, and whether there is one.
func (l *rowFields) find(name string) (uint64, bool) {
	for i := range l.fields {
		if l.fields[i].Name == name {
			return l.fields[i].Value, true
		}
	}
	return 0, false
}

// value returns the value of the first field of a name, or 0.
func (l *rowFields) value(name string) uint64 {
	v, _ := l.find(name)
	return v
}

// more reports whether there are fields left that have a meaning.
func (l *rowFields) more() bool {
	for len(l.fields) > 0 && l.fields[0].Name == "Undefined" {
		l.fields = l.fields[1:]
	}
	return len(l.fields) > 0
}

// next returns the next field. After the last one it is empty.
func (l *rowFields) next() (f layout.Field) {
	if l.more() {
		f, l.fields = l.fields[0], l.fields[1:]
	}
	return f
}

func (l *rowFields) number() uint64 { return l.next().Value }

// text reads a string.
func (l *rowFields) text() string {
	f := l.next()
	return string(l.body[f.From:f.To])
}

func (l *rowFields) guid() (g wire.GUID) {
	copy(g[:], l.body[l.next().Pos:])
	return g
}
