package tracedoc

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/view/page"
)

// filterFlags are the flags of the filter of the page. Their names and values are those in
// its address.
var filterFlags = []string{
	"type", "from", "to", "thread", "process", "state", "class", "focus", "ignore", "hide", "only", "group", "just-my-code", "fold-recursion", "runtime-helpers",
	"provider", "event",
}

// pages returns the names of the pages.
func pages() []string {
	return append([]string{"summary", "flame", "top", "tree", "time", "events", "heap"}, parts.Names()...)
}

// Address has the flags --page and those of the filter, which are the address within the
// page.
type Address struct {
	Page      string   // value of --page
	pages     []string // its known values
	selection samples.Selection
	flags     *pflag.FlagSet // all of them
	reading   *pflag.FlagSet // those of Reading, which the page cannot change
}

// AddFlags adds these flags, and those about the stacks of async code. Those of the filter are a
// part of the flags of profiles. The help of each begins with when.
func (a *Address) AddFlags(cmd *cobra.Command, when string) {
	all := &cobra.Command{}
	a.selection.AddFlags(all)
	a.flags = pflag.NewFlagSet("address", pflag.ContinueOnError)
	for _, name := range filterFlags {
		a.flags.AddFlag(all.Flags().Lookup(name))
	}
	a.pages = pages()
	a.flags.StringVar(&a.Page, "page", "summary", "open this `PAGE`: summary, flame, top, tree, time, events, heap, or a part of report")
	a.reading = pflag.NewFlagSet("reading", pflag.ContinueOnError)
	for _, name := range []string{"async", "physical"} {
		a.reading.AddFlag(all.Flags().Lookup(name))
	}
	for _, set := range []*pflag.FlagSet{a.flags, a.reading} {
		set.VisitAll(func(f *pflag.Flag) { f.Usage = when + f.Usage })
		cmd.Flags().AddFlagSet(set)
	}
	cmd.MarkFlagsMutuallyExclusive("async", "physical")
	_ = cmd.RegisterFlagCompletionFunc("page", cobra.FixedCompletions(a.pages, cobra.ShellCompDirectiveNoFileComp))
}

// AddRequestFlags adds the flags that choose the work for requests.
func (a *Address) AddRequestFlags(cmd *cobra.Command) {
	known := pflag.NewFlagSet("", pflag.ContinueOnError)
	known.AddFlagSet(cmd.Flags())
	a.selection.RequestFlags().AddFlags(cmd)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if known.Lookup(f.Name) == nil {
			a.reading.AddFlag(f)
		}
	})
}

// SimilarPage returns the end of the message about several files if the first one is not a
// file but the name of a page.
func (a *Address) SimilarPage(files []string) string {
	if len(files) < 2 {
		return ""
	}
	if _, err := os.Stat(files[0]); err == nil || !slices.Contains(a.pages, files[0]) {
		return fmt.Sprintf(", not %d", len(files))
	}
	return fmt.Sprintf(", not %d; did you mean --page %s?", len(files), files[0])
}

// Check returns an error if a flag has a wrong value.
func (a *Address) Check() error {
	if !slices.Contains(a.pages, a.Page) {
		return fmt.Errorf("--page: %q is no page; the pages are %s", a.Page, strings.Join(a.pages, ", "))
	}
	return a.selection.Check()
}

// Reading is how the samples of a trace are read. The page cannot change it.
type Reading struct {
	samples.AsyncFlags
	Requests samples.RequestFlags // the work for requests
}

// Reading returns what the flags say. Those of a nil Address say nothing.
func (a *Address) Reading() Reading {
	if a == nil {
		return Reading{}
	}
	return Reading{a.selection.AsyncFlags, *a.selection.RequestFlags()}
}

// Given returns the name of a flag that is given, "" if there is none.
func (a *Address) Given() (name string) {
	if name = given(a.flags); name == "" {
		name = given(a.reading)
	}
	return name
}

// given returns the name of a flag of a set that is given, "" if there is none.
func given(set *pflag.FlagSet) (name string) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			name = f.Name
		}
	})
	return name
}

// OfEvents returns what is given and needs the events in the page: a flag, with its value if
// other values do not need them, "" if there is none.
func (a *Address) OfEvents() string {
	switch {
	case a.Page == "events":
		return "page events"
	case a.flags.Lookup("type").Value.String() == "event":
		return "type event"
	}
	for _, name := range []string{"provider", "event"} {
		if a.flags.Changed(name) {
			return name
		}
	}
	return ""
}

// Query returns the flags of the filter as a part of the address.
func (a *Address) Query() string {
	values := url.Values{}
	a.flags.VisitAll(func(f *pflag.Flag) {
		switch list, ok := f.Value.(pflag.SliceValue); {
		case !f.Changed || f.Name == "page":
		case ok:
			values[f.Name] = list.GetSlice()
		default:
			values.Set(f.Name, f.Value.String())
		}
	})
	return values.Encode()
}

// Fragment returns the address, "" if no flag of it is given.
func (a *Address) Fragment() string {
	if given(a.flags) == "" {
		return ""
	}
	return page.Fragment(a.Page, a.Query())
}
