package tracedoc

import (
	"context"
	"path/filepath"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/view"
	"github.com/nettrace-go/nettrace/view/page"
)

// Page is the page of a trace as one file.
type Page struct {
	Output      output.Target
	CommandLine bool   // it has the command line of the process, which can contain secrets
	Diff        string // name of the older trace that it compares with, "" for none
	Events      bool   // it has the events, which can contain secrets
	// Address is that of the page that it opens, nil for the summary.
	Address *Address
}

// WritePage reads a trace and writes its page. Its errors have an exit code.
func WritePage(ctx context.Context, p *run.Program, name string, to Page) error {
	source, events, err := Read(ctx, p, name, to.Address.Reading())
	if err != nil {
		return err
	}
	if to.Address != nil {
		if to.Address.Page == "heap" && !source.Heap {
			return to.Address.noPage(name, source)
		}
		if err := to.Address.Complain(ctx, p, name, source, events); err != nil {
			return err
		}
		source.Address = to.Address.Fragment()
	}
	to.private(source)
	parts, leftOut, err := to.events(ctx, events)
	if err != nil {
		return exit.With(exit.Broken, err)
	}
	if leftOut != "" {
		source.LeftOut = append(source.LeftOut, leftOut)
	}
	if source.Heap {
		dump, err := events.AllHeap(ctx)
		if err != nil {
			return exit.With(exit.Broken, err)
		}
		parts = append(parts, page.Part{Name: "heap", Data: dump})
	}
	if to.Diff != "" {
		other, types, err := Other(ctx, p, to.Diff, to.Address.Reading())
		if err != nil {
			return err
		}
		to.Address.ComplainDiff(p, name, to.Diff, source.Profile.Types(), types)
		source.Diff = filepath.Base(to.Diff)
		parts = append(parts, page.Part{Name: "other", Data: other})
	}
	data, err := source.Encode()
	if err != nil {
		return exit.With(exit.Broken, err)
	}
	out, err := output.Create(p, &to.Output)
	if err != nil {
		return err
	}
	if err := page.WriteReport(out, data, parts...); err != nil && out.Err() == nil {
		out.Discard()
		return exit.With(exit.Broken, err)
	}
	return out.Keep()
}

// private removes what the page must not have, and lists it: the command line, unless it is
// asked for, and messages of exceptions. The events contain both.
func (to *Page) private(s *view.Source) {
	var leftOut []string
	if !to.CommandLine {
		s.Command = ""
		leftOut = append(leftOut, "command line")
	}
	s.Reports = view.WithoutMessages(s.Reports)
	leftOut = append(leftOut, "messages of exceptions")
	if !to.Events {
		s.LeftOut = append(s.LeftOut, leftOut...)
	}
}

// events returns the parts with events, and what is left out.
func (to *Page) events(ctx context.Context, events *Events) (parts []page.Part, leftOut string, err error) {
	if !to.Events {
		return nil, "events", nil
	}
	list, stacks, left, err := events.All(ctx)
	if err != nil {
		return nil, "", err
	}
	if left > 0 {
		leftOut = "the last " + display.Counted(left, "event")
	}
	return []page.Part{{Name: "events", Data: list}, {Name: "stacks", Data: stacks}}, leftOut, nil
}
