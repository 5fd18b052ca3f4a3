package change

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/filter"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/formats"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/units"
	"github.com/nettrace-go/nettrace/edit"
)

// sliceOptions are the flags of slice.
type sliceOptions struct {
	output.Target
	filter.Criteria
	redactOptions
	dropRundown bool
	allRundown  bool
	format      choice.Format
	split       string
}

// SliceCommand returns the command slice.
func SliceCommand(p *run.Program) *cobra.Command {
	var o sliceOptions
	cmd := &cobra.Command{
		Use:   "slice FILE -o OUT",
		Short: "Write a part of a trace file to a new file",
		Long: "slice writes the events that the filters select and everything that these events refer to. That\n" +
			"includes the events, anywhere in FILE, that name their processes and threads and the methods and\n" +
			"modules of their stacks. To find those, slice reads FILE twice. A pipe can be read only once: slice\n" +
			"then keeps more naming events than needed. Maps from IL to native code are added only with\n" +
			"--all-rundown.\n\n" +
			"Events that the filters leave out do not count as lost, because slice renumbers the events that it\n" +
			"writes. Events that the recording itself lost still count as lost if they were between two selected\n" +
			"events or if a sequence point shows it. A slice of format 6.0 records the bounds of --from and --to\n" +
			"and those of each part of --split: nettrace info and profiles use them. Other formats cannot record\n" +
			"them, so in a profile of such a slice an unfinished wait or lock counts up to the last event, or,\n" +
			"without a rundown, up to --to.\n\n" +
			"With --split the number of the file goes before the extension: -o part.nettrace writes\n" +
			"part.001.nettrace, part.002.nettrace and so on. Each is a complete file with selected events of\n" +
			"about the given size (64MB) or time (30s), in the order of FILE, and with the events that name their\n" +
			"methods, which are not part of that size.\n\n" +
			"The filters are those of nettrace events; --thread and --process also select the threads whose\n" +
			"losses are reported. If no event matches, slice writes no file and exits with 1.\n\n" +
			redactHelp,
		Example: "  nettrace slice trace.nettrace -o second.nettrace --from 2s --to 3s\n" +
			"  nettrace slice trace.nettrace -o mail.nettrace.zst --drop-rundown --redact\n" +
			"  nettrace slice big.nettrace -o part.nettrace --split 64MB",
		Args: func(cmd *cobra.Command, args []string) error {
			return cmp.Or(o.checkArguments(cmd, args), run.OneFile(cmd, args))
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runSlice(cmd.Context(), p, args[0], &o) },
	}
	o.Target.AddFlags(cmd)
	o.Criteria.AddFlags(cmd)
	o.redactOptions.addFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.dropRundown, "drop-rundown", false, "leave out the rundown, and the events that name methods, modules, processes and threads unless the filters select them; then stacks have no names")
	f.BoolVar(&o.allRundown, "all-rundown", false, "keep all events that name methods, modules, processes and threads, also those that the slice does not need")
	o.format.AddFlags(cmd, []string{"v4", "v5", "v6"}, "", ", not below that of FILE (default: that of FILE, v6 for v3)")
	f.StringVar(&o.split, "split", "", "write several files of this `SIZE` (64MB, 512KiB) or time (30s) each; a size needs a unit")
	return cmd
}

// slicing has the values of the flags, for a trace.
type slicing struct {
	filter *filter.Filter
	period filter.Period
	opt    edit.SliceOptions
	split  bool
	size   edit.SplitSize
	each   time.Duration // of --split
	first  *input.File   // of opt.First
}

func (o *sliceOptions) parse() (*slicing, error) {
	s := &slicing{split: o.split != ""}
	s.opt.DropRundown, s.opt.AllRundown = o.dropRundown, o.allRundown
	if o.dropRundown && o.allRundown {
		return nil, errors.New("--drop-rundown and --all-rundown exclude each other")
	}
	var err error
	for _, step := range []func() error{
		func() error { s.filter, err = o.Criteria.Parse(); return err },
		func() error { s.period, err = o.Period(); return err },
		func() error { s.opt.Redact, err = o.redactor(); return err },
		func() error { return s.parseSplit(o.split) },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if f := formats.Find(o.format.Name()); f != nil {
		s.opt.Format = f.Version
	}
	if s.filter.Given() {
		s.opt.Keep = s.filter.Match
	}
	if s.filter.AboutThreads() {
		s.opt.KeepLost = s.filter.MatchThread
	}
	return s, nil
}

// parseSplit reads a size or a duration.
func (s *slicing) parseSplit(text string) error {
	if text == "" {
		return nil
	}
	if each, err := time.ParseDuration(text); err == nil && each > 0 {
		s.each = each
		return nil
	}
	size, err := units.ParseSize(text)
	if err != nil {
		return fmt.Errorf(`--split: %q is neither a size with a unit ("64MB") nor a duration ("30s")`, text)
	}
	s.size.Bytes = size
	return nil
}
