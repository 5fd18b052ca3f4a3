package view

import (
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/live"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// sessionConfig returns what is recorded of a process: the default profiles of collect, and
// the counters of its runtime.
func sessionConfig(a *attach.Process) (eventpipe.SessionConfig, error) {
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
	selection := provider.Selection{Profiles: provider.DefaultProfiles, Providers: list}
	resolved, err := selection.Resolve()
	if err != nil {
		return eventpipe.SessionConfig{}, err
	}
	return eventpipe.SessionConfig{Providers: resolved.Providers, BufferMB: live.BufferMB, RundownKeyword: resolved.Rundown}, nil
}
