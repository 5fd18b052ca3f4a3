package view

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/live"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/tracedoc"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/eventpipe/record"
)

// liveFlags have the flags that choose what is recorded of a process, and how much is kept.
type liveFlags struct {
	kept     record.RingOptions
	profiles []string
	how      tracedoc.Reading
}

// resolve returns the providers of the profiles, and of further providers. A heap dump is
// no recording: view refuses its profile.
func (f liveFlags) resolve(more []eventpipe.Provider) (*provider.Resolved, error) {
	if slices.ContainsFunc(f.profiles, func(name string) bool { return strings.EqualFold(name, "gcdump") }) {
		return nil, errors.New("--profile gcdump makes a heap dump once: nettrace collect -p PID --profile gcdump writes it as a trace")
	}
	chosen := f.profiles
	if len(chosen) == 0 {
		chosen = provider.DefaultProfiles
	}
	s := provider.Selection{Profiles: chosen, Providers: more}
	return s.Resolve()
}

// config returns the configuration of a session: the providers of the profiles, and the
// counters of the process's runtime.
func (f liveFlags) config(a *attach.Process) (eventpipe.SessionConfig, error) {
	chosen, every := counters.Default(), time.Second
	var list []eventpipe.Provider
	for _, name := range chosen.EventSources(a.Major()) {
		list = append(list, eventpipe.Provider{Name: name, Level: counters.Level, Arguments: counters.EventCountersArguments(every)})
	}
	if chosen.Meters() {
		client := a.CounterSession()
		list = append(list, eventpipe.Provider{
			Name: counters.MetersProvider, Keywords: counters.MetersKeywords, Level: counters.Level,
			Arguments: client.Arguments(chosen, counters.Settings{}), // without settings: those of a session that other clients share
		})
	}
	resolved, err := f.resolve(list)
	if err != nil {
		return eventpipe.SessionConfig{}, err
	}
	return eventpipe.SessionConfig{Providers: resolved.Providers, BufferMB: live.BufferMB, RundownKeyword: resolved.Rundown}, nil
}
