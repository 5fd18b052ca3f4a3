package symbols

import (
	"cmp"
	"strconv"
	"strings"
)

// Evidence is what the name of an address rests on.
type Evidence uint8

// In the order of the events that tell; a name by EntryPoint is the only one
// that may be wrong where the trace is right.
const (
	None       Evidence = iota // there is no name
	Load                       // a load event: JIT, tier-up, rejit, dynamic code
	Unload                     // an unload event whose load is not in the trace
	Rundown                    // the rundown
	EntryPoint                 // the nearest entry point below that the runtime looked up
	Native                     // a symbol of a mapping (v6)
	Mapping                    // a mapping alone: the file is known, the function is not
)

var evidenceNames = [...]string{"none", "load", "unload", "rundown", "entry point", "symbol", "mapping"}

func (e Evidence) String() string {
	if int(e) < len(evidenceNames) {
		return evidenceNames[e]
	}
	return "Evidence(" + strconv.Itoa(int(e)) + ")"
}

// Symbol is a method or a native function: what different code of it, of other
// tiers or at other addresses, has in common. Equal symbols of a Table are the same
// pointer. It is shared: do not change it.
type Symbol struct {
	Module    *Module
	Namespace string // of a method: its type with the namespace, "System.Text.Rune"
	Method    string // its name, or that of the native function
	Signature string // of a method, as the runtime writes it: "instance void  (int32)"

	number int
	module string // instead of Module's name
	joint  string // between Namespace and Method, "" for a dot
}

// Frame is what an address meant at a time.
type Frame struct {
	Address  uint64
	Symbol   *Symbol // nil when there is no name
	Module   *Module // of the symbol, or of the mapping that holds the address; may be nil
	Evidence Evidence

	rundown bool // the process has a rundown, which names all methods
}

// RawName is the name as TraceEvent prints it: module!Namespace.Name and the
// signature from its first "(" on, without the return type; of a native function
// module!name, of one in jitted code (v6) module!Namespace::Name(parameters).
// Without a symbol it is the address, lower-case hex: "?!0x7f..", or
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

// RawName is the name as Frame.RawName gives it.
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

// ModuleName is the name of the module that the symbol is in, as it stands in
// raw names.
func (s *Symbol) ModuleName() string {
	if s.module != "" || s.Module == nil {
		return s.module
	}
	return s.Module.name
}

// Number is a small number, counted from 0, that no other symbol of the Table has.
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
		}
		s.splitJitted()
		t.symbols[number] = s
	}
	return t.symbols[number]
}
