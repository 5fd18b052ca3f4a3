// Package stack is the command stack, which prints the stacks of all managed threads of a
// running process.
package stack

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// options are the flags of stack.
type options struct {
	attach.Options
	format   choice.Format
	display  terminal.Flags
	every    time.Duration
	count    int
	endless  bool // --every without --count
	useless  bool // --every with --count 1
	depth    int
	rawNames bool
}

// Command returns the command stack.
func Command(p *run.Program) *cobra.Command {
	o := options{Options: attach.Options{Timeout: sampleTime, Tell: p.Complain}}
	cmd := &cobra.Command{
		Use:   "stack {-p PID | -n NAME | --port ADDR}",
		Short: "Print the stacks of all threads of a running .NET process",
		Long: "stack prints the stacks that the managed threads of a process have now. Threads with equal stacks\n" +
			"are one group; idle threads come last. Each group has the state of its threads and, by their frames,\n" +
			"the cause: blocked (lock) waits for a lock, waiting (task) for the end of a task. The states are\n" +
			"those of nettrace threadtime, the causes those of nettrace report waits. A thread without managed\n" +
			"frames is counted, but not printed.\n\n" +
			"stack makes a session of 10 ms with the sample profiler and the names of methods, and prints one of\n" +
			"its rounds: the process is stopped for a fraction of a millisecond in each. Deadlocked processes\n" +
			"have stacks too. --every and --count make several samples, each in a session of its own: threads\n" +
			"that start or compile methods may wait while the process writes the names.\n\n" +
			"Names of threads come from /proc, where the process is local; Linux keeps 15 bytes of them. The\n" +
			"command nettrace stacks prints the stacks of a file.\n\n" +
			"Exit codes: 0 the stacks were printed; 1 no thread has managed frames, or the process ended before\n" +
			"the last sample; 2 the command line is wrong, or the process cannot be reached or does not answer:\n" +
			"stack prints the reason when a sample takes longer than --timeout; 3 the runtime does not support\n" +
			"the request; 130 Ctrl-C before the last sample of --count, or before the first one.",
		Example: "  nettrace stack -p 4711\n" +
			"  nettrace stack -n shop --every 1s --count 5\n" +
			"  nettrace stack -p 4711 --json | jq -r '.groups[] | select(.state == \"blocked\") | .threads[].name'",
		Args: run.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			every, count := cmd.Flags().Changed("every"), cmd.Flags().Changed("count")
			o.endless, o.useless = every && !count, every && count && o.count == 1
			if err := o.check(); err != nil {
				return err
			}
			return printStacks(p, &o)
		},
	}
	o.Options.AddFlags(cmd)
	o.format.AddTextFlags(cmd)
	o.display.AddFlags(cmd)
	f := cmd.Flags()
	f.DurationVar(&o.every, "every", time.Second, "`TIME` between the beginnings of two samples; without --count until Ctrl-C")
	f.IntVar(&o.count, "count", 1, "make `N` samples")
	f.IntVar(&o.depth, "depth", 0, "print at most `N` frames of each stack, nearest to the leaf; 0 for all")
	f.BoolVar(&o.rawNames, "raw-names", false, "print names as the runtime writes them, with the module")
	return cmd
}

// check returns an error for values that are out of range.
func (o *options) check() error {
	switch {
	case o.Given() != 1:
		return errors.New("stack needs one of -p, -n and --port")
	case o.count < 1:
		return fmt.Errorf("--count: %d is not a number of samples", o.count)
	case o.useless:
		return errors.New("--every: --count 1 makes one sample")
	case o.every < 0:
		return fmt.Errorf("--every: %v is negative", o.every)
	case o.depth < 0:
		return errors.New("--depth: a number of frames is not negative")
	}
	return nil
}

// printStacks prints the samples of a process.
func printStacks(p *run.Program, o *options) error {
	ctx, stop := p.UntilSignal()
	defer stop()
	return printUntil(ctx, p, o)
}

// printUntil prints the samples of a process until ctx is done.
func printUntil(ctx context.Context, p *run.Program, o *options) error {
	a, err := o.Attach(ctx, nil, nil, p.Stderr)
	if ctx.Err() != nil {
		return o.interrupted(0)
	}
	if err != nil {
		return err
	}
	defer a.End()
	m := sampler{a, attach.Silence, lengths()}
	due := time.NewTimer(0)
	defer due.Stop()
	for n := 0; n < o.count || o.endless; n++ {
		select {
		case <-due.C:
		case <-ctx.Done():
			return o.interrupted(n)
		}
		due.Reset(o.every)
		s, err := m.within(ctx, o.Timeout)
		switch {
		case ctx.Err() != nil:
			return o.interrupted(n)
		case err != nil && n > 0:
			return exit.With(exit.Broken, fmt.Errorf("%w; this was after %s", a.Named(err), display.Counted(int64(n), "sample")))
		case err != nil:
			return exit.With(code(err), a.Named(err))
		}
		if s.lost > 0 {
			p.Complain("warning: %s lost: stacks may be missing", display.CountedUnsigned(s.lost, "event"))
		}
		if _, err := p.Stdout.Write(o.text(s, n > 0, p)); err != nil {
			return exit.WriteError(err)
		}
	}
	return nil
}

// interrupted returns the error of Ctrl-C after n samples. An endless series ends with it.
func (o *options) interrupted(n int) error {
	if o.endless && n > 0 {
		return nil
	}
	return exit.With(exit.Interrupted, fmt.Errorf("interrupted after %s", display.Counted(int64(n), "sample")))
}

// text returns a sample as text or as JSON.
func (o *options) text(s *sample, more bool, p *run.Program) []byte {
	if o.format.IsJSON() {
		return o.appendJSON(nil, s)
	}
	var b []byte
	if more {
		b = append(b, '\n')
	}
	return o.appendText(b, s, o.display.Screen(p.Stdout))
}

// code returns the exit code for an error of the first sample.
func code(err error) int {
	if errors.Is(err, errNoFrames) || errors.Is(err, errEnded) {
		return exit.Broken
	}
	return attach.SessionExitCode(err)
}
