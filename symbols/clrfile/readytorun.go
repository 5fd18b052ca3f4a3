package clrfile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// ReadyToRun is the code that an image was compiled to ahead of time.
type ReadyToRun struct {
	// Format and Revision are the version of the format: 16.0 for .NET 10, 26.1 for 11.
	Format, Revision uint16
	// Composite is the name of the file with the code, if that is a composite image;
	// then there are no methods here.
	Composite string

	image    *Image
	sections map[uint32]directory
	methods  []precompiled // sorted by address
	unread   int
}

// Precompiled is a method in ready-to-run code.
type Precompiled struct {
	// Address is the address of the method relative to the image, and Size the number
	// of bytes with its handlers.
	Address, Size uint32
	// Token is the method's MethodDef token in its module; 0 for a generic instance of a
	// method that another module declares.
	Token uint32
	// Component is the number of the module within a composite image, counted from 0; -1
	// for a generic instance there.
	Component int

	signature uint32 // address of the signature of a generic instance, 0 for none
	function  uint32 // index of the first runtime function
}

// precompiled is a Precompiled in a table: 24 bytes each.
type precompiled struct {
	address, size, token, signature, function uint32
	component                                 int32
}

// Sections of ready-to-run images.
const (
	sectionFunctions  = 102
	sectionMethods    = 103
	sectionDebugInfo  = 105
	sectionInstances  = 109
	sectionManifest   = 112
	sectionComponents = 115
	sectionComposite  = 116
	sectionHotCold    = 120
)

const readyToRunSignature = 0x00525452 // "RTR"

// maxSections bounds the sections of an image; there are about 20.
const maxSections = 256

// ReadyToRun reads the tables of code that was compiled ahead of time. It returns
// nil for an image without such code.
func (im *Image) ReadyToRun() (*ReadyToRun, error) {
	cli := im.at(im.directories[directoryCLI].address)
	cli.skip(64)
	address := cli.uint32()
	if cli.bad() || address == 0 {
		return nil, nil
	}
	c := im.at(address)
	if c.uint32() != readyToRunSignature {
		return nil, nil
	}
	r := &ReadyToRun{image: im, Format: c.uint16(), Revision: c.uint16()}
	c.skip(4)
	r.sections = readSections(&c)
	if c.bad() {
		return nil, errors.New("clrfile: malformed ready-to-run header")
	}
	if s, ok := r.sections[sectionComposite]; ok {
		r.Composite = zeroEnded(im.bytes(s.address, s.size), 0)
		return r, nil
	}
	if err := r.readMethods(); err != nil {
		return nil, err
	}
	return r, nil
}

// readSections reads the number of sections and their types, addresses and sizes.
func readSections(c *cursor) map[uint32]directory {
	sections := map[uint32]directory{}
	for range min(c.uint32(), maxSections) {
		kind := c.uint32()
		sections[kind] = directory{c.uint32(), c.uint32()}
	}
	return sections
}

// functionSize is the number of bytes of a row of runtime functions: of x64 it has
// begin, end and unwind information, of arm64 begin and unwind information.
const functionSize = 12

// functions returns the bytes of the runtime functions and their number.
func (r *ReadyToRun) functions() ([]byte, uint32) {
	s := r.sections[sectionFunctions]
	b := r.image.bytes(s.address, s.size)
	n := len(b) / functionSize
	for n > 0 {
		c := at(b, uint64(n-1)*functionSize)
		if begin := c.uint32(); begin != 0xFFFFFFFF && begin != 0 {
			break
		}
		n--
	}
	return b, uint32(n)
}

// readMethods makes the table of methods.
func (r *ReadyToRun) readMethods() error {
	if machine := r.image.machine(); machine != machineAMD64 {
		return fmt.Errorf("clrfile: ready-to-run code of machine 0x%x is not read: only that of x64", machine)
	}
	functions, count := r.functions()
	add := func(function, token, signature uint32, component int) {
		if function < count {
			r.methods = append(r.methods, precompiled{function: function, token: token, signature: signature, component: int32(component)})
		}
	}
	if s, ok := r.sections[sectionMethods]; ok {
		r.readEntries(s, 0, r.image.meta.rows[tableMethodDef], add)
	}
	components, err := r.components()
	if err != nil {
		return err
	}
	for i, s := range components {
		if entries, ok := s[sectionMethods]; ok {
			r.readEntries(entries, i, count, add)
		}
	}
	if len(components) > 0 {
		r.readInstances(func(function, token, signature uint32, _ int) { add(function, 0, signature, -1) })
	} else {
		r.readInstances(add)
	}
	slices.SortFunc(r.methods, func(a, b precompiled) int { return cmp.Compare(a.function, b.function) })
	r.measure(functions, count)
	return nil
}

// measure sets addresses and sizes: a method goes from its first function to the
// last one before the next method, or before the cold parts of all methods.
func (r *ReadyToRun) measure(functions []byte, count uint32) {
	hot := r.firstCold(count)
	next := count
	for i := len(r.methods) - 1; i >= 0; i-- {
		m := &r.methods[i]
		if i+1 < len(r.methods) && r.methods[i+1].function != m.function {
			next = r.methods[i+1].function
		}
		last := next
		if m.function < hot {
			last = min(last, hot)
		}
		first, end := at(functions, uint64(m.function)*functionSize), at(functions, uint64(last-1)*functionSize+4)
		m.address = first.uint32()
		if e := end.uint32(); e > m.address {
			m.size = e - m.address
		}
	}
	slices.SortFunc(r.methods, func(a, b precompiled) int {
		return cmp.Or(cmp.Compare(a.address, b.address), cmp.Compare(a.function, b.function))
	})
}

// firstCold is the first runtime function that is a cold part of a method.
func (r *ReadyToRun) firstCold(count uint32) uint32 {
	s, ok := r.sections[sectionHotCold]
	if !ok {
		return count
	}
	c := at(r.image.bytes(s.address, s.size), 0)
	first := count
	for c.left() >= 8 {
		first = min(first, c.uint32())
		c.skip(4)
	}
	return first
}

// components returns the sections of each module of a composite image.
func (r *ReadyToRun) components() ([]map[uint32]directory, error) {
	s, ok := r.sections[sectionComponents]
	if !ok {
		return nil, nil
	}
	c := at(r.image.bytes(s.address, s.size), 0)
	var all []map[uint32]directory
	for c.left() >= 16 {
		c.skip(8)
		header := r.image.at(c.uint32())
		c.skip(4)
		header.skip(4)
		all = append(all, readSections(&header))
		if header.bad() {
			return nil, errors.New("clrfile: malformed component of a composite image")
		}
	}
	return all, nil
}

// readEntries reads the array of methods by row of MethodDef, of at most rows rows.
func (r *ReadyToRun) readEntries(s directory, component int, rows uint32, add func(function, token, signature uint32, component int)) {
	array := r.array(s)
	for i := range min(array.count, rows) {
		if c, ok := array.at(i); ok {
			add(entryFunction(&c), tableMethodDef<<24|(i+1), 0, component)
		}
	}
}

// entryFunction reads the number of a method's first runtime function.
func entryFunction(c *cursor) uint32 {
	v := c.native()
	switch {
	case c.bad():
		return 0xFFFFFFFF
	case v&1 == 0:
		return v >> 1
	case v&2 != 0:
		c.native() // the place of its fixups
	}
	return v >> 2
}

// nativeArray is a sparse array of the native format.
type nativeArray struct {
	image *Image
	base  cursor // after the header
	count uint32
	width uint32 // of the offsets of blocks: 0, 1, 2 for one, two and four bytes
}

func (r *ReadyToRun) array(s directory) nativeArray {
	c := r.image.at(s.address)
	v := c.native()
	if c.bad() || v&3 > 2 {
		return nativeArray{}
	}
	return nativeArray{r.image, c, v >> 2, v & 3}
}

// at returns a cursor at the value of an index. 16 indexes share a block, which is
// a binary tree: a node says in its low bits which children there are.
func (a *nativeArray) at(index uint32) (cursor, bool) {
	block := a.base
	block.skip(uint64(index/16) << a.width)
	var offset uint32
	switch a.width {
	case 0:
		offset = uint32(block.uint8())
	case 1:
		offset = uint32(block.uint16())
	default:
		offset = block.uint32()
	}
	if block.bad() {
		return cursor{}, false
	}
	c := at(a.base.b, uint64(a.base.pos)+uint64(offset))
	for bit := uint32(8); bit > 0; bit >>= 1 {
		start := c.pos
		v := c.native()
		switch {
		case c.bad():
			return cursor{}, false
		case index&bit != 0 && v&2 != 0:
			c = at(c.b, uint64(start)+uint64(v>>2))
		case index&bit == 0 && v&1 != 0:
		default:
			return c, v&3 == 0 && v>>2 == index&15
		}
	}
	return c, !c.bad()
}

// Methods returns the number of methods with code.
func (r *ReadyToRun) Methods() int { return len(r.methods) }

// Unread returns the number of generic instances whose signatures were not
// understood.
func (r *ReadyToRun) Unread() int { return r.unread }

// Method returns a method by its index, from 0 to Methods. They are sorted by
// address.
func (r *ReadyToRun) Method(index int) Precompiled {
	m := r.methods[index]
	return Precompiled{m.address, m.size, m.token, int(m.component), m.signature, m.function}
}

// Find returns the method that contains an address relative to the image.
func (r *ReadyToRun) Find(address uint32) (Precompiled, bool) {
	low, high := 0, len(r.methods)
	for low < high {
		middle := int(uint(low+high) / 2)
		if r.methods[middle].address <= address {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == 0 || address-r.methods[low-1].address >= r.methods[low-1].size {
		return Precompiled{}, false
	}
	return r.Method(low - 1), true
}

// Machines of PE images. Those of Linux and macOS are combined with a number by
// exclusive or.
const machineAMD64 = 0x8664

// machine returns the machine of the image without the operating system.
func (im *Image) machine() uint16 {
	c := at(im.data, 0x3C)
	c = at(im.data, uint64(c.uint32())+4)
	machine := c.uint16()
	for _, system := range [...]uint16{0, 0x7B79, 0x4644, 0xADC4, 0x1993, 0x1992} { // Windows, Linux, Apple, FreeBSD, NetBSD, SunOS
		if machine^system == machineAMD64 {
			return machineAMD64
		}
	}
	return machine
}

// FindToken returns the method with a MethodDef token, and whether it has code of
// its own. It searches all methods.
func (r *ReadyToRun) FindToken(token uint32) (Precompiled, bool) {
	for i := range r.methods {
		if m := &r.methods[i]; m.token == token && m.signature == 0 && m.component == 0 {
			return r.Method(i), true
		}
	}
	return Precompiled{}, false
}

// Instance reports whether the method is a generic instance, for which the image
// has a signature.
func (p Precompiled) Instance() bool { return p.signature != 0 }

// Image returns the image with the code.
func (r *ReadyToRun) Image() *Image { return r.image }

// AfterCall reports whether an address relative to the image is in a method and
// follows a call instruction, as a return address does.
func (r *ReadyToRun) AfterCall(address uint32) bool {
	m, ok := r.Find(address - 1)
	if !ok || address-m.Address < 2 {
		return false
	}
	n := min(address-m.Address, 7)
	b := r.image.bytes(address-n, n)
	at := func(back uint32) byte { // the byte at that distance before the address
		if back > n || b == nil {
			return 0
		}
		return b[n-back]
	}
	return at(5) == 0xE8 || // call rel32
		at(6) == 0xFF && (at(5) == 0x15 || at(5)&0xF8 == 0x90 && at(5) != 0x94) || // call [rip+disp32], [reg+disp32]
		at(3) == 0xFF && at(2)&0xF8 == 0x50 && at(2) != 0x54 || // call [reg+disp8]
		at(2) == 0xFF && (at(1)&0xF8 == 0xD0 || at(1)&0xF8 == 0x10 && at(1) != 0x14 && at(1) != 0x15) // call reg, [reg]
}
