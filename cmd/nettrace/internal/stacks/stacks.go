// Package stacks is the command stacks, which lists the stacks of events.
package stacks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/filter"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/profile"
)

// options are the flags of stacks.
type options struct {
	filter.Criteria
	addresses, rawNames bool
	repair              bool
	cut                 int
}

// Command returns the command stacks.
func Command(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "stacks FILE",
		Short: "List the stacks of events, with names",
		Long: "stacks prints one line for each event that has a stack: ticks, provider, id, thread, and\n" +
			"the frames, leaf first, with tabs between them. Frames are named once the whole file is\n" +
			"read: the runtime tells the names of most methods at its end.\n\n" +
			"A frame without a name is [kernel], [stub called from METHOD], [native] or the [file] that it\n" +
			"is in, where the trace has the answer, and ?!0x... elsewhere. With --raw-names a frame is\n" +
			"module!Namespace.Name(signature), as TraceEvent has it, and ?!0x... without a name. When nothing is printed, it says why and exits with 1.\n\n" +
			"With --repair stacks that the runtime cut at 100 frames go on as whole ones of the sample\n" +
			"profiler tell, or end in a frame that says that they are cut; lines come by time. With --cut\n" +
			"too, all stacks are cut there first: comparing with the lines of neither measures the repair.",
		Example: "  nettrace stacks --provider Microsoft-DotNETCore-SampleProfiler app.nettrace | head\n" +
			"  nettrace stacks --provider Microsoft-Windows-DotNETRuntime --id 10 app.nettrace | cut -f5 | sort | uniq -c",
		Args: run.OneFile,
		RunE: func(cmd *cobra.Command, args []string) error { return listStacks(cmd.Context(), p, args[0], &o) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.Providers, "provider", nil, "`NAMES` or globs of providers, letter case ignored")
	f.StringSliceVar(&o.IDs, "id", nil, "event `IDS` or ranges: 10,200-210")
	f.StringSliceVar(&o.Processes, "process", nil, "operating-system `IDS` or ranges of processes: 12,100-200")
	f.BoolVar(&o.addresses, "addresses", false, "print addresses, not names")
	f.BoolVar(&o.rawNames, "raw-names", false, "print names as the runtime writes them, with the module")
	f.BoolVar(&o.repair, "repair", false, "repair stacks that the runtime cut")
	f.IntVar(&o.cut, "cut", 0, "keep `N` frames nearest to the leaf; 0 for all")
	return cmd
}

// listStacks lists the stacks of one file.
func listStacks(ctx context.Context, p *run.Program, name string, o *options) error {
	wanted, err := o.Parse()
	if err != nil {
		return err
	}
	if o.cut < 0 {
		return errors.New("--cut: a number of frames is not negative")
	}
	if o.repair {
		return repairedStacks(ctx, p, name, o, wanted)
	}
	in, err := input.Open(p, name, input.Options{Silent: true})
	if err != nil {
		return err
	}
	defer in.Close()
	l := stackList{wanted: wanted, cut: o.cut, table: symbols.NewTable(symbols.Options{}), spans: map[uint32]stackSpan{}}
	r := codec.NewReader(in, input.ReaderOptions(false))
	err = l.read(r)
	in.EndProgress()
	names, end := l.print(p.Stdout, o.frameText(), !o.addresses && !o.rawNames)
	if end != nil {
		return exit.WriteError(end)
	}
	if !o.addresses {
		samples.WarnNames(p, name, names)
	}
	input.Report(p, name, r, err)
	input.ReportLost(p, name, r)
	if len(l.lines) == 0 {
		p.Complain("%v", input.FileError(name, errors.New(l.why())))
		p.Raise(exit.Broken)
	}
	return nil
}

// frameText returns what prints a frame.
func (o *options) frameText() func(symbols.Frame) string {
	switch {
	case o.addresses:
		return func(f symbols.Frame) string { return "0x" + strconv.FormatUint(f.Address, 16) }
	case o.rawNames:
		return symbols.Frame.RawName
	}
	return symbols.Frame.Name
}

// stackList holds the stacks of events until all names are known.
type stackList struct {
	wanted *filter.Filter
	cut    int
	table  *symbols.Table

	events, matched int64
	lines           []stackLine
	arena           []uint64
	spans           map[uint32]stackSpan // by the ids that stacks have for a while
}

// stackLine is an event with a stack.
type stackLine struct {
	ticks, thread uint64
	metadata      *codec.Metadata
	stack         stackSpan
}

// stackSpan is a stack in the arena, of a process.
type stackSpan struct {
	process    uint64
	start, end int
}

// read takes in the stacks of a trace.
func (l *stackList) read(r *codec.Reader) error {
	for e, err := range r.Events() {
		if err != nil {
			return err
		}
		l.events++
		l.table.Add(e)
		if l.wanted.Match(e) {
			l.matched++
			l.take(e)
		}
	}
	return nil
}

func (l *stackList) take(e *codec.Event) {
	m, stack := e.Metadata(), e.Stack()
	if m == nil || len(stack) == 0 {
		return
	}
	if l.cut > 0 {
		stack = stack[:min(len(stack), l.cut)]
	}
	line := stackLine{ticks: e.Timestamp, metadata: m, stack: l.keep(symbols.Process(e), e.StackID, stack)}
	line.thread, _ = e.ThreadID()
	l.lines = append(l.lines, line)
}

// keep puts a stack into the arena, unless its id still stands for the same one.
func (l *stackList) keep(process uint64, id uint32, stack []uint64) stackSpan {
	have := l.spans[id]
	if have.process == process && slices.Equal(l.arena[have.start:have.end], stack) {
		return have
	}
	for _, address := range stack {
		l.table.AddWanted(process, address)
	}
	span := stackSpan{process, len(l.arena), len(l.arena) + len(stack)}
	l.arena = append(l.arena, stack...)
	l.spans[id] = span
	return span
}

// why tells why there is no line.
func (l *stackList) why() string {
	switch {
	case l.events == 0:
		return "no stacks: there are no events"
	case l.matched == 0:
		return l.wanted.NothingMatched(nil)
	case l.matched < l.events:
		return fmt.Sprintf("no stacks: %s, of %s, have none", display.Counted(l.matched, "matching event"), display.Grouped(l.events))
	}
	return fmt.Sprintf("no stacks: the %s have none", display.Counted(l.events, "event"))
}

// print writes the lines, and counts the frames without names.
func (l *stackList) print(dst io.Writer, text func(symbols.Frame) string, byContext bool) (profile.NameSummary, error) {
	names := frameNames{table: l.table, text: text, byContext: byContext, known: map[where][]spanText{}, contexts: map[stackContext]string{}}
	var b []byte
	for i := range l.lines {
		line := &l.lines[i]
		b = strconv.AppendUint(b, line.ticks, 10)
		b = display.AppendPrintable(append(b, '\t'), line.metadata.Provider)
		b = strconv.AppendUint(append(b, '\t'), uint64(line.metadata.EventID), 10)
		b = strconv.AppendUint(append(b, '\t'), line.thread, 10)
		b = names.append(b, line.stack.process, l.arena[line.stack.start:line.stack.end], line.ticks)
		b = append(b, '\n')
		if len(b) < 32<<10 && i+1 < len(l.lines) {
			continue
		}
		if _, err := dst.Write(b); err != nil {
			return names.summary, err
		}
		b = b[:0]
	}
	return names.summary, nil
}

// where is an address in a process.
type where struct{ process, address uint64 }

// spanText is the text of a frame in a part of time.
type spanText struct {
	to    uint64
	frame symbols.Frame
	text  string
}

// frameNames remembers the texts of addresses.
type frameNames struct {
	table     *symbols.Table
	text      func(symbols.Frame) string
	byContext bool // frames without names are named by those around them
	known     map[where][]spanText
	contexts  map[stackContext]string
	spans     []spanText // of the stack that is printed
	summary   profile.NameSummary
}

// stackContext is what decides what a frame without a name is called.
type stackContext struct {
	caller        *symbols.Symbol
	calleeUnnamed bool
}

// append appends the frames of a stack, leaf first, a tab before each.
func (n *frameNames) append(b []byte, process uint64, stack []uint64, ticks uint64) []byte {
	n.spans = n.spans[:0]
	for _, address := range stack {
		n.spans = append(n.spans, n.at(where{process, address}, ticks))
	}
	unnamed := n.summary.Unnamed
	for i := range n.spans {
		text := n.spans[i].text
		if n.spans[i].frame.Unnamed() {
			if text = n.inContext(i); text == n.spans[i].text {
				n.summary.Unnamed++
				if !n.table.HasRundown(process) {
					n.summary.WithoutRundown++
				}
			}
		}
		b = append(append(b, '\t'), text...)
	}
	n.summary.Frames += int64(len(stack))
	if n.summary.Samples++; n.summary.Unnamed > unnamed {
		n.summary.SamplesUnnamed++
	}
	return b
}

// inContext is the text of the i-th frame of the stack, which has no name.
func (n *frameNames) inContext(i int) string {
	s := &n.spans[i]
	if !n.byContext || i+1 == len(n.spans) {
		return s.text
	}
	caller, callee := &n.spans[i+1].frame, (*symbols.Frame)(nil)
	if i > 0 {
		callee = &n.spans[i-1].frame
	}
	if caller.Symbol == nil {
		return display.Printable(s.frame.NameCalledBy(caller, callee))
	}
	key := stackContext{caller.Symbol, callee != nil && callee.Unnamed()}
	text, ok := n.contexts[key]
	if !ok {
		if text = display.Printable(s.frame.NameCalledBy(caller, callee)); text == s.text {
			text = ""
		}
		n.contexts[key] = text
	}
	return cmp.Or(text, s.text)
}

// at is what an address meant at a time.
func (n *frameNames) at(p where, ticks uint64) spanText {
	spans, known := n.known[p]
	if !known {
		for _, s := range n.table.Timeline(p.process, p.address) {
			spans = append(spans, spanText{s.To, s.Frame, display.Printable(n.text(s.Frame))})
		}
		n.known[p] = spans
	}
	i := 0
	for i < len(spans)-1 && ticks >= spans[i].to {
		i++
	}
	return spans[i]
}
