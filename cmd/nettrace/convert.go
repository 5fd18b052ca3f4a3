package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/edit"
)

// convertOptions are the flags of convert.
type convertOptions struct {
	outputOptions
	preserve bool
}

func (p *program) convertCommand() *cobra.Command {
	var o convertOptions
	cmd := &cobra.Command{
		Use:   "convert FILE -o OUT",
		Short: "Write a file anew",
		Long: "convert --preserve decodes a file block by block and encodes it again with the same bytes; of a\n" +
			"file that is cut it writes what is whole, and an end.",
		Example: "  nettrace convert trace.nettrace -o same.nettrace --preserve\n" +
			"  nettrace convert trace.nettrace.gz -o trace.nettrace.zst --preserve",
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error { return p.convert(args[0], &o) },
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.preserve, "preserve", false, "write the same bytes")
	return cmd
}

// convert writes one file anew.
func (p *program) convert(name string, o *convertOptions) error {
	if !o.preserve {
		return errors.New("convert needs --preserve")
	}
	var r *codec.Reader
	return p.transform(name, &o.outputOptions, func(in io.Reader, out io.Writer) error {
		r = codec.NewReader(in, readerOptions(false))
		return sourceFailure(name, r, edit.Preserve(out, r))
	}, func() {
		p.judge(name, r, r.Err())
		p.warnLost(name, r)
	})
}

// sourceFailure makes the error of an edit one with an exit code. It comes from
// the source when nothing of that could be written.
func sourceFailure(name string, r *codec.Reader, err error) error {
	switch {
	case err == nil:
		return nil
	case r.Err() != nil:
		return &failure{codeOf(err), fileError(name, errors.New(errorText(err)))}
	}
	return &failure{exitBroken, fileError(name, err)}
}
