package check

import (
	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
)

// rowWalk walks over the fields of one metadata row.
type rowWalk struct {
	c       *checker
	list    []layout.Field // of the row, up to the fault
	next    int            // in list
	end     int            // position after the row
	fault   layout.Fault   // of the layout, then of the content
	row     int
	id      uint32
	fields  int64 // descriptions of fields
	at      rowPlaces
	top     int  // position of the type of the field of the outermost list
	renamed bool // a field has the name of a locator
}

// rowPlaces are the positions of the parts of a row in the body, 0 for none.
type rowPlaces struct {
	id, provider, event, name, version, level, message, guid, unit int
}

// take returns the next field if it has one of the names, else nil.
func (w *rowWalk) take(names ...string) *layout.Field {
	if w.next == len(w.list) {
		return nil
	}
	f := &w.list[w.next]
	for _, name := range names {
		if f.Name == name {
			w.next++
			return f
		}
	}
	return nil
}

// left returns the bytes that are left of those that a field counts, or nil.
func (w *rowWalk) left(outer *layout.Field) *layout.Field {
	if w.next < len(w.list) && w.list[w.next].Depth > outer.Depth {
		return w.take("Undefined")
	}
	return nil
}

// pos returns the position of the next field, or where it is missing.
func (w *rowWalk) pos() int {
	if w.next < len(w.list) {
		return w.list[w.next].Pos
	}
	return w.fault.Pos
}

// faulty reports whether the layout ends with a field because of its value.
func (w *rowWalk) faulty(f *layout.Field) bool {
	return w.next == len(w.list) && w.fault.Rule != rule.None && w.fault.Name == f.Name
}

// badType reports whether a type is not allowed, or too deep. The type of an
// element, which has the same name, may be missing.
func (w *rowWalk) badType(f *layout.Field) bool {
	return w.faulty(f) && (w.fault.Pos == f.Pos || w.fault.Rule == rule.LIM004)
}

// fail ends the walk because of the row's content. It returns false.
func (w *rowWalk) fail(id rule.ID, at int) bool {
	w.list, w.fault = w.list[:w.next], layout.Fault{Rule: id, Row: w.row, Pos: at}
	return false
}

// found counts a finding about the row.
func (w *rowWalk) found(id rule.ID, at int) *Finding { return w.foundAs(id, id.Rule().Severity, at) }

func (w *rowWalk) foundAs(id rule.ID, as rule.Severity, at int) *Finding {
	f := w.c.foundAs(id, as, 0, w.c.in(at, w.row))
	if f != nil {
		f.id("metadata", uint64(w.id))
	}
	return f
}

// countField counts the description of a field. It returns false when the row has
// too many.
func (w *rowWalk) countField(at int) bool {
	if w.fields++; w.fields == textFields+1 {
		w.found(rule.TYP011, at)
	}
	if limit := w.c.limits.Fields; limit > 0 && w.fields > limit {
		return w.fail(rule.LIM003, at)
	}
	return true
}
