package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/edit"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// writtenVersions are the values of --to.
var writtenVersions = []string{"v4", "v5", "v6"}

// convertOptions are the flags of convert.
type convertOptions struct {
	outputOptions
	to                              string
	preserve, compact, uncompressed bool
}

func (p *program) convertCommand() *cobra.Command {
	var o convertOptions
	cmd := &cobra.Command{
		Use:   "convert FILE -o OUT",
		Short: "Write a file in another version, or more densely",
		Long: "convert writes the events of a file, and all that they refer to, in version 4, 5 (4 whose metadata\n" +
			"has opcodes and arrays) or 6. What the version has no place for is left out, named and counted.\n" +
			"Rows take as few bytes as they need; ids and blocks stay, and payloads are not touched.\n\n" +
			"With --compact blocks are about a megabyte large, rows that no event refers to are left out, and\n" +
			"ids are numbered anew: within a block those that are written most often get the smallest ones.\n\n" +
			"With --preserve the file is decoded and encoded block by block with the same bytes; of a file that\n" +
			"is cut, what is whole is written, and an end.",
		Example: "  nettrace convert trace.nettrace -o trace.v6.nettrace.zst\n" +
			"  nettrace convert trace.v6.nettrace -o old.nettrace --to v4\n" +
			"  nettrace convert trace.nettrace.gz -o same.nettrace --preserve",
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.preserve && (o.compact || o.uncompressed || cmd.Flags().Changed("to")) {
				return errors.New("--preserve goes with none of --to, --compact and --uncompressed")
			}
			return p.convert(args[0], &o)
		},
	}
	o.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.to, "to", "v6", "`VERSION` to write: v4, v5 or v6")
	f.BoolVar(&o.compact, "compact", false, "large blocks, small ids, no unused rows")
	f.BoolVar(&o.uncompressed, "uncompressed", false, "write event rows without header compression")
	f.BoolVar(&o.preserve, "preserve", false, "write the same bytes")
	_ = cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(writtenVersions, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// options are those of the conversion.
func (o *convertOptions) options() (edit.Options, error) {
	opt := edit.Options{Compact: o.compact, Uncompressed: o.uncompressed}
	for i, version := range writtenVersions {
		if o.to == version {
			opt.Format = wire.Format{Major: uint32(i) + 4}
			return opt, nil
		}
	}
	return opt, fmt.Errorf("--to: %q is none of v4, v5 and v6", o.to)
}

// convert writes one file anew.
func (p *program) convert(name string, o *convertOptions) error {
	opt, err := o.options()
	if err != nil {
		return err
	}
	var r *codec.Reader
	var list []edit.Change
	return p.transform(name, &o.outputOptions, func(in io.Reader, out io.Writer) error {
		r = codec.NewReader(in, readerOptions(false))
		var err error
		if o.preserve {
			err = edit.Preserve(out, r)
		} else {
			list, err = edit.Convert(out, r, opt)
		}
		return sourceFailure(name, r, err)
	}, func() {
		p.tellChanges(name, list)
		p.judge(name, r, r.Err())
		p.warnLost(name, r)
	})
}

// tellChanges tells what a new file has not, or has otherwise.
func (p *program) tellChanges(name string, list []edit.Change) {
	for _, c := range list {
		p.complain("%v", fileError(name, errors.New(c.String())))
	}
}

// sourceFailure makes the error of an edit one with an exit code. It comes from
// the source when nothing of that could be written.
func sourceFailure(name string, r *codec.Reader, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, edit.ErrNotWritten):
		return &failure{exitVersion, fileError(name, err)}
	case r.Err() != nil:
		return &failure{codeOf(err), fileError(name, errors.New(errorText(err)))}
	}
	return &failure{exitBroken, fileError(name, err)}
}
