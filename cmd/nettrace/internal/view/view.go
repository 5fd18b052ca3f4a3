// Package view is the command view, which shows a trace in the browser.
package view

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/tracedoc"
	"github.com/nettrace-go/nettrace/view/server"
)

// filterFlags are the flags of the filter of the page. Their names and values are those in
// its address.
var filterFlags = []string{
	"type", "from", "to", "thread", "process", "state", "focus", "ignore", "hide", "only", "group", "just-my-code", "fold-recursion", "runtime-helpers",
}

// pages returns the names of the pages.
func pages() []string {
	return append([]string{"summary", "flame", "top", "tree", "time"}, parts.Names()...)
}

// options are the flags of view.
type options struct {
	selection samples.Selection
	filter    *pflag.FlagSet
	page      string
	listen    string
	noBrowser bool
}

// Command returns the command view.
func Command(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "view FILE",
		Short: "Show a trace in the browser: flame graph, timeline, reports and counters",
		Long: "view reads a trace, serves a page to the browser on this machine and opens it. Each control of the\n" +
			"page has the name of a flag, each page that of a command, and the page prints the command for what\n" +
			"it shows. The flags of the filter are those of top; the page can change them.\n\n" +
			"The printed address contains a token. The server answers this address only, until Ctrl-C ends it.\n" +
			"With --listen other machines can connect: anybody with the address then sees the trace, and whoever\n" +
			"reads the network as well, because the connection is not encrypted.\n\n" +
			"report --format html writes the same page as one file.",
		Example: "  nettrace view trace.nettrace\n" +
			"  nettrace view --page gc --from 3s trace.nettrace",
		Args: run.OneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return o.run(cmd.Context(), p, args[0])
		},
	}
	o.addFlags(cmd)
	return cmd
}

// addFlags adds the flags. Those of the filter are a part of the flags of profiles.
func (o *options) addFlags(cmd *cobra.Command) {
	all := &cobra.Command{}
	o.selection.AddFlags(all)
	o.filter = pflag.NewFlagSet("filter", pflag.ContinueOnError)
	for _, name := range filterFlags {
		o.filter.AddFlag(all.Flags().Lookup(name))
	}
	f := cmd.Flags()
	f.AddFlagSet(o.filter)
	f.StringVar(&o.page, "page", "summary", "open this `PAGE`: summary, flame, top, tree, time, or a part of report")
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "serve the page at `ADDR`")
	f.BoolVar(&o.noBrowser, "no-browser", false, "print the address and open no browser")
	_ = cmd.RegisterFlagCompletionFunc("page", cobra.FixedCompletions(pages(), cobra.ShellCompDirectiveNoFileComp))
}

// check returns an error if a flag has a wrong value.
func (o *options) check() error {
	if !slices.Contains(pages(), o.page) {
		return fmt.Errorf("--page: %q is no page", o.page)
	}
	return o.selection.Check()
}

// query returns the flags of the filter as a part of an address.
func (o *options) query() string {
	values := url.Values{}
	o.filter.VisitAll(func(f *pflag.Flag) {
		switch list, ok := f.Value.(pflag.SliceValue); {
		case !f.Changed:
		case ok:
			values[f.Name] = list.GetSlice()
		default:
			values.Set(f.Name, f.Value.String())
		}
	})
	return values.Encode()
}

// run serves the page for a trace until a signal ends it.
func (o *options) run(ctx context.Context, p *run.Program, name string) error {
	source, err := tracedoc.Read(ctx, p, name)
	if err != nil {
		return err
	}
	data, err := source.Encode()
	if err != nil {
		return exit.With(exit.Broken, err)
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return exit.With(exit.Usage, fmt.Errorf("--listen: %w", err))
	}
	defer listener.Close()
	if host, ok := listener.Addr().(*net.TCPAddr); ok && !host.IP.IsLoopback() {
		p.Complain("warning: --listen %s: other machines can read the trace with the address below; the connection is not encrypted", o.listen)
	}
	handler, err := server.New(o.host(listener.Addr().String()), data)
	if err != nil {
		return err
	}
	address := handler.Address(o.page, o.query())
	if _, err := fmt.Fprintln(p.Stdout, address); err != nil {
		return exit.WriteError(err)
	}
	if !o.noBrowser {
		remove := openBrowser(p, address)
		defer remove()
	}
	return o.serve(ctx, p, listener, handler)
}

// host returns the address that browsers connect to: --listen with the port of the
// listener.
func (o *options) host(bound string) string {
	host, _, err := net.SplitHostPort(o.listen)
	_, port, boundErr := net.SplitHostPort(bound)
	if err != nil || boundErr != nil || host == "" {
		return bound
	}
	return net.JoinHostPort(host, port)
}

// serve answers requests until a signal or the context ends it.
func (o *options) serve(ctx context.Context, p *run.Program, listener net.Listener, handler http.Handler) error {
	signals, stop := p.UntilSignal()
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	s := http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	closed := context.AfterFunc(signals, func() { s.Close() })
	defer closed()
	if err := s.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return exit.With(exit.Broken, err)
	}
	return nil
}
