package change

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
	"github.com/nettrace-go/nettrace/edit"
)

// ignoreHelp returns the paragraph about the values of --ignore, in lines of the help.
func ignoreHelp() string {
	text := "Names for --ignore:"
	column := len(text)
	for i, name := range edit.DiffFields() {
		if i > 0 {
			text, column = text+",", column+1
		}
		if column+len(name) > 97 {
			text, column = text+"\n"+name, len(name)
			continue
		}
		text, column = text+" "+name, column+1+len(name)
	}
	return text + "."
}

// diffOptions are the flags of diff.
type diffOptions struct {
	order  string
	ignore []string
	quiet  bool
	screen terminal.Flags
}

// DiffCommand returns the command diff.
func DiffCommand(p *run.Program) *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two files by meaning",
		Long: "diff compares the events of two files one by one, in any versions of the format, with their\n" +
			"metadata, threads, labels, stacks and payloads, and the clock, properties, sequence points and\n" +
			"losses of the traces. It prints the first event that differs, and the number of events of each\n" +
			"provider in each file. A property that the version of one file cannot express is not a difference:\n" +
			"diff counts it and prints it as not compared. Metadata and threads that no event refers to are not\n" +
			"compared.\n\n" +
			"Exit codes: 0 no difference; 1 a difference, or a malformed file; 2 usage; 3 version.\n\n" +
			ignoreHelp(),
		Example: "  nettrace diff a.nettrace b.nettrace.zst\n" +
			"  nettrace diff --order time --ignore sequence,properties a.nettrace part.nettrace",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("diff takes two files, not %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runDiff(cmd.Context(), p, [2]string(args), &o) },
	}
	f := cmd.Flags()
	input.AddOrderFlag(cmd, &o.order, "`ORDER` in which events are compared: file or time")
	f.StringSliceVar(&o.ignore, "ignore", nil, "do not compare the fields with these `NAMES`: sequence,properties")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print nothing; the exit code is the result")
	o.screen.AddWideFlag(cmd)
	return cmd
}

func (o *diffOptions) check() error {
	for _, name := range o.ignore {
		if !slices.Contains(edit.DiffFields(), name) {
			return fmt.Errorf("--ignore: %q is none of %s", name, strings.Join(edit.DiffFields(), ", "))
		}
	}
	return nil
}

// runDiff compares two files.
func runDiff(ctx context.Context, p *run.Program, files [2]string, o *diffOptions) error {
	order, err := input.ParseOrder(o.order)
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	var readers [2]*codec.Reader
	var inputs [2]*input.File
	opt := input.ReaderOptions(false)
	opt.Order = order
	bar := input.SharedBar(p, files[:])
	defer bar.Stop()
	for i, name := range files {
		in, err := input.Open(p, name, input.Options{Shared: bar, Silent: true})
		if err != nil {
			return err
		}
		defer in.Close()
		inputs[i], readers[i] = in, codec.NewReader(in, opt)
	}
	found, err := edit.Diff(ctx, readers[0], readers[1], edit.DiffOptions{Ignore: o.ignore, ByTime: order == codec.ByTime})
	bar.Stop()
	if err != nil {
		for i, r := range readers {
			if fault := r.Err(); fault != nil {
				return sourceFailure(files[i], r, fault)
			}
		}
		return err
	}
	if !o.quiet {
		if err := o.print(p.Stdout, files, readers, found); err != nil {
			return exit.WriteError(err)
		}
	}
	for i, r := range readers {
		input.Report(p, inputs[i], r, r.Err())
	}
	if !found.Equal() {
		p.Raise(exit.Broken)
	}
	return nil
}

// print prints the result: of equal files only the number of events
// and the properties that were not compared.
func (o *diffOptions) print(dst io.Writer, files [2]string, readers [2]*codec.Reader, d *edit.Difference) error {
	w, screen := bufio.NewWriter(dst), o.screen.Screen(dst)
	if d.Equal() {
		fmt.Fprintf(w, "equal: %s\n", display.Counted(d.Events[0], "event"))
		printNotCompared(w, d)
		return w.Flush()
	}
	for _, what := range d.Trace {
		fmt.Fprintln(w, display.Printable(what))
	}
	if d.First >= 0 {
		fmt.Fprintf(w, "event %d differs: %s\n", d.First, strings.Join(d.Fields, ", "))
		for i, e := range []*codec.Event{d.A, d.B} {
			fmt.Fprintf(w, "%c %s: ", "-+"[i], files[i])
			if err := printOneEvent(w, readers[i], e); err != nil {
				return err
			}
		}
	}
	for _, v := range d.Values {
		fmt.Fprintf(w, "  %s: - %s\n  %s: + %s\n", v.Field, display.Printable(v.A), v.Field, display.Printable(v.B))
	}
	printNotCompared(w, d)
	fmt.Fprintf(w, "%12s %12s  events of\n", "-", "+")
	fmt.Fprintf(w, "%12d %12d  all providers\n", d.Events[0], d.Events[1])
	for _, c := range d.Providers {
		mark := ""
		if c.Events[0] != c.Events[1] {
			mark = "  (differs)"
		}
		line := fmt.Sprintf("%12d %12d  ", c.Events[0], c.Events[1])
		fmt.Fprintln(w, line+screen.Shorten(display.Printable(c.Provider), len(line)+len(mark))+mark)
	}
	return w.Flush()
}

// printNotCompared prints the properties that one of the versions cannot
// express.
func printNotCompared(w io.Writer, d *edit.Difference) {
	for _, c := range d.NotCompared {
		fmt.Fprintf(w, "not compared: %s: %s\n", c.What, display.Grouped(c.Count))
	}
}

// printOneEvent prints a canonical line.
func printOneEvent(w io.Writer, r *codec.Reader, e *codec.Event) error {
	if e == nil {
		_, err := fmt.Fprintln(w, "no event: the file ends here")
		return err
	}
	var text bytes.Buffer
	lines := ndjson.NewWriter(&text, ndjson.Options{Payload: true, Stacks: true})
	if trace, err := r.Trace(); err == nil { // the line depends on it
		_ = lines.Trace(trace)
		_ = lines.Flush()
	}
	text.Reset()
	if err := errors.Join(lines.Event(e), lines.Flush()); err != nil {
		return err
	}
	_, err := w.Write(text.Bytes())
	return err
}
