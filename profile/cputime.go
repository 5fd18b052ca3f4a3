package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// collectorFrame is the name of the only frame of the threads of the garbage
// collector.
const collectorFrame = "[garbage collector]"

// notSampledFrame is the name of the only frame of the time of a thread in which
// the sample profiler took no sample of it, but did at other times.
const notSampledFrame = "[not sampled]"

// cpuTime is the processor time that a thread used in a time, in nanoseconds.
type cpuTime struct {
	from, to uint64 // ticks
	nanos    int64
}

// cpuTimes are the processor times of threads and the weights that they give to
// samples.
type cpuTimes struct {
	times   map[uint32][]cpuTime // by thread
	names   map[uint32]string    // of threads, from the operating system
	of      map[uint64]bool      // processes whose times are known
	weights [][]int64            // by thread, of its records of type Wall in order, in nanoseconds
}

// threadTime handles the processor time of a thread between two readings. A merged
// trace is left out: From and To are times of one of its sources.
func (b *builder) threadTime(ev *codec.Event) {
	e := clr.ThreadTime(ev)
	one := cpuTime{from: e.From(), to: e.To(), nanos: clamp(float64(e.UserNanoseconds()) + float64(e.SystemNanoseconds()))}
	if e.Short() || b.merged || one.to <= one.from {
		return
	}
	if _, _, ok := b.slice.Clip(one.from, one.to); !ok || !b.hold(1) {
		return
	}
	process := b.process
	if ev.Thread() != nil {
		process = ev.Thread().ProcessID
	}
	at := b.p.threads.find(threadKey{process: process, thread: e.ThreadID()})
	if int64(len(b.p.threads.rows)) > b.limits.Threads {
		b.exceed("Threads")
		return
	}
	c := b.p.cpu
	if c == nil {
		c = &cpuTimes{times: map[uint32][]cpuTime{}, names: map[uint32]string{}, of: map[uint64]bool{}}
		b.p.cpu = c
	}
	c.of[process] = true
	c.times[at] = append(c.times[at], one)
	if _, known := c.names[at]; !known {
		c.names[at] = string(wire.AppendUTF16(nil, e.Name()))
	}
}

// weigh gives the samples of each thread the processor time that it used, and
// makes a sample of the time in which there is none. All frames have names.
func (b *builder) weigh() {
	c := b.p.cpu
	if c == nil {
		return
	}
	if !b.kept[CPUApprox] {
		b.p.cpu = nil
		return
	}
	for at, list := range c.times {
		list = clipped(list, b.p.Start, b.p.End)
		slices.SortFunc(list, func(x, y cpuTime) int { return cmp.Compare(x.from, y.from) })
		c.times[at] = list
	}
	if b.dropForeignTimes(); len(c.times) == 0 {
		b.p.cpu = nil
		return
	}
	leader := map[uint64]string{} // by process: the name that its threads inherit
	for at, name := range c.names {
		if row := b.p.threads.rows[at]; row.ID == row.ProcessID {
			leader[row.ProcessID] = name
		}
	}
	for thread := range b.p.threads.rows {
		at := uint32(thread)
		if _, known := c.times[at]; !known {
			continue
		}
		if row := &b.p.threads.rows[at]; c.names[at] != leader[row.ProcessID] {
			b.p.threads.name(at, c.names[at])
		}
	}
	c.weights = make([][]int64, len(b.p.threads.rows))
	b.weighThreads()
}

// weighThreads distributes the times of all threads over their samples.
func (b *builder) weighThreads() {
	c, mayRun, workers := b.p.cpu, b.mayRun, 1
	if len(b.p.names.lifetimes) == 0 { // the state does not depend on the time
		known := b.codesThatMayRun()
		mayRun, workers = func(_ int, r *record) bool { return known[codeOf(r)] }, b.p.workers
	}
	left := make([][]cpuTime, len(c.weights))
	divide(workers, len(c.weights), func(_, thread int) {
		if list, known := c.times[uint32(thread)]; known {
			c.weights[thread], left[thread] = b.weighThread(thread, list, mayRun)
		}
	})
	for thread, list := range left {
		for _, one := range list {
			b.notSampled(thread, one)
		}
	}
}

// codesThatMayRun returns mayRun for each code of the threads whose times are known.
func (b *builder) codesThatMayRun() []bool {
	stacks := len(b.p.stacks.stacks)
	met, may := make([]bool, len(codeKinds)*stacks), make([]bool, len(codeKinds)*stacks)
	for thread, codes := range b.p.records[Wall].codes(b.p.workers, stacks) {
		if _, known := b.p.cpu.times[uint32(thread)]; !known {
			continue
		}
		for _, code := range codes {
			if !met[code] {
				met[code], may[code] = true, b.mayRun(thread, &record{stack: StackID(code / len(codeKinds)), detail: codeKinds[code%len(codeKinds)]})
			}
		}
	}
	return may
}

// dropForeignTimes drops the times of processes with managed samples if all of
// these are on threads without times: the times have the ids of another PID
// namespace.
func (b *builder) dropForeignTimes() {
	matched, managed := map[uint64]bool{}, map[uint64]bool{}
	for thread := range b.p.threads.rows {
		process := b.p.threads.rows[thread].ProcessID
		rows := b.p.records[Wall].of(thread)
		if _, known := b.p.cpu.times[uint32(thread)]; known && rows.count > 0 {
			matched[process] = true
			continue
		}
		if managed[process] {
			continue
		}
		for _, r := range rows.all() {
			if r.managed() {
				managed[process] = true
				break
			}
		}
	}
	for at := range b.p.cpu.times {
		if process := b.p.threads.rows[at].ProcessID; managed[process] && !matched[process] {
			delete(b.p.cpu.times, at)
			delete(b.p.cpu.of, process)
		}
	}
}

// clipped returns the parts of times that are in a trace. The readings of a part
// of a recording, such as a ring, can be from before and after it.
func clipped(list []cpuTime, start, end uint64) []cpuTime {
	kept := list[:0]
	for _, one := range list {
		from, to := max(one.from, start), min(one.to, end)
		if from >= to {
			continue
		}
		if to-from < one.to-one.from {
			one.nanos = int64(float64(one.nanos) * float64(to-from) / float64(one.to-one.from))
		}
		kept = append(kept, cpuTime{from, to, one.nanos})
	}
	return kept
}

// candidate is the part of a sample in a reading's time that may have run.
type candidate struct {
	record int
	ticks  uint64
}

// weighThread distributes the times of one thread over its samples. It returns those without
// samples.
func (b *builder) weighThread(thread int, list []cpuTime, mayRun func(int, *record) bool) (weights []int64, left []cpuTime) {
	rows, pauses := b.p.records[Wall].of(thread), b.p.weightsOf(thread).pauses
	weights = make([]int64, rows.count)
	first := 0
	var running, others []candidate
	for _, one := range list {
		for first < rows.count && rows.at(first).until <= one.from {
			first++
		}
		running, others = running[:0], others[:0]
		for i := first; i < rows.count; i++ {
			r := rows.at(i)
			if r.ticks >= one.to {
				break
			}
			until := min(r.until, one.to)
			from := min(max(r.ticks, one.from), until)
			part := candidate{i, until - from - pauses.length(from, until)}
			switch {
			case part.ticks == 0:
			case mayRun(thread, r):
				running = append(running, part)
			default:
				others = append(others, part)
			}
		}
		if len(running) == 0 {
			running = others
		}
		if !distribute(weights, running, one.nanos) {
			left = append(left, one)
		}
	}
	return weights, left
}

// mayRun reports whether a thread may use a processor in a sample.
func (b *builder) mayRun(thread int, r *record) bool {
	state, _ := b.p.State(&Sample{Type: Wall, Thread: thread, Stack: b.p.named(r), Managed: r.managed(), code: r.detail & codeBits})
	return state == Running || state == Native || state == Spinning
}

// distribute adds a time to the weights of samples, in proportion to their parts.
func distribute(weights []int64, parts []candidate, nanos int64) bool {
	total := uint64(0)
	for _, part := range parts {
		total += part.ticks
	}
	if total == 0 {
		return false
	}
	rest := nanos
	for i, part := range parts {
		share := min(rest, int64(float64(nanos)*float64(part.ticks)/float64(total)))
		if i == len(parts)-1 {
			share = rest
		}
		weights[part.record] += share
		rest -= share
	}
	return true
}

// notSampled makes a sample of the time of a thread that has none: one of the
// threads of the runtime that run no managed code, or of native code.
func (b *builder) notSampled(thread int, one cpuTime) {
	name := notSampledFrame
	if b.p.records[Wall].of(thread).count == 0 {
		name = b.p.cpu.frameOf(uint32(thread), b.p.threads.rows[thread])
	}
	frame := b.p.names.groupFrame(name)
	id, known := b.native[frame]
	if !known {
		id = b.p.stacks.make([]FrameID{frame}, madeStack{})
		if b.native == nil {
			b.native = map[FrameID]StackID{}
		}
		b.native[frame] = id
	}
	b.detail = detail{label: b.nextLabel()}
	b.keep(CPUApprox, uint32(thread), record{ticks: one.from, until: one.from, stack: id}, one.nanos, 1)
}

// frameOf is the name of the frame of a thread without samples.
func (c *cpuTimes) frameOf(thread uint32, row Thread) string {
	name := cmp.Or(c.names[thread], row.Name, "thread")
	for _, prefix := range []string{".NET Server GC", ".NET BGC", ".NET GC", ".NET Background GC"} {
		if strings.HasPrefix(name, prefix) || strings.HasPrefix(row.Name, prefix) {
			return collectorFrame
		}
	}
	if strings.HasPrefix(name, "[") {
		return name
	}
	return "[" + name + "]"
}

// ThreadTime returns the processor time, in nanoseconds, that a thread used
// between Start and End according to the operating system. ok is false if the trace does not have it:
// see Profile.HasThreadTimes. thread is an index in Threads; Options.Time does not
// apply.
func (p *Profile) ThreadTime(thread int) (nanos int64, ok bool) {
	if p.cpu == nil {
		return 0, false
	}
	list, ok := p.cpu.times[uint32(thread)]
	for _, one := range list {
		nanos += one.nanos
	}
	return nanos, ok
}

// HasThreadTimes reports whether samples of type CPUApprox have the processor time
// that the operating system measured.
func (p *Profile) HasThreadTimes() bool { return p.cpu != nil }

// covers reports whether the times of a thread's process are known.
func (c *cpuTimes) covers(row *Thread) bool { return c != nil && c.of[row.ProcessID] }

// weight is the part of the processor time of the i-th Wall sample of a thread
// that is in a window, given the lengths of the part and of the sample.
func (c *cpuTimes) weight(thread, i int, part, length uint64) int64 {
	if thread >= len(c.weights) || i >= len(c.weights[thread]) {
		return 0
	}
	nanos := c.weights[thread][i]
	if part == length {
		return nanos
	}
	return int64(float64(nanos) * float64(part) / float64(length))
}
