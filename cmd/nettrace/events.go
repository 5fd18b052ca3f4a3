package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// eventsOptions are the flags of events.
type eventsOptions struct {
	filterOptions
	format                 string
	limit                  uint64
	stacks, payload        bool
	fields, rows           bool
	strict, follow, ndjson bool
}

func (p *program) eventsCommand() *cobra.Command {
	var o eventsOptions
	cmd := &cobra.Command{
		Use:   "events FILE",
		Short: "List the events of a file",
		Long: "events prints the events of a file in file order, one a line: the time since the trace's\n" +
			"sync time, the thread, provider/name(id), and what else the event says. With --format\n" +
			"ndjson it prints the canonical lines that readers are compared by.\n\n" +
			"Filters take comma lists and can be repeated; an event must match each filter that is given.",
		Example: "  nettrace events trace.nettrace --provider 'Microsoft-Windows-DotNET*' --id 10,200-210 --limit 20\n" +
			"  nettrace events --format ndjson --payload trace.nettrace.zst | jq -c 'select(.type==\"event\")'\n" +
			"  nettrace events --follow growing.nettrace",
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error { return p.events(args[0], &o) },
	}
	o.addFlags(cmd)
	return cmd
}

func (o *eventsOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", "`FORMAT`: text or ndjson")
	f.StringSliceVar(&o.providers, "provider", nil, "`NAMES` or globs of providers, letter case ignored")
	f.StringSliceVar(&o.names, "name", nil, "`NAMES` or globs of events as the trace has them, letter case ignored")
	f.StringSliceVar(&o.ids, "id", nil, "event `IDS` or ranges: 10,200-210")
	f.StringVar(&o.level, "level", "", "highest `LEVEL`: 1 critical, 2 error, 3 warning, 4 information, 5 verbose; 0 (always) is in each")
	f.StringVar(&o.keywords, "keyword", "", "events with any bit of this `MASK`: 0x8010; those without keywords are left out")
	f.StringSliceVar(&o.threads, "thread", nil, "operating-system `IDS` of the threads that events are about")
	f.StringSliceVar(&o.processes, "process", nil, "operating-system `IDS` of processes")
	f.Uint64Var(&o.limit, "limit", 0, "stop after `N` events; 0 for no limit")
	f.BoolVar(&o.stacks, "stacks", false, "print stacks, leaf first")
	f.BoolVar(&o.payload, "payload", false, "print payloads as hex")
	f.BoolVar(&o.fields, "fields", false, "print the fields of payloads; in text, payloads without known fields as hex")
	f.BoolVar(&o.rows, "rows", false, "with ndjson: print metadata, thread and sequence point rows too")
	f.BoolVar(&o.strict, "strict", false, "stop at the first defect")
	f.BoolVar(&o.follow, "follow", false, "at the end of a growing file wait for more, until the end mark or Ctrl-C")
	complete := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"text", "ndjson"}, cobra.ShellCompDirectiveNoFileComp
	}
	_ = cmd.RegisterFlagCompletionFunc("format", complete)
}

// check finds what is wrong with the flags together.
func (o *eventsOptions) check() error {
	switch o.ndjson = o.format == "ndjson"; {
	case !o.ndjson && o.format != "text":
		return fmt.Errorf("--format: %q is neither text nor ndjson", o.format)
	case !o.ndjson && o.rows:
		return errors.New("--rows needs --format ndjson")
	}
	return nil
}

// sink takes what is to be printed. Its first write error is kept and returned
// by every later call.
type sink interface {
	Trace(*codec.Trace) error
	Rows(*codec.Block) error
	Event(*codec.Event) error
	Lost(codec.Lost) error
	End(truncated bool) error
	Flush() error
}

func (o *eventsOptions) sink(w io.Writer) sink {
	if o.ndjson {
		return ndjson.NewWriter(w, ndjson.Options{Payload: o.payload, Fields: o.fields, Stacks: o.stacks, Rows: o.rows})
	}
	return &eventText{dst: w, stacks: o.stacks, payload: o.payload, fields: o.fields}
}

// events lists the events of one file.
func (p *program) events(name string, o *eventsOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	wanted, err := o.parse()
	if err != nil {
		return err
	}
	out := o.sink(p.stdout)
	how := opening{before: func() { _ = out.Flush() }}
	ctx, stop := context.Background(), func() {}
	if o.follow {
		how.waiting = func(src io.Reader) io.Reader {
			ctx, stop = signal.NotifyContext(ctx, os.Interrupt)
			return &following{ctx, src, followEvery}
		}
	}
	defer func() { stop() }()
	in, err := p.open(name, how)
	if err != nil {
		return err
	}
	defer in.Close()
	opt := readerOptions(o.strict)
	opt.OnLost = func(l codec.Lost) { _ = out.Lost(l) }
	l := listing{out: out, wanted: wanted, limit: o.limit}
	return p.list(in, codec.NewReader(in, opt), &l, ctx)
}

// list runs a listing and tells how it ended. What the user interrupted is not
// cut.
func (p *program) list(in *input, r *codec.Reader, l *listing, ctx context.Context) error {
	err := l.run(r)
	if errors.As(err, new(*failure)) {
		return err
	}
	if end := l.out.End(errors.Is(err, codec.ErrTruncated)); end != nil {
		return writeFailure(end)
	}
	in.progress.stop()
	if ctx.Err() != nil {
		err = nil
	}
	code := p.code
	p.judge(in.name, r, err)
	if l.full {
		p.code = code
	}
	return nil
}

// listing goes through the events of a stream.
type listing struct {
	out    sink
	wanted *filter
	limit  uint64 // 0 for none
	count  uint64
	full   bool // the limit is reached
}

// run returns what ended the reading, nil at the end mark and at the limit, or
// a failure of the output.
func (l *listing) run(r *codec.Reader) error {
	trace, err := r.Trace()
	if err != nil {
		return err
	}
	if err := l.out.Trace(trace); err != nil {
		return writeFailure(err)
	}
	for b, ok := r.NextBlock(); ok && !l.full; b, ok = r.NextBlock() {
		if err := l.block(r, b); err != nil {
			return writeFailure(err)
		}
	}
	if l.full {
		return nil
	}
	return r.Err()
}

// block prints the rows and the events of one block.
func (l *listing) block(r *codec.Reader, b *codec.Block) error {
	if err := l.out.Rows(b); err != nil {
		return err
	}
	for e, ok := r.NextInBlock(); ok; e, ok = r.NextInBlock() {
		if err := l.out.Rows(b); err != nil {
			return err
		}
		if !l.wanted.match(e) {
			continue
		}
		if err := l.out.Event(e); err != nil {
			return err
		}
		if l.count++; l.count == l.limit {
			l.full = true
			return nil
		}
	}
	return l.out.Rows(b)
}
