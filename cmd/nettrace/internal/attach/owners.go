package attach

import (
	"slices"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// Keywords of the runtime and of its rundown.
const (
	contention    = 0x4000
	threading     = 0x10000
	informational = 4

	managedOwners = 11 // the version since which events have managed ids of the owners of locks
)

// WithOwners returns a session that records contended locks with what the owners of locks are
// found by: since .NET 11 the events about threads, and those of the threads that live at the end.
// A filter, a keyword of the rundown, or a session without rundown is not changed.
func (a *Process) WithOwners(cfg eventpipe.SessionConfig) eventpipe.SessionConfig {
	i := slices.IndexFunc(cfg.Providers, func(p eventpipe.Provider) bool { return p.Name == provider.Runtime })
	if i < 0 || a.Major() < managedOwners {
		return cfg
	}
	if p := &cfg.Providers[i]; p.Keywords&contention == 0 || p.Filter != nil || p.Level != 0 && p.Level < informational {
		return cfg
	}
	cfg.Providers = slices.Clone(cfg.Providers)
	cfg.Providers[i].Keywords |= threading
	if !cfg.NoRundown && cfg.RundownKeyword == 0 {
		cfg.RundownKeyword = eventpipe.DefaultRundown | threading
	}
	return cfg
}
