// Package counters is the command counters, which shows the counters of a trace or of a
// running process.
package counters

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/units"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// Values of counters' --format, beside json.
const (
	formatTable, formatCSV, formatPrometheus = "table", "csv", "prometheus"
)

// options are the flags of counters.
type options struct {
	attach.Options
	formats       choice.Format
	display       terminal.Flags
	format        string // one of formats; empty: the default for the output
	selection     string
	interval      time.Duration
	duration      string
	maxTimeSeries int
	maxHistograms int
	anySession    bool
	listen        string

	chosen counters.Selection
	limit  time.Duration // 0 for none
}

// Command returns the command counters.
func Command(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "counters {FILE | -p PID | -n NAME | --port ADDR | -- COMMAND}",
		Short: "Show the counters and meters of a running process or of a file",
		Long: "counters shows the values of the EventCounters and Meters of a .NET process: rates, gauges, and\n" +
			"histograms with their quantiles; one time series for each combination of tags. For a file it\n" +
			"prints a table with the last values of the recording, and of histograms the count and the sum of all\n" +
			"measurements. Their quantiles are the highest of all intervals, and therefore bounds (p95<=0.5).\n\n" +
			"On a terminal it shows the values of a process while they change, with a line of the last values.\n" +
			"It ends, with exit code 0, with the process, after --duration, and with q or Ctrl-C, and leaves the\n" +
			"last screen; while it is paused it waits for q. The keys are:\n\n" + newPage("", false).KeysHelp() + "\n" +
			"If standard output is no terminal, or TERM is dumb, counters prints one table after --duration,\n" +
			"which is " + reportTime.String() + " (or three intervals) unless given. --format csv and json print each value when it\n" +
			"comes, one number per row or one object per line.\n\n" +
			"A process measures at one interval for all sessions: EventCounters use the shortest interval that a\n" +
			"session requests, Meters that of the first session. counters prints the interval in use. Only one\n" +
			"session can listen to Meters; from .NET 8 on sessions can share it. If another session runs that\n" +
			"does not share, the exit code is 3, unless --any-session accepts the values of that session.\n\n" +
			"By default counters shows the EventCounters of System.Runtime. Meters are shown when --counters\n" +
			"names them; from .NET 9 on, System.Runtime is one. A process can hang at its end while its Meters\n" +
			"are recorded (a deadlock of the runtime in 2 to 6 of 100): end counters first.\n\n" +
			"MIN and MAX in the table are those of the rate if the counter only increases, otherwise those of\n" +
			"the value. The first columns of CSV are those of dotnet-counters, with times in UTC (RFC 3339).\n" +
			"With prometheus, counters prints the last values at the end, in the Prometheus text format; --listen\n" +
			"serves them to Prometheus at any time, under /metrics.\n\n" +
			"The output of a COMMAND goes to standard error, or is discarded while the values are on the\n" +
			"terminal, where q ends the COMMAND as Ctrl-C does.",
		Example: "  nettrace counters -p 4711\n" +
			"  nettrace counters -n shop --counters 'System.Runtime[cpu-usage],Shop.*' --format json\n" +
			"  nettrace counters -p 4711 --listen 127.0.0.1:9464\n" +
			"  nettrace counters trace.nettrace --format csv",
		RunE: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); at >= 0 {
				args, o.Command = args[:at], args[at:]
			}
			if o.Given() == 0 && len(args) > 0 {
				if err := refuseLive(cmd); err != nil {
					return err
				}
			}
			return watchCounters(p, args, &o)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *options) addFlags(cmd *cobra.Command) {
	o.Options.AddFlags(cmd)
	f := cmd.Flags()
	o.formats.AddFlags(cmd, []string{formatTable, formatCSV, choice.JSON, formatPrometheus}, "",
		" (default: table)")
	o.display.AddFlags(cmd)
	f.StringVar(&o.selection, "counters", "", "`LIST` of sources in the form of dotnet-counters: Source,Source[counter,counter],EventCounters\\Source; Start* for all Meters whose names begin with Start (default: EventCounters\\System.Runtime; of a file all)")
	f.DurationVar(&o.interval, "refresh-interval", time.Second, "`TIME` between two values of a counter")
	f.StringVar(&o.duration, "duration", "", "end after this `TIME`: 30s, 1m30s, or dd:hh:mm:ss")
	f.IntVar(&o.maxTimeSeries, "max-time-series", 1000, "request at most `N` time series of Meters")
	f.IntVar(&o.maxHistograms, "max-histograms", 20, "request at most `N` histograms of Meters")
	f.BoolVar(&o.anySession, "any-session", false, "accept the values of Meters that another session requested")
	f.StringVar(&o.listen, "listen", "", "serve the values to Prometheus at `ADDR`: 127.0.0.1:9464")
}

// refuseLive returns an error for flags that have no effect on a file.
func refuseLive(cmd *cobra.Command) error {
	for _, name := range []string{"refresh-interval", "duration", "max-time-series", "max-histograms", "any-session", "listen"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s needs a running process (-p, -n, --port or -- COMMAND)", name)
		}
	}
	return nil
}

// check returns an error for arguments and flags that exclude each other.
func (o *options) check(files []string) (err error) {
	live := o.Given()
	switch {
	case live+len(files) == 0:
		return errors.New("counters needs a file, one of -p, -n and --port, or -- and a command")
	case live+len(files) > 1:
		return errors.New("counters takes one file or one process")
	case o.interval < 100*time.Millisecond:
		return fmt.Errorf("--refresh-interval: %v is less than 100ms", o.interval)
	}
	if o.limit, err = units.ParseDuration(o.duration); err != nil {
		return err
	}
	o.format = o.formats.Name()
	switch {
	case o.selection != "":
		if o.chosen, err = counters.ParseSelection(o.selection); err != nil {
			return exit.Named("--counters", err)
		}
	case live > 0:
		o.chosen = counters.Default()
	}
	return nil
}

// watchCounters shows the counters of a file or of a process.
func watchCounters(p *run.Program, files []string, o *options) error {
	if err := o.check(files); err != nil {
		return err
	}
	if len(files) > 0 {
		return fromFile(p, files[0], o)
	}
	ctx, stop := p.UntilSignal()
	defer stop()
	return fromProcess(p, ctx, o)
}

// fromFile shows the values of all sessions in a recording.
func fromFile(p *run.Program, name string, o *options) error {
	if o.format == "" {
		o.format = formatTable
	}
	in, err := input.Open(p, name, input.Options{Silent: o.format == formatTable || o.format == formatPrometheus})
	if err != nil {
		return err
	}
	defer in.Close()
	w := newWatcher(o, counters.MetersSession{})
	w.any = true
	w.out = newSink(p, w, o)
	r := codec.NewReader(in, input.ReaderOptions(false))
	err = w.read(r)
	if exit.HasCode(err) {
		return err
	}
	in.EndProgress()
	if end := w.out.end(); end != nil {
		return exit.WriteError(end)
	}
	input.Report(p, in, r, err)
	input.ReportLost(p, in.Name, r)
	w.sum(p)
	if bad, _ := r.BadBlocks(); err == nil && bad == 0 || len(w.others) > 0 { // otherwise the defect is the reason
		w.reportEmpty(p, in.Name)
	}
	return nil
}

// newSink returns the sink of the chosen format.
func newSink(p *run.Program, w *watcher, o *options) counterSink {
	switch o.format {
	case formatCSV:
		return newCounterCSV(p.Stdout)
	case choice.JSON:
		return &counterJSON{dst: p.Stdout}
	case formatPrometheus:
		return &counterText{w: w, dst: p.Stdout}
	}
	return &counterTable{w: w, dst: p.Stdout, flags: &o.display}
}

// counterSink prints messages with values. Its errors are those of writing.
type counterSink interface {
	value(m *counters.Message) error
	pause() error // no more bytes of the stream have arrived yet
	end() error
	lists() bool // the output has the instruments without a value
}

// noSink prints nothing: --listen serves the values.
type noSink struct{}

func (noSink) value(*counters.Message) error { return nil }
func (noSink) pause() error                  { return nil }
func (noSink) end() error                    { return nil }
func (noSink) lists() bool                   { return false }
