package gen

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// runtimeEvents are native events and their versions, in the order in which a
// program with garbage collection and just-in-time compilation meets them.
var runtimeEvents = [...]struct{ id, version uint32 }{
	{10, 4}, {143, 2}, {145, 1}, {5, 1}, {85, 0}, {296, 0}, {154, 1}, {152, 2}, {151, 1}, {156, 1}, {9, 1}, {8, 1},
	{7, 1}, {3, 1}, {290, 0}, {292, 0}, {291, 0}, {59, 0}, {70, 0}, {71, 0}, {50, 0}, {55, 0}, {54, 0}, {57, 0},
	{58, 0}, {14, 1}, {13, 1}, {35, 0}, {1, 2}, {23, 0}, {202, 0}, {22, 0}, {205, 4}, {204, 3}, {2, 1}, {4, 2},
	{90, 0}, {81, 2}, {91, 1}, {6, 1}, {144, 2}, {142, 2}, {153, 2}, {155, 1}, {157, 1}, {80, 1}, {29, 0}, {30, 0},
	{33, 0}, {82, 0}, {190, 1}, {301, 0}, {302, 0},
}

// nativeKinds returns the kinds of runtimeEvents, with their metadata and fields.
func nativeKinds() (kinds []*kind, fields [][]codec.Field) {
	for _, e := range runtimeEvents {
		known, ok := clr.Lookup(clr.RuntimeProvider, e.id, e.version)
		if !ok || known.Version != e.version {
			continue
		}
		k := &kind{Metadata: codec.Metadata{Provider: clr.RuntimeProvider, EventID: e.id, Version: e.version, Level: uint32(known.Level), Keywords: known.Keywords}}
		schema, _ := clr.Schemas(&k.Metadata, e.version)
		kinds, fields = append(kinds, k), append(fields, schema.Fields)
	}
	return kinds, fields
}

// gcAlloc makes native events of a dozen threads, few of which are busy at a
// time.
func gcAlloc(r *run) {
	kinds, fields := nativeKinds()
	r.points = 6000
	r.due = r.points
	r.makeStacks(600)
	r.makeThreads(14)
	activity, during := r.guid(), 0 // its remaining events
	for r.left() > 0 {
		busy := 1 + r.n(3)
		first := r.n(uint64(len(r.threads)))
		for range min(int64(r.between(300, 1500)), r.left()) {
			thread := int((first + r.n(busy)) % uint64(len(r.threads)))
			i := r.threads[thread].kind
			if r.percent(65) {
				i = r.n([]uint64{6, uint64(len(kinds))}[r.n(2)])
				r.threads[thread].kind = i
			}
			row := r.event(kinds[i], thread, thread, r.sameStack(thread), r.known(fields[i]))
			if r.one(1000) {
				activity, during = r.guid(), 20
			}
			if during > 0 {
				during--
				r.activity(row, activity)
			}
			r.now += r.micros(1, 14)
		}
		r.sleep()
	}
	r.end()
}

// sameStack is mostly the stack of the event before of a thread.
func (r *run) sameStack(thread int) int {
	if r.threads[thread].stack == 0 || r.percent(30) {
		r.threads[thread].stack = r.someStack()
	}
	return r.threads[thread].stack
}

// known makes a payload for the fields of a native event.
func (r *run) known(fields []codec.Field) []byte {
	p := r.payload[:0]
	counts := make([]int, len(fields))
	for i := range fields {
		t := &fields[i].Type
		if t.Code == wire.Array && t.CountField > 0 {
			for range counts[t.CountField-1] {
				p = r.knownValue(p, t.Element)
			}
			continue
		}
		if counted(fields, i) {
			counts[i] = int(r.n(6))
			p = binary.LittleEndian.AppendUint64(p, uint64(counts[i]))
			p = p[:len(p)-8+t.Code.Size()]
			continue
		}
		p = r.knownValue(p, t)
	}
	r.payload = p
	return p
}

// counted reports whether field i is the number of elements of an array.
func counted(fields []codec.Field, i int) bool {
	for j := range fields {
		if fields[j].Type.CountField == i+1 {
			return true
		}
	}
	return false
}

// knownValue appends a value of a native event.
func (r *run) knownValue(p []byte, t *codec.Type) []byte {
	le := binary.LittleEndian
	switch t.Code {
	case wire.NullTerminatedUTF16String:
		n := r.between(1, 8)
		if r.one(600) {
			n *= 100
		}
		return wire.AppendUTF16Z(p, r.words(n))
	case wire.NullTerminatedUTF8String:
		return append(append(p, r.words(3)...), 0)
	case wire.Object:
		for i := range t.Fields {
			p = r.knownValue(p, &t.Fields[i].Type)
		}
		return p
	case wire.Array:
		n := r.n(5)
		p = le.AppendUint16(p, uint16(n))
		for range n {
			p = r.knownValue(p, t.Element)
		}
		return p
	}
	size := t.Code.Size()
	switch {
	case t.Code == wire.Pointer:
		size = r.head.PointerSize
	case t.Code == wire.Boolean:
		return le.AppendUint32(p, uint32(r.n(2)))
	case size > 8:
		for range size {
			p = append(p, byte(r.n(256)))
		}
		return p
	}
	return le.AppendUint64(p, r.n(1<<20))[:len(p)+size]
}
