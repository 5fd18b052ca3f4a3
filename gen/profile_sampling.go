package gen

import (
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// native is a native event of the runtime: it has no name and no fields.
func native(of clr.Kind, version uint32, keywords uint64) *kind {
	return &kind{Metadata: codec.Metadata{Provider: of.Provider(), EventID: of.ID(), Version: version, Level: 4, Keywords: keywords}}
}

// sampler logs the events of the sampling thread around each sample.
type sampler struct {
	suspendBegin, suspendEnd, restartBegin, restartEnd, sample *kind

	count uint32 // suspensions so far
}

func newSampler() *sampler {
	return &sampler{
		suspendBegin: native(clr.KindGCSuspendEEBegin, 1, 1), suspendEnd: native(clr.KindGCSuspendEEEnd, 1, 1),
		restartBegin: native(clr.KindGCRestartEEBegin, 1, 1), restartEnd: native(clr.KindGCRestartEEEnd, 1, 1),
		sample: native(clr.KindThreadSample, 0, 0),
	}
}

// cpuSampling samples the running threads, mostly one, and ends with a rundown.
func cpuSampling(r *run) {
	s := newSampler()
	r.makeStacks(2000)
	r.makeThreads(12)
	rundown := min(r.left()/4, 100_000)
	for r.left() > rundown {
		r.suspendAndSample(s)
		r.wait(r.ticks(1200*time.Microsecond) + r.n(r.ticks(160*time.Microsecond)))
	}
	r.processInfo()
	r.methods(rundown)
	r.end()
}

// suspendAndSample is one period of the sampler, the thread 0.
func (r *run) suspendAndSample(s *sampler) {
	s.count++
	begin := clr.GCSuspendEEBeginFields{Count: s.count} // Reason 0: SuspendOther
	r.event(s.suspendBegin, 0, 0, 0, begin.Append(r.payload[:0], 1, r.head.PointerSize))
	r.wait(r.micros(9, 45))
	r.event(s.suspendEnd, 0, 0, 0, []byte{0, 0})
	running := 1
	for running < 4 && r.percent(2) {
		running++
	}
	for range running {
		r.wait(r.micros(3, 17))
		r.event(s.sample, 1+int(r.n(uint64(len(r.threads)-1))), 0, r.someStack(), []byte{byte(1 + r.n(2)), 0, 0, 0})
	}
	r.wait(r.micros(2, 12))
	r.event(s.restartBegin, 0, 0, 0, []byte{0, 0})
	r.wait(r.micros(4, 22))
	r.event(s.restartEnd, 0, 0, 0, []byte{0, 0})
}

// manySamples samples many threads without suspending them.
func manySamples(r *run) {
	s := newSampler()
	r.points = 7000
	r.due = r.points
	r.makeStacks(400)
	r.makeThreads(30)
	for r.left() > 0 {
		for i := 1; i < len(r.threads) && r.left() > 0; i++ {
			r.event(s.sample, i, 0, r.someStack(), []byte{2, 0, 0, 0})
			r.wait(r.micros(3, 30))
		}
		r.wait(r.ticks(1300 * time.Microsecond))
	}
	r.end()
}

// micros is a time between a and b microseconds in ticks.
func (r *run) micros(a, b uint64) uint64 {
	per := r.ticks(time.Millisecond)
	return a*per/1000 + r.n((b-a)*per/1000+1)
}

// makeThreads makes n threads; the first one logs for the others.
func (r *run) makeThreads(n int) {
	base := r.firstID
	for i := range n {
		name := ".NET TP Worker"
		if i == 0 {
			name = ".NET EventPipe"
		}
		r.thread(base, name)
		base += r.between(1, 9)
	}
}

// makeStacks makes a pool of stacks, the empty one first. They share their
// roots, as those of real programs do.
func (r *run) makeStacks(n int) {
	code, spread := uint64(0x7F3A_5C00_0000), uint64(1<<26)
	if r.head.PointerSize == 4 {
		code = 0x6A00_0000
	}
	address := func() uint64 { return code + r.n(spread) }
	r.stacks = make([]runStack, 1, n+1)
	var roots [16][]uint64
	for i := range roots {
		for range 2 + r.n(12) {
			roots[i] = append(roots[i], address())
		}
	}
	for len(r.stacks) <= n {
		var stack []uint64
		for range 1 + r.n(1+r.n(57)) {
			stack = append(stack, address())
		}
		r.stacks = append(r.stacks, runStack{addresses: append(stack, roots[r.n(16)]...)})
	}
}

// someStack chooses a stack of the pool: mostly a hot one, else one of those
// that are new at this time.
func (r *run) someStack() int {
	const hot, fresh = 100, 60
	pool := uint64(len(r.stacks) - 1)
	if r.percent(90) {
		return 1 + int(r.n(min(hot, pool)))
	}
	return 1 + int((uint64(r.region)*fresh+r.n(fresh))%pool)
}
