package jit

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// runtimeStart handles RuntimeInformationStart, which the runtime writes when it
// starts.
func (p *process) runtimeStart(ev *codec.Event) {
	if !p.hasRuntime {
		p.hasRuntime, p.begin = true, ev.Timestamp
	}
}

// inStartup reports whether the process is in its startup.
func (p *process) inStartup() bool { return p.hasRuntime && !p.startupOver }

// endStartup ends the startup.
func (p *process) endStartup() { p.startupOver = true }

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
	p.endStartup()
}

// batchStart handles TieredCompilationBackgroundJitStart.
func (p *process) batchStart(ev *codec.Event) {
	p.hasTiering = true
	p.tiering.MaxPending = max(p.tiering.MaxPending, int64(clr.TieredCompilationBackgroundJitStart(ev).PendingMethodCount()))
	if int64(len(p.batches)) >= p.trace.Limits().Threads {
		clear(p.batches)
	}
	p.batches[p.trace.Thread(ev)] = ev.Timestamp
	p.endStartup()
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
