package report

import (
	"context"
	"os"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/model/incoming"
	"github.com/nettrace-go/nettrace/profile"
)

// addCPU adds the processor time of incoming requests by the samples of a file, which it reads for them. What can be
// read only once has none.
func (o *options) addCPU(ctx context.Context, p *run.Program, name string, reports []analysis.Report) error {
	served := func(r analysis.Report) bool {
		t, ok := r.Totals.(*requests.Totals)
		return ok && t.Incoming != nil
	}
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || !slices.ContainsFunc(reports, served) {
		return nil
	}
	in, err := input.Open(p, name, input.Options{Silent: true})
	if err != nil {
		return err
	}
	defer in.Close()
	s := samples.Selection{DefaultStates: cpuStates, Types: []profile.Type{profile.Wall, profile.CPU}, NoLabels: true, Requests: true, Workers: o.workers}
	l, err := s.Load(ctx, name, in, false)
	if err != nil {
		return err
	}
	in.EndProgress()
	for i := range reports {
		if cpu := cpuOfRequests(l, uint64(reports[i].ProcessID.Or(0))); cpu != nil && served(reports[i]) {
			requests.AddCPU(&reports[i], cpu)
		}
	}
	return nil
}

// cpuOfRequests sums up the samples of a process by request, nil for none.
func cpuOfRequests(l *samples.Loaded, process uint64) *requests.CPU {
	of, cpu := profile.Wall, &requests.CPU{Sampler: "eventpipe", ByRequest: map[requests.Key]int64{}}
	if slices.Contains(l.Kinds, profile.CPU) {
		of, cpu.Sampler = profile.CPU, "perf"
	}
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
