package jit

import (
	"sort"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
)

// runtimeStart handles RuntimeInformationStart, which the runtime writes when it
// starts.
func (p *process) runtimeStart(ev *codec.Event) {
	if !p.hasRuntime {
		p.hasRuntime, p.begin = true, ev.Timestamp
	}
}

// inStartup reports whether the process is in its startup.
func (p *process) inStartup() bool { return p.hasRuntime && p.startupEnd == 0 }

// endStartup ends the startup.
func (p *process) endStartup(ev *codec.Event) {
	if p.startupEnd == 0 {
		p.startupEnd = ev.Timestamp
	}
}

// pause handles a pause of the garbage collector. Above the limit the rest is unknown.
func (p *process) pause(s *model.Suspension) {
	if int64(len(p.pauses)) < p.trace.Limits().Rows {
		p.pauses = append(p.pauses, analysis.Interval{From: s.From, To: s.To})
	}
}

// pausedIn returns the sum of the pauses in a time.
func (p *process) pausedIn(from, to uint64) int64 {
	var list []analysis.Interval
	for i := sort.Search(len(p.pauses), func(i int) bool { return p.pauses[i].To > from }); i < len(p.pauses) && p.pauses[i].From < to; i++ {
		list = append(list, analysis.Interval{From: max(from, p.pauses[i].From), To: min(to, p.pauses[i].To)})
	}
	return p.trace.Union(list)
}

// entryPoint handles R2RGetEntryPoint: the runtime uses ReadyToRun code of a method.
func (p *process) entryPoint(*codec.Event) { p.entryPoints++ }

// tieringPause handles TieredCompilationPause: new methods are called, so the
// runtime waits with compiling in the background.
func (p *process) tieringPause(ev *codec.Event) {
	p.hasTiering = true
	p.tiering.Pauses++
	p.paused, p.pausedAt = true, ev.Timestamp
}

// tieringResume handles TieredCompilationResume.
func (p *process) tieringResume(ev *codec.Event) {
	p.hasTiering = true
	if p.paused {
		p.tiering.PausedNs += p.trace.Between(p.pausedAt, ev.Timestamp)
	}
	p.paused = false
	p.endStartup(ev)
}

// batchStart handles TieredCompilationBackgroundJitStart.
func (p *process) batchStart(ev *codec.Event) {
	p.hasTiering = true
	p.tiering.MaxPending = max(p.tiering.MaxPending, int64(clr.TieredCompilationBackgroundJitStart(ev).PendingMethodCount()))
	if int64(len(p.batches)) >= p.trace.Limits().Threads {
		clear(p.batches)
	}
	p.batches[p.trace.Thread(ev)] = ev.Timestamp
	p.endStartup(ev)
}

// batchStop handles TieredCompilationBackgroundJitStop.
func (p *process) batchStop(ev *codec.Event) {
	e := clr.TieredCompilationBackgroundJitStop(ev)
	p.hasTiering = true
	p.tiering.MaxPending = max(p.tiering.MaxPending, int64(e.PendingMethodCount()))
	p.tiering.Batches++
	p.tiering.BatchMethods += int64(e.JittedMethodCount())
	thread := p.trace.Thread(ev)
	if start, ok := p.batches[thread]; ok {
		p.tiering.BatchNs += p.trace.Between(start, ev.Timestamp)
	}
	delete(p.batches, thread)
}
