package clrfile

// Special IL offsets of MapPoint, as those of the runtime's events.
const (
	NoMapping = 0xFFFFFFFF
	Prolog    = 0xFFFFFFFE
	Epilog    = 0xFFFFFFFD
)

// MapPoint says that the code from a native offset on is that of an IL offset.
type MapPoint struct {
	Native uint32 // from the start of the method
	IL     uint32 // or NoMapping, Prolog or Epilog
}

// Map returns the map from native offsets to IL offsets of a method, sorted by
// native offset, nil if the image has none.
func (r *ReadyToRun) Map(m Precompiled) []MapPoint {
	s, ok := r.sections[sectionDebugInfo]
	if !ok {
		return nil
	}
	array := r.array(s)
	c, ok := array.at(m.function)
	if !ok || m.function >= array.count {
		return nil
	}
	start := c.pos
	if back := c.native(); back != 0 { // the same data is there already
		if uint64(back) > uint64(start) {
			return nil
		}
		c = at(c.b, uint64(start)-uint64(back))
	}
	n := nibbles{c: c}
	size := n.uint()
	n.uint() // of the variables
	if size == 0 {
		return nil
	}
	n.align()
	return r.bounds(n)
}

// bounds reads the entries of a map. Since version 16 they are bit fields of the
// source, the native distance and the IL offset; the source has two bits in
// version 16 and three from 17 on.
func (r *ReadyToRun) bounds(n nibbles) []MapPoint {
	const shift = 3 // of IL offsets, which can be special ones
	count, native := n.uint(), uint32(0)
	var points []MapPoint
	if r.Format < 16 {
		for range count {
			native += n.uint()
			il := n.uint() - shift
			n.uint()
			if n.c.bad() {
				return nil
			}
			points = append(points, MapPoint{native, il})
		}
		return points
	}
	source := uint32(2)
	if r.Format > 16 {
		source = 3
	}
	nativeBits, ilBits := n.uint()+1, n.uint()+1
	n.align()
	if nativeBits > 32 || ilBits > 32 {
		return nil
	}
	b := bitReader{c: n.c}
	for range count {
		b.bits(source)
		native += b.bits(nativeBits)
		il := b.bits(ilBits) - shift
		if b.c.bad() {
			return nil
		}
		points = append(points, MapPoint{native, il})
	}
	return points
}

// nibbles reads numbers of four-bit groups, low group first: three bits of the
// number, high bits first, and one that says that more follow.
type nibbles struct {
	c    cursor
	high bool // the high half of the byte before is next
	last uint8
}

func (n *nibbles) uint() (v uint32) {
	for {
		x := n.last >> 4
		if !n.high {
			n.last = n.c.uint8()
			x = n.last & 15
		}
		n.high = !n.high
		v = v<<3 | uint32(x&7)
		if x&8 == 0 || n.c.bad() {
			return v
		}
	}
}

// align skips to the next byte.
func (n *nibbles) align() { n.high = false }

// bitReader reads bit fields, low bits first.
type bitReader struct {
	c    cursor
	have uint64
	n    uint32
}

func (b *bitReader) bits(n uint32) uint32 {
	for b.n < n {
		b.have |= uint64(b.c.uint8()) << b.n
		b.n += 8
	}
	v := uint32(b.have & (1<<n - 1))
	b.have >>= n
	b.n -= n
	return v
}
