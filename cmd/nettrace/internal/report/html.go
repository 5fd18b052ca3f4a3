package report

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/summaryfile"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/tracedoc"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// html is a value of --format.
const html = "html"

// pageFlags holds the flags about the report as a page.
type pageFlags struct {
	output      output.Target
	commandLine bool
	events      bool
	diff        string
	address     tracedoc.Address
}

func (o *pageFlags) addFlags(cmd *cobra.Command) {
	o.address.AddFlags(cmd, "with --format html: ")
	f := cmd.Flags()
	f.StringVarP(&o.output.Name, "output", "o", "", "with --format html: write to `OUT`; OUT.html implies html")
	f.BoolVar(&o.output.Force, "force", false, "replace OUT if it exists")
	f.BoolVar(&o.commandLine, "command-line", false, "with --format html: add the command line of the process, which can contain secrets")
	f.StringVar(&o.diff, "diff", "", "compare with the older file `OTHER`: a summary, or of a page a trace")
	f.BoolVar(&o.events, "events", false, "with --format html: add the events with their fields and stacks, which contain the command line and messages of exceptions")
}

// isPage reports whether the report is written as a page, and returns an error if its flags
// do not go together.
func (o *options) isPage(files []string) (bool, error) {
	named := o.page.output.Name != ""
	asked := o.format.Name() == html || named && strings.EqualFold(filepath.Ext(o.page.output.Name), ".html")
	switch {
	case asked && (slices.ContainsFunc(files, summaryfile.Is) || summaryfile.Is(o.page.diff)):
		return false, errors.New("a summary has no page: --format markdown prints it")
	case !asked && named:
		return false, errors.New("--output is for --format html: its name ends in .html")
	case !asked && o.page.output.Force:
		return false, errors.New("--force needs --format html")
	case !asked && o.page.commandLine:
		return false, errors.New("--command-line needs --format html")
	case !asked && o.page.diff != "" && !summaryfile.Is(o.page.diff) && !slices.ContainsFunc(files, summaryfile.Is):
		return false, errors.New("--diff needs --format html, or two summaries")
	case !asked && o.page.events:
		return false, errors.New("--events needs --format html")
	case !asked && o.page.address.Given() != "":
		return false, fmt.Errorf("--%s needs --format html", o.page.address.Given())
	case asked && (o.format.IsJSON() || o.format.Name() == markdown):
		return false, errors.New("--output OUT.html excludes other formats than html")
	case asked && len(files)+o.live.Given() != 1:
		return false, errors.New("--format html takes one file or one process" + o.page.address.SimilarPage(files))
	case asked && o.live.Given() == 0 && o.live.Duration != "":
		return false, errors.New("--duration needs a process (-p, -n or --port)")
	case asked && !o.page.events && o.page.address.OfEvents() != "":
		return false, fmt.Errorf("--%s needs --events", o.page.address.OfEvents())
	}
	return asked, o.page.address.Check()
}

// recorded records what some parts need from a process, and returns the name of the trace.
func (l *live) recorded(ctx context.Context, p *run.Program, some []analysis.Part) (name string, remove func(), err error) {
	providers, err := providersOf(some, 0, counters.MetersSession{})
	if err != nil {
		return "", func() {}, err
	}
	var flags []string
	for _, one := range providers {
		flags = append(flags, "--provider", fmt.Sprintf("%s:%#x:%d:%s", one.Name, one.Keywords, one.Level, one.Arguments))
	}
	return l.Record(ctx, p, flags...)
}

// write writes the page with the trace as one file.
func (o *pageFlags) write(ctx context.Context, p *run.Program, name string) error {
	if o.output.Name == "" {
		o.output.Name = output.Stdout
	}
	return tracedoc.WritePage(ctx, p, name, tracedoc.Page{Output: o.output, CommandLine: o.commandLine, Events: o.events, Diff: o.diff, Address: &o.address})
}
