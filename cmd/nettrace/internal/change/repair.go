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
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/edit"
)

// RepairCommand returns the command repair.
func RepairCommand(p *run.Program) *cobra.Command {
	var o output.Target
	cmd := &cobra.Command{
		Use:   "repair FILE -o OUT",
		Short: "Repair a truncated or malformed trace file",
		Long: "repair keeps every complete row and adds a missing end mark. It leaves out bytes before the\n" +
			"stream, such as a byte order mark. It splits blocks whose size overflowed,\n" +
			"gives event blocks the times of their rows, and corrects three faults of record-trace: the day of\n" +
			"the week, the types of strings, and the numbers of labels. It writes formats 4 and 6; convert\n" +
			"writes a file of format 3 in one of them.\n\n" +
			"repair prints what it changed, and how many faults remain, which check lists. It exits with 1 when\n" +
			"nothing could be kept, when the new file has no space for a complete row, or when FILE could not be\n" +
			"read to its end: if its compressed data is damaged, the new file has what is before the damage.",
		Example: "  nettrace repair killed.nettrace -o repaired.nettrace",
		Args:    run.OneFile,
		RunE:    func(cmd *cobra.Command, args []string) error { return runRepair(cmd.Context(), p, args[0], &o) },
	}
	o.AddFlags(cmd)
	return cmd
}

// runRepair writes a repaired copy of a file.
func runRepair(ctx context.Context, p *run.Program, name string, o *output.Target) error {
	if err := formats.CheckTraceName(o.Name); err != nil {
		return err
	}
	var list []edit.Change
	var src *readable
	return output.Transform(p, name, o, func(in *input.File, out io.Writer) error {
		var err error
		src = &readable{Reader: in}
		list, err = edit.Repair(ctx, out, src, input.ReaderOptions(false))
		var fault *codec.Error
		switch {
		case errors.Is(err, edit.ErrNotWritten):
			return exit.With(exit.Version, input.FileError(name, fmt.Errorf("%w; \"nettrace convert\" writes one of them", err)))
		case err != nil && src.err != nil: // nothing could be kept
			return exit.With(exit.Broken, input.FileError(name, src.err))
		case errors.As(err, &fault):
			return exit.With(input.ExitCode(err), input.FileError(name, errors.New(input.ErrorText(err))))
		case err != nil:
			return exit.With(exit.Broken, input.FileError(name, err))
		}
		return nil
	}, func() {
		if src.err != nil {
			p.Complain("%v", input.FileError(name, src.err))
			p.Raise(exit.Broken)
		}
		if len(list) == 0 {
			p.Complain("%v", input.FileError(name, fmt.Errorf("nothing to repair: %s has the same events", o.Shown())))
		}
		printChanges(p, name, list)
	})
}

// readable is a file up to an error of reading it, such as damaged compressed data: for the
// reader it is truncated there.
type readable struct {
	io.Reader
	err error // the error
}

func (r *readable) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		r.err, err = err, io.ErrUnexpectedEOF
	}
	return n, err
}
