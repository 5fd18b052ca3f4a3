package top

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/interactive"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/live"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/units"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/record"
)

// liveOptions are the flags about a running process.
type liveOptions struct {
	attach.Options
	ring     string
	kept     record.RingOptions // of ring
	duration string
	limit    time.Duration // of duration; 0: none
	every    time.Duration // between two screens

	providers []eventpipe.Provider // of --provider
}

// reportTime is the time of a report without --duration.
const reportTime = 5 * time.Second

// reportSize bounds the events of a report without --ring.
const reportSize = 256 << 20

// addFlags adds these flags.
func (l *liveOptions) addFlags(cmd *cobra.Command) {
	l.Options.AddFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&l.ring, "ring", "10s,32MB", "of a process, show only the last part: a `TIME` (1m), a size (100MB), or both with a comma; one report shows all of its time unless the flag is given")
	f.StringVar(&l.duration, "duration", "", "of a process, end after this `TIME`: 30s, 1m30s, or dd:hh:mm:ss (default of one report: "+reportTime.String()+")")
	f.DurationVar(&l.every, "refresh-interval", time.Second, "of a process, min `TIME` between two refreshes")
}

// liveFlags are the flags that need a process, and fileFlags those that need a file.
var (
	liveFlags = []string{"ring", "duration", "refresh-interval"}
	fileFlags = []string{"from", "to", "diff", "process", "workers"}
)

// check returns an error if the flags and the files do not go together.
func (l *liveOptions) check(cmd *cobra.Command, files []string) (err error) {
	given := l.Given()
	switch {
	case given+len(files) == 0 && cmd.Flags().Changed("diff"):
		return run.OneFile(cmd, files)
	case given+len(files) == 0:
		return errors.New("top takes one file, one of -p, -n and --port, or -- and a command: nettrace ps lists the processes")
	case len(files) > 0 && cmd.Flags().Changed("name"):
		return errors.New("top takes one file or one process: -n is the name of a process, --limit the number of rows")
	case given+len(files) > 1:
		return errors.New("top takes one file or one process")
	}
	wrong, needs := fileFlags, "a file"
	if given == 0 {
		wrong, needs = liveFlags, "a process (-p, -n, --port or -- COMMAND)"
	}
	for _, name := range wrong {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s needs %s", name, needs)
		}
	}
	if l.every < minEvery {
		return fmt.Errorf("--refresh-interval: %v is less than %v", l.every, minEvery)
	}
	if l.limit, err = units.ParseDuration(l.duration); err != nil {
		return err
	}
	if l.kept, err = attach.ParseRing(l.ring); err != nil {
		return exit.Named("--ring", err)
	}
	return nil
}

// minEvery is the min value of --refresh-interval.
const minEvery = 100 * time.Millisecond

// showProcess shows a process on a page of the terminal, or prints one report.
func showProcess(cmd *cobra.Command, p *run.Program, o *options) error {
	if err := o.chooseRecorded(); err != nil {
		return err
	}
	ctx, stop := p.UntilSignal()
	defer stop()
	noPage := interactive.Check(p.Stdout)
	if o.format.IsJSON() {
		noPage = errors.New("--json prints one report")
	}
	o.live.Tell = p.Complain
	stdin, childOut := p.Stdin, p.Stderr
	if noPage == nil {
		stdin, childOut = nil, io.Discard
	}
	a, err := o.live.Attach(ctx, stdin, childOut, childOut)
	if err != nil {
		return err
	}
	defer func() {
		a.End()
		attach.WarnLeft(p, a)
	}()
	if noPage == nil {
		a.Client.Late = nil // the page shows what is missing
		return newScreen(cmd, p, a, o).run(ctx)
	}
	if o.live.limit == 0 {
		o.live.limit = reportTime
	}
	if !cmd.Flags().Changed("ring") {
		o.live.kept = record.RingOptions{Size: reportSize}
	}
	p.Complain("%s: %v: one report after %v (--duration changes that)", a.Title, noPage, o.live.limit)
	return o.reportProcess(ctx, p, a)
}

// reportProcess records a process and prints one report, as of a file.
func (o *options) reportProcess(ctx context.Context, p *run.Program, a *attach.Process) error {
	recorded, err := live.Start(ctx, p, a, live.Options{Session: o.session(), Kept: o.live.kept})
	if err != nil {
		return err
	}
	bounded, cancel := context.WithTimeoutCause(ctx, o.live.limit, fmt.Errorf("the time of %v is over", o.live.limit))
	defer cancel()
	reason := recorded.Run(bounded)
	early := bounded.Err() == nil
	trace, part, err := recorded.Snapshot()
	if errors.Is(err, record.ErrNoStream) {
		return exit.With(exit.Broken, fmt.Errorf("%s: no events came: %s", a.Title, reason))
	}
	if err != nil {
		return exit.With(exit.Broken, exit.Named(a.Title, err))
	}
	if early {
		p.Complain("%s: warning: the recording ended early: %s", a.Title, reason)
		if reason == exit.StreamEnded {
			p.Raise(exit.Broken)
		}
	}
	if dropped := recorded.Dropped(part); dropped > 0 && o.live.kept.Time == 0 {
		p.Complain("%s: warning: the oldest %s left out: the report has the last %s (--ring changes that)",
			a.Title, display.Counted(dropped, "event"), display.Bytes(o.live.kept.Size))
	}
	l, err := o.load(context.WithoutCancel(ctx), a, trace) // Ctrl-C ends only the recording
	if err != nil {
		return err
	}
	d, err := o.report(p, l)
	if err != nil {
		return err
	}
	return o.print(p, d, nil)
}

// load reads a trace of a process. The threads that the trace does not name have the names
// that the system has.
func (o *options) load(ctx context.Context, a *attach.Process, trace []byte) (*samples.Loaded, error) {
	l, err := o.samples(ctx, a.Title, input.FromBytes(a.Title, trace))
	if err != nil {
		return nil, err
	}
	names := a.ThreadNames()
	threads := l.Threads()
	for i := range threads {
		if threads[i].Name == "" {
			threads[i].Name = names[threads[i].ID]
		}
	}
	return l, nil
}
