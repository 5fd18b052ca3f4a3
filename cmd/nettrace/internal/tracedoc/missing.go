package tracedoc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/view"
)

// samplePages are the pages that show samples only.
var samplePages = []string{"flame", "top", "tree"}

// Complain prints what the flags choose and the trace does not have: the events of --page, and
// samples that the filter selects. The exit code is then 1. Its error is one of the command
// line.
func (a *Address) Complain(ctx context.Context, p *run.Program, name string, s *view.Source, events *Events) error {
	unmatched, err := a.unmatched(ctx, name, events)
	if err != nil {
		return err
	}
	for _, err := range []error{a.noPage(name, s), unmatched} {
		if err != nil {
			p.Complain("%v", err)
			p.Raise(exit.Broken)
		}
	}
	return nil
}

// noPage returns an error if the trace has nothing for a page that is a part of report, or for
// the page of a heap dump.
func (a *Address) noPage(name string, s *view.Source) error {
	if a.Page == "heap" && !s.Heap {
		return exit.With(exit.Broken, input.FileError(name, errors.New("no heap dump: nettrace collect --profile gcdump records one")))
	}
	var settings []string
	found := false
	for i := range s.Reports {
		r := &s.Reports[i]
		if r.Part != a.Page {
			continue
		}
		if r.Recorded() {
			return nil
		}
		found = true
		for _, n := range r.NotRecorded {
			if n.Flags == "" && !slices.Contains(settings, n.Setting()) {
				settings = append(settings, n.Setting())
			}
		}
	}
	if !found {
		return nil
	}
	return input.FileError(name, fmt.Errorf("--page %s: no events: %s", a.Page, strings.Join(settings, " or ")))
}

// unmatched returns the reason why the page shows no sample and no event, nil if it shows some.
// The error is one of the command line, or the reason why the trace cannot be read again.
func (a *Address) unmatched(ctx context.Context, name string, events *Events) (reason, err error) {
	onSamples := slices.Contains(samplePages, a.Page)
	if a.Query() == "" && !onSamples {
		return nil, nil
	}
	in, err := events.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	l, err := a.selection.Load(ctx, name, in, false)
	switch {
	case err != nil:
		return nil, err
	case len(l.Kinds) > 0:
		return nil, nil
	case a.selection.SelectsEvents() && l.Why(profile.Event) == profile.NoStacks && !onSamples:
		return nil, nil // other pages show events without stacks
	case onSamples || l.FiltersMatchNothing():
		return l.Empty(), nil
	}
	return nil, nil
}

// notComparable returns an error if an older trace has no samples of a type that the page shows:
// one that the filter selects, or else the first one of the trace.
func (a *Address) notComparable(name, diff string, types, other []profile.Type) error {
	if wanted, _, err := a.selection.Wanted(); err == nil && wanted != nil {
		types = wanted
	} else if len(types) > 0 {
		types = types[:1]
	}
	if slices.ContainsFunc(types, func(t profile.Type) bool { return slices.Contains(other, t) }) {
		return nil
	}
	return fmt.Errorf("%s has %s, %s %s: --type chooses", diff, typesText(other), name, typesText(types))
}

// typesText lists types.
func typesText(types []profile.Type) string {
	var names []string
	for _, t := range types {
		names = append(names, t.String())
	}
	if names == nil {
		return "no samples"
	}
	return strings.Join(names, ", ")
}

// ComplainDiff prints that a trace cannot be compared with an older one. The exit code is then 1.
func (a *Address) ComplainDiff(p *run.Program, name, diff string, types, other []profile.Type) {
	if err := a.notComparable(name, diff, types, other); err != nil {
		p.Complain("%v", err)
		p.Raise(exit.Broken)
	}
}
