package profile

import (
	"math"

	"github.com/nettrace-go/nettrace/codec"
)

// samplingDistance is the mean number of bytes between two allocations that the
// runtime samples (AllocationSampled), which is fixed.
const samplingDistance = 100 << 10

// allocationTick takes in the event that the runtime sends about every 100 KB:
// the bytes allocated since the last one are given to the object that was
// allocated last.
func (b *builder) allocationTick(ev *codec.Event) {
	p := b.payload(ev)
	amount := uint64(p.u32())
	p.take(6)
	var class []byte
	if size := p.u64(); !p.short {
		amount = size
		p.ptr()
		class = p.utf16()
		p.take(4)
		p.ptr()
	}
	count := int64(1)
	if size := p.u64(); size > 0 {
		count = max(1, int64(math.Round(float64(amount)/float64(size))))
	}
	b.begin(ev)
	b.label(keyAllocationClass, b.p.texts.utf16(class))
	b.keep(Alloc, b.thread(ev), b.record(ev), clamp(float64(amount)), count)
	b.ticks++
}

// allocationSampled takes in an allocation that was chosen with a chance that
// grows with its size: it stands for 1/chance of its kind.
func (b *builder) allocationSampled(ev *codec.Event) {
	p := b.payload(ev)
	p.take(6)
	p.ptr()
	class := p.utf16()
	p.ptr()
	size := float64(p.u64())
	if p.short || size == 0 {
		return
	}
	stands := 1 / -math.Expm1(-size/samplingDistance)
	b.begin(ev)
	b.label(keyAllocationClass, b.p.texts.utf16(class))
	b.detail.sampled = true
	b.keep(Alloc, b.thread(ev), b.record(ev), clamp(size*stands), clamp(stands))
	b.sampledAllocations++
}

// clamp rounds to an int64.
func clamp(x float64) int64 {
	if !(x < math.MaxInt64) {
		return math.MaxInt64
	}
	return max(0, int64(math.Round(x)))
}

// exceptionThrown takes in an exception.
func (b *builder) exceptionThrown(ev *codec.Event) {
	b.begin(ev)
	p := b.payload(ev)
	if class := p.utf16(); !p.short {
		b.label(keyExceptionType, b.p.texts.utf16(class))
		b.label(keyExceptionMessage, b.p.texts.utf16(p.utf16()))
	}
	b.eventLabels(ev)
	b.keep(Exception, b.thread(ev), b.record(ev), 1, 1)
}

// waitKey is a thread that waits, and what for: a thread that waits for a lock
// may tell of the wait handle too.
type waitKey struct {
	thread uint32
	of     Type
}

// waiting is the start of a wait.
type waiting struct {
	r     record
	owner uint64
	act   uint32
	kind  string
}

// contentionStart notes that a thread waits for a lock.
func (b *builder) contentionStart(ev *codec.Event) {
	p := b.payload(ev)
	w := waiting{r: b.record(ev), act: b.activity(ev), kind: "Lock"}
	if p.u8() == 1 {
		w.kind = "Native lock"
	}
	p.take(2)
	p.ptr()
	p.ptr()
	w.owner = p.u64()
	b.waits[waitKey{b.thread(ev), Lock}] = w
}

// contentionStop ends it. The event tells the duration since version 1, which
// includes the time before the start was told.
func (b *builder) contentionStop(ev *codec.Event) {
	p := b.payload(ev)
	p.take(3)
	told := p.f64()
	if p.short {
		told = -1
	}
	b.endWait(ev, Lock, told)
}

// waitStart notes that a thread waits for a handle or on a monitor.
func (b *builder) waitStart(ev *codec.Event) {
	p := b.payload(ev)
	w := waiting{r: b.record(ev), act: b.activity(ev), kind: "Wait"}
	if p.u8() == 1 {
		w.kind = "Monitor wait"
	}
	b.waits[waitKey{b.thread(ev), Wait}] = w
}

// waitStop ends it.
func (b *builder) waitStop(ev *codec.Event) { b.endWait(ev, Wait, -1) }

// endWait makes a sample of a wait that is over. A stop without a start, as at
// the beginning of a trace, tells a duration and no stack.
func (b *builder) endWait(ev *codec.Event, t Type, told float64) {
	key := waitKey{b.thread(ev), t}
	w, ok := b.waits[key]
	delete(b.waits, key)
	switch {
	case !ok && told < 0:
		return
	case !ok:
		w = waiting{r: record{ticks: ev.Timestamp}, act: b.activity(ev), kind: "Lock"}
	case told < 0:
		told = float64(b.p.nanos.of(int64(ev.Timestamp - w.r.ticks)))
	}
	nanos := clamp(told)
	b.detail = detail{activity: w.act, owner: w.owner, label: uint32(len(b.p.labels))}
	b.labelText(keyContentionType, w.kind)
	bucket := keyDurationBucket
	if t == Wait {
		bucket = keyWaitBucket
	}
	b.labelText(bucket, bucketOf(nanos))
	b.keep(t, key.thread, w.r, nanos, 1)
}

// bucketOf sorts durations as the continuous profiler does.
func bucketOf(nanos int64) string {
	switch ms := nanos / 1e6; {
	case ms < 10:
		return "0 - 9 ms"
	case ms < 50:
		return " 10 - 49 ms"
	case ms < 100:
		return "50 - 99 ms"
	case ms < 500:
		return "100 - 499 ms"
	}
	return "+500 ms"
}

// cpuSample takes in a sample of the operating system's profiler: a count of
// intervals.
func (b *builder) cpuSample(ev *codec.Event) {
	p := b.payload(ev)
	count := int64(min(p.varuint(), math.MaxInt32))
	b.begin(ev)
	b.eventLabels(ev)
	b.keep(CPU, b.thread(ev), b.record(ev), count*promisedInterval(b.p.Trace), count)
}

// contextSwitch takes in the time that a thread was off the processor.
func (b *builder) contextSwitch(ev *codec.Event) {
	p := b.payload(ev)
	ticks := int64(min(p.varuint(), math.MaxInt64))
	b.begin(ev)
	b.eventLabels(ev)
	b.keep(Switch, b.thread(ev), b.record(ev), b.p.nanos.of(ticks), 1)
}
