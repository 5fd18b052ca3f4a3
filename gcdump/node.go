package gcdump

import (
	"encoding/binary"
	"fmt"
	"math"
)

// nodeData reads the data of a node: numbers of 1 to 5 bytes with 7 bits each, the
// highest first. The top bit says that another byte follows; bit 6 of the first byte is
// the sign.
type nodeData struct {
	b   []byte
	bad bool // the data end too early
}

func (d *nodeData) number() int32 {
	if len(d.b) == 0 {
		d.bad = true
		return 0
	}
	v := int32(d.b[0]&0x7f) - int32(d.b[0]&0x40)<<1
	for i, c := range d.b[:min(len(d.b), 5)] {
		if i > 0 {
			v = v<<7 | int32(c&0x7f)
		}
		if c&0x80 == 0 || i == 4 {
			d.b = d.b[i+1:]
			return v
		}
	}
	d.bad = true
	return 0
}

// head reads the type and the size.
func (d *nodeData) head(types []Type) (typ, size int32) {
	typ = d.number()
	explicit := typ&1 != 0
	if typ >>= 1; explicit {
		return typ, d.number()
	}
	if typ >= 0 && int(typ) < len(types) {
		size = types[typ].Size
	}
	return typ, size
}

// appendNumber appends a number in as few bytes as possible.
func appendNumber(b []byte, v int32) []byte {
	n := 1
	for n < 5 && (v < -1<<(7*n-1) || v >= 1<<(7*n-1)) {
		n++
	}
	for n--; n > 0; n-- {
		b = append(b, byte(v>>(7*n))|0x80)
	}
	return append(b, byte(v)&0x7f)
}

// checkNodes reads all nodes and counts the edges. A file whose nodes have more children
// than bytes describes several nodes with the same data; no writer does that but for
// nodes without children.
func (f *File) checkNodes() error {
	n := f.Len()
	room := int64(len(f.nodes))
	for i := range n {
		at := binary.LittleEndian.Uint32(f.labels[4*i:])
		if uint64(at) >= uint64(len(f.nodes)) {
			return fmt.Errorf("gcdump: node %d: its data are at %d of %d bytes", i, at, len(f.nodes))
		}
		d := nodeData{b: f.nodes[at:]}
		typ, size := d.head(f.Types)
		children := d.number()
		switch {
		case d.bad:
			return fmt.Errorf("gcdump: node %d: its data are truncated", i)
		case typ < 0 || int(typ) >= len(f.Types):
			return fmt.Errorf("gcdump: node %d has type %d of %d", i, typ, len(f.Types))
		case size < 0:
			return fmt.Errorf("gcdump: node %d has the size %d", i, size)
		case children < 0:
			return fmt.Errorf("gcdump: node %d has %d children", i, children)
		}
		if f.edges += int64(children); f.edges > room {
			return fmt.Errorf("gcdump: node %d: more children than the data of all nodes have", i)
		}
		for range children {
			child := int64(i) + int64(d.number())
			if d.bad || child < 0 || child >= int64(n) {
				return fmt.Errorf("gcdump: node %d has the child %d of %d nodes", i, child, n)
			}
		}
	}
	if f.Root < -1 || int(f.Root) >= n {
		return fmt.Errorf("gcdump: the root is node %d of %d", f.Root, n)
	}
	return nil
}

// maxNodes bounds the nodes: their indexes have 32 bits.
const maxNodes = math.MaxInt32 - 1<<16
