// Package threadtime is the command threadtime, which prints what each thread did.
package threadtime

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/live"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/profile"
)

// options are the flags of threadtime.
type options struct {
	samples.Selection
	live    live.File
	format  choice.Format
	display terminal.Flags
	spans   bool
	limit   uint64
}

// providers record the samples, waits, contended locks and pauses of a process.
const providers = "Microsoft-DotNETCore-SampleProfiler,Microsoft-Windows-DotNETRuntime:0x40000004001:5"

// types are those of the samples that a time line has.
var types = []profile.Type{profile.Wall, profile.CPU, profile.Switch, profile.Lock, profile.Wait, profile.GC}

// Command returns the command threadtime.
func Command(p *run.Program) *cobra.Command {
	o := options{Selection: samples.Selection{Types: types, NoLabels: true}}
	cmd := &cobra.Command{
		Use:   "threadtime {FILE | -p PID | -n NAME | --port ADDR}",
		Short: "Show how long each thread ran, waited for what, and was blocked by whom",
		Long: "threadtime prints a row for each thread, with the time in each state. The states of a row add up to\n" +
			"the time in which the thread was observed: from its first sample, wait, contention, context switch\n" +
			"or pause to the end of its last one. The threads that ran longest are first.\n\n" +
			"States:\n" +
			"  running      in managed code, or on the processor\n" +
			"  native       in code outside of .NET, which runs or waits\n" +
			"  waiting      for a task, an event, a time or data\n" +
			"  blocked      by a lock, which another thread holds, or off the processor: in futex of the kernel,\n" +
			"               or for a reason that is not recorded\n" +
			"  stopped      by a pause of the garbage collector, in which it would run\n" +
			"  spinning     on the processor while it waits, most often in the thread pool\n" +
			"  idle         a thread of the runtime or the class library without work\n" +
			"  runnable     without a processor: another thread took it (records of switches by perf)\n" +
			"  not sampled  unknown: the trace does not show what the thread did\n\n" +
			"The last column is what the thread waited for, and for how long. \"lock of 42\" is a lock that the\n" +
			"thread 42 held when the wait began. A wait includes waiting for a processor after its end.\n\n" +
			"The states follow from the samples of the sample profiler, and from the events of waits, contended\n" +
			"locks, context switches (format 6) and pauses, which are more exact: record them with\n" +
			"--providers " + providers + ".\n\n" +
			"With -p, -n or --port threadtime records them of a process, until Ctrl-C or --duration, and with\n" +
			"-p and -n, by perf, when its threads left their processors, where the system permits it.\n\n" +
			samples.WorkersHelp + ".\n\n" +
			"--spans prints the time line of each thread. In JSON a span has the frames of the place where the\n" +
			"thread waits, and wokenBy and wokenTicks: which thread of the process ended the wait, and when. A\n" +
			"timer ends waits in any thread that it interrupts.\n\n" +
			"Without a time line threadtime prints the reason and exits with 1.",
		Example: "  nettrace threadtime trace.nettrace\n" +
			"  nettrace threadtime --spans --thread 4242 --from 1s --to 2s trace.nettrace\n" +
			"  nettrace threadtime --json trace.nettrace | jq '.threads[] | [.threadId, .runningNs, .waitingNs]'",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.live.Check("threadtime", len(args)); err != nil {
				return err
			}
			if o.live.Given() > 0 {
				flags := []string{"--providers", providers}
				if !cmd.Flags().Changed("port") { // the process of a port can be on another machine
					flags = append(flags, "--cpu-sampler", "both")
				}
				name, remove, err := o.live.Record(cmd.Context(), p, flags...)
				defer remove()
				if err != nil || name == "" {
					return err
				}
				args = []string{name}
			}
			if err := run.OneFile(cmd, args); err != nil {
				return err
			}
			return show(cmd.Context(), p, args[0], &o)
		},
	}
	o.live.AddFlags(cmd, false)
	o.AddThreadFlags(cmd)
	f := cmd.Flags()
	input.AddWorkersFlag(cmd, &o.Workers, 0)
	f.BoolVar(&o.spans, "spans", false, "print the time line of each thread: when it was in which state")
	f.Uint64Var(&o.limit, "limit", 30, "print at most `N` threads, and N spans of each in text; 0 for all")
	o.format.AddTextFlags(cmd)
	o.display.AddFlags(cmd)
	return cmd
}

// show shows one file.
func show(ctx context.Context, p *run.Program, name string, o *options) error {
	in, err := input.Open(p, name, input.Options{Silent: true})
	if err != nil {
		return err
	}
	defer in.Close()
	l, err := o.Load(ctx, name, in, false)
	if err != nil {
		return err
	}
	in.EndProgress()
	l.ReportTrace(p)
	d := newData(l)
	if len(d.rows) == 0 {
		return l.Empty()
	}
	samples.WarnNames(p, name, l.Names(types...), types...)
	var b []byte
	if o.format.IsJSON() {
		b = d.json(o)
	} else {
		t := printer{Screen: o.display.Screen(p.Stdout), o: o}
		t.print(d)
		b = t.b
	}
	_, err = p.Stdout.Write(b)
	return exit.WriteError(err)
}

// shown returns the number of rows out of n that are shown.
func (o *options) shown(n int) int {
	if o.limit == 0 {
		return n
	}
	return int(min(uint64(n), o.limit))
}
