package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/edit"
)

func (p *program) repairCommand() *cobra.Command {
	var o outputOptions
	cmd := &cobra.Command{
		Use:   "repair FILE -o OUT",
		Short: "Repair a truncated or malformed trace file",
		Long: "repair keeps every complete row and adds a missing end mark. It splits blocks whose size overflowed,\n" +
			"gives event blocks the times of their rows, and corrects three faults of record-trace: the day of\n" +
			"the week, the types of strings, and the numbers of labels. It writes formats 4 and 6; convert\n" +
			"writes a file of format 3 in one of them.\n\n" +
			"repair prints what it changed. It exits with 1 when nothing could be kept, or when the new file has\n" +
			"no room for a complete row.",
		Example: "  nettrace repair killed.nettrace -o whole.nettrace",
		Args:    oneFile,
		RunE:    func(_ *cobra.Command, args []string) error { return p.repair(args[0], &o) },
	}
	o.addFlags(cmd)
	return cmd
}

// repair writes a repaired copy of a file.
func (p *program) repair(name string, o *outputOptions) error {
	if err := fitsTrace(o.name); err != nil {
		return err
	}
	var list []edit.Change
	return p.transform(name, o, func(in io.Reader, out io.Writer) error {
		var err error
		list, err = edit.Repair(context.Background(), out, in, readerOptions(false))
		var fault *codec.Error
		switch {
		case errors.As(err, &fault):
			return exitWith(codeOf(err), fileError(name, errors.New(errorText(err))))
		case errors.Is(err, edit.ErrNotWritten):
			return exitWith(exitVersion, fileError(name, err))
		case err != nil:
			return exitWith(exitBroken, fileError(name, err))
		}
		return nil
	}, func() {
		if len(list) == 0 {
			p.complain("%v", fileError(name, errors.New("nothing to repair")))
		}
		p.tellChanges(name, list)
	})
}
