package collect

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/analysis/trigger"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
)

// stoppingEvent has the flags of dotnet-trace for the event that ends the
// recording.
type stoppingEvent struct{ provider, event, payload string }

// parseStop parses the flag --stop-on, or the flags of dotnet-trace. It returns
// nil for no flag.
func parseStop(text string, s stoppingEvent) (*trigger.Match, error) {
	if text == "" {
		return s.parse()
	}
	if s != (stoppingEvent{}) {
		return nil, errors.New("--stop-on and --stopping-event-... exclude each other")
	}
	m, err := trigger.ParseMatch(text)
	if err != nil {
		return nil, exit.Named("--stop-on", err)
	}
	return m, nil
}

func (s stoppingEvent) parse() (*trigger.Match, error) {
	switch {
	case s == stoppingEvent{}:
		return nil, nil
	case s.provider == "":
		return nil, errors.New("--stopping-event-provider-name is missing")
	case s.event == "" && s.payload != "":
		return nil, errors.New("--stopping-event-event-name is missing")
	}
	m := trigger.NewMatch(s.provider, s.event)
	if err := m.AddFields(s.payload, ":"); err != nil {
		return nil, exit.Named("--stopping-event-payload-filter", err)
	}
	return m, nil
}

// withNearest returns an error with the known names that are most similar to the
// unknown name that it is about.
func withNearest(flag string, err error) error {
	var unknown *trigger.ImpossibleError
	if err != nil && errors.As(err, &unknown) {
		err = errors.New(unknown.Reason + nearest(unknown.Name, unknown.Known))
	}
	if err == nil {
		return nil
	}
	return exit.Named(flag, err)
}

// nearest returns the end of a sentence with the known names that are most
// similar to an unknown name.
func nearest(name string, names []string) string {
	const maxNames = 3
	names = slices.Clone(names)
	slices.Sort(names)
	names = slices.Compact(names)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(run.Distance(name, a), run.Distance(name, b)) })
	if name == "" || len(names) == 0 {
		return ""
	}
	return "; the nearest: " + strings.Join(names[:min(maxNames, len(names))], ", ")
}
