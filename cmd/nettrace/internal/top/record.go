package top

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/live"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// liveType is a type of samples of a process, and what records it beside the events of
// dotnet-common.
type liveType struct {
	name     string // of --type
	profile  string // "" for none
	keywords uint64 // of the runtime
	level    int    // of these keywords
}

// liveTypes are the types of samples that a process can send. The first one is the default.
var liveTypes = []liveType{
	{"wall", "dotnet-sampled-thread-time", 0, 0},
	{"cpu", "dotnet-sampled-thread-time", 0, 0},
	{"alloc", "", 0x1, 5},
	{"lock", "", 0x4000, 4},
	{"wait", "", 0x40000000000, 5},
	{"exceptions", "", 0x8000, 4},
	{"gc", "", 0x1, 4},
	{typeEvent, "", 0, 0},
}

// typeEvent is the type of the events of --provider.
const typeEvent = "event"

// liveType returns the type that is shown.
func (o *options) liveType() liveType {
	name := o.Kind
	switch {
	case name == "" && o.SelectsEvents():
		name = typeEvent
	case name == "" && o.SelectsClasses():
		name = "alloc"
	}
	i := slices.IndexFunc(liveTypes, func(t liveType) bool { return t.name == name })
	return liveTypes[max(i, 0)]
}

// liveTypeNames returns the types that the page can show.
func (o *options) liveTypeNames() []string {
	var names []string
	for _, t := range liveTypes {
		if t.name != typeEvent || o.live.providers != nil {
			names = append(names, t.name)
		}
	}
	return names
}

// chooseRecorded parses --provider, which selects what a process records: the events of
// these providers are then the samples. It returns an error for a type that no process
// sends.
func (o *options) chooseRecorded() error {
	names := o.Providers
	o.Providers = nil
	for _, text := range names {
		p, err := provider.Parse(text)
		if err != nil {
			return exit.Named("--provider", err)
		}
		o.live.providers = append(o.live.providers, p)
		o.Providers = append(o.Providers, p.Name)
	}
	if len(o.Events) > 0 && o.Providers == nil {
		return errors.New("--event: of a process, --provider selects the provider to record")
	}
	known := o.liveTypeNames()
	if o.Kind != "" && !slices.Contains(known, o.Kind) {
		return fmt.Errorf("--type: a process sends %s, not %s", strings.Join(known, ", "), o.Kind)
	}
	return nil
}

// session returns the session that records the type, with the names of methods at its end.
func (o *options) session() eventpipe.SessionConfig {
	t := o.liveType()
	list := slices.Clone(o.live.providers)
	if t.name != typeEvent {
		list = nil
	}
	profiles := []string{"dotnet-common", t.profile}
	if o.Async {
		profiles = append(profiles, "async")
	}
	for _, name := range profiles {
		if p, err := provider.ProfileNamed(name); err == nil {
			list = add(list, p.Providers...)
		}
	}
	if t.keywords != 0 {
		list = add(list, eventpipe.Provider{Name: provider.Runtime, Keywords: t.keywords, Level: t.level})
	}
	return eventpipe.SessionConfig{Providers: list, BufferMB: live.BufferMB}
}

// add adds providers, or their keywords and levels to those of the same name.
func add(list []eventpipe.Provider, more ...eventpipe.Provider) []eventpipe.Provider {
	for _, p := range more {
		i := slices.IndexFunc(list, func(have eventpipe.Provider) bool { return have.Name == p.Name })
		if i < 0 {
			list = append(list, p)
			continue
		}
		list[i].Keywords |= p.Keywords
		list[i].Level = max(list[i].Level, p.Level)
	}
	return list
}
