package change

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/formats"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/symbolize"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// SymbolizeCommand returns the command symbolize.
func SymbolizeCommand(p *run.Program) *cobra.Command {
	var target output.Target
	var files samples.LineFlags
	cmd := &cobra.Command{
		Use:   "symbolize FILE -o OUT",
		Short: "Store source lines and names from PDBs, images and symbols in a trace file",
		Long: "symbolize copies a trace and adds what the files of its modules say of the methods in its stacks:\n" +
			"source files and lines, names of methods that were compiled ahead of time, and functions of native\n" +
			"programs. OUT then needs none of these files: --lines, --details and top --by line find the lines in\n" +
			"it, and other tools ignore the events, which are those of the provider Nettrace-Collector.\n\n" +
			samples.LinesHelp + "\n" +
			"The methods in stacks are stored, and slices of OUT keep their lines. A command with --pdb uses the\n" +
			"PDB of a module instead, if it is there. --redact replaces the folders of source files; their names,\n" +
			"the numbers of lines and the names of called methods stay.\n\n" +
			"FILE must be a file: symbolize reads it twice. It writes formats 4 and 6; convert writes a file of\n" +
			"format 3 in one of them. If no file has anything of the code in the stacks, symbolize writes nothing\n" +
			"and exits with 1.",
		Example: "  nettrace symbolize app.nettrace --pdb bin/Release/net10.0 -o app-lines.nettrace",
		Args:    run.OneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSymbolize(cmd.Context(), p, args[0], &target, &files)
		},
	}
	target.AddFlags(cmd)
	files.AddFlags(cmd)
	return cmd
}

// runSymbolize writes a copy of a trace with names and source lines.
func runSymbolize(ctx context.Context, p *run.Program, name string, o *output.Target, files *samples.LineFlags) error {
	if err := formats.CheckTraceName(o.Name); err != nil {
		return err
	}
	resolver, err := files.Resolver()
	if err != nil {
		return err
	}
	if name == input.Stdin {
		return errors.New("symbolize reads FILE twice: it cannot be standard input")
	}
	var in *input.File
	var r *codec.Reader
	var found *symbolize.Sources
	var fault error
	return output.Transform(p, name, o, func(src *input.File, out io.Writer) error {
		in = src
		r = codec.NewReader(in, input.ReaderOptions(false))
		trace, err := r.Trace()
		switch {
		case err != nil:
			return sourceFailure(name, r, err)
		case trace.Format.Before(wire.V4):
			return exit.With(exit.Version, input.FileError(name, errors.New("symbolize writes formats 4 and 6; \"nettrace convert\" writes one of them")))
		}
		found, fault = symbolize.Find(ctx, r, resolver)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if found.Empty() {
			return exit.With(exit.Broken, input.FileError(name, fmt.Errorf("%w%s", symbolize.ErrNothing, found.ReasonsText())))
		}
		again, err := in.Again(p)
		if err != nil {
			return err
		}
		defer again.Close()
		if err := found.Write(ctx, out, again); err != nil {
			return exit.With(exit.Broken, input.FileError(name, err))
		}
		return nil
	}, func() {
		input.Report(p, in, r, fault)
		input.ReportLost(p, name, r)
		p.Complain("%v", input.FileError(name, errors.New(found.Text())))
	})
}
