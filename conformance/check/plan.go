package check

import (
	"math"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// plan is how the payloads of one metadata row are read: by the text, or in one
// of the ways in which real writers mean some types.
type plan struct {
	fields  []codec.Field
	pointer int
	ways    []way // the first is that of the text
}

// way is one reading of all fields. It is compiled when it is first tried.
type way struct {
	manner manner
	tells  rule.ID // the rule that a payload breaks that fits only this reading
	steps  []move
	made   bool
}

// manner has the types that are read differently from the text.
type manner struct {
	boolean1, decimal8, byte4, counted, date16 bool
}

// manners in the order in which they are tried.
var manners = []struct {
	code   wire.TypeCode // of the fields concerned
	manner manner
	tells  rule.ID
}{
	{wire.Boolean, manner{boolean1: true}, rule.PAY002},
	{wire.Decimal, manner{decimal8: true}, rule.PAY021},
	{wire.Decimal, manner{decimal8: true, boolean1: true}, rule.PAY021},
	{wire.Byte, manner{byte4: true}, rule.PAY022},
	{wire.UTF8CodeUnit, manner{counted: true}, rule.TYP014},
	{wire.UTF16CodeUnit, manner{counted: true}, rule.TYP014},
	{wire.DateTime, manner{date16: true}, rule.None},
}

// action is the kind of a step.
type action uint8

const (
	pass    action = iota // over size bytes
	boolean               // of size bytes
	text16                // to a zero unit
	date                  // of size bytes
	guid
	float        // of size bytes
	number       // of variable length
	array        // counted elements
	fixed        // as many elements as in the metadata
	locator      // to elements
	units8       // counted UTF-8
	units16      // counted UTF-16
	fixedUnits8  // as many as in the metadata
	fixedUnits16 // likewise
	object       // in an array
)

// move moves over a part of a payload.
type move struct {
	action action
	size   int    // bytes of a value, or of all skipped values
	least  int    // minimum bytes of an element
	count  int    // of a fixed array
	rel    bool   // a locator counts from its end
	list   []move // of an element
	parts  []int  // sizes of the fields that are passed over
}

// newPlan makes the plan of a row.
func newPlan(fields []codec.Field, pointer int) *plan {
	p := &plan{fields: fields, pointer: pointer, ways: []way{{}}}
	for _, m := range manners {
		if holds(fields, m.code) && (m.manner != manner{decimal8: true, boolean1: true} || holds(fields, wire.Boolean)) {
			p.ways = append(p.ways, way{manner: m.manner, tells: m.tells})
		}
	}
	return p
}

// holds reports whether a type occurs in a list of fields. A code unit counts
// only as a single one.
func holds(fields []codec.Field, code wire.TypeCode) bool {
	for i := range fields {
		if typeHolds(&fields[i].Type, code) {
			return true
		}
	}
	return false
}

func typeHolds(t *codec.Type, code wire.TypeCode) bool {
	unit := code == wire.UTF8CodeUnit || code == wire.UTF16CodeUnit
	return t.Code == code || t.Element != nil && !(unit && t.Element.Code == code) && typeHolds(t.Element, code) || holds(t.Fields, code)
}

// steps returns those of a way.
func (p *plan) steps(i int) []move {
	w := &p.ways[i]
	if !w.made {
		w.steps, w.made = p.compile(nil, p.fields, w.manner), true
	}
	return w.steps
}

// compile appends the steps of a list of fields, including those of objects.
func (p *plan) compile(steps []move, fields []codec.Field, m manner) []move {
	for i := range fields {
		if t := &fields[i].Type; t.Code == wire.Object {
			steps = p.compile(steps, t.Fields, m)
		} else {
			steps = join(steps, p.step(t, m))
		}
	}
	return steps
}

// join appends a step, or makes the last one longer.
func join(steps []move, s move) []move {
	if n := len(steps); s.action == pass && n > 0 && steps[n-1].action == pass {
		steps[n-1].size += s.size
		steps[n-1].parts = append(steps[n-1].parts, s.size)
		return steps
	}
	return append(steps, s)
}

// step is that of one type.
func (p *plan) step(t *codec.Type, m manner) move {
	size := t.Code.Size()
	switch t.Code {
	case wire.Boolean:
		if m.boolean1 {
			size = 1
		}
		return move{action: boolean, size: size}
	case wire.Boolean8:
		return move{action: boolean, size: 1}
	case wire.NullTerminatedUTF16String:
		return move{action: text16}
	case wire.DateTime:
		if m.date16 {
			size = wire.SystemTimeSize
		}
		return move{action: date, size: size}
	case wire.GUIDCode:
		return move{action: guid, size: size}
	case wire.Single, wire.Double:
		return move{action: float, size: size}
	case wire.VarInt, wire.VarUInt:
		return move{action: number}
	case wire.Array, wire.FixedLengthArray, wire.RelLoc, wire.DataLoc:
		return p.elements(t, m)
	case wire.UTF8CodeUnit, wire.UTF16CodeUnit:
		if m.counted {
			return move{action: units8 + action(size-1)}
		}
	case wire.Decimal:
		if m.decimal8 {
			return move{action: float, size: 8}
		}
	case wire.Byte:
		if m.byte4 {
			size = 4
		}
	case wire.Object:
		return move{action: object, list: p.compile(nil, t.Fields, m)}
	}
	return move{action: pass, size: size, parts: []int{size}}
}

// elements is the step of an array or a locator.
func (p *plan) elements(t *codec.Type, m manner) move {
	s := move{action: array, count: int(t.Count), rel: t.Code == wire.RelLoc}
	switch unit := t.Element.Code; {
	case t.Code == wire.RelLoc || t.Code == wire.DataLoc:
		s.action, s.size, s.least = locator, 4, int(fixedBytes(t.Element, p.pointer))
		if !t.Element.FixedSize() {
			s.least = 1
		}
		return s
	case unit == wire.UTF8CodeUnit || unit == wire.UTF16CodeUnit:
		s.action = units8 + action(unit.Size()-1)
		if t.Code == wire.FixedLengthArray {
			s.action += fixedUnits8 - units8
		}
		return s
	case t.Code == wire.FixedLengthArray:
		s.action = fixed
	}
	s.list = []move{p.step(t.Element, m)}
	s.least = leastBytes(s.list)
	if s.list[0].action == pass {
		s.size = s.list[0].size
	}
	return s
}

// leastBytes is the minimum size of steps.
func leastBytes(steps []move) (n int) {
	for i := range steps {
		n = min(n, math.MaxInt32)
		switch s := &steps[i]; s.action {
		case text16, array, units8, units16:
			n += 2
		case number:
			n++
		case fixed:
			n += s.count * min(s.least, math.MaxInt32)
		case fixedUnits8, fixedUnits16:
			n += s.count * int(s.action-fixedUnits8+1)
		case object:
			n += leastBytes(s.list)
		default:
			n += s.size
		}
	}
	return min(n, math.MaxInt32)
}
