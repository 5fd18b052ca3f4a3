package symbols

import (
	"slices"
	"strconv"
	"strings"
)

// Name returns the name of a method in C# syntax, without the module:
//
//	System.Collections.Generic.Dictionary<string, int>.Add(string, int)
//
// The method's type has its namespace, types of arguments have none. Type
// parameters of the type are replaced by the type arguments if the trace has
// them; others are T0, T1 ..., those of the method M0, M1 ...
//
// Code that the compiler generated has the name of its source:
//
//	Program.Main.lambda#2(string)  a lambda in Main, the third of its closure
//	Program.Main.Local(int)        a local function in Main
//	Program.RunAsync [async]       the state machine of an async method, which does
//	                               not have the parameters
//	Program.Items [iterator]       that of an iterator
//
// "?" is a method without a name, and a type for which the runtime writes an
// address instead of a name, as in dynamic methods. The names of native functions, and names that do not have
// the form of a method, are returned unchanged.
func (s *Symbol) Name() string {
	if s.shown != "" {
		return s.shown
	}
	method := s.Method
	if strings.TrimSpace(method) == "" {
		method = "?"
	}
	if s.Namespace == "" && s.Signature == "" {
		return method
	}
	typ := parseType(s.Namespace)
	arguments := make([]string, len(typ.arguments))
	for i, a := range typ.arguments {
		arguments[i] = shortType(a, 0)
	}
	var b strings.Builder
	machine := typ.write(&b, arguments)
	parameters := s.machineKind()
	if !machine || s.Method != "MoveNext" {
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(methodName(method))
		parameters = parameterList(s.Signature, arguments)
	}
	b.WriteString(parameters)
	return b.String()
}

// machineKind is the suffix of the name of a state machine's method: iterators
// return whether there is another element. It has no parentheses and no dots,
// because viewers shorten names at these.
func (s *Symbol) machineKind() string {
	if strings.HasPrefix(s.Signature, "instance bool") {
		return " [iterator]"
	}
	return " [async]"
}

// TypeName returns the name of the type that declares the method, in the form
// of Name: for a closure or a state machine that of the enclosing type. It
// returns "" without a type.
func (s *Symbol) TypeName() string {
	typ := parseType(s.Namespace)
	for n := len(typ.names); n > 1; n-- {
		last := typ.names[n-1]
		if _, made := plainName(last[lastDot(last)+1:]); made == byUser {
			break
		}
		typ.names, typ.suffix = typ.names[:n-1], ""
	}
	return typ.full(false)
}

// TypeName converts the name of a type, as in events about allocations and
// exceptions, to the form of Symbol.Name:
//
//	System.Collections.Generic.Dictionary`2[System.String,A.B+C][]
//	System.Collections.Generic.Dictionary<string, B.C>[]
//
// A type that the compiler generated for a state machine gets the name of its
// method: "A.B.RunAsync [state machine]".
func TypeName(text string) string {
	typ := parseType(text)
	return typ.full(true)
}

// full writes the type with its namespace. With made, closures are written and
// state machines marked.
func (t *typeName) full(made bool) string {
	arguments := make([]string, len(t.arguments))
	for i, a := range t.arguments {
		arguments[i] = shortType(a, 0)
	}
	var b strings.Builder
	suffix := t.suffix
	t.closures, t.suffix = made, ""
	if t.write(&b, arguments) && made {
		b.WriteString(" [state machine]")
	}
	b.WriteString(suffix)
	return b.String()
}

// methodName is the name of a method without the additions of the compiler.
func methodName(name string) string {
	inner, rest, ok := generated(name)
	if !ok || inner == "" {
		return name
	}
	from := methodName(inner)
	switch {
	case strings.HasPrefix(rest, "b__"):
		return from + ".lambda#" + rest[strings.LastIndexByte(rest, '_')+1:]
	case strings.HasPrefix(rest, "g__"):
		local, _, _ := strings.Cut(rest[len("g__"):], "|")
		return from + "." + local
	case rest == "", rest == "$", isMachine(rest):
		return from
	}
	return name
}

// isMachine reports whether a generated type is a state machine, by the
// characters after the angle brackets.
func isMachine(rest string) bool { return rest == "d" || strings.HasPrefix(rest, "d__") }

// longestGenerated is the longest distance between an opening and a closing
// bracket; names in C# have at most 1,023 characters.
const longestGenerated = 4 << 10

// generated splits a name that the compiler made, "<inner>rest".
func generated(name string) (inner, rest string, ok bool) {
	if !strings.HasPrefix(name, "<") {
		return "", "", false
	}
	depth := 0
	for i := range min(len(name), longestGenerated) {
		switch name[i] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return name[1:i], name[i+1:], true
			}
		}
	}
	return "", "", false
}

// typeName is the name of a type as the runtime writes it:
// Ns.Outer`1+Inner`1[A,B][].
type typeName struct {
	names     []string // Ns.Outer`1, Inner`1
	arguments []string // A, B
	suffix    string   // []
	closures  bool     // write closures too
}

func parseType(text string) typeName {
	head, list, suffix := text, "", ""
	if open := strings.IndexByte(text, '['); open > 0 {
		head = text[:open]
		if end := closing(text, open); end > open+1 && text[open+1] != ',' {
			list, suffix = text[open+1:end], text[end+1:]
		} else {
			suffix = text[open:]
		}
	} else if at := strings.IndexAny(text, "*&"); at >= 0 {
		head, suffix = text[:at], text[at:]
	}
	t := typeName{names: splitOutside(head, '+'), suffix: suffix}
	if list != "" {
		t.arguments = splitOutside(list, ',')
	}
	return t
}

// closing is where the bracket that opens at a position closes, -1 for nowhere.
func closing(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// splitOutside splits text at a separator where no bracket is open.
func splitOutside(text string, separator byte) []string {
	var parts []string
	depth, start := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '[' || c == '<' || c == '(':
			depth++
		case c == ']' || c == '>' || c == ')':
			depth--
		case c == separator && depth <= 0:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}

// write writes the type with these arguments, and reports whether it ends in a
// state machine.
func (t *typeName) write(b *strings.Builder, arguments []string) bool {
	made := byUser
	for i, name := range t.names {
		plain, own, rest := trimArity(name, arguments)
		arguments = rest
		dot := lastDot(plain) + 1
		var text string
		if text, made = plainName(plain[dot:]); made == closure && i > 0 && !t.closures {
			continue
		}
		if b.Len() > 0 && i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(plain[:dot])
		b.WriteString(text)
		if i == len(t.names)-1 {
			own = append(own, rest...)
		}
		if made != stateMachine && len(own) > 0 {
			b.WriteString("<" + strings.Join(own, ", ") + ">")
		}
	}
	b.WriteString(t.suffix)
	return made == stateMachine
}

// trimArity removes the number of type parameters from a name, and splits as many
// of the arguments.
func trimArity(name string, arguments []string) (plain string, own, rest []string) {
	plain, digits, _ := strings.Cut(name, "`")
	n, _ := strconv.ParseUint(digits, 10, 16)
	own = arguments[:min(int(n), len(arguments))]
	return plain, slices.Clip(own), arguments[len(own):]
}

// origin is the author of a type, and its purpose.
type origin uint8

const (
	byUser origin = iota
	stateMachine
	closure
)

// plainName is the name of a type without the additions of the compiler.
func plainName(name string) (string, origin) {
	inner, rest, made := generated(name)
	switch {
	case !made:
	case inner == "" && strings.HasPrefix(rest, "c"): // <>c, <>c__DisplayClass0_0
		return name, closure
	case inner != "" && isMachine(rest):
		return methodName(inner), stateMachine
	case inner != "" && strings.HasPrefix(rest, "F"): // a type that is local to a file
		if _, local, found := strings.Cut(rest, "__"); found {
			return local, byUser
		}
	}
	return name, byUser
}

// lastDot is the position of the last dot that no bracket holds, -1 for none.
func lastDot(name string) int {
	depth, last := 0, -1
	for i := range len(name) {
		switch name[i] {
		case '<':
			depth++
		case '>':
			depth--
		case '.':
			if depth == 0 {
				last = i
			}
		}
	}
	return last
}

// maxNesting is the depth of nested types that are parsed; deeper ones are
// copied.
const maxNesting = 16

// shortType is a type as the runtime writes type arguments, without namespaces.
func shortType(text string, depth int) string {
	if depth == maxNesting {
		return text
	}
	typ := parseType(text)
	arguments := make([]string, len(typ.arguments))
	for i, a := range typ.arguments {
		arguments[i] = shortType(a, depth+1)
	}
	return typ.short(arguments)
}

// short is the type without its namespace; C# has words for some.
func (t *typeName) short(arguments []string) string {
	first := t.names[0]
	if word, ok := keywords[first]; ok {
		return word + t.suffix
	}
	if first == "System.Nullable`1" && len(arguments) == 1 {
		return arguments[0] + "?" + t.suffix
	}
	t.names[0] = first[lastDot(first)+1:]
	var b strings.Builder
	t.write(&b, arguments)
	return b.String()
}
