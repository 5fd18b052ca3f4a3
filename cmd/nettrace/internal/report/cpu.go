package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/summaryfile"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/tracedoc"
	"github.com/nettrace-go/nettrace/profile"
)

// cpuView prints the part cpu.
var cpuView = view{
	name:  cpuName,
	short: "Print which methods used the processor",
	long: "report cpu prints which methods used the processor, by their samples: own time, and with what they\n" +
		"called. Times are in milliseconds.\n\n" +
		"  self      in the method itself; total: also in the methods that it called\n" +
		"  kind      managed, native, kernel or stub, as in \"nettrace stacks --details\"\n" +
		"  at polls  samples at places where the collector can stop a thread: their time may belong to code\n" +
		"            just before\n\n" +
		"Samples of the operating system (perf) are processor time. Those of the runtime (eventpipe) are the\n" +
		"time of threads that run: managed code, and native code in which a thread runs or waits, which is\n" +
		"unknown. The runtime does not sample its own threads: what the collector and the compiler use is\n" +
		"missing. \"nettrace top\" has filters, callers and trees.",
	summary: cpuSummary,
	totals:  cpuTotalsList,
	tables:  cpuTables,
}

// cpuCommand returns the command of the part cpu.
func cpuCommand(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     cpuView.name + " {FILE... | -p PID | -n NAME | --port ADDR}",
		Short:   cpuView.short,
		Long:    cpuView.long,
		Example: "  nettrace report cpu trace.nettrace\n  nettrace report cpu --json trace.nettrace | jq .totals",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, files []string) error {
			if i := slices.IndexFunc(files, summaryfile.Is); i >= 0 {
				return fmt.Errorf("%s: a summary has no part of its own: nettrace top %s prints its methods", files[i], files[i])
			}
			if err := cmp.Or(o.checkWorkers(files, false), o.checkLimit(cmd, false), o.live.check(files)); err != nil {
				return err
			}
			if o.live.Given() > 0 {
				name, remove, err := o.live.Record(cmd.Context(), p, "--profile", "dotnet-sampled-thread-time")
				defer remove()
				if err != nil || name == "" {
					return err
				}
				files = []string{name}
			}
			recorded := false
			for i, name := range files {
				f, err := o.cpu(cmd.Context(), p, name)
				if cmd.Context().Err() != nil {
					return context.Cause(cmd.Context())
				}
				if err != nil {
					p.Finish(nil, err)
					continue
				}
				recorded = recorded || f.recorded()
				if _, err := p.Stdout.Write(o.writer(p, detail)(f, i > 0)); err != nil {
					return exit.WriteError(err)
				}
			}
			if !recorded {
				p.Raise(exit.Broken)
			}
			return nil
		},
	}
	o.format.AddFlags(cmd, []string{choice.Text, choice.JSON, markdown}, choice.Text, "")
	o.terminal.AddFlags(cmd)
	o.live.addFlags(cmd)
	o.addLimitFlag(cmd)
	input.AddWorkersFlag(cmd, &o.workers, 0)
	return cmd
}

// cpuStates are the states of samples that can be processor time.
var cpuStates = []profile.State{profile.Running, profile.Native}

// cpu reads the samples of a file.
func (o *options) cpu(ctx context.Context, p *run.Program, name string) (*file, error) {
	in, err := input.Open(p, name, input.Options{Silent: true})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	s := samples.Selection{DefaultStates: cpuStates, NoLabels: true, Workers: o.workers}
	l, err := s.Load(ctx, name, in, false)
	if err != nil {
		return nil, err
	}
	in.EndProgress()
	l.ReportTrace(p)
	l.NoteWorkers(p)
	f := &file{name: name, reports: cpuReports(l)}
	if o.live.Given() > 0 { // the file is temporary
		f.name = o.live.Flag()
		tracedoc.NameCommands(f.reports, f.name)
		return f, nil
	}
	tracedoc.NameCommands(f.reports, tracedoc.Quoted(name))
	return f, nil
}

func cpuSummary(r *analysis.Report) string {
	t := r.Totals.(*cpuTotals)
	text := fmt.Sprintf("%s in %s", milliseconds(t.CPUNs), display.Counted(int64(len(t.Threads)), "thread"))
	if rows := r.Rows.([]cpuRow); len(rows) > 0 {
		text += ", most in " + rows[0].Method
	}
	return text
}

// cpuTotalsList lists the totals.
func cpuTotalsList(r *analysis.Report) []property {
	t := r.Totals.(*cpuTotals)
	list := []property{
		{"sampler", fmt.Sprint(t.Sampler)},
		{"samples", fmt.Sprintf("%s of %s, each every %s (median)", display.Grouped(t.Samples), display.Counted(int64(len(t.Threads)), "thread"), milliseconds(int64(1e9/float64(max(t.RateHz, 1)))))},
		{"processor time", milliseconds(t.CPUNs)},
	}
	for _, part := range []struct {
		name string
		of   analysis.Number
	}{
		{"managed", t.ManagedNs}, {"native", t.NativeNs}, {"of it unknown: runs or waits", t.UnknownNs}, {"kernel", t.KernelNs}, {"collector", t.GCNs}, {"compiler", t.JITNs},
		{"spinning, beside it", t.SpinningNs}, {"not sampled", t.NotSampledNs},
	} {
		if n, ok := part.of.Get(); ok {
			list = append(list, property{part.name, milliseconds(n)})
		}
	}
	if t.OnlyExternal {
		list = append(list, property{"note", "the runtime does not tell managed from native code: the innermost frame alone decides whether a thread runs"})
	}
	if t.PollPercent != nil {
		list = append(list, property{"at polls", strconv.FormatFloat(*t.PollPercent, 'f', 1, 64) + " %"})
	}
	if t.UnnamedPercent > 0 {
		list = append(list, property{"without a name", strconv.FormatFloat(t.UnnamedPercent, 'f', 1, 64) + " %"})
	}
	return list
}

// cpuTables lists the methods and the threads.
func cpuTables(r *analysis.Report) []table {
	t := r.Totals.(*cpuTotals)
	rows := r.Rows.([]cpuRow)
	methods := listing("Methods, times in ms", []analysis.Field[cpuRow]{
		{Head: "self", Form: analysis.Million, Of: func(r *cpuRow) any { return r.SelfNs }},
		{Head: "%", Of: func(r *cpuRow) any { return analysis.Percent(r.SelfNs, t.CPUNs) }},
		{Head: "total", Form: analysis.Million, Of: func(r *cpuRow) any { return r.TotalNs }},
		{Head: "samples", Form: analysis.Grouped, Wide: true, Of: func(r *cpuRow) any { return r.Samples }},
		{Head: "kind", Wide: true, Of: func(r *cpuRow) any { return r.Kind }},
		{Head: "method", Form: analysis.Method, Blank: true, Of: func(r *cpuRow) any { return r.Method }},
		{Head: "module", Form: analysis.Cut, Wide: true, Of: func(r *cpuRow) any { return r.Module }},
	}, rows)
	threads := table{title: "Threads, times in ms", columns: []terminal.Column{right("time"), right("samples"), right("thread"), {Title: "name"}}}
	for _, thread := range t.Threads {
		threads.rows = append(threads.rows, []string{millionths(analysis.Known(thread.CPUNs)), display.Grouped(thread.Samples), strconv.FormatUint(thread.ThreadID, 10), dash(thread.Name)})
	}
	return []table{methods, threads}
}
