// Package top is the command top, which adds up samples by method, type, module, thread,
// process or class.
package top

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/summaryfile"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/units"
	"github.com/nettrace-go/nettrace/profile"
)

// options are the flags of top.
type options struct {
	samples.Selection
	by, sort   string
	format     choice.Format
	tree       bool
	bottomUp   bool
	callers    string
	callees    string
	view       callView // of the three flags above
	diff       string
	limit      uint64
	live       liveOptions
	display    terminal.Flags
	minPercent float64 // minimum percentage of the sum of a node in the tree
}

// topKeys are the values of --by: the key of a row.
var topKeys = []struct {
	name string
	key  func(f *profile.Function, raw bool) string
}{
	{"method", nil},
	{"line", nil},
	{"type", typeOf},
	{"module", func(f *profile.Function, _ bool) string { return moduleOf(f) }},
	{"thread", nil},
	{"process", nil},
	{"source", nil},
	{"class", nil},
	{"route", nil},
	{"trace", nil},
	{"span", nil},
	{"request", nil},
}

// requestKeys are those of topKeys that need the requests of samples.
var requestKeys = []string{"route", "trace", "span", "request"}

// topSorts are the values of --sort.
var topSorts = []string{"self", "total"}

// Command returns the command top.
func Command(p *run.Program) *cobra.Command {
	cmd, _ := command(p)
	return cmd
}

// command returns the command top and its flags.
func command(p *run.Program) (*cobra.Command, *options) {
	o := options{Selection: samples.Selection{DefaultStates: []profile.State{profile.Running, profile.Native}}}
	cmd := &cobra.Command{
		Use:   "top {FILE | SUMMARY.nts | -p PID | -n NAME | --port ADDR | -- COMMAND}",
		Short: "Show the methods with the most time (or other samples) of a file or a process",
		Long: "top adds up samples by method: self is the value of samples in the method itself, total includes\n" +
			"those in its callees. Recursion counts once. Time is the wall time of all threads together in which\n" +
			"they run, or are in native code, which may wait. A sample counts for the time up to the next round\n" +
			"of the sampler, not for the median interval: the sum is larger if some rounds were late. --type wall\n" +
			"adds the time in which threads wait. --type cpu is the processor time of the threads, divided among\n" +
			"their samples in managed and native code, if the trace has it; threads of the runtime then have rows\n" +
			"such as [.NET EventPipe]. Otherwise it is an approximation of the time in managed code. Periods in\n" +
			"which a thread was not sampled count for no method; their sum is printed above the table. With\n" +
			"--from and --to, a wait, lock or other duration counts with the part of it in that range. A duration\n" +
			"without an end counts up to the end of the recording.\n\n" +
			samples.StatesHelp + "\n" + samples.HelpersHelp() + "\n" +
			"--by type groups by the type that declares the method. --by class groups by what a sample is about:\n" +
			"the allocated class, the type of the exception, the kind of lock, the reason of the collection. --by\n" +
			"thread and --by process print IDs and names; if there are several processes, a thread is printed as\n" +
			"PROCESS/THREAD. --by source prints the file that a process of a merged trace comes from.\n\n" +
			samples.FramesHelp() + "\n" + samples.AsyncHelp + "\n" +
			"With --tree it prints calls from the root. Several callees of a method are indented; a single callee\n" +
			"is printed below its caller without further indentation. --bottom-up prints the callers below each\n" +
			"method, --callers those of some methods, and --callees the calls from some methods: times are those\n" +
			"of the samples with such a method, recursion counts once.\n\n" +
			"With --diff OTHER it compares FILE with the older file OTHER, and orders rows by the change of their\n" +
			"shares, so that the recordings can have different lengths. Beside amounts it prints the share of\n" +
			"self, its change in percentage points, and this change by its standard error (SE), which follows\n" +
			"from the numbers of samples: a change below 2 SE may be chance.\n\n" +
			"With a summary that \"nettrace summarize\" wrote, it shows the samples of all its files; --diff then\n" +
			"takes another summary.\n\n" +
			"With -p, -n, --port or a command after --, top records what the type of samples needs, keeps the\n" +
			"last part in memory (--ring), and shows it on the terminal while it changes. --type is wall, cpu,\n" +
			"alloc, lock, wait, exceptions or gc; --provider Name[:keywords[:level[:arguments]]] makes it event.\n" +
			"top makes the rows again at most every --refresh-interval, and uses at most a quarter of a processor\n" +
			"for it. When the process ends, top ends with exit code 0, as it does with q and Ctrl-C, and leaves\n" +
			"the last screen; while it is paused it waits for q. The output of a COMMAND is discarded, and q ends\n" +
			"the COMMAND as Ctrl-C does. The keys are:\n\n" + keysHelp() + "\n" +
			samples.WorkersHelp + ", and with --provider or --event.\n\n" +
			"If standard output is no terminal, or TERM is dumb, or with --json, top prints one report after\n" +
			"--duration, which is " + reportTime.String() + " unless given.\n\n" +
			"Without samples it prints the reason and exits with 1.",
		Example: "  nettrace top trace.nettrace\n" +
			"  nettrace top --type alloc --by class --limit 20 trace.nettrace\n" +
			"  nettrace top --tree --thread 4242 --type cpu trace.nettrace\n" +
			"  nettrace top --callers 'List<.*>.Add' trace.nettrace\n" +
			"  nettrace top --just-my-code --state waiting trace.nettrace\n" +
			"  nettrace top --diff before.nettrace after.nettrace\n" +
			"  nettrace top -p 4711\n" +
			"  nettrace top -n shop --type alloc --ring 30s\n" +
			"  nettrace top -p 4711 --duration 30s --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); at >= 0 {
				args, o.live.Command = args[:at], args[at:]
			}
			if err := o.live.check(cmd, args); err != nil {
				return err
			}
			if err := o.check(); err != nil {
				return err
			}
			if o.isTree() && !cmd.Flags().Changed("limit") {
				o.limit = 0 // --min keeps it short
			}
			if len(args) == 0 {
				return showProcess(cmd, p, &o)
			}
			if err := o.checkFile(cmd); err != nil {
				return err
			}
			if summaryfile.Is(args[0]) || summaryfile.Is(o.diff) {
				if err := o.checkSummary(cmd); err != nil {
					return err
				}
			}
			return showTop(cmd.Context(), p, args[0], &o)
		},
	}
	o.AddFlags(cmd)
	o.AddLineFlags(cmd)
	o.live.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.by, "by", "method", "print a row for each `KEY`: "+strings.Join(topKeyNames(), ", "))
	f.StringVar(&o.sort, "sort", "self", "order rows by this `COLUMN`: self or total; with --diff by its change")
	f.BoolVar(&o.tree, "tree", false, "show calls from the root")
	f.BoolVar(&o.bottomUp, "bottom-up", false, "show calls from the leaf: below each method those that call it")
	f.StringVar(&o.callers, "callers", "", "show the callers of the methods that `REGEXP` matches, as a tree")
	f.StringVar(&o.callees, "callees", "", "show the calls from the methods that `REGEXP` matches, as a tree")
	f.Var(units.Percent(&o.minPercent, 1), "min", "with a tree: leave out calls with less than this `PERCENT` of the sum")
	f.StringVar(&o.diff, "diff", "", "compare with the older file `OTHER`")
	input.AddWorkersFlag(cmd, &o.Workers, 0)
	f.Uint64Var(&o.limit, "limit", 30, "print at most `N` rows; 0 for all, which is the default of trees")
	o.format.AddTextFlags(cmd)
	o.display.AddFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(topKeyNames(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(topSorts, cobra.ShellCompDirectiveNoFileComp))
	return cmd, &o
}

func topKeyNames() []string {
	var names []string
	for _, k := range topKeys {
		names = append(names, k.name)
	}
	return names
}

// isTree reports whether a tree of calls is shown.
func (o *options) isTree() bool { return o.tree || o.bottomUp || o.callers != "" || o.callees != "" }

// parseView sets the view of the tree.
func (o *options) parseView() (err error) {
	views := 0
	for _, given := range []bool{o.tree, o.bottomUp, o.callers != "", o.callees != ""} {
		if given {
			views++
		}
	}
	if views > 1 {
		return errors.New("--tree, --bottom-up, --callers and --callees exclude each other")
	}
	o.view.bottomUp = o.bottomUp
	if o.callers != "" {
		if o.view.callers, err = samples.Alternatives("callers", []string{o.callers}); err != nil {
			return err
		}
	}
	if o.callees != "" {
		o.view.callees, err = samples.Alternatives("callees", []string{o.callees})
	}
	return err
}

// checkFile returns an error for flags without an effect on the report of a file. On the page of
// a process a key changes the view.
func (o *options) checkFile(cmd *cobra.Command) error {
	switch {
	case !o.isTree() && cmd.Flags().Changed("min"):
		return errors.New("--min needs a tree (--tree, --bottom-up, --callers, --callees)")
	case o.isTree() && o.sort == "self" && cmd.Flags().Changed("sort"):
		return errors.New("--sort self excludes a tree (--tree, --bottom-up, --callers, --callees): its calls are sorted by their total")
	}
	return nil
}

func (o *options) check() error {
	if err := o.parseView(); err != nil {
		return err
	}
	o.Lines = o.by == "line"
	switch {
	case !slices.Contains(topKeyNames(), o.by):
		return fmt.Errorf("--by: %q is none of %s", o.by, strings.Join(topKeyNames(), ", "))
	case !slices.Contains(topSorts, o.sort):
		return fmt.Errorf("--sort: %q is neither self nor total", o.sort)
	case o.minPercent < 0 || o.minPercent > 100 || math.IsNaN(o.minPercent):
		return errors.New("--min is a percentage")
	case o.isTree() && (o.diff != "" || o.flat()):
		return errors.New("a tree (--tree, --bottom-up, --callers, --callees) goes neither with --diff nor with --by thread, process, source or class")
	}
	return nil
}
