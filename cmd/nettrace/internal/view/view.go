// Package view is the command view, which shows a trace in the browser.
package view

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/tracedoc"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/view/server"
)

// options are the flags of view.
type options struct {
	attach.Options
	address   tracedoc.Address
	listen    string
	diff      string
	noBrowser bool
	ring      string
	recording liveFlags // kept is that of ring
}

// Command returns the command view.
func Command(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "view [FILE | -p PID | -n NAME | --port ADDR | -- COMMAND]",
		Short: "Show a trace or a running process in the browser",
		Long: "view reads a trace, serves a page to the browser on this machine and opens it. Each control of the\n" +
			"page has the name of a flag, each page that of a command, and the page prints the command for what\n" +
			"it shows. The flags of the filter are those of top; the page can change them. Stacks of async code\n" +
			"are joined as top joins them: the page says how many, and --async and --physical choose. --route,\n" +
			"--trace, --span and --request choose the samples that are work for requests, for the whole page.\n\n" +
			"The page heap shows what the command heap prints of a heap dump: types, dominators as an icicle,\n" +
			"paths and roots. view reads the dump when the page is first opened. A .gcdump file\n" +
			"has this page only.\n\n" +
			"With --diff OTHER the page compares FILE with the older file OTHER, as top --diff does.\n\n" +
			"With -p, -n, --port or a command after --, view records the process with the default profiles of\n" +
			"collect (or --profile) and the counters of its runtime, keeps the last part in memory (--ring), and\n" +
			"shows it while it changes. The page shows the last 60 seconds until a range is chosen. Pause stops\n" +
			"the changes, and Save writes what is kept as a trace into the current folder. When the process\n" +
			"ends, the page keeps its events. view makes the complete data of the page again at most every\n" +
			"500 ms, only while a page is open, and uses at most a quarter of a processor for it.\n\n" +
			"Without arguments, the page lists the processes that ps lists and the traces of the current folder,\n" +
			"and opens what you click. A recording that a page began ends when no page has asked for it for\n" +
			unusedText + "; its events stay in the list until Ctrl-C.\n\n" +
			"The printed address contains a token. The server answers this address only, until Ctrl-C ends it.\n" +
			"With --listen HOST:PORT, where HOST is the name or address of this machine that browsers use, other\n" +
			"machines can connect: anybody with the address then sees the trace, and whoever reads the network\n" +
			"as well, because the connection is not encrypted.\n\n" +
			"report --format html writes the same page as one file.",
		Example: "  nettrace view trace.nettrace\n" +
			"  nettrace view --page gc --from 3s trace.nettrace\n" +
			"  nettrace view --page heap dump.nettrace\n" +
			"  nettrace view --diff old.nettrace new.nettrace\n" +
			"  nettrace view\n" +
			"  nettrace view -p 4711\n" +
			"  nettrace view -p 4711 --profile gc-verbose\n" +
			"  nettrace view --ring 10m -- dotnet app.dll",
		RunE: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); at >= 0 {
				args, o.Command = args[:at], args[at:]
			}
			if err := o.check(cmd, args); err != nil {
				return err
			}
			switch {
			case o.Given() > 0:
				return o.record(cmd.Context(), p)
			case len(args) == 0:
				return o.choose(cmd.Context(), p)
			}
			return o.run(cmd.Context(), p, args[0])
		},
	}
	o.addFlags(cmd)
	return cmd
}

// addFlags adds the flags.
func (o *options) addFlags(cmd *cobra.Command) {
	o.Options.AddFlags(cmd)
	o.address.AddFlags(cmd, "")
	o.address.AddRequestFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.ring, "ring", "5m,32MB", "of a process, keep only the last part, in memory: a `TIME` (10m), a size (500MB), or both with a comma")
	f.StringSliceVar(&o.recording.profiles, "profile", nil, "of a process, record the providers of these `PROFILES`: see list-profiles (default "+strings.Join(provider.DefaultProfiles, ",")+")")
	f.StringVar(&o.diff, "diff", "", "compare with the older file `OTHER`")
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "serve the page at `ADDR`")
	f.BoolVar(&o.noBrowser, "no-browser", false, "print the address and open no browser")
}

// check returns an error if a flag has a wrong value, or if the flags and the files do not
// go together.
func (o *options) check(cmd *cobra.Command, files []string) (err error) {
	switch {
	case o.Given()+len(files) > 1:
		return errors.New("view takes one file, one of -p, -n and --port, or -- and a command")
	case len(files) > 0 && cmd.Flags().Changed("ring"):
		return errors.New("--ring needs a process")
	case len(files) > 0 && cmd.Flags().Changed("profile"):
		return errors.New("--profile needs a process: a file has what was recorded")
	case len(files) == 0 && o.diff != "":
		return errors.New("--diff needs a file")
	case o.Given()+len(files) == 0 && o.address.Given() != "":
		return fmt.Errorf("--%s needs a file or a process", o.address.Given())
	case o.diff != "" && o.diff == input.Stdin && files[0] == input.Stdin:
		return errors.New("--diff: standard input is FILE already")
	}
	if o.recording.kept, err = attach.ParseRing(o.ring); err != nil {
		return exit.Named("--ring", err)
	}
	o.recording.how = o.address.Reading()
	if _, err := o.recording.resolve(nil); err != nil {
		return err
	}
	return o.address.Check()
}

// run serves the page for a trace until a signal ends it.
func (o *options) run(ctx context.Context, p *run.Program, name string) error {
	document, err := openFile(ctx, p, name, o.diff, &o.address)
	if err != nil {
		return err
	}
	signals, stop := p.UntilSignal()
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	return o.serve(signals, p, server.Single(document))
}

// record serves the page for a running process until a signal ends it.
func (o *options) record(ctx context.Context, p *run.Program) error {
	signals, stop := p.UntilSignal()
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	o.Tell = p.Complain
	a, err := o.Attach(signals, p.Stdin, p.Stderr, p.Stderr)
	if err != nil {
		return err
	}
	defer func() {
		a.End()
		attach.WarnLeft(p, a)
	}()
	document, err := o.recording.start(signals, p, a)
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	running.Go(func() { document.run(signals) })
	defer running.Wait()
	defer stop()
	return o.serve(signals, p, server.Single(document))
}

// choose serves the page that lists processes and traces until a signal ends it.
func (o *options) choose(ctx context.Context, p *run.Program) error {
	signals, stop := p.UntilSignal()
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	h := &home{p: p, ctx: signals, of: o.recording, documents: map[string]*opening{}}
	defer h.running.Wait()
	defer stop()
	return o.serve(signals, p, h.find)
}

// serve prints the address, opens the browser and answers requests until the context ends.
func (o *options) serve(ctx context.Context, p *run.Program, find server.Finder) error {
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return exit.With(exit.Usage, fmt.Errorf("--listen: %w", err))
	}
	defer listener.Close()
	switch host, ok := listener.Addr().(*net.TCPAddr); {
	case ok && host.IP.IsUnspecified():
		return exit.With(exit.Usage, fmt.Errorf("--listen: %s has no host: name the address of this machine that browsers use", o.listen))
	case ok && !host.IP.IsLoopback():
		p.Complain("warning: --listen %s: other machines can read the trace with the address below; the connection is not encrypted", o.listen)
	}
	handler, err := server.New(o.host(listener.Addr().String()), find)
	if err != nil {
		return err
	}
	address := handler.Address(o.address.Page, o.address.Query())
	if _, err := fmt.Fprintln(p.Stdout, address); err != nil {
		return exit.WriteError(err)
	}
	if !o.noBrowser {
		remove := openBrowser(p, address)
		defer remove()
	}
	s := http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	closed := context.AfterFunc(ctx, func() { s.Close() })
	defer closed()
	if err := s.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return exit.With(exit.Broken, err)
	}
	return nil
}

// host returns the address that browsers connect to: --listen with the port of the
// listener.
func (o *options) host(bound string) string {
	host, _, err := net.SplitHostPort(o.listen)
	_, port, boundErr := net.SplitHostPort(bound)
	if err != nil || boundErr != nil {
		return bound
	}
	return net.JoinHostPort(host, port)
}
