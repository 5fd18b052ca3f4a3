package trace

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// wanted lists what a trace can have, and what records it. A trace with an event of
// one of the kinds has it; of a kind with the id 0, any event of the provider counts.
// EventCounters stand for the providers that have them.
var wanted = []struct {
	missing analysis.NotRecorded
	kinds   []kind
}{
	{analysis.Missing("samples of the threads", clr.SamplerProvider, 0x0, 4), []kind{{clr.SamplerProvider, 0}, {clr.UniversalEventsProvider, 0}}},
	{analysis.Missing("garbage collections", clr.RuntimeProvider, 0x1, 4), of(clr.KindGCStart)},
	{analysis.Missing("allocations", clr.RuntimeProvider, 0x1, 5), of(clr.KindGCAllocationTick, clr.KindAllocationSampled)},
	{analysis.Missing("compilations", clr.RuntimeProvider, 0x10, 5), of(clr.KindMethodJittingStarted)},
	{analysis.Missing("the thread pool and new threads", clr.RuntimeProvider, 0x10000, 4), of(clr.KindThreadPoolWorkerThreadAdjustment, clr.KindThreadPoolWorkerThreadStart)},
	{analysis.Missing("contended locks", clr.RuntimeProvider, 0x4000, 4), of(clr.KindContentionStart)},
	{analysis.Missing("blocking waits (.NET 9 and later)", clr.RuntimeProvider, 0x40000000000, 5), of(clr.KindWaitHandleWaitStart)},
	{analysis.Missing("exceptions", clr.RuntimeProvider, 0x8000, 4), of(clr.KindExceptionThrown)},
	{analysis.Missing("tasks, which join the stacks of asynchronous methods", clr.TasksProvider, 0x7f, 5), []kind{{clr.TasksProvider, 0}}},
	{analysis.Missing("incoming requests", clr.KestrelProvider, 0xffffffffffffffff, 4), []kind{{clr.KestrelProvider, 0}, {clr.HostingProvider, 0}}},
	{analysis.Missing("outgoing requests", clr.HTTPProvider, 0xffffffffffffffff, 4), []kind{{clr.HTTPProvider, 0}}},
	{analysis.MissingCounters("counters"), []kind{{eventCounters, 0}, {counters.MetersProvider, 0}}},
}

// of returns the types of events by which one of several kinds is recorded.
func of(kinds ...clr.Kind) []kind {
	var list []kind
	for _, k := range kinds {
		list = append(list, kind{k.Provider(), k.ID()})
	}
	return list
}

// notRecorded returns what the trace does not have.
func (p *Part) notRecorded() []analysis.NotRecorded {
	providers := map[string]bool{}
	for k, of := range p.kinds {
		if of.events > 0 {
			providers[k.provider] = true
			providers[eventCounters] = providers[eventCounters] || of.eventCounters
		}
	}
	list := []analysis.NotRecorded{}
	for i := range wanted {
		has := false
		for _, k := range wanted[i].kinds {
			has = has || k.id == 0 && providers[k.provider] || p.kinds[k] != nil && p.kinds[k].events > 0
		}
		if !has {
			list = append(list, wanted[i].missing)
		}
	}
	return list
}
