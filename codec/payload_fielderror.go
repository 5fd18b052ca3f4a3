package codec

import (
	"fmt"
	"strconv"
)

// FieldError is the error of an EventEncoder for a value that does not fit the
// next declared field.
type FieldError struct {
	MetadataID uint32 // of the event
	Index      int    // of the field in the payload, from 0; after the last field the number of fields
	Field      string // its name, with the path to a value in it: "Items[2].Price"; "" after the last field
	Want       string // type of the field, or what the value must be; "End" or "Write" after the last field
	Got        string // method that was called, or the value that it was given
}

// Error names the field, what it requires and what it got.
func (e *FieldError) Error() string {
	name := ""
	if e.Field != "" {
		name = " (" + e.Field + ")"
	}
	return fmt.Sprintf("codec: field %d%s of metadata %d: got %s, want %s", e.Index, name, e.MetadataID, e.Got, e.Want)
}

// Unwrap returns ErrPayload.
func (e *FieldError) Unwrap() error { return ErrPayload }

// misfit is the error for a call that the next value does not allow.
func (p *payloadEncoder) misfit(method string) {
	s := p.top.slot()
	switch {
	case p.err != nil:
	case !p.begun:
		p.err = fmt.Errorf("codec: metadata %d: %s without an event that has begun: %w", p.id, method, ErrCallOrder)
		p.begun = true // until Write reports it
	case s != nil && (p.top.step == 1 || method != "Write"):
		p.fail(s.String(), method)
	case p.top.of != nil:
		p.fail("End", method)
	default:
		p.fail("Write", method)
	}
}

// fail is the error for the next value, after which there is none in this payload.
func (p *payloadEncoder) fail(want, got string) {
	lists := append(p.outer, p.top)
	err := &FieldError{MetadataID: p.id, Index: lists[0].next, Want: want, Got: got}
	if len(lists) > 1 {
		err.Index-- // open has moved to the next field
	}
	for i := range lists {
		err.Field = lists[i].appendPath(err.Field, i == len(lists)-1)
	}
	p.err, p.top = err, frame{}
}

// failAround is the error for the array that is being encoded.
func (p *payloadEncoder) failAround(want, got string) {
	last := len(p.outer) - 1
	p.top, p.outer = p.outer[last], p.outer[:last]
	p.top.next -= p.top.step
	p.top.count--
	p.fail(want, got)
}

// appendPath appends the name of a field, or the number of an element, to the path
// of a list: of its next value if the list is the last one, or of the list in it.
func (f *frame) appendPath(path string, last bool) string {
	next, count := f.next, f.count
	if !last {
		next, count = next-f.step, count-1
	}
	switch {
	case f.step == 0:
		return path + "[" + strconv.Itoa(count) + "]"
	case next == len(f.slots):
		return path
	case path == "" || f.slots[next].name == "":
		return path + f.slots[next].name
	}
	return path + "." + f.slots[next].name
}
