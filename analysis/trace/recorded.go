package trace

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/internal/sampling"
)

// Providers of events about what a program does.
const (
	taskProvider    = "System.Threading.Tasks.TplEventSource"
	hostingProvider = "Microsoft.AspNetCore.Hosting"
	kestrelProvider = "Microsoft-AspNetCore-Server-Kestrel"
	clientProvider  = "System.Net.Http"
)

// wanted lists what a trace can have, and what records it. A trace with an event of
// one of the kinds has it; of a kind with the id 0, any event of the provider counts.
// EventCounters stand for the providers that have them.
var wanted = []struct {
	missing analysis.NotRecorded
	kinds   []kind
}{
	{analysis.Missing("samples of the threads", sampling.Provider, 0x0, 4), []kind{{sampling.Provider, 0}, {"Universal.Events", 0}}},
	{analysis.Missing("garbage collections", analysis.RuntimeProvider, 0x1, 4), []kind{{analysis.RuntimeProvider, 1}}},
	{analysis.Missing("allocations", analysis.RuntimeProvider, 0x1, 5), []kind{{analysis.RuntimeProvider, 10}, {analysis.RuntimeProvider, 303}}},
	{analysis.Missing("compilations", analysis.RuntimeProvider, 0x10, 5), []kind{{analysis.RuntimeProvider, 145}}},
	{analysis.Missing("the thread pool and new threads", analysis.RuntimeProvider, 0x10000, 4), []kind{{analysis.RuntimeProvider, 55}, {analysis.RuntimeProvider, 50}}},
	{analysis.Missing("contended locks", analysis.RuntimeProvider, 0x4000, 4), []kind{{analysis.RuntimeProvider, 81}}},
	{analysis.Missing("blocking waits (.NET 9 and later)", analysis.RuntimeProvider, 0x40000000000, 5), []kind{{analysis.RuntimeProvider, 301}}},
	{analysis.Missing("exceptions", analysis.RuntimeProvider, 0x8000, 4), []kind{{analysis.RuntimeProvider, 80}}},
	{analysis.Missing("tasks, which join the stacks of asynchronous methods", taskProvider, 0x7f, 5), []kind{{taskProvider, 0}}},
	{analysis.Missing("incoming requests", kestrelProvider, 0xffffffffffffffff, 4), []kind{{kestrelProvider, 0}, {hostingProvider, 0}}},
	{analysis.Missing("outgoing requests", clientProvider, 0xffffffffffffffff, 4), []kind{{clientProvider, 0}}},
	{analysis.MissingCounters("counters"), []kind{{eventCounters, 0}, {counters.MetersProvider, 0}}},
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
