package change

import (
	"context"
	"io"
	"path/filepath"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/formats"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
)

// convertProfile writes a trace as a profile.
func convertProfile(ctx context.Context, p *run.Program, name string, f *formats.Format, o *convertOptions) error {
	how := formats.ProfileOptions{
		Source: filepath.Base(name), // folders can name users
		Name:   o.Name, RawNames: o.RawNames, Merge: o.merge, CommandLine: o.commandLine,
	}
	var l *samples.Loaded
	return output.Transform(p, name, &o.Target, func(in *input.File, out io.Writer) error {
		var err error
		if l, err = o.Load(ctx, name, in, f.Marks && o.Kind == "" && !o.SelectsEvents()); err != nil {
			return err
		}
		if len(l.Kinds) == 0 && !(f.Marks && l.HasMarks()) {
			return l.Empty()
		}
		return f.Write(out, l, &how)
	}, func() { l.Report(p, f.Shown(l)) })
}
