package change

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/formats"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/edit"
)

// mergeOptions are the flags of merge.
type mergeOptions struct {
	output.Target
	redactOptions
	separate bool
	perf     perfOptions
}

// MergeCommand returns the command merge.
func MergeCommand(p *run.Program) *cobra.Command {
	var o mergeOptions
	cmd := &cobra.Command{
		Use:   "merge FILE... -o OUT",
		Short: "Merge the events of several trace files into one file by time",
		Long: "merge writes the events of several files to one file of version 6, in order of time. It aligns the\n" +
			"clocks by the sync times of the files, which are exact to a millisecond; the oldest sync time\n" +
			"becomes that of OUT. Threads and processes stay separate. The losses are those of all files. The\n" +
			"properties of each file are kept, under keys such as Source1.ProcessId. Files with the same process\n" +
			"id are recordings of one process: names of methods in one serve the others. With --separate they\n" +
			"are recordings of different processes, such as of two containers, in each of which the program has\n" +
			"the id 1: the process of the second file gets the id 2000000001, that of the third 3000000001.\n\n" +
			"An event that cannot be written is left out and counted as lost; merge prints the reason and the\n" +
			"offset of the first one of each kind, and exits with 1.\n\n" +
			"A FILE.ndjson has records of perf, in the form of perfsample, of the process that the other file is\n" +
			"a recording of: their times are those of its ticks. The samples become events of Universal.Events,\n" +
			"with the names of native code in the files of --symbols, or else where the process had them.\n\n" +
			"merge takes at most 64 MiB of memory and, for each file, the events between two of its sequence\n" +
			"points (at most 32 MiB, and their stacks) and twice the window of a zstd file.\n\n" +
			redactHelp,
		Example: "  nettrace merge client.nettrace server.nettrace.zst -o both.nettrace\n" +
			"  nettrace merge --separate pod1.nettrace pod2.nettrace -o both.nettrace",
		Args: func(cmd *cobra.Command, args []string) error {
			return cmp.Or(o.checkArguments(cmd, args), run.SomeFiles(cmd, args))
		},
		RunE: func(cmd *cobra.Command, files []string) error { return runMerge(cmd.Context(), p, files, &o) },
	}
	o.Target.AddFlags(cmd)
	o.redactOptions.addFlags(cmd)
	cmd.Flags().BoolVar(&o.separate, "separate", false, "give processes of different files that have the same id different ones")
	f := cmd.Flags()
	f.StringArrayVar(&o.perf.symbols, "symbols", nil, "for records of perf, read the programs and libraries in `DIR`, by their names; can be repeated (default: where the process had them)")
	f.StringVar(&o.perf.kallsyms, "kallsyms", "", "for records of perf, name the kernel by `FILE`, a copy of /proc/kallsyms")
	f.BoolVar(&o.perf.noUnwind, "no-unwind", false, "for records of perf, do not repair call chains by copies of the stack")
	return cmd
}

// runMerge writes several files as one.
func runMerge(ctx context.Context, p *run.Program, files []string, o *mergeOptions) error {
	if slices.ContainsFunc(files, isPerf) {
		return mergePerf(ctx, p, files, o)
	}
	redactor, err := o.redactor()
	if err != nil {
		return err
	}
	if err := input.RefuseRepeated(files); err != nil {
		return err
	}
	if err := formats.CheckTraceName(o.Name); err != nil {
		return err
	}
	var inputs []*input.File
	var sources []*edit.MergeSource
	bar := input.SharedBar(p, files)
	defer bar.Stop()
	for _, name := range files {
		in, err := input.Open(p, name, input.Options{Shared: bar, Silent: o.Name != output.Stdout})
		if err != nil {
			return err
		}
		defer in.Close()
		inputs = append(inputs, in)
		sources = append(sources, edit.NewMergeSource(in, edit.MergeSourceOptions{Name: filepath.Base(name), Reader: input.ReaderOptions(false)}))
	}
	boundMemory(p, files)
	out, err := output.Create(p, &o.Target)
	if err != nil {
		return err
	}
	_, err = edit.Merge(ctx, out, sources, edit.MergeOptions{Redact: redactor, Separate: o.separate})
	bar.Stop()
	if err != nil && out.Err() == nil {
		out.Discard()
		return mergeFailure(files, sources, err)
	}
	if err := out.Keep(); err != nil {
		return err
	}
	printMergeReport(p, inputs, sources)
	if !o.separate {
		noteOneProcess(p, files, sources)
	}
	reportRedaction(p, redactor)
	return nil
}

// mergeFailure chooses the exit code by the source that could not be read.
func mergeFailure(files []string, sources []*edit.MergeSource, err error) error {
	for i, s := range sources {
		if fault := s.Reader().Err(); fault != nil && errors.Is(err, fault) {
			return sourceFailure(files[i], s.Reader(), fault)
		}
	}
	return exit.With(exit.Broken, err)
}

// printMergeReport prints the errors of the sources, and the events that are
// missing.
func printMergeReport(p *run.Program, inputs []*input.File, sources []*edit.MergeSource) {
	for i, s := range sources {
		input.Report(p, inputs[i], s.Reader(), s.Reader().Err())
		printChanges(p, inputs[i].Name, s.Changes())
		input.ReportLost(p, inputs[i].Name, s.Reader())
	}
}

// noteOneProcess prints which files are merged as recordings of one process.
func noteOneProcess(p *run.Program, files []string, sources []*edit.MergeSource) {
	first := map[uint64]string{}
	for i, s := range sources {
		trace, err := s.Reader().Trace()
		if err != nil {
			continue // reported already
		}
		id, known := trace.ProcessID()
		switch before, met := first[id]; {
		case !known:
		case !met:
			first[id] = files[i]
		default:
			p.Complain("%v", input.FileError(files[i], fmt.Errorf("note: it has the process id %d, as %s has: both are merged as recordings of one process; --separate keeps two processes separate", id, before)))
		}
	}
}
