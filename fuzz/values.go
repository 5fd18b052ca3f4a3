package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// fieldsAgree compares the fields that the reader returns for the payload of an
// event, and of a clone, with the tree of its values.
func fieldsAgree(e *codec.Event, v version, literal bool) error {
	m := e.Metadata()
	if m == nil {
		return nil
	}
	counted8 := v.HasOptionalMetadata() && m.Provider == "Universal.System" && hasUnit(m.Fields)
	var want []decoded
	fits := false
	for i, k := range manners(m.Fields, v, literal, counted8) {
		values, fit, u := unfold(e.Payload(), m.Fields, k)
		if u.steps > tooMany {
			return nil
		}
		if i == 0 || fit {
			want = values
		}
		if fits = fit; fits {
			break
		}
	}
	for _, e := range []*codec.Event{e, e.Clone()} {
		if err := sameFields(e, want); err != nil {
			return err
		}
		if bad := e.FieldsError(); (bad == nil) != fits {
			return fmt.Errorf("does the payload fit? %v; the reader returns %v", fits, bad)
		}
	}
	return nil
}

// hasUnit reports whether a field is declared as one code unit of UTF-8.
func hasUnit(fields []codec.Field) bool {
	for i := range fields {
		if fields[i].Type.Code == wire.UTF8CodeUnit {
			return true
		}
	}
	return false
}

// sameFields compares the fields of an event with values.
func sameFields(e *codec.Event, want []decoded) error {
	i := 0
	for name, v := range e.Fields() {
		if i == len(want) || name != want[i].name {
			return fmt.Errorf("field %d %q: not expected, %d are", i, name, len(want))
		}
		if err := sameValue(v, &want[i], e.Payload()); err != nil {
			return fmt.Errorf("field %d %q: %w", i, name, err)
		}
		first, ok := e.Field(name)
		if !ok {
			return fmt.Errorf("field %d %q is not found by its name", i, name)
		}
		if ref, ok := e.Metadata().Field(name); ok && e.Value(ref) != first && !repeated(e.Metadata().Fields, name) {
			return fmt.Errorf("field %d %q: %v by reference, %v by name", i, name, e.Value(ref), first)
		}
		i++
	}
	if i != len(want) {
		return fmt.Errorf("%d fields, not %d", i, len(want))
	}
	return nil
}

// repeated reports whether several fields have a name: of these the first one that
// fits is found by its name.
func repeated(fields []codec.Field, name string) bool {
	n := 0
	for i := range fields {
		if fields[i].Name == name {
			n++
		}
	}
	return n > 1
}

// sameValue compares a value of the reader with one of the tree.
func sameValue(v codec.Value, d *decoded, b []byte) error {
	switch {
	case !v.Valid() || v.Type() != d.declared || v.Code() != d.code:
		return fmt.Errorf("a %v read as %v, not as %v", v.Type(), v.Code(), d.code)
	case !isPart(v.Bytes(), b, d.start, d.end):
		return fmt.Errorf("a %v: %x is not at %d to %d of %x", d.code, v.Bytes(), d.start, d.end, b)
	case v.Uint64() != d.number(b) || v.Int64() != int64(d.number(b)) || v.Bool() != (d.number(b) != 0):
		return fmt.Errorf("a %v: %d, not %d", d.code, v.Uint64(), d.number(b))
	case math.Float64bits(v.Float64()) != d.float(b):
		return fmt.Errorf("a %v: %v, not %v", d.code, v.Float64(), math.Float64frombits(d.float(b)))
	case d.code == wire.GUIDCode && v.GUID() != wire.GUID(b[d.start:d.end]):
		return fmt.Errorf("a GUID: %v, not %x", v.GUID(), b[d.start:d.end])
	}
	if err := sameText(v, d); err != nil {
		return fmt.Errorf("a %v: %w", d.code, err)
	}
	if at, ok := v.Time(); ok && (at.Year() < 1 || at.Year() > 9999) {
		return fmt.Errorf("a %v: %v", d.code, at)
	}
	return sameParts(v, d, b)
}

// isPart reports whether part is b[start:end] itself, clipped.
func isPart(part, b []byte, start, end int) bool {
	return len(part) == end-start && cap(part) == len(part) && (len(part) == 0 || &part[0] == &b[start])
}

func sameText(v codec.Value, d *decoded) error {
	units, wide := v.Units()
	if v.IsText() != d.isText() || wide != d.wide() || !bytes.Equal(units, d.units) {
		return fmt.Errorf("units %x, wide %v; not %x", units, wide, d.units)
	}
	if words, complete := d.words(); complete && v.Text() != words {
		return fmt.Errorf("%q, not %q", v.Text(), words)
	}
	return nil
}

// sameParts compares the elements or the fields.
func sameParts(v codec.Value, d *decoded, b []byte) error {
	if v.IsArray() != (d.element != 0 && !d.isText()) {
		return fmt.Errorf("a %v of %v: array %v", d.code, d.element, v.IsArray())
	}
	i := 0
	compare := func(name string, part codec.Value) error {
		if i == len(d.parts) {
			return errors.New("no such part")
		}
		i++
		if name != d.parts[i-1].name {
			return fmt.Errorf("part %d is %q", i-1, name)
		}
		return sameValue(part, &d.parts[i-1], b)
	}
	for part := range v.Elements() {
		if err := compare("", part); err != nil {
			return fmt.Errorf("element of a %v: %w", d.code, err)
		}
	}
	for name, part := range v.Fields() {
		if err := compare(name, part); err != nil {
			return fmt.Errorf("field of an object: %w", err)
		}
	}
	if i != len(d.parts) {
		return fmt.Errorf("%d parts of a %v, not %d", i, d.code, len(d.parts))
	}
	return nil
}
