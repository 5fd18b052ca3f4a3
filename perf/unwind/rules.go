package unwind

import (
	"encoding/binary"
	"slices"
	"sort"
)

// The registers of x86-64 by their numbers in DWARF.
const (
	regBX     = 3
	regBP     = 6
	regSP     = 7
	regIP     = 16 // the return address
	registers = 17
)

// howSaved says where a register of the caller is.
type howSaved uint8

const (
	same       howSaved = iota // it was not changed
	undefined                  // it is lost
	atOffset                   // in memory, at the frame address plus offset
	isOffset                   // it is the frame address plus offset
	inRegister                 // in the register offset
	atExpr                     // in memory, at the value of an expression
	isExpr                     // it is the value of an expression
)

// rule says where one register is.
type rule struct {
	how    howSaved
	offset int64
	expr   []byte
}

// rules are those of one address.
type rules struct {
	frame         rule // of the frame address: isOffset of the register reg, or isExpr
	reg           uint64
	saved         [registers]rule
	returnAddress uint64
	signal        bool
}

// at returns the rules of an address in the file's own space, nil if there are none.
func (t *Table) at(address uint64) *rules {
	if have, ok := t.known[address]; ok {
		return have
	}
	var found *rules
	n := sort.Search(len(t.entries), func(i int) bool { return t.entries[i].start > address })
	if n > 0 && address < t.entries[n-1].end {
		e := &t.entries[n-1]
		var r rules
		if r.run(e.common.code, e.common, e.start, ^uint64(0), nil) {
			first := r.saved
			if r.run(e.code, e.common, e.start, address, &first) {
				r.returnAddress, r.signal = e.common.returnAddress, e.common.signal
				found = &r
			}
		}
	}
	const most = 1 << 16
	if len(t.known) < most {
		t.known[address] = found
	}
	return found
}

// run executes the instructions of a table up to an address. first are the rules at the
// beginning. It returns false for instructions that are malformed or not known.
func (r *rules) run(code []byte, c *common, at, target uint64, first *[registers]rule) bool {
	type state struct {
		frame rule
		reg   uint64
		saved [registers]rule
	}
	var stack []state
	in := &reader{b: code}
	set := func(register uint64, to rule) {
		if register < registers {
			r.saved[register] = to
		}
	}
	restore := func(register uint64) {
		switch {
		case register >= registers:
		case first != nil:
			r.saved[register] = first[register]
		default:
			r.saved[register] = rule{}
		}
	}
	expression := func() []byte { return in.bytes(int(min(in.unsigned(), uint64(len(code))))) }
	for in.pos < len(code) && !in.bad {
		op := in.byte()
		low := uint64(op & 0x3F)
		step := uint64(0)
		switch op & 0xC0 {
		case 0x40:
			step = low
		case 0x80:
			set(low, rule{how: atOffset, offset: int64(in.unsigned()) * c.dataAlign})
		case 0xC0:
			restore(low)
		default:
			switch op {
			case 0x00: // nop
			case 0x02:
				step = uint64(in.byte())
			case 0x03:
				step = uint64(binary.LittleEndian.Uint16(in.bytes(2)))
			case 0x04:
				step = uint64(binary.LittleEndian.Uint32(in.bytes(4)))
			case 0x05:
				register := in.unsigned()
				set(register, rule{how: atOffset, offset: int64(in.unsigned()) * c.dataAlign})
			case 0x06:
				restore(in.unsigned())
			case 0x07:
				set(in.unsigned(), rule{how: undefined})
			case 0x08:
				set(in.unsigned(), rule{})
			case 0x09:
				register := in.unsigned()
				set(register, rule{how: inRegister, offset: int64(in.unsigned())})
			case 0x0A:
				stack = append(stack, state{r.frame, r.reg, r.saved})
			case 0x0B:
				if len(stack) == 0 {
					return false
				}
				last := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				r.frame, r.reg, r.saved = last.frame, last.reg, last.saved
			case 0x0C:
				r.reg = in.unsigned()
				r.frame = rule{how: isOffset, offset: int64(in.unsigned())}
			case 0x0D:
				r.reg = in.unsigned()
			case 0x0E:
				r.frame = rule{how: isOffset, offset: int64(in.unsigned())}
			case 0x0F:
				r.frame = rule{how: isExpr, expr: expression()}
			case 0x10:
				register := in.unsigned()
				set(register, rule{how: atExpr, expr: expression()})
			case 0x11:
				register := in.unsigned()
				set(register, rule{how: atOffset, offset: in.signed() * c.dataAlign})
			case 0x12:
				r.reg = in.unsigned()
				r.frame = rule{how: isOffset, offset: in.signed() * c.dataAlign}
			case 0x13:
				r.frame = rule{how: isOffset, offset: in.signed() * c.dataAlign}
			case 0x14:
				register := in.unsigned()
				set(register, rule{how: isOffset, offset: int64(in.unsigned()) * c.dataAlign})
			case 0x16:
				register := in.unsigned()
				set(register, rule{how: isExpr, expr: expression()})
			case 0x2E:
				in.unsigned() // size of the arguments
			default:
				return false
			}
		}
		if at += step * c.codeAlign; at > target {
			break
		}
	}
	return !in.bad
}

// frame is the state of one frame: the registers that are known.
type frame struct {
	value [registers]uint64
	known [registers]bool
}

func (f *frame) set(register int, v uint64) { f.value[register], f.known[register] = v, true }

// memory reads a word of the copied stack.
type memory func(address uint64) (uint64, bool)

// caller returns the registers of the caller. end means that there is none: the frame is the
// root.
func (r *rules) caller(f *frame, read memory) (up frame, end, ok bool) {
	var base uint64
	switch r.frame.how {
	case isOffset:
		if r.reg >= registers || !f.known[r.reg] {
			return up, false, false
		}
		base = f.value[r.reg] + uint64(r.frame.offset)
	case isExpr:
		if base, ok = evaluate(r.frame.expr, f, read, nil); !ok {
			return up, false, false
		}
	default:
		return up, false, false
	}
	if r.returnAddress >= registers {
		return up, false, false
	}
	if how := r.saved[r.returnAddress].how; how == undefined || how == same {
		return up, true, true
	}
	for _, register := range [...]int{regBX, regBP, 12, 13, 14, 15, int(r.returnAddress)} {
		v, known := r.value(register, base, f, read)
		to := register
		if register == int(r.returnAddress) {
			to = regIP
		}
		if up.value[to], up.known[to] = v, known; !known && to == regIP {
			return up, false, false
		}
	}
	up.set(regSP, base)
	return up, false, true
}

// value returns a register of the caller.
func (r *rules) value(register int, base uint64, f *frame, read memory) (uint64, bool) {
	one := &r.saved[register]
	switch one.how {
	case same:
		return f.value[register], f.known[register]
	case atOffset:
		return read(base + uint64(one.offset))
	case isOffset:
		return base + uint64(one.offset), true
	case inRegister:
		if one.offset >= 0 && one.offset < registers {
			return f.value[one.offset], f.known[one.offset]
		}
	case atExpr:
		if at, ok := evaluate(one.expr, f, read, []uint64{base}); ok {
			return read(at)
		}
	case isExpr:
		return evaluate(one.expr, f, read, []uint64{base})
	}
	return 0, false
}

// evaluate computes an expression of DWARF: those of the procedure linkage table, of signal
// handlers and of realigned stacks are known.
func evaluate(code []byte, f *frame, read memory, stack []uint64) (uint64, bool) {
	in := &reader{b: code}
	stack = slices.Clone(stack)
	pop := func() uint64 {
		if len(stack) == 0 {
			in.bad = true
			return 0
		}
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		return v
	}
	for in.pos < len(code) && !in.bad {
		op := in.byte()
		switch {
		case op >= 0x70 && op <= 0x8F: // a register plus a number
			offset := in.signed()
			if register := int(op - 0x70); register < registers && f.known[register] {
				stack = append(stack, f.value[register]+uint64(offset))
				continue
			}
			return 0, false
		case op >= 0x30 && op <= 0x4F:
			stack = append(stack, uint64(op-0x30))
		case op == 0x03:
			stack = append(stack, binary.LittleEndian.Uint64(in.bytes(8)))
		case op == 0x06:
			v, ok := read(pop())
			if !ok {
				return 0, false
			}
			stack = append(stack, v)
		case op == 0x08:
			stack = append(stack, uint64(in.byte()))
		case op == 0x09:
			stack = append(stack, uint64(int64(int8(in.byte()))))
		case op == 0x0A:
			stack = append(stack, uint64(binary.LittleEndian.Uint16(in.bytes(2))))
		case op == 0x0B:
			stack = append(stack, uint64(int64(int16(binary.LittleEndian.Uint16(in.bytes(2))))))
		case op == 0x0C:
			stack = append(stack, uint64(binary.LittleEndian.Uint32(in.bytes(4))))
		case op == 0x12:
			v := pop()
			stack = append(stack, v, v)
		case op == 0x23:
			stack = append(stack, pop()+in.unsigned())
		default:
			b, a := pop(), pop()
			v, ok := operate(op, a, b)
			if !ok {
				return 0, false
			}
			stack = append(stack, v)
		}
	}
	if in.bad || len(stack) == 0 {
		return 0, false
	}
	return stack[len(stack)-1], true
}

// operate computes an operation of two values.
func operate(op byte, a, b uint64) (uint64, bool) {
	truth := func(t bool) (uint64, bool) {
		if t {
			return 1, true
		}
		return 0, true
	}
	switch op {
	case 0x1A:
		return a & b, true
	case 0x1C:
		return a - b, true
	case 0x1E:
		return a * b, true
	case 0x21:
		return a | b, true
	case 0x22:
		return a + b, true
	case 0x24:
		return a << (b & 63), true
	case 0x25:
		return a >> (b & 63), true
	case 0x29:
		return truth(a == b)
	case 0x2A:
		return truth(int64(a) >= int64(b))
	case 0x2B:
		return truth(int64(a) > int64(b))
	case 0x2C:
		return truth(int64(a) <= int64(b))
	case 0x2D:
		return truth(int64(a) < int64(b))
	case 0x2E:
		return truth(a != b)
	}
	return 0, false
}
