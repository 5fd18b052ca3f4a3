package change

import (
	"context"
	"errors"
	"fmt"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/formats"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/tables"
)

// convertTables writes the tables of a trace to a folder.
func convertTables(ctx context.Context, p *run.Program, name string, f *formats.Format, o *convertOptions) error {
	switch {
	case name == input.Stdin:
		return fmt.Errorf("--format %s reads the trace several times: standard input cannot be converted", f.Name)
	case o.Name == output.Stdout:
		return fmt.Errorf("--format %s writes a folder, not standard output", f.Name)
	}
	warnings, err := tables.Run(ctx, &tables.Options{
		Name: name, Dir: o.Name, Tables: o.tables, Partition: o.partition, Force: o.Force, Workers: max(1, o.Selection.Workers),
		Interrupts: p.Interrupts,
	})
	for _, w := range warnings {
		p.Complain("%v", input.FileError(name, errors.New(w)))
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case tables.IsMalformed(err):
		return exit.With(exit.Broken, input.FileError(name, errors.New(input.ErrorText(err))))
	case err != nil:
		return exit.With(exit.Usage, err)
	}
	return nil
}
