package profile

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// selection is the kind of events by which the runtime tells of allocations. Each kind stands for
// all bytes: of a trace with several kinds the last one counts.
type selection uint8

const (
	byTick selection = iota // AllocationTick
	byType                  // GCSampledObjectAllocation
	bySize                  // AllocationSampled

	selections
)

// typeKey identifies a type of a process.
type typeKey struct{ process, id uint64 }

// typesNamed keeps the names of types, which come before their GCSampledObjectAllocations.
func (b *builder) typesNamed(ev *codec.Event) {
	if b.typeNames == nil {
		b.typeNames = map[typeKey][]byte{}
	}
	process := b.p.threads.rows[b.thread(ev)].ProcessID
	for row := range clr.BulkType(ev).Rows() {
		if b.hold(1) {
			b.typeNames[typeKey{process, row.ID}] = slices.Clone(row.Name)
		}
	}
}

// objectsAllocated handles what was allocated of a type since its event before.
func (b *builder) objectsAllocated(ev *codec.Event) {
	e := clr.GCSampledObjectAllocationHigh(ev)
	if e.ObjectCountForTypeSample() == 0 {
		return
	}
	thread := b.thread(ev)
	b.begin(ev)
	b.labelUTF16(keyAllocationClass, b.typeNames[typeKey{b.p.threads.rows[thread].ProcessID, e.TypeID()}])
	b.detail.selection = byType
	b.keep(Alloc, thread, b.record(ev), clamp(float64(e.TotalSizeForTypeSample())), int64(e.ObjectCountForTypeSample()))
	b.allocations[byType]++
}

// chooseAllocations drops the allocations of all kinds of events but the last one that the trace
// has.
func (b *builder) chooseAllocations() {
	last, others := byTick, int64(0)
	for kind, n := range b.allocations {
		if n > 0 {
			last, others = selection(kind), others+n
		}
	}
	if others == b.allocations[last] {
		return
	}
	for thread := range b.p.records[Alloc] {
		b.p.records[Alloc][thread].filter(func(r *record) bool { return b.p.details.at(r.at()).selection == last })
	}
}
