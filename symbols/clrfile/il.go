package clrfile

import (
	"cmp"
	"slices"
	"strings"
)

// Body is what the IL of a method (ECMA-335 II.25.4) says about exceptions and calls.
type Body struct {
	// Protected are the ranges whose exceptions the method can catch.
	Protected []Range
	// Effects are those of the instructions, by IL offset.
	Effects []Effect
}

// Range is a range of IL.
type Range struct {
	// From is the first offset of the range, and To the first one after it.
	From uint32
	To   uint32 // see From
}

// Effect is one thing that an instruction can do.
type Effect struct {
	IL   uint32     // offset of the instruction
	Kind EffectKind // what it does
	// Call is the name of the method for Calls, without its type.
	Call string
}

// EffectKind is a kind of Effect.
type EffectKind uint8

// The kinds of effects. An instruction can have several.
const (
	Throws   EffectKind = iota // it is throw or rethrow
	Faults                     // it can throw, without being throw or a call of a method without instance
	Calls                      // it calls a method
	Indirect                   // it calls a pointer or a delegate, whose target is not known
)

// Kinds of clauses that catch exceptions: by type and by filter.
const (
	clauseCatch  = 0
	clauseFilter = 1
)

// Body returns the IL of a method, false if it has none.
func (im *Image) Body(token uint32) (*Body, bool) {
	if token>>24 != tableMethodDef {
		return nil, false
	}
	address := im.meta.cell(tableMethodDef, token&0xFFFFFF, 0)
	if address == 0 {
		return nil, false
	}
	c := im.at(address)
	first := c.uint8()
	b := &Body{}
	if first&3 == 2 { // the short header
		b.readCode(im, c.take(uint64(first>>2)))
		return b, !c.bad()
	}
	flags := uint16(first) | uint16(c.uint8())<<8
	c.skip(2)
	size := c.uint32()
	c.skip(4)
	b.readCode(im, c.take(uint64(size)))
	if c.bad() || first&3 != 3 {
		return nil, false
	}
	if flags&8 != 0 {
		b.readClauses(&c)
	}
	return b, true
}

// readClauses reads the sections of exception handlers after the code.
func (b *Body) readClauses(c *cursor) {
	for {
		c.skip(uint64(-c.pos & 3))
		kind := c.uint8()
		fat := kind&0x40 != 0
		size := uint32(c.uint8()) | uint32(c.uint16())<<8
		each := uint32(12)
		if fat {
			each = 24
		} else {
			size &= 0xFF
		}
		if c.bad() || size < 4 {
			return
		}
		rows := at(c.take(uint64(size-4)), 0)
		for kind&1 != 0 && rows.left() >= int(each) {
			var of, from, size uint32
			if fat {
				of, from, size = rows.uint32(), rows.uint32(), rows.uint32()
				rows.skip(12) // the handler, and a type or a filter
			} else {
				of, from, size = uint32(rows.uint16()), uint32(rows.uint16()), uint32(rows.uint8())
				rows.skip(7)
			}
			if of == clauseCatch || of == clauseFilter {
				b.Protected = append(b.Protected, Range{from, max(from, from+size)})
			}
		}
		if c.bad() || kind&0x80 == 0 {
			return
		}
	}
}

// Caught reports whether an exception at an IL offset can be caught in the same
// method.
func (b *Body) Caught(il uint32) bool {
	return slices.ContainsFunc(b.Protected, func(r Range) bool { return il >= r.From && il < r.To })
}

// Statement is what the instructions of a range of IL can do.
type Statement struct {
	// Throws reports a throw or rethrow instruction.
	Throws bool
	// Faults reports that other instructions than calls can throw an exception, or
	// calls of an instance that may be null.
	Faults bool
	// Calls has the names of the called methods, without their types.
	Calls []string
	// Indirect reports calls whose target is not known: of pointers and delegates.
	Indirect bool
}

// Opcodes that are distinguished.
const (
	opCall     = 0x28
	opCalli    = 0x29
	opRet      = 0x2A
	opSwitch   = 0x45
	opCallvirt = 0x6F
	opNewobj   = 0x73
	opThrow    = 0x7A
	opPrefix   = 0xFE
	opRethrow  = opPrefix<<8 | 0x1A
)

// operands are the sizes of the operands of opcodes of one byte; others have none.
var operands = func() (sizes [256]uint8) {
	set := func(size uint8, codes ...int) {
		for _, c := range codes {
			sizes[c] = size
		}
	}
	set(1, 0x0E, 0x0F, 0x10, 0x11, 0x12, 0x13, 0x1F, 0xDE)
	for c := 0x2B; c <= 0x37; c++ {
		set(1, c)
	}
	for c := 0x38; c <= 0x44; c++ {
		set(4, c)
	}
	set(4, 0x20, 0x22, 0x27, opCall, opCalli, opCallvirt, 0x70, 0x71, 0x72, opNewobj, 0x74, 0x75, 0x79, 0x7B, 0x7C, 0x7D, 0x7E, 0x7F, 0x80, 0x81,
		0x8C, 0x8D, 0x8F, 0xA3, 0xA4, 0xA5, 0xC2, 0xC6, 0xD0, 0xDD)
	set(8, 0x21, 0x23)
	return sizes
}()

// operandsOfTwo are those of opcodes of two bytes, by the second.
var operandsOfTwo = [256]uint8{
	0x06: 4, 0x07: 4, 0x09: 2, 0x0A: 2, 0x0B: 2, 0x0C: 2, 0x0D: 2, 0x0E: 2, 0x12: 1, 0x15: 4, 0x16: 4, 0x19: 1, 0x1C: 4,
}

// harmless reports whether an opcode of one byte cannot throw: constants, locals,
// arguments, branches, arithmetic without division and overflow, static fields of
// an initialized type.
func harmless(op uint16) bool {
	switch {
	case op <= 0x26: // nop to pop
		return true
	case op >= opRet && op <= 0x45: // ret, branches, switch
		return true
	case op >= 0x58 && op <= 0x5A, op >= 0x5F && op <= 0x6E: // add to mul, and to conv
		return true
	case op == 0x72, op == 0xDC, op == 0xDD, op == 0xDE: // ldstr, endfinally, leave
		return true
	}
	return false
}

// Statement describes the instructions of from <= IL offset < to.
func (b *Body) Statement(from, to uint32) Statement {
	var s Statement
	i, _ := slices.BinarySearchFunc(b.Effects, from, func(e Effect, il uint32) int { return cmp.Compare(e.IL, il) })
	for _, e := range b.Effects[i:] {
		if e.IL >= to {
			break
		}
		switch e.Kind {
		case Throws:
			s.Throws = true
		case Faults:
			s.Faults = true
		case Indirect:
			s.Indirect = true
		case Calls:
			s.Calls = append(s.Calls, e.Call)
		}
	}
	return s
}

// longestCode is the number of bytes of a method's code that are read.
const longestCode = 1 << 20

// readCode finds the effects of code.
func (b *Body) readCode(im *Image, code []byte) {
	c := at(code[:min(len(code), longestCode)], 0)
	for c.left() > 0 {
		il := uint32(c.pos)
		add := func(kind EffectKind, call string) { b.Effects = append(b.Effects, Effect{il, kind, call}) }
		op, size := uint16(c.uint8()), uint64(0)
		if op == opPrefix {
			second := c.uint8()
			op, size = op<<8|uint16(second), uint64(operandsOfTwo[second])
		} else {
			size = uint64(operands[op])
		}
		operand := at(c.take(size), 0)
		switch op {
		case opSwitch:
			c.skip(4 * uint64(c.uint32()))
		case opThrow, opRethrow:
			add(Throws, "")
		case opCall, opCallvirt, opNewobj:
			if name := im.called(operand.uint32()); name == "" || name == "Invoke" {
				add(Indirect, "")
			} else {
				add(Calls, name)
			}
			if op == opCallvirt {
				add(Faults, "")
			}
		case opCalli:
			add(Indirect, "")
		default:
			if !harmless(op) {
				add(Faults, "")
			}
		}
	}
}

// called returns the name of a method by its token, "" if it is not known. That of
// an explicit implementation of an interface has no interface.
func (im *Image) called(token uint32) string {
	table, row := uint8(token>>24), token&0xFFFFFF
	if table == tableMethodSpec {
		table, row = decoded(colMethodDefOrRef, im.meta.cell(tableMethodSpec, row, 0))
	}
	switch table {
	case tableMethodDef:
		return plainMethod(im.meta.string(im.meta.cell(tableMethodDef, row, 3)))
	case tableMemberRef:
		return plainMethod(im.meta.string(im.meta.cell(tableMemberRef, row, 1)))
	}
	return ""
}

// plainMethod is the name of a method without the interface that it implements.
func plainMethod(name string) string {
	if strings.HasPrefix(name, ".") { // .ctor
		return name
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}
