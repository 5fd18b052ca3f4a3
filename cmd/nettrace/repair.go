package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/edit"
)

func (p *program) repairCommand() *cobra.Command {
	var o outputOptions
	cmd := &cobra.Command{
		Use:   "repair FILE -o OUT",
		Short: "Make a whole file of one that is cut or damaged",
		Long: "repair keeps every row that is whole and adds the end mark that is missing. It splits blocks whose\n" +
			"size overflowed, gives event blocks the times of their rows, and corrects what record-trace writes\n" +
			"otherwise than the format says: the day of the week, strings, the numbers of labels. What it did it\n" +
			"prints, and exits with 0; with 1 when there was nothing that could be kept.",
		Example: "  nettrace repair killed.nettrace -o whole.nettrace",
		Args:    oneFile,
		RunE:    func(_ *cobra.Command, args []string) error { return p.repair(args[0], &o) },
	}
	o.addFlags(cmd)
	return cmd
}

// repair makes a whole file of one.
func (p *program) repair(name string, o *outputOptions) error {
	var list []edit.Change
	return p.transform(name, o, func(in io.Reader, out io.Writer) error {
		var err error
		list, err = edit.Repair(out, in, readerOptions(false))
		var fault *codec.Error
		switch {
		case errors.As(err, &fault):
			return &failure{codeOf(err), fileError(name, errors.New(errorText(err)))}
		case errors.Is(err, edit.ErrNotWritten):
			return &failure{exitVersion, fileError(name, err)}
		case err != nil:
			return &failure{exitBroken, fileError(name, err)}
		}
		return nil
	}, func() {
		if len(list) == 0 {
			p.complain("%v", fileError(name, errors.New("nothing to repair")))
		}
		p.tellChanges(name, list)
	})
}
