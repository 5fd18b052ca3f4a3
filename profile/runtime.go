package profile

import (
	"math"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// samplingDistance is the mean number of bytes between two allocations that the
// runtime samples (AllocationSampled), which is fixed.
const samplingDistance = 100 << 10

// allocationTick handles the event that the runtime sends about every 100 KB: the
// bytes allocated since the last one are attributed to the object that was
// allocated last.
func (b *builder) allocationTick(ev *codec.Event) {
	amount, count, class := b.readAllocationTick(ev)
	b.begin(ev)
	b.labelUTF16(keyAllocationClass, class)
	b.keep(Alloc, b.thread(ev), b.record(ev), amount, count)
	b.allocations[byTick]++
}

// readAllocationTick reads the event: bytes, objects and class.
func (b *builder) readAllocationTick(ev *codec.Event) (bytes, count int64, class []byte) {
	e := clr.GCAllocationTick(ev)
	amount := uint64(e.AllocationAmount())
	if e.HasAllocationAmount64() {
		amount, class = e.AllocationAmount64(), e.TypeName()
	}
	count = 1
	if size := e.ObjectSize(); size > 0 {
		count = max(1, int64(math.Round(float64(amount)/float64(size))))
	}
	return clamp(float64(amount)), count, class
}

// allocationSampled handles an allocation that was sampled with a probability
// that grows with its size: it represents 1/probability allocations.
func (b *builder) allocationSampled(ev *codec.Event) {
	e := clr.AllocationSampled(ev)
	size := float64(e.ObjectSize())
	if size == 0 {
		return
	}
	represented := 1 / -math.Expm1(-size/samplingDistance)
	b.begin(ev)
	b.labelUTF16(keyAllocationClass, e.TypeName())
	b.detail.selection = bySize
	b.keep(Alloc, b.thread(ev), b.record(ev), clamp(size*represented), clamp(represented))
	b.allocations[bySize]++
}

// clamp rounds to an int64.
func clamp(x float64) int64 {
	if !(x < math.MaxInt64) {
		return math.MaxInt64
	}
	return max(0, int64(math.Round(x)))
}

// exceptionThrown handles an exception.
func (b *builder) exceptionThrown(ev *codec.Event) {
	b.begin(ev)
	if e := clr.ExceptionThrown(ev); e.HasType() {
		b.labelUTF16(keyExceptionType, e.Type())
		b.labelUTF16(keyExceptionMessage, e.Message())
	}
	b.eventLabels(ev)
	b.keep(Exception, b.thread(ev), b.record(ev), 1, 1)
}

// cpuSample handles a sample of the operating system's profiler: a number of
// intervals.
func (b *builder) cpuSample(ev *codec.Event) {
	count := int64(min(clr.UniversalCPU(ev).Value(), math.MaxInt32))
	b.begin(ev)
	b.eventLabels(ev)
	b.keep(CPU, b.thread(ev), b.record(ev), count*promisedInterval(b.p.Trace), count)
}

// contextSwitch handles the time that a thread was off the processor, from the
// event on.
func (b *builder) contextSwitch(ev *codec.Event) {
	ticks := clr.UniversalCPU(ev).Value()
	b.begin(ev)
	for _, l := range ev.Labels() {
		switch l.Key {
		case clr.PreemptedLabel:
			b.detail.preempted = true
		case clr.WokenByLabel:
			b.detail.waker = l.Number
		case clr.WokenAtLabel:
			b.detail.woken = l.Number
		}
	}
	b.eventLabels(ev)
	r := b.record(ev)
	r.until = ev.Timestamp + min(ticks, math.MaxUint64-ev.Timestamp)
	b.keep(Switch, b.thread(ev), r, 0, 1)
}
