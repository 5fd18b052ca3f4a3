package clrfile

import (
	"strconv"
	"strings"
)

// Bits of the signature of a generic instance.
const (
	signatureInstance    = 0x04 // type arguments of the method follow
	signatureMemberRef   = 0x10
	signatureConstrained = 0x20
	signatureOwner       = 0x40 // the type that declares it comes first
	signatureModule      = 0x80 // the number of another module comes first
)

// readInstances reads the hash table of generic instances: each has a signature
// and then the entry.
func (r *ReadyToRun) readInstances(add func(function, token, signature uint32, component int)) {
	s, ok := r.sections[sectionInstances]
	if !ok {
		return
	}
	c := r.image.at(s.address)
	start := c.pos
	header := c.uint8()
	width, buckets := header&3, uint32(1)<<min(header>>2, 31)
	if c.bad() || width > 2 || uint64(buckets)<<width > uint64(s.size) {
		return
	}
	base := c
	bucket := func(i uint32) uint64 {
		b := base
		b.skip(uint64(i) << width)
		switch width {
		case 0:
			return uint64(b.uint8())
		case 1:
			return uint64(b.uint16())
		}
		return uint64(b.uint32())
	}
	// A hostile table could name the same entries in all buckets: an entry has at
	// least two bytes.
	left := int(s.size) / 2
	for i := range buckets {
		entries, end := at(base.b, uint64(base.pos)+bucket(i)), base.pos+int(bucket(i+1))
		for !entries.bad() && entries.pos < end && left > 0 {
			left--
			entries.skip(1) // low bits of the hash
			from := entries.pos
			to := int64(from) + int64(entries.nativeSigned())
			if entries.bad() || to < 0 {
				break
			}
			value := at(base.b, uint64(to))
			function, token, ok := r.instance(&value)
			if !ok {
				r.unread++
				continue
			}
			// The address of a position: the section is one piece in file and memory.
			add(function, token, s.address+uint32(to-int64(start)), 0)
		}
	}
}

// instance reads a signature and its entry.
func (r *ReadyToRun) instance(c *cursor) (function, token uint32, ok bool) {
	s := signatureReader{image: r.image, c: c}
	flags, row := s.method(nil)
	function = entryFunction(c)
	if s.failed || c.bad() {
		return 0, 0, false
	}
	if flags&(signatureMemberRef|signatureModule) == 0 {
		token = tableMethodDef<<24 | row
	}
	return function, token, true
}

// Name returns the name of a method: its type as the runtime writes it, with the
// type arguments of a generic instance, and the method. "?" is a type of another
// module that the image refers to by number only. It returns false if the image
// has no name: the name of a method of a composite image is in its component.
func (r *ReadyToRun) Name(m Precompiled) (typ, method string, ok bool) {
	if m.signature == 0 {
		if len(r.sections) > 0 && r.isComposite() {
			return "", "", false
		}
		return r.image.Method(m.Token)
	}
	c := r.image.at(m.signature)
	var name instanceName
	s := signatureReader{image: r.image, c: &c}
	s.method(&name)
	if s.failed || name.method == "" {
		return "", "", false
	}
	return name.typ, name.method, true
}

func (r *ReadyToRun) isComposite() bool {
	_, composite := r.sections[sectionComponents]
	return composite
}

// instanceName is the name of a generic instance.
type instanceName struct{ typ, method string }

// signatureReader reads signatures of ready-to-run code.
type signatureReader struct {
	image   *Image
	c       *cursor
	foreign bool // tokens are those of another module
	failed  bool
	types   int // that were read, to bound the work
}

// method reads the signature of a method and returns its flags and its row of
// MethodDef or MemberRef. It sets name if that is not nil.
func (s *signatureReader) method(name *instanceName) (flags, row uint32) {
	flags = s.c.compressed()
	if flags&signatureModule != 0 {
		s.c.compressed()
		s.foreign = true
	}
	owner := ""
	if flags&signatureOwner != 0 {
		owner = s.typ(0)
	}
	row = s.c.compressed()
	if name != nil {
		name.typ, name.method = s.nameOf(flags, row, owner)
	}
	if flags&signatureInstance != 0 {
		if arguments := s.list(s.c.compressed(), 0); name != nil {
			name.method += "[" + arguments + "]"
		}
	}
	if flags&signatureConstrained != 0 {
		s.typ(0)
	}
	s.failed = s.failed || s.c.bad()
	return flags, row
}

func (s *signatureReader) nameOf(flags, row uint32, owner string) (typ, method string) {
	m := s.image.meta
	switch {
	case s.foreign:
		return "", ""
	case flags&signatureMemberRef != 0:
		table, parent := decoded(colMemberRefParent, m.cell(tableMemberRef, row, 0))
		if owner == "" && (table == tableTypeRef || table == tableTypeDef) {
			owner = s.image.typeName(table, parent)
		}
		return owner, m.string(m.cell(tableMemberRef, row, 1))
	}
	typ, method, _ = s.image.Method(tableMethodDef<<24 | row)
	if owner != "" {
		typ = owner
	}
	return typ, method
}

// primitive types by their code, as the runtime writes them in names of types.
var primitives = [...]string{
	0x01: "System.Void", 0x02: "System.Boolean", 0x03: "System.Char", 0x04: "System.SByte", 0x05: "System.Byte",
	0x06: "System.Int16", 0x07: "System.UInt16", 0x08: "System.Int32", 0x09: "System.UInt32", 0x0A: "System.Int64",
	0x0B: "System.UInt64", 0x0C: "System.Single", 0x0D: "System.Double", 0x0E: "System.String",
	0x16: "System.TypedReference", 0x18: "System.IntPtr", 0x19: "System.UIntPtr", 0x1C: "System.Object",
	0x3E: "System.__Canon",
}

// maxTypes bounds the types in one signature, and maxTypeDepth their depth.
const (
	maxTypes     = 4096
	maxTypeDepth = 64
)

// typ reads a type and returns its name.
func (s *signatureReader) typ(depth int) string {
	s.types++
	if s.failed || s.c.bad() || depth > maxTypeDepth || s.types > maxTypes {
		s.failed = true
		return ""
	}
	code := s.c.uint8()
	if int(code) < len(primitives) && primitives[code] != "" {
		return primitives[code]
	}
	switch code {
	case 0x11, 0x12: // a value type or a class
		table, row := decoded(colTypeDefOrRef, s.c.compressed())
		if s.foreign || table == tableTypeSpec {
			return "?"
		}
		return s.image.typeName(table, row)
	case 0x0F:
		return s.typ(depth+1) + "*"
	case 0x10:
		return s.typ(depth+1) + "&"
	case 0x1D:
		return s.typ(depth+1) + "[]"
	case 0x15: // a generic instance
		name := s.typ(depth + 1)
		return name + "[" + s.list(s.c.compressed(), depth) + "]"
	case 0x13:
		return "!" + strconv.FormatUint(uint64(s.c.compressed()), 10)
	case 0x1E:
		return "!!" + strconv.FormatUint(uint64(s.c.compressed()), 10)
	case 0x14: // an array with a rank
		name := s.typ(depth + 1)
		rank := s.c.compressed()
		for range 2 { // sizes and lower bounds
			for n := s.c.compressed(); n > 0 && !s.c.bad(); n-- {
				s.c.compressed()
			}
		}
		return name + "[" + strings.Repeat(",", int(min(max(rank, 1)-1, 32))) + "]"
	case 0x3F: // a type of another module
		s.c.compressed()
		before := s.foreign
		s.foreign = true
		name := s.typ(depth + 1)
		s.foreign = before
		return name
	}
	s.failed = true
	return ""
}

// list reads some types and joins their names with commas.
func (s *signatureReader) list(n uint32, depth int) string {
	var b strings.Builder
	for i := range n {
		if s.failed || b.Len() > longestText {
			s.failed = true
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(s.typ(depth + 1))
	}
	return b.String()
}
