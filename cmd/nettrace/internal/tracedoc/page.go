package tracedoc

import (
	"context"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/view/page"
)

// Page is the page of a trace as one file.
type Page struct {
	Output      output.Target
	CommandLine bool // it has the command line of the process, which can contain secrets
}

// WritePage reads a trace and writes its page. Its errors have an exit code.
func WritePage(ctx context.Context, p *run.Program, name string, to Page) error {
	source, err := Read(ctx, p, name)
	if err != nil {
		return err
	}
	Private(source, to.CommandLine)
	data, err := source.Encode()
	if err != nil {
		return exit.With(exit.Broken, err)
	}
	out, err := output.Create(p, &to.Output)
	if err != nil {
		return err
	}
	if err := page.WriteReport(out, data); err != nil && out.Err() == nil {
		out.Discard()
		return exit.With(exit.Broken, err)
	}
	return out.Keep()
}
