package report

import (
	"context"
	"os"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/analysis/spans"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/model/incoming"
	"github.com/nettrace-go/nettrace/profile"
)

// addCPU adds the processor time of incoming requests and of spans by the samples of a file, which it reads for them.
// What can be read only once has none.
func (o *options) addCPU(ctx context.Context, p *run.Program, name string, reports []analysis.Report) error {
	served := func(r analysis.Report) bool {
		t, ok := r.Totals.(*requests.Totals)
		return ok && t.Incoming != nil
	}
	spanned := func(r analysis.Report) bool {
		t, ok := r.Totals.(*spans.Totals)
		return ok && t.Pairs > 0
	}
	wanted := slices.ContainsFunc(reports, func(r analysis.Report) bool { return served(r) || spanned(r) })
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || !wanted {
		return nil
	}
	in, err := input.Open(p, name, input.Options{Silent: true})
	if err != nil {
		return err
	}
	defer in.Close()
	s := samples.Selection{
		DefaultStates: cpuStates, Types: []profile.Type{profile.Wall, profile.CPU}, NoLabels: true, Requests: slices.ContainsFunc(reports, served), Workers: o.workers,
	}
	l, err := s.Load(ctx, name, in, false)
	if err != nil {
		return err
	}
	in.EndProgress()
	for i := range reports {
		process := uint64(reports[i].ProcessID.Or(0))
		switch {
		case served(reports[i]):
			if cpu := cpuOfRequests(l, process); cpu != nil {
				requests.AddCPU(&reports[i], cpu)
			}
		case spanned(reports[i]):
			if cpu := cpuOfThreads(l, process); len(cpu.Threads) > 0 {
				spans.AddCPU(&reports[i], cpu)
			}
		}
	}
	return nil
}

// cpuType returns the type of the samples that tell processor time, and the name of the sampler.
func cpuType(l *samples.Loaded) (profile.Type, string) {
	if slices.Contains(l.Kinds, profile.CPU) {
		return profile.CPU, "perf"
	}
	return profile.Wall, "eventpipe"
}

// cpuOfThreads returns the samples of a process by thread.
func cpuOfThreads(l *samples.Loaded, process uint64) *spans.CPU {
	of, sampler := cpuType(l)
	cpu := &spans.CPU{Sampler: sampler, Threads: map[uint64][]spans.Sample{}}
	threads := l.Threads()
	for s := range l.Samples(of) {
		if thread := &threads[s.Thread]; thread.ProcessID == process {
			cpu.Threads[thread.ID] = append(cpu.Threads[thread.ID], spans.Sample{Ticks: s.Ticks, Nanos: s.Value})
		}
	}
	return cpu
}

// cpuOfRequests sums up the samples of a process by request, nil for none.
func cpuOfRequests(l *samples.Loaded, process uint64) *requests.CPU {
	of, sampler := cpuType(l)
	cpu := &requests.CPU{Sampler: sampler, ByRequest: map[requests.Key]int64{}}
	found := false
	threads := l.Threads()
	for s := range l.Samples(of) {
		if threads[s.Thread].ProcessID != process {
			continue
		}
		found = true
		switch r, rule := l.Request(&s); {
		case r != nil:
			cpu.ByRequest[requests.KeyOf(r)] += s.Value
			cpu.RequestsNs += s.Value
		case rule == incoming.Ambiguous:
			cpu.AmbiguousNs += s.Value
		default:
			cpu.OtherNs += s.Value
		}
	}
	if !found {
		return nil
	}
	return cpu
}
