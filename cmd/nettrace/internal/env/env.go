// Package env is the command env, which prints the environment of a running process.
package env

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
)

// options are the flags of env.
type options struct {
	attach.Options
	format   choice.Format
	set      []string
	patterns []string // of names; none: all
}

// Command returns the command env.
func Command(p *run.Program) *cobra.Command {
	o := options{Options: attach.Options{Tell: p.Complain}}
	cmd := &cobra.Command{
		Use:   "env {-p PID | -n NAME | --port ADDR} [PATTERN...]",
		Short: "Print the environment of a running .NET process",
		Long: "env prints the variables that the process has now, with the changes of its runtime and of --set: one\n" +
			"NAME=value on each line, in the order of the runtime. Characters that cannot be printed are escaped;\n" +
			"--json prints an object with the unescaped values. PATTERN selects variables by name: * matches any\n" +
			"characters. Values may be secrets. It requires .NET 6 or later.\n\n" +
			"--set changes a variable before env prints. Only code that reads the variable later sees the change:\n" +
			"the runtime reads most of its own variables at its start.\n\n" + attach.OrderCodes,
		Example: "  nettrace env -p 4711 'DOTNET_*' 'ASPNETCORE_*'\n" +
			"  nettrace env -p 4711 --json | jq -r .PATH\n" +
			"  nettrace env -n shop --set LOG_LEVEL=debug LOG_LEVEL",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, args []string) error {
			o.patterns = args
			if err := o.check(); err != nil {
				return err
			}
			return o.Order(p, func(ctx context.Context, a *attach.Process) error { return o.print(ctx, p, a) })
		},
	}
	o.Options.AddFlags(cmd)
	o.format.AddTextFlags(cmd)
	cmd.Flags().StringArrayVar(&o.set, "set", nil, "set a variable of the process: `NAME=VALUE`; can be repeated")
	return cmd
}

// check returns an error for values that are wrong.
func (o *options) check() error {
	if o.Given() != 1 {
		return errors.New("env needs one of -p, -n and --port")
	}
	for _, text := range o.set {
		if name, _, ok := strings.Cut(text, "="); !ok || name == "" {
			return fmt.Errorf("--set: %q is not NAME=VALUE", text)
		}
	}
	for _, pattern := range o.patterns {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("%q is not a pattern: %w", pattern, err)
		}
	}
	return nil
}

// print sets variables and prints the environment.
func (o *options) print(ctx context.Context, p *run.Program, a *attach.Process) error {
	for _, text := range o.set {
		name, value, _ := strings.Cut(text, "=")
		if err := a.Client.SetEnvironment(ctx, name, value); err != nil {
			return exit.Named("--set "+name, err)
		}
	}
	all, err := a.Client.Environment(ctx)
	if err != nil {
		return err
	}
	kept := slices.DeleteFunc(all, func(kv string) bool { return !o.selects(kv) })
	if len(kept) == 0 {
		return exit.With(exit.Broken, fmt.Errorf("no variable has the name %s", strings.Join(o.patterns, " or ")))
	}
	_, err = p.Stdout.Write(o.text(kept))
	return exit.WriteError(err)
}

// selects reports whether a pattern matches a variable.
func (o *options) selects(kv string) bool {
	name, _, _ := strings.Cut(kv, "=")
	return len(o.patterns) == 0 || slices.ContainsFunc(o.patterns, func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		return ok
	})
}

// text returns variables as text or as JSON.
func (o *options) text(list []string) []byte {
	var b []byte
	if !o.format.IsJSON() {
		for _, kv := range list {
			b = append(display.AppendPrintable(b, kv), '\n')
		}
		return b
	}
	var j jsontext.Builder
	j.Open('{')
	for _, kv := range list {
		name, value, _ := strings.Cut(kv, "=")
		j.Key(name).Text(value)
	}
	j.Close('}')
	return append(j.Bytes, '\n')
}
