package alloc

import (
	"math"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Source is the kind of events that estimates are based on.
type Source string

// The kinds of events.
const (
	Tick    Source = "AllocationTick"
	Objects Source = "GCSampledObjectAllocation"
	Sampled Source = "AllocationSampled"
)

// Heap is the heap of an object.
type Heap string

// The heaps.
const (
	Small  Heap = "small"
	Large  Heap = "large"  // of objects of 85,000 bytes or more
	Pinned Heap = "pinned" // of objects that the collector must not move
)

// heaps are the heaps by their numbers in events.
var heaps = [...]Heap{Small, Large, Pinned}

// heapOf returns the heap by its number.
func heapOf(kind uint32) Heap {
	if int64(kind) < int64(len(heaps)) {
		return heaps[kind]
	}
	return ""
}

// samplingDistance is the mean number of bytes between two samples.
const samplingDistance = 100 << 10

// allocation is what an event represents.
type allocation struct {
	heap     Heap
	typ      []byte  // name of the type, UTF-16
	bytes    float64 // that it represents
	objects  float64 // that it represents, 0 if unknown
	size     uint64  // of the object, 0 if unknown
	variance float64 // of bytes
}

// sum returns the allocation as the sum of one event at a time in ticks.
func (a *allocation) sum(ticks uint64) sum {
	return sum{ticks: ticks, events: 1, bytes: a.bytes, objects: a.objects, variance: a.variance, largest: a.size}
}

// tick reads an AllocationTick. Its versions add fields at the end.
func tick(ev *codec.Event) allocation {
	e := clr.GCAllocationTick(ev)
	a := allocation{bytes: float64(e.AllocationAmount()), heap: heapOf(e.AllocationKind()), size: e.ObjectSize()}
	if e.HasAllocationAmount64() {
		a.bytes, a.typ = float64(e.AllocationAmount64()), e.TypeName()
	}
	chance := a.bytes - math.Min(a.bytes, float64(a.size))
	a.variance = chance * chance
	return a
}

// sampled reads an AllocationSampled.
func sampled(ev *codec.Event) allocation {
	e := clr.AllocationSampled(ev)
	a := allocation{heap: heapOf(e.AllocationKind()), typ: e.TypeName(), size: e.ObjectSize()}
	if a.size == 0 {
		return allocation{}
	}
	probability := -math.Expm1(-float64(a.size) / samplingDistance)
	a.objects = 1 / probability
	a.bytes = float64(a.size) * a.objects
	a.variance = a.bytes * a.bytes * (1 - probability)
	return a
}

// objects reads a GCSampledObjectAllocation: what was allocated of a type since its event before.
func objects(ev *codec.Event) (typeID uint64, a allocation) {
	e := clr.GCSampledObjectAllocationHigh(ev)
	return e.TypeID(), allocation{bytes: float64(e.TotalSizeForTypeSample()), objects: float64(e.ObjectCountForTypeSample())}
}
