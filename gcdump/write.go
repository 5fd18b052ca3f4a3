package gcdump

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"unicode/utf8"

	"github.com/nettrace-go/nettrace/internal/shortwrite"
)

// ErrTooLarge is the error of a file of 4 GiB or more: its offsets have 32 bits.
var ErrTooLarge = errors.New("gcdump: the file would have 4 GiB or more, and its offsets have 32 bits")

// Write writes the file: that which Read read has the same bytes, if it has version 9 or
// later and no tagged fields that this package does not know. A file of an older version
// is written in version 10, with multipliers of 1.
func (f *File) Write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	e := &encoder{w: out, classes: map[string]uint32{}, modules: map[*Module]uint32{}}
	e.raw([]byte(header))
	e.file(f)
	e.tail()
	if e.err == nil {
		e.err = out.Flush()
	}
	return e.err
}

// encoder writes the primitives of a stream.
type encoder struct {
	w       *bufio.Writer
	at      int64
	err     error
	scratch []byte
	classes map[string]uint32 // the places of their tags
	modules map[*Module]uint32
	forward []uint32 // the places of forward references
}

func (e *encoder) raw(b []byte) {
	if e.err != nil {
		return
	}
	if e.at += int64(len(b)); e.at > math.MaxUint32 {
		e.err = ErrTooLarge
		return
	}
	e.err = shortwrite.Write(e.w, b)
}

func (e *encoder) uint8(v byte) { e.raw([]byte{v}) }

func (e *encoder) bool(v bool) {
	if v {
		e.uint8(1)
	} else {
		e.uint8(0)
	}
}

func (e *encoder) uint32(v uint32) { e.raw(binary.LittleEndian.AppendUint32(nil, v)) }

func (e *encoder) int32(v int32) { e.uint32(uint32(v)) }

func (e *encoder) int64(v int64) { e.raw(binary.LittleEndian.AppendUint64(nil, uint64(v))) }

func (e *encoder) float32(v float32) { e.uint32(math.Float32bits(v)) }

// text writes a string.
func (e *encoder) text(s *string) {
	if s == nil {
		e.int32(-1)
		return
	}
	units := int32(0)
	b := e.scratch[:0]
	for rest := *s; rest != ""; units++ {
		r, n := utf8.DecodeRuneInString(rest)
		switch {
		case r >= 0x10000:
			b = appendUnit(appendUnit(b, 0xd800+(r-0x10000)>>10), 0xdc00+(r-0x10000)&0x3ff)
			units++
		case r == utf8.RuneError && n == 1 && len(rest) >= 3 && rest[0] == 0xed && rest[1] >= 0xa0 && rest[1] < 0xc0 && rest[2]&0xc0 == 0x80:
			b = append(b, rest[:3]...) // an unpaired surrogate
			n = 3
		default:
			b = appendUnit(b, r)
		}
		rest = rest[n:]
	}
	e.int32(units)
	e.raw(b)
	e.scratch = b
}

// begin begins an object of a class.
func (e *encoder) begin(name string, version, minReader int32) {
	e.uint8(tagBegin)
	if at, known := e.classes[name]; known {
		e.uint8(tagReference)
		e.uint32(at)
		return
	}
	e.classes[name] = uint32(e.at)
	e.uint8(tagBegin)
	e.uint8(tagNull)
	e.int32(version)
	e.int32(minReader)
	e.text(&name)
	e.uint8(tagEnd)
}

// promise writes a forward reference and returns its number.
func (e *encoder) promise() int {
	e.int32(int32(len(e.forward)))
	e.forward = append(e.forward, 0)
	return len(e.forward) - 1
}

// keep makes a forward reference point to here.
func (e *encoder) keep(n int) { e.forward[n] = uint32(e.at) }

// file writes the object GCHeapDump.
func (e *encoder) file(f *File) {
	version, minReader := f.Version, f.MinReader
	count, size := f.CountMultiplier, f.SizeMultiplier
	if version < withSampling {
		version, minReader, count, size = newestVersion, usualMinReader, 1, 1
	}
	e.begin("GCHeapDump", version, minReader)
	e.graph(f)
	e.bool(f.Is64Bit)
	e.float32(count)
	e.float32(size)
	if f.JSHeap {
		e.begin("JSHeapInfo", 0, 0)
		e.uint8(tagEnd)
	} else {
		e.uint8(tagNull)
	}
	e.segments(f.Segments)
	e.text(f.Log)
	e.int64(f.Collected)
	e.text(f.Machine)
	e.text(f.Process)
	e.int32(f.ProcessID)
	e.int64(f.Commit)
	e.int64(f.WorkingSet)
	e.int32(int32(len(f.TypeMultipliers)))
	for _, v := range f.TypeMultipliers {
		e.float32(v)
	}
	if f.regionOfInterop {
		e.interop(f.Interop)
	}
	if f.fieldOfTool {
		e.uint8(tagString)
		e.text(f.Tool)
	}
	e.uint8(tagEnd)
}

// interop writes the region that old readers skip.
func (e *encoder) interop(fields []byte) {
	e.uint8(tagSkipRegion)
	end := e.promise()
	if fields == nil {
		e.uint8(tagNull)
	} else {
		e.begin("InteropInfo", 0, 0)
		e.raw(fields)
		e.uint8(tagEnd)
	}
	e.keep(end)
}

func (e *encoder) segments(s *Segments) {
	if s == nil {
		e.uint8(tagNull)
		return
	}
	e.begin("DotNetHeapInfo", 0, 0)
	e.int64(s.Size)
	e.int32(int32(len(s.List)))
	for _, g := range s.List {
		e.begin("GCHeapDumpSegment", 1, 1)
		e.int64(int64(g.Start))
		e.int64(int64(g.End))
		for _, end := range g.Generations {
			e.int64(int64(end))
		}
		e.uint8(tagEnd)
	}
	e.uint8(tagEnd)
}

// graph writes the object Graphs.MemoryGraph.
func (e *encoder) graph(f *File) {
	minReader := int32(0)
	if f.Deferred != nil {
		minReader = 1
	}
	e.begin("Graphs.MemoryGraph", 1, minReader)
	e.int64(f.TotalSize)
	e.int32(f.Root)
	e.int32(int32(len(f.Types)))
	for _, t := range f.Types {
		e.text(t.Name)
		e.int32(t.Size)
		e.text(t.Module)
	}
	e.int32(int32(f.Len()))
	e.raw(f.labels)
	e.int32(int32(len(f.nodes)))
	e.raw(f.nodes)
	if f.Deferred != nil {
		e.deferred(f.Deferred)
	}
	e.int32(int32(f.Len()))
	e.raw(f.addresses)
	e.uint8(tagByte)
	e.bool(f.Is64Bit)
	e.uint8(tagEnd)
}

func (e *encoder) deferred(list []DeferredType) {
	end := e.promise()
	e.int32(int32(len(list)))
	for _, t := range list {
		e.int32(t.Token)
		e.module(t.Module)
		e.text(t.Suffix)
	}
	e.uint8(tagEnd)
	e.keep(end)
}

// module writes a module once; then references to it.
func (e *encoder) module(m *Module) {
	if m == nil {
		e.uint8(tagNull)
		return
	}
	if at, known := e.modules[m]; known {
		e.uint8(tagReference)
		e.uint32(at)
		return
	}
	e.modules[m] = uint32(e.at)
	e.begin("Graphs.Module", 0, 0)
	e.text(m.Path)
	e.int64(m.Base)
	e.int32(m.Size)
	e.int64(m.Built)
	e.text(m.PDB)
	e.raw(m.GUID[:])
	e.int32(m.Age)
	e.uint8(tagEnd)
}

// tail writes the end of all objects, and the table of forward references.
func (e *encoder) tail() {
	e.uint8(tagEnd)
	table := uint32(e.at)
	e.int32(int32(len(e.forward)))
	for _, at := range e.forward {
		e.uint32(at)
	}
	trailer := uint32(e.at)
	e.uint32(table)
	e.uint32(trailer)
}
