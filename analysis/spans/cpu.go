package spans

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
)

// CPU is the processor time of the threads of a process, by samples.
type CPU struct {
	// Sampler is "perf" for processor time, "eventpipe" for the time of threads that run or are ready to: on
	// a busy machine it is longer.
	Sampler string
	// Threads has the samples by the operating system's id of the thread, in any order.
	Threads map[uint64][]Sample
}

// Sample is processor time.
type Sample struct {
	Ticks uint64 // when it began
	Nanos int64  // how long it was
}

// AddCPU adds processor time to the rows, the intervals and the totals of a report of the part: to a span that
// begins and ends on one thread, the samples of the thread in it. It changes the samples of cpu.
func AddCPU(r *analysis.Report, cpu *CPU) {
	t, ok := r.Totals.(*Totals)
	if !ok {
		return
	}
	for _, list := range cpu.Threads {
		slices.SortFunc(list, func(a, b Sample) int { return cmp.Compare(a.Ticks, b.Ticks) })
		for i := 1; i < len(list); i++ {
			list[i].Nanos += list[i-1].Nanos // the sum up to there
		}
	}
	for i := range t.Intervals {
		if s := &t.Intervals[i]; s.StartThreadID == s.StopThreadID {
			list := cpu.Threads[s.StartThreadID]
			s.CPUNs = analysis.Known(before(list, s.StopTicks) - before(list, s.StartTicks))
		}
	}
	t.Sampler = cpu.Sampler
	r.Rows = rows(t.Intervals)
}

// before returns the sum of the samples before a time.
func before(list []Sample, ticks uint64) int64 {
	n, _ := slices.BinarySearchFunc(list, ticks, func(s Sample, ticks uint64) int { return cmp.Compare(s.Ticks, ticks) })
	if n == 0 {
		return 0
	}
	return list[n-1].Nanos
}
