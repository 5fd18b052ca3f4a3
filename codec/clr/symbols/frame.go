package symbols

import (
	"cmp"
	"strconv"
	"strings"
)

// Evidence is the kind of event that the name of an address is based on.
type Evidence uint8

// The kinds of evidence, in the order of their events. Only a name by
// EntryPoint can be wrong in a correct trace.
const (
	None       Evidence = iota // there is no name
	Load                       // a load event: JIT, tier-up, rejit, dynamic code
	Unload                     // an unload event whose load is not in the trace
	Rundown                    // the rundown
	EntryPoint                 // the nearest lower entry point that the runtime looked up
	Native                     // a symbol of a mapping (v6)
	Mapping                    // only a mapping: the file is known, the function is not
	Image                      // the image of a module, a file that is not in the trace
)

var evidenceNames = [...]string{"none", "load", "unload", "rundown", "entry point", "symbol", "mapping", "image"}

// String returns "none", "load", "unload", "rundown", "entry point", "symbol",
// "mapping" or "image".
func (e Evidence) String() string {
	if int(e) < len(evidenceNames) {
		return evidenceNames[e]
	}
	return "Evidence(" + strconv.Itoa(int(e)) + ")"
}

// Symbol is a method or a native function. Different code of one method, such
// as tiers or copies at other addresses, has one Symbol: within a Table equal
// symbols are the same pointer. All callers share it and must not modify it.
type Symbol struct {
	// Module is the module of the method or function, may be nil.
	Module    *Module
	Namespace string // for a method: its type with the namespace, "System.Text.Rune"
	Method    string // name of the method or native function
	Signature string // for a method, as the runtime writes it: "instance void (int32)"

	number int
	module string // instead of Module's name
	joint  string // between Namespace and Method, "" for a dot
	shown  string // Name, if it is not made of the others
}

// Frame is the meaning of an address at a time.
type Frame struct {
	// Address is the address of the instruction.
	Address uint64
	Symbol  *Symbol // nil if there is no name
	Module  *Module // of the symbol, or of the mapping with the address; may be nil
	// Evidence is the basis of the name.
	Evidence Evidence
	// Code is the body that contains the address, for a method and with
	// Options.Lines, otherwise nil.
	Code *Code

	rundown bool // the process has a rundown, which names all methods
}

// RawName returns the name as TraceEvent prints it: module!Namespace.Name and
// the signature from its first "(" on, without the return type; for a native
// function module!name, in jitted code (v6) module!Namespace::Name(parameters).
// Without a symbol it returns the address in lower-case hex: "?!0x7f..", or
// "libc.so!0x7f.." in a mapping of a file.
func (f Frame) RawName() string {
	switch {
	case f.Symbol != nil:
		return f.Symbol.RawName()
	case f.Module != nil && !f.Module.memory && f.Module.name != "":
		return f.Module.name + "!" + hexAddress(f.Address)
	}
	return "?!" + hexAddress(f.Address)
}

func hexAddress(a uint64) string { return "0x" + strconv.FormatUint(a, 16) }

// RawName returns the name in the form of Frame.RawName.
func (s *Symbol) RawName() string {
	var b strings.Builder
	b.WriteString(s.ModuleName())
	b.WriteByte('!')
	if s.Namespace != "" {
		b.WriteString(s.Namespace)
		b.WriteString(cmp.Or(s.joint, "."))
	}
	b.WriteString(s.Method)
	if at := strings.IndexByte(s.Signature, '('); at >= 0 {
		b.WriteString(s.Signature[at:])
	}
	return b.String()
}

// ModuleName returns the name of the symbol's module in raw names.
func (s *Symbol) ModuleName() string {
	if s.module != "" || s.Module == nil {
		return s.module
	}
	return s.Module.name
}

// Number returns a small unique number of the symbol within its Table, from 0.
func (s *Symbol) Number() int { return s.number }

// symbol makes the symbol of a function, once.
func (t *Table) symbol(number uint32) *Symbol {
	for len(t.symbols) < len(t.functions) {
		t.symbols = append(t.symbols, make([]*Symbol, len(t.functions)-len(t.symbols))...)
	}
	if t.symbols[number] == nil {
		f := &t.functions[number]
		s := &Symbol{
			Module: t.modules[f.module], number: int(number),
			Namespace: valid(t.texts.get(f.namespace)),
			Method:    valid(t.texts.get(f.name)),
			Signature: valid(t.texts.get(f.signature)),
			shown:     valid(t.texts.get(f.shown)),
		}
		s.splitJitted()
		t.symbols[number] = s
	}
	return t.symbols[number]
}
