// Package change has the commands that make a trace or a profile from traces, or compare
// two traces: convert, slice, merge, repair and diff.
package change

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/formats"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/edit"
)

// convertOptions are the flags of convert.
type convertOptions struct {
	output.Target
	samples.Selection
	format                          choice.Format
	preserve, compact, uncompressed bool
	noTags                          bool
	merge                           bool
	commandLine                     bool
	tables                          []string
	partition                       string
}

// traceFlags are the names of the flags that go with traces only.
var traceFlags = []string{"preserve", "compact", "uncompressed", "no-tags"}

// ConvertCommand returns the command convert.
func ConvertCommand(p *run.Program) *cobra.Command {
	var o convertOptions
	cmd := &cobra.Command{
		Use:   "convert FILE -o OUT",
		Short: "Convert a trace file to another format version or to a profile",
		Long: "convert writes a trace in another format, which the extension of OUT (before .gz or .zst) or\n" +
			"--format chooses:\n\n" +
			formats.List() + "\n" +
			"Without --format, an unknown extension is an error; standard output and devices are given version\n" +
			"6.\n\n" +
			"As a trace, convert writes the events of a file, and everything that they refer to, in version 4 or\n" +
			"6. Opcodes and array fields are tags in the metadata of version 4; --no-tags leaves them out, for\n" +
			"readers that do not accept tags. convert leaves out properties that the version cannot express, and\n" +
			"prints them with their counts; if events are missing, it exits with 1. Rows take as few bytes as\n" +
			"possible; ids and the boundaries of blocks stay, and payloads do not change.\n\n" +
			"With --compact, blocks have about a megabyte, rows that no event refers to are left out, and ids\n" +
			"are renumbered: in each block, the ids that are written most often are the smallest.\n\n" +
			"With --preserve, convert decodes and encodes the file block by block, with the same bytes; of a\n" +
			"truncated file, it writes the complete rows, and an end mark.\n\n" +
			"A .zst has frames of 8 MiB and a seek table, so that several goroutines can read it.\n" +
			"With --workers N, one goroutine reads and encodes, and the others compress frames at the same time.\n" +
			"The bytes are the same. Each goroutine takes about 25 MB of memory.\n\n" +
			"As a profile, convert writes where threads spent their time, or the samples that --type, or\n" +
			"--provider and --event, choose: with the names of methods, and with stacks that the runtime\n" +
			"truncated at 100 frames repaired as far as the trace allows. A pprof profile has all types. Without\n" +
			"samples, convert writes nothing, prints the reason and exits with 1. The help of nettrace top\n" +
			"describes the states of samples, the filters of frames, the helpers that are folded, and --async.\n" +
			samples.WorkersHelp + ", and with --provider or --event.\n\n" +
			"As a heap snapshot or a .gcdump, convert writes the last heap dump of a trace, or that of a .gcdump\n" +
			"file; nettrace heap describes them. A .gcdump has no weak handles and no sizes of 2 GiB or more. An\n" +
			"unchanged .gcdump keeps its bytes.\n\n" +
			"As parquet, convert writes a file for each table of nettrace query to the folder OUT, with times in\n" +
			"nanoseconds (UTC), or only for those of --tables, which takes less time. The numbers in a column\n" +
			"such as stack_id are the same with and without --tables.",
		Example: "  nettrace convert trace.nettrace -o trace.v6.nettrace.zst\n" +
			"  nettrace convert trace.v6.nettrace -o old.nettrace --format v4\n" +
			"  nettrace convert trace.nettrace -o trace.pb.gz && go tool pprof -top trace.pb.gz\n" +
			"  nettrace convert trace.nettrace -o trace.speedscope.json --from 2s --to 3s\n" +
			"  nettrace convert trace.nettrace -o - --format folded --type alloc | flamegraph.pl > alloc.svg\n" +
			"  nettrace convert trace.nettrace -o tables --format parquet --tables events,stacks,functions",
		Args: run.OneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := o.chooseFormat()
			if err != nil {
				return err
			}
			if err := cmp.Or(o.agree(cmd, format), input.CheckWorkers(o.Selection.Workers)); err != nil {
				return err
			}
			if format.Tables {
				return convertTables(cmd.Context(), p, args[0], format, &o)
			}
			if !format.IsTrace() {
				c := formats.Conversion{Format: format, From: args[0], To: o.Target, Selection: o.Selection}
				c.Options = formats.ProfileOptions{RawNames: o.RawNames, Merge: o.merge, CommandLine: o.commandLine}
				return c.Run(cmd.Context(), p)
			}
			return convertTrace(cmd.Context(), p, args[0], format, &o)
		},
	}
	o.Target.AddFlags(cmd)
	o.Selection.AddFlags(cmd)
	o.Selection.AddLineFlags(cmd)
	o.format.AddFlags(cmd, formats.Names(), "", " (default: that of the extension of OUT)")
	f := cmd.Flags()
	f.BoolVar(&o.compact, "compact", false, "for traces: large blocks, small ids, no unused rows")
	f.BoolVar(&o.uncompressed, "uncompressed", false, "for traces: write event rows without header compression")
	f.BoolVar(&o.noTags, "no-tags", false, "for v4: leave out the tags of metadata, which hold opcodes and arrays")
	f.BoolVar(&o.preserve, "preserve", false, "for traces: write the same bytes")
	f.BoolVar(&o.Selection.Lines, "lines", false, "for pprof and speedscope: write the source lines of frames")
	f.BoolVar(&o.merge, "merge", false, "for speedscope: one profile of all threads")
	f.BoolVar(&o.commandLine, "command-line", false, "for pprof: add the command lines of processes, which can hold secrets; each shortened to 500 characters")
	f.StringSliceVar(&o.tables, "tables", nil, "for parquet: write only these tables, in a list of `NAMES` (default: all)")
	f.IntVar(&o.Selection.Workers, "workers", 0, "for profiles and parquet, read with `N` goroutines; for traces, compress a .zst with N (default for an uncompressed FILE over 64 MiB: one for each core, for traces 2, for parquet 1)")
	f.StringVar(&o.partition, "partition", "", "for parquet: write to subfolders by `KEYS`: file, process or file,process")
	return cmd
}

// chooseFormat returns the format of --format, or the one that the name of the output
// chooses.
func (o *convertOptions) chooseFormat() (*formats.Format, error) {
	if formats.Find(o.To) != nil {
		return nil, fmt.Errorf("--to takes a time: --format %s chooses the format", o.To)
	}
	if chosen := formats.Find(o.format.Name()); chosen != nil {
		return chosen, chosen.Fits(o.Name)
	}
	return formats.ForName(o.Name)
}

// agree refuses flags that do not apply to the format.
func (o *convertOptions) agree(cmd *cobra.Command, format *formats.Format) error {
	refused, what := samples.Flags, "a trace"
	switch {
	case format.WriteHeap != nil:
		refused, what = slices.Concat(samples.Flags, traceFlags, []string{"workers"}), "a heap dump"
	case format.Tables:
		refused, what = slices.Concat(samples.Flags, traceFlags), "tables"
	case format.Write != nil:
		refused, what = traceFlags, "a profile"
	}
	for _, name := range refused {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s does not apply to %s, which --format %s writes", name, what, format.Name)
		}
	}
	switch {
	case o.tables != nil && !format.Tables:
		return fmt.Errorf("--tables applies to --format parquet, not to %s", format.Name)
	case o.partition != "" && !format.Tables:
		return fmt.Errorf("--partition applies to --format parquet, not to %s", format.Name)
	case o.merge && !format.Merge:
		return errors.New("--merge applies to speedscope only: the other formats always show all threads together, or each separately")
	case o.commandLine && !format.CommandLine:
		return fmt.Errorf("--command-line applies to --format pprof only: %s cannot express it", format.Name)
	case o.noTags && !format.Tags:
		return fmt.Errorf("--no-tags applies to --format v4, not to %s", format.Name)
	case o.preserve && (o.compact || o.uncompressed || cmd.Flags().Changed("format")):
		return errors.New("--preserve excludes --format, --compact and --uncompressed")
	}
	return nil
}

// convertTrace writes a trace as a trace of another format.
func convertTrace(ctx context.Context, p *run.Program, name string, format *formats.Format, o *convertOptions) error {
	to := o.Target
	to.Workers = cmp.Or(o.Selection.Workers, output.BySize)
	if o.Selection.Workers > 1 && !to.IsZstd() {
		p.Complain("%v", input.FileError(to.Shown(), errors.New("note: one goroutine writes it, not those of --workers, because it is not a .zst")))
	}
	opt := edit.ConvertOptions{Compact: o.compact, Uncompressed: o.uncompressed, Format: format.Version, NoTags: o.noTags}
	var in *input.File
	var r *codec.BlockReader
	var list []edit.Change
	return output.Transform(p, name, &to, func(src *input.File, out io.Writer) error {
		in = src
		r = codec.NewBlockReader(in, input.ReaderOptions(false))
		var err error
		if o.preserve {
			err = edit.Preserve(ctx, out, r)
		} else {
			list, err = edit.Convert(ctx, out, r, opt)
		}
		return sourceFailure(name, r, err)
	}, func() {
		printChanges(p, name, list)
		input.Report(p, in, r, r.Err())
		input.ReportLost(p, name, r)
	})
}

// printChanges prints the losses and changes of a new file. If rows of the
// source are missing, the exit code is 1.
func printChanges(p *run.Program, name string, list []edit.Change) {
	for _, c := range list {
		text := c.String()
		if c.Omits() {
			p.Raise(exit.Broken)
			text += ", the first"
			if c.Offset > 0 {
				text += fmt.Sprintf(" at offset %d", c.Offset)
			}
			text += ": " + c.Reason.Error()
		}
		p.Complain("%v", input.FileError(name, errors.New(text)))
	}
}

// sourceFailure returns the error of an edit with its exit code. The error is
// about the source when none of it could be written.
func sourceFailure(name string, r input.Reader, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, edit.ErrNotWritten):
		return exit.With(exit.Version, input.FileError(name, fmt.Errorf("%w; \"nettrace convert\" without --preserve writes one of them", err)))
	case r.Err() != nil:
		return exit.With(input.ExitCode(err), input.FileError(name, errors.New(input.ErrorText(err))))
	}
	return exit.With(exit.Broken, input.FileError(name, err))
}
