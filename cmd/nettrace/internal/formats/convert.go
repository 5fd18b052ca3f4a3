package formats

import (
	"context"
	"io"
	"path/filepath"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/heapdump"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
)

// Conversion writes the samples or the heap dump of a trace as a file of another format.
// Source and Name of its options are set from the names of the files.
type Conversion struct {
	Format    *Format // not a version of NetTrace
	From      string  // name of the trace
	To        output.Target
	Selection samples.Selection // of a profile
	Options   ProfileOptions    // of a profile
}

// Run converts, and prints what is wrong with the trace. Without samples, or without a
// dump, there is no output; the error has the reason and an exit code.
func (c *Conversion) Run(ctx context.Context, p *run.Program) error {
	if c.Format.WriteHeap != nil {
		return c.writeHeap(ctx, p)
	}
	var l *samples.Loaded
	return output.Transform(p, c.From, &c.To, func(in *input.File, out io.Writer) (err error) {
		l, err = c.WriteProfile(ctx, in, out)
		return err
	}, func() { l.Report(p, c.Format.Shown(l)) })
}

// WriteProfile writes the samples of an opened trace and returns them.
func (c *Conversion) WriteProfile(ctx context.Context, in *input.File, out io.Writer) (*samples.Loaded, error) {
	f, o, how := c.Format, &c.Selection, c.Options
	how.Source = filepath.Base(c.From) // folders can name users
	how.Name = c.To.Name
	l, err := o.Load(ctx, c.From, in, f.Marks && o.Kind == "" && !o.SelectsEvents())
	switch {
	case err != nil:
		return nil, err
	case len(l.Kinds) == 0 && !(f.Marks && l.HasMarks()):
		return nil, l.Empty()
	}
	return l, f.Write(out, l, &how)
}

// writeHeap writes the last heap dump of the trace.
func (c *Conversion) writeHeap(ctx context.Context, p *run.Program) error {
	var selection heapdump.Selection
	var d *heapdump.Dump
	return output.Transform(p, c.From, &c.To, func(in *input.File, out io.Writer) error {
		var err error
		if d, err = selection.Load(ctx, c.From, in); err != nil {
			return err
		}
		return c.Format.WriteHeap(out, d)
	}, func() { d.Report(p, &selection) })
}
