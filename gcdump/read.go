package gcdump

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/nettrace-go/nettrace/codec"
)

// ErrNotGCDump is the error of a stream that is no .gcdump file.
var ErrNotGCDump = errors.New("gcdump: not a .gcdump file")

// HeaderSize is the number of bytes that IsHeader needs.
const HeaderSize = len(header)

// IsHeader reports whether a stream begins as a .gcdump file does.
func IsHeader(first []byte) bool { return bytes.HasPrefix(first, []byte(header)) }

// Options configure Read.
type Options struct {
	// Limit bounds the bytes of the file. 0 means 4 GiB, which no file exceeds, because
	// its offsets have 32 bits. A larger file results in a *codec.LimitError.
	Limit int64
}

// Read reads a .gcdump file to its end, and checks that each node has a type and
// children. Errors are ErrNotGCDump, a *codec.LimitError, those of r, and those of a
// malformed or truncated file; then the File is nil.
func Read(r io.Reader, opt Options) (*File, error) {
	limit := opt.Limit
	if limit <= 0 {
		limit = 1 << 32
	}
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("gcdump: %w", &codec.LimitError{Name: "Limit", Size: int64(len(data)), Limit: limit})
	}
	return Parse(data)
}

// Parse reads a .gcdump file in memory, like Read. The File refers to data, which the
// caller must not change.
func Parse(data []byte) (*File, error) {
	if !IsHeader(data) {
		return nil, ErrNotGCDump
	}
	d := &decoder{b: data, pos: len(header), classes: map[int]class{}}
	f := d.file()
	if d.err == nil && f == nil {
		d.fail("the file has no object GCHeapDump")
	}
	if d.err == nil {
		d.err = f.checkNodes()
	}
	if d.err != nil {
		return nil, d.err
	}
	return f, nil
}

// The versions of GCHeapDump: the newest one of which all fields are known, and the
// oldest ones with and without multipliers.
const (
	newestVersion = 10
	withSampling  = 9 // version 8 was never released
	oldestVersion = 4

	usualMinReader = 8 // of the files of dotnet-gcdump
)

// file reads the object GCHeapDump.
func (d *decoder) file() *File {
	c, ok := d.begin("GCHeapDump", newestVersion, oldestVersion)
	if !ok {
		return nil
	}
	if c.version == 8 {
		d.fail("GCHeapDump has version 8, which no program reads")
		return nil
	}
	f := &File{Version: c.version, MinReader: c.minReader, Root: -1}
	if d.graph(f); d.err != nil {
		return nil
	}
	if c.version < withSampling {
		d.oldFields(f)
	} else {
		d.fields(f)
	}
	d.end()
	f.Skipped = d.skipped
	return f
}

// fields reads the fields of GCHeapDump after the graph.
func (d *decoder) fields(f *File) {
	f.Is64Bit = d.bool() || f.Is64Bit
	f.CountMultiplier, f.SizeMultiplier = d.float32(), d.float32()
	if _, f.JSHeap = d.begin("JSHeapInfo", 0, 0); f.JSHeap {
		d.end()
	}
	d.segments(f)
	d.metadata(f)
	f.TypeMultipliers = make([]float32, d.list(4))
	for i := range f.TypeMultipliers {
		f.TypeMultipliers[i] = d.float32()
	}
	if f.regionOfInterop = d.next(tagSkipRegion); f.regionOfInterop {
		d.interop(f)
	}
	if f.fieldOfTool = d.next(tagString); f.fieldOfTool {
		f.Tool = d.text()
	}
}

// oldFields reads those of versions 4 to 7.
func (d *decoder) oldFields(f *File) {
	f.Segments = &Segments{Size: d.int64()}
	d.take(8 + 8 + 1)
	if f.Version >= 5 {
		d.metadata(f)
	}
	if f.Version >= 6 {
		d.segmentList(f.Segments)
	}
	if f.Version >= 7 {
		f.Is64Bit = d.bool() || f.Is64Bit
	}
}

// next consumes a tag if it is the next byte.
func (d *decoder) next(tag byte) bool {
	if d.err != nil || d.pos >= len(d.b) || d.b[d.pos] != tag {
		return false
	}
	d.pos++
	return true
}

func (d *decoder) metadata(f *File) {
	f.Log, f.Collected, f.Machine, f.Process = d.text(), d.int64(), d.text(), d.text()
	f.ProcessID, f.Commit, f.WorkingSet = d.int32(), d.int64(), d.int64()
}

// segments reads the object DotNetHeapInfo, which may be null.
func (d *decoder) segments(f *File) {
	if _, ok := d.begin("DotNetHeapInfo", 0, 0); !ok {
		return
	}
	f.Segments = &Segments{Size: d.int64()}
	d.segmentList(f.Segments)
	d.end()
}

func (d *decoder) segmentList(s *Segments) {
	s.List = make([]Segment, d.list(5))
	for i := range s.List {
		c, ok := d.begin("GCHeapDumpSegment", 1, 0)
		if !ok {
			d.fail("no segment at %d", d.pos)
			return
		}
		g := &s.List[i]
		g.Start, g.End = uint64(d.int64()), uint64(d.int64())
		for generation := range g.Generations {
			if generation < 4 || c.version >= 1 {
				g.Generations[generation] = uint64(d.int64())
			}
		}
		d.end()
	}
}

// interop reads the object InteropInfo in its region, which may be null.
func (d *decoder) interop(f *File) {
	d.int32() // the forward reference to the end of the region
	if _, ok := d.begin("InteropInfo", 0, 0); !ok {
		return
	}
	from := d.pos
	if d.int32() > 0 {
		wrappers, callable, interfaces, modules := d.int32(), d.int32(), d.int32(), d.int32()
		for _, part := range []struct{ count, size int32 }{{wrappers, 40}, {callable, 32}, {interfaces, 33}} {
			if part.count < 0 || int(part.count) > (len(d.b)-d.pos)/int(part.size) {
				d.fail("%d elements in InteropInfo at %d", part.count, d.pos)
				return
			}
			d.take(int(part.count * part.size))
		}
		for ; modules > 0 && d.err == nil; modules-- {
			d.take(8 + 4 + 4)
			d.text()
		}
	}
	if d.err == nil {
		f.Interop = d.b[from:d.pos]
	}
	d.end()
}

// graph reads the object Graphs.MemoryGraph.
func (d *decoder) graph(f *File) {
	c, ok := d.begin("Graphs.MemoryGraph", 1, 0)
	if !ok {
		d.fail("the file has no graph")
		return
	}
	f.TotalSize, f.Root = d.int64(), d.int32()
	f.Types = make([]Type, d.list(12))
	for i := range f.Types {
		f.Types[i] = Type{Name: d.text(), Size: d.int32(), Module: d.text()}
	}
	n := d.list(4)
	f.labels = d.take(4 * n)
	f.nodes = d.take(d.list(1))
	if c.minReader >= 1 {
		d.deferred(f)
	}
	if addresses := d.list(8); d.err == nil && addresses != n {
		d.fail("%d nodes have %d addresses", n, addresses)
	}
	if n > maxNodes {
		d.fail("%d nodes", n)
	}
	f.addresses = d.take(8 * n)
	if d.next(tagByte) {
		f.Is64Bit = d.bool()
	}
	d.end()
}

// deferred reads the region with the descriptions of types.
func (d *decoder) deferred(f *File) {
	reference := d.int32()
	f.Deferred = make([]DeferredType, d.list(9))
	for i := range f.Deferred {
		f.Deferred[i] = DeferredType{Token: d.int32(), Module: d.module(), Suffix: d.text()}
		if d.err != nil {
			return
		}
	}
	if len(f.Deferred) != len(f.Types) && len(f.Deferred) != 0 {
		d.fail("%d types have %d descriptions", len(f.Types), len(f.Deferred))
	}
	d.seek(reference)
}

// module reads an object Graphs.Module, null, or a reference to one.
func (d *decoder) module() *Module {
	if d.next(tagReference) {
		at, back := int(d.uint32()), d.pos
		if d.err != nil || at >= back-5 || d.depth >= maxDepth {
			d.fail("the reference at %d is not to a module", back-5)
			return nil
		}
		d.pos = at
		d.depth++
		m := d.module()
		d.depth--
		d.pos = back
		return m
	}
	if _, ok := d.begin("Graphs.Module", 0, 0); !ok {
		return nil
	}
	m := &Module{Path: d.text(), Base: d.int64(), Size: d.int32(), Built: d.int64(), PDB: d.text()}
	copy(m.GUID[:], d.take(16))
	m.Age = d.int32()
	d.end()
	return m
}
