// Package events is the command events, which lists the events of a trace or of a running
// process.
package events

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/filter"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/chunks"
)

// options are the flags of events.
type options struct {
	filter.Criteria
	live            liveOptions
	format          choice.Format
	formatOf        *format // the chosen one
	display         terminal.Flags
	order           string
	orderOf         codec.Order // of the name in order
	limit           uint64
	stacks, payload bool
	fields, rows    bool
	strict, follow  bool
	workers         int
	asked           []string                 // providers that are to be recorded
	around          func(*chunks.Job[*part]) // of a test that measures, or nil
}

// Command returns the command events.
func Command(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "events {FILE | -p PID | -n NAME | --port ADDR}",
		Short: "List the events of a trace file or of a running process",
		Long: "events prints the events of a file, one on each line: the time since the trace's sync time, the\n" +
			"thread, provider/name(id), and the other properties of the event. With --format ndjson it prints\n" +
			"one JSON object on each line; a line of type defect reports a fault of the file.\n\n" +
			"With --from or --to it prints only the events in that range of time, and no losses. In an\n" +
			"uncompressed file over 256 MiB it then skips the blocks whose header gives a time outside the range;\n" +
			"a line on stderr gives their number. It does not report faults in the skipped blocks. It reads other\n" +
			"files, and every .zst, to the end. When no event matches, events prints the reason and exits with 1.\n\n" +
			"With --format ndjson, one goroutine for each core reads an uncompressed file over 64 MiB. The output\n" +
			"is the same. --workers sets their number, for a smaller file too, and for a .zst that this program\n" +
			"wrote: frames with a seek table. Version 3, other files, and --from, --to, --limit, --rows,\n" +
			"--follow and --order time are for one goroutine.\n\n" +
			"With -p it prints the events of a running process as they arrive. --provider and --profile then\n" +
			"select what the process records, as in collect; the other filters select among those events.\n\n" +
			filter.Help,
		Example: "  nettrace events trace.nettrace --provider 'Microsoft-*' --event '10,200-210,GC*' --limit 20\n" +
			"  nettrace events --format ndjson --payload trace.nettrace.zst | jq -c 'select(.type==\"event\")'\n" +
			"  nettrace events --format ndjson --fields --stacks --workers 4 large.nettrace\n" +
			"  nettrace events --fields --order time --from 1m30s --to 1m31s trace.nettrace\n" +
			"  nettrace events --follow growing.nettrace\n" +
			"  nettrace events -p 4711 --fields --provider Microsoft-Windows-DotNETRuntime:0x8000:error",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := o.checkSource(args); err != nil {
				return err
			}
			if o.live.Given() > 0 {
				return eventsOfProcess(p, &o)
			}
			return listFile(p, args[0], &o)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *options) addFlags(cmd *cobra.Command) {
	o.live.addFlags(cmd)
	o.Criteria.AddFlags(cmd)
	o.format.AddFlags(cmd, formatNames(nil), formats[0].name, "")
	o.display.AddFlags(cmd)
	f := cmd.Flags()
	f.Lookup("provider").Usage += "; of a process, a provider to record, Name[:keywords[:level[:arguments]]]; repeat it for several"
	input.AddOrderFlag(cmd, &o.order, "`ORDER` of events: file or time")
	f.Uint64Var(&o.limit, "limit", 0, "stop after `N` events; 0 for no limit")
	f.BoolVar(&o.stacks, "stacks", false, "print stacks, leaf first")
	f.BoolVar(&o.payload, "payload", false, "print payloads as hex")
	f.BoolVar(&o.fields, "fields", false, "print the fields of payloads; in text, payloads without known fields as hex")
	f.BoolVar(&o.rows, "rows", false, "with "+strings.Join(formatNames(hasRows), " or ")+": print metadata, thread and sequence point rows too")
	f.BoolVar(&o.strict, "strict", false, "stop at the first defect")
	input.AddWorkersFlag(cmd, &o.workers, 0)
	f.BoolVar(&o.follow, "follow", false, "at the end of a growing file wait for more, until Ctrl-C")
}

// check returns an error for flags that exclude each other.
func (o *options) check() (err error) {
	o.orderOf, err = input.ParseOrder(o.order)
	switch o.formatOf = findFormat(o.format.Name()); {
	case err != nil:
		return err
	case o.orderOf == codec.ByTime && o.rows:
		return errors.New("--rows needs --order file")
	case !o.formatOf.rows && o.rows:
		return fmt.Errorf("--rows needs --format %s", strings.Join(formatNames(hasRows), " or "))
	}
	return o.checkWorkers()
}

// listFile lists the events of one file.
func listFile(p *run.Program, name string, o *options) error {
	l, err := o.listing(p.Stdout)
	if err != nil {
		return err
	}
	how := input.Options{Before: func() { _ = l.out.Flush() }}
	ctx, stop := context.Background(), func() {}
	if o.follow {
		how.Waiting = func(file *os.File) io.Reader {
			ctx, stop = p.UntilSignal()
			return input.Follow(ctx, file)
		}
	}
	defer func() { stop() }()
	in, err := input.Open(p, name, how)
	if err != nil {
		return err
	}
	defer in.Close()
	return list(p, ctx, in, l, o)
}

func (o *options) readerOptions() codec.Options {
	opt := input.ReaderOptions(o.strict)
	opt.Order = o.orderOf
	return opt
}

// listing returns the listing that the flags choose.
func (o *options) listing(w io.Writer) (*listing, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	l := &listing{limit: o.limit, rows: o.rows}
	var err error
	if l.wanted, err = o.Parse(); err != nil {
		return nil, err
	}
	if l.period, err = o.Period(); err != nil {
		return nil, err
	}
	l.out = o.formatOf.sink(w, o)
	return l, nil
}

// list runs a listing and prints its errors. A listing that the user
// interrupted is not truncated.
func list(p *run.Program, ctx context.Context, in *input.File, l *listing, o *options) error {
	r, err := l.read(p, in, o)
	if exit.HasCode(err) {
		return err
	}
	if end := l.end(err); end != nil {
		return exit.WriteError(end)
	}
	in.EndProgress()
	if ctx.Err() != nil {
		err = nil
	}
	code := p.Code
	input.Report(p, in, r, err)
	if l.unread > 0 {
		p.Complain("%v", input.FileError(in.Name, fmt.Errorf("note: %s not read, because the times in their headers are outside of --from and --to; "+
			"to read all of the file, give it as standard input", display.Counted(int64(l.unread), "event block"))))
	}
	if l.late > 0 {
		p.Complain("%v", input.FileError(in.Name, fmt.Errorf("warning: %s printed after a newer one", display.Counted(l.late, "event"))))
	}
	if !l.period.Given() {
		input.ReportLost(p, in.Name, r)
	}
	if l.full {
		p.Code = code
	}
	if text := attach.NoEvents(l.asked, l.sent, err == nil, l.session); text != "" && !l.full {
		p.Complain("%v", input.FileError(in.Name, errors.New("note: "+text)))
		if !slices.ContainsFunc(l.asked, func(name string) bool { return slices.Contains(l.sent, name) }) {
			p.Raise(exit.Broken)
		}
	}
	switch {
	case l.count == 0 && l.wanted.Given() && !errors.Is(err, codec.ErrVersion):
		trace, _ := r.Trace()
		p.Complain("%v", input.FileError(in.Name, errors.New(l.wanted.NothingMatched(trace))))
		p.Raise(exit.Broken)
	case l.count > 0 && !l.full: // at the limit the rest is unknown
		for _, text := range l.wanted.Unmatched() {
			p.Complain("%v", input.FileError(in.Name, errors.New(text)))
		}
	}
	return nil
}
