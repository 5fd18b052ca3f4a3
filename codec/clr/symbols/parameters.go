package symbols

import "strings"

// primitives are the runtime's words for types in signatures, and those of C#.
var primitives = map[string]string{
	"bool": "bool", "wchar": "char", "int8": "sbyte", "unsigned int8": "byte", "int16": "short",
	"unsigned int16": "ushort", "int32": "int", "unsigned int32": "uint", "int64": "long",
	"unsigned int64": "ulong", "float32": "float", "float64": "double", "int": "nint", "unsigned int": "nuint",
}

// keywords are the types that C# has words for.
var keywords = map[string]string{
	"System.Boolean": "bool", "System.Char": "char", "System.SByte": "sbyte", "System.Byte": "byte",
	"System.Int16": "short", "System.UInt16": "ushort", "System.Int32": "int", "System.UInt32": "uint",
	"System.Int64": "long", "System.UInt64": "ulong", "System.Single": "float", "System.Double": "double",
	"System.IntPtr": "nint", "System.UIntPtr": "nuint", "System.Decimal": "decimal",
	"System.String": "string", "System.Object": "object",
}

// parameterList is the parameters of a signature, "instance void (int32,!0)", as
// C# writes them: "(int, string)". The arguments are those of the method's type.
func parameterList(signature string, arguments []string) string {
	open := strings.IndexByte(signature, '(')
	if open < 0 {
		return ""
	}
	p := parameters{rest: signature[open+1:], arguments: arguments}
	return "(" + strings.Join(p.list(')'), ", ") + ")"
}

// parameters reads types in the form of signatures:
// class Ns.Type`1<int32>[], value class Ns.Type&, !0, fnptr void(int32).
type parameters struct {
	rest      string
	arguments []string
	depth     int
}

// list reads types up to a closing bracket, or to the end.
func (p *parameters) list(end byte) []string {
	var types []string
	for p.rest != "" && !p.accept(string(end)) {
		before := len(p.rest)
		types = append(types, p.typ())
		p.accept(",")
		if len(p.rest) == before { // no type, and no end of one
			p.rest = p.rest[1:]
		}
	}
	return types
}

func (p *parameters) accept(text string) bool {
	var found bool
	p.rest, found = strings.CutPrefix(p.rest, text)
	return found
}

// word reads up to one of these characters.
func (p *parameters) word(ends string) string {
	at := strings.IndexAny(p.rest, ends)
	if at < 0 {
		at = len(p.rest)
	}
	word := p.rest[:at]
	p.rest = p.rest[at:]
	return word
}

func (p *parameters) typ() string {
	if p.depth == maxNesting {
		return p.word(",)")
	}
	p.depth++
	defer func() { p.depth-- }()
	reference := "ref "
	for p.accept("required_modifier ") || p.accept("optional_modifier ") {
		if strings.HasSuffix(p.word(" "), ".InAttribute") {
			reference = "in "
		}
		p.accept(" ")
	}
	return p.suffixes(p.plain(), reference)
}

// plain reads a type without its suffix.
func (p *parameters) plain() string {
	switch {
	case p.accept("class "), p.accept("value class "):
		return p.named()
	case p.accept("fnptr "):
		result := p.typ()
		p.accept("(")
		return "delegate*<" + strings.Join(append(p.list(')'), result), ", ") + ">"
	case p.accept("!!"):
		return "M" + p.word(",)>[*&")
	case p.accept("!"):
		number := p.word(",)>[*&")
		if len(number) == 1 && number[0] >= '0' && int(number[0]-'0') < len(p.arguments) {
			return p.arguments[number[0]-'0']
		}
		return "T" + number
	}
	word := p.word(",()<>[]*&")
	if name, ok := primitives[word]; ok {
		return name
	}
	if strings.HasPrefix(word, methodTable) {
		word = "?"
	}
	if p.accept("<") {
		word += "<" + strings.Join(p.list('>'), ", ") + ">"
	}
	return word
}

// methodTable begins the parameter types of dynamic methods, for which the
// runtime writes the address of the type's method table instead of a name: it
// differs between runs.
const methodTable = "pMT: "

// named reads the name of a type and its arguments in angle brackets. The
// compiler's own names begin with such brackets too.
func (p *parameters) named() string {
	name := ""
	for {
		inner, rest, made := generated(p.rest)
		if made {
			name += "<" + inner + ">"
			p.rest = rest
		}
		word := p.word(",()<>[]*&+.")
		name += word
		if (made || word != "") && p.rest != "" && (p.rest[0] == '+' || p.rest[0] == '.') {
			name += p.rest[:1]
			p.rest = p.rest[1:]
			continue
		}
		break
	}
	typ := typeName{names: splitOutside(name, '+')}
	var arguments []string
	if p.accept("<") {
		arguments = p.list('>')
	}
	return typ.short(arguments)
}

// suffixes reads the suffixes of a type.
func (p *parameters) suffixes(text, reference string) string {
	for {
		switch {
		case p.accept("*"):
			text += "*"
		case p.accept("&"):
			text = reference + text
		case p.accept("["):
			text += "[" + strings.Repeat(",", strings.Count(p.word("]"), ",")) + "]"
			p.accept("]")
		case p.accept(" pinned"):
		default:
			return text
		}
	}
}
