package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// noMetadata and noThread replace rows that the stream does not have.
var (
	noMetadata codec.Metadata
	noThread   codec.Thread
)

func metadataOf(e *codec.Event) *codec.Metadata {
	if m := e.Metadata(); m != nil {
		return m
	}
	return &noMetadata
}

// threadsOf are the rows of the thread that an event is about, and of the one that
// logged it.
func threadsOf(e *codec.Event) [2]*codec.Thread {
	rows := [2]*codec.Thread{e.Thread(), e.CaptureThread()}
	for i := range rows {
		if rows[i] == nil {
			rows[i] = &noThread
		}
	}
	return rows
}

func sameMetadata(of func(*codec.Metadata) string) func(*differ, *codec.Event, *codec.Event) bool {
	return func(_ *differ, a, b *codec.Event) bool { return of(metadataOf(a)) == of(metadataOf(b)) }
}

func sameMetadataAttributes(_ *differ, a, b *codec.Event) bool {
	return slices.Equal(metadataOf(a).Attributes, metadataOf(b).Attributes)
}

func hasMetadata(has func(*codec.Metadata) bool) func(*differ, *codec.Event) bool {
	return func(_ *differ, e *codec.Event) bool { return has(metadataOf(e)) }
}

func sameThreads(same func(a, b *codec.Thread) bool) func(*differ, *codec.Event, *codec.Event) bool {
	return func(_ *differ, a, b *codec.Event) bool {
		x, y := threadsOf(a), threadsOf(b)
		return same(x[0], y[0]) && same(x[1], y[1])
	}
}

func hasThread(has func(*codec.Thread) bool) func(*differ, *codec.Event) bool {
	return func(_ *differ, e *codec.Event) bool {
		rows := threadsOf(e)
		return has(rows[0]) || has(rows[1])
	}
}

// comparableFields are the fields of a metadata row as they are compared.
type comparableFields struct {
	fields []codec.Field
	beyond bool // the other stream cannot express all of them
}

// fieldsOf returns the fields of an event's metadata: without those that the other
// stream's version cannot describe, and with arrays for the counted strings of
// record-trace, as Slice writes them.
func (d *differ) fieldsOf(e *codec.Event) *comparableFields {
	m := metadataOf(e)
	if f := d.fields[m]; f != nil {
		return f
	}
	f := &comparableFields{fields: m.Fields}
	if countedStrings(e) {
		f.fields = plainStrings(m).Fields
	}
	older := d.side[0].format
	if d.side[1].format.Before(older) {
		older = d.side[1].format
	}
	if !older.HasOptionalMetadata() {
		var c changes
		f.fields = fitFields(f.fields, older.WithTags(), &c)
		f.beyond = c.total() > 0
	}
	if len(d.fields) >= maxKnownRows {
		clear(d.fields)
	}
	d.fields[m] = f
	return f
}

func (d *differ) fieldsBeyond(e *codec.Event) bool { return d.fieldsOf(e).beyond }

// sameFields compares the names and types of fields.
func (d *differ) sameFields(a, b *codec.Event) bool {
	pair := [2]*codec.Metadata{a.Metadata(), b.Metadata()}
	if pair == d.pair {
		return true
	}
	if !equalFields(d.fieldsOf(a).fields, d.fieldsOf(b).fields) {
		return false
	}
	d.pair = pair
	return true
}

func equalFields(a, b []codec.Field) bool {
	return slices.EqualFunc(a, b, func(x, y codec.Field) bool { return x.Name == y.Name && equalTypes(&x.Type, &y.Type) })
}

func equalTypes(a, b *codec.Type) bool {
	if a.Code != b.Code || a.Count != b.Count || (a.Element == nil) != (b.Element == nil) {
		return false
	}
	return (a.Element == nil || equalTypes(a.Element, b.Element)) && equalFields(a.Fields, b.Fields)
}

// metadataText returns a property of an event's metadata as text.
func metadataText(text func(*codec.Metadata) string) func(*codec.Event) string {
	return func(e *codec.Event) string { return text(metadataOf(e)) }
}

func guidText(m *codec.Metadata) string        { return m.ProviderGUID.String() }
func messageText(m *codec.Metadata) string     { return fmt.Sprintf("%q", m.Message) }
func descriptionText(m *codec.Metadata) string { return fmt.Sprintf("%q", m.Description) }
func attributesText(m *codec.Metadata) string  { return fmt.Sprintf("%q", m.Attributes) }
func fieldsText(m *codec.Metadata) string      { return fieldList(m.Fields) }

// threadsText returns a property of the thread that an event is about and, if
// another thread logged it, of that thread.
func threadsText(text func(*codec.Thread) string) func(*codec.Event) string {
	return func(e *codec.Event) string {
		rows := threadsOf(e)
		if rows[0] == rows[1] {
			return text(rows[0])
		}
		return text(rows[0]) + ", captured by " + text(rows[1])
	}
}

func threadNameText(t *codec.Thread) string       { return fmt.Sprintf("%q", t.Name) }
func threadAttributesText(t *codec.Thread) string { return fmt.Sprintf("%q", t.Attributes) }

// fieldList is the text of a list of fields, in parentheses.
func fieldList(fields []codec.Field) string {
	var list []string
	for i := range fields {
		list = append(list, fmt.Sprintf("%q %s", fields[i].Name, typeName(&fields[i].Type)))
	}
	return "(" + strings.Join(list, ", ") + ")"
}

func typeName(t *codec.Type) string {
	name := t.Code.String()
	if t.Code == wire.FixedLengthArray {
		name += fmt.Sprintf("[%d]", t.Count)
	}
	if t.Code == wire.Object {
		name += fieldList(t.Fields)
	}
	if t.Element != nil {
		name += " of " + typeName(t.Element)
	}
	return name
}
