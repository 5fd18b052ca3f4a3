package clrfile

import (
	"strconv"
	"strings"
)

// Signature returns the signature of a method as the runtime writes it in its
// events: "instance void  (int32,class System.String)". It returns "" for a method
// that does not exist or has a malformed signature. token is that of a MethodDef.
func (im *Image) Signature(token uint32) string {
	if token>>24 != tableMethodDef {
		return ""
	}
	c := at(im.meta.blob(im.meta.cell(tableMethodDef, token&0xFFFFFF, 4)), 0)
	p := signaturePrinter{image: im, c: &c}
	convention := c.uint8()
	if convention&0x20 != 0 {
		p.b.WriteString("instance ")
	}
	if convention&0x10 != 0 {
		c.compressed() // the number of type parameters
		p.b.WriteString("generic ")
	}
	n := c.compressed()
	p.typ(0)
	p.b.WriteString("  (")
	for i := range n {
		if i > 0 {
			p.b.WriteByte(',')
		}
		if p.typ(0); p.failed {
			return ""
		}
	}
	p.b.WriteByte(')')
	if p.failed || c.bad() {
		return ""
	}
	return p.b.String()
}

// signaturePrinter writes types of a signature of metadata.
type signaturePrinter struct {
	image  *Image
	c      *cursor
	b      strings.Builder
	failed bool
	types  int
}

// words are the types that the runtime writes as one word.
var words = [...]string{
	0x01: "void", 0x02: "bool", 0x03: "wchar", 0x04: "int8", 0x05: "unsigned int8", 0x06: "int16", 0x07: "unsigned int16",
	0x08: "int32", 0x09: "unsigned int32", 0x0A: "int64", 0x0B: "unsigned int64", 0x0C: "float32", 0x0D: "float64",
	0x0E: "class System.String", 0x16: "refany", 0x18: "int", 0x19: "unsigned int", 0x1C: "class System.Object",
}

// typ writes one type.
func (p *signaturePrinter) typ(depth int) {
	p.types++
	if p.failed || p.c.bad() || depth > maxTypeDepth || p.types > maxTypes || p.b.Len() > longestText {
		p.failed = true
		return
	}
	code := p.c.uint8()
	if int(code) < len(words) && words[code] != "" {
		p.b.WriteString(words[code])
		return
	}
	switch code {
	case 0x11, 0x12:
		p.b.WriteString([...]string{"value class ", "class "}[code-0x11])
		p.named()
	case 0x0F, 0x10, 0x1D, 0x45: // pointer, reference, array, pinned
		p.typ(depth + 1)
		p.b.WriteString(map[uint8]string{0x0F: "*", 0x10: "&", 0x1D: "[]", 0x45: " pinned"}[code])
	case 0x1F, 0x20: // a modifier
		p.b.WriteString([...]string{"required_modifier ", "optional_modifier "}[code-0x1F])
		p.named()
		p.b.WriteByte(' ')
		p.typ(depth + 1)
	case 0x15:
		p.typ(depth + 1)
		p.b.WriteByte('<')
		for i, n := uint32(0), p.c.compressed(); i < n && !p.failed; i++ {
			if i > 0 {
				p.b.WriteByte(',')
			}
			p.typ(depth + 1)
		}
		p.b.WriteByte('>')
	case 0x13, 0x1E:
		p.b.WriteString([...]string{0x13: "!", 0x1E: "!!"}[code])
		p.b.WriteString(strconv.FormatUint(uint64(p.c.compressed()), 10))
	case 0x14:
		p.typ(depth + 1)
		rank := p.c.compressed()
		for range 2 {
			for n := p.c.compressed(); n > 0 && !p.c.bad(); n-- {
				p.c.compressed()
			}
		}
		p.b.WriteString("[" + strings.Repeat(",", int(min(max(rank, 1)-1, 32))) + "]")
	case 0x1B: // a function pointer
		p.function(depth)
	default:
		p.failed = true
	}
}

// named writes the name of a TypeDef or TypeRef: of a nested one without the outer types.
func (p *signaturePrinter) named() {
	table, row := decoded(colTypeDefOrRef, p.c.compressed())
	if table == tableTypeDef || table == tableTypeRef {
		p.b.WriteString(p.image.ownName(table, row))
	}
}

// function writes the type of a function pointer.
func (p *signaturePrinter) function(depth int) {
	p.c.uint8()
	n := p.c.compressed()
	p.b.WriteString("fnptr ")
	p.typ(depth + 1)
	p.b.WriteByte('(')
	for i := uint32(0); i < n && !p.failed; i++ {
		if i > 0 {
			p.b.WriteByte(',')
		}
		p.typ(depth + 1)
	}
	p.b.WriteByte(')')
}
