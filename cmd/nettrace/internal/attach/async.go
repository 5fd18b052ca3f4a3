package attach

import (
	"context"
	"slices"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// asyncProfiler is the version since which the runtime has the async profiler.
const asyncProfiler = 11

// WithAsync returns a session that also records the async profiler, if the runtime has it.
func (a *Process) WithAsync(cfg eventpipe.SessionConfig) eventpipe.SessionConfig {
	if a.Major() < asyncProfiler || isAsync(cfg.Providers) >= 0 {
		return cfg
	}
	cfg.Providers = append(slices.Clip(cfg.Providers), provider.Async)
	return cfg
}

// isAsync returns the index of the async profiler.
func isAsync(list []eventpipe.Provider) int {
	return slices.IndexFunc(list, func(p eventpipe.Provider) bool { return p.Name == provider.AsyncProfiler })
}

// The runtime looks once a second for threads whose last record is older than 250 ms, and has
// them write what they hold. Busy threads write at their next record.
const (
	flushIdle  = 1300 * time.Millisecond
	flushBusy  = 200 * time.Millisecond
	flushLimit = 10 * time.Second // of the second session
)

// FlushAsync makes the threads of the process write the records of the async profiler that they
// hold, before a session with that provider is stopped: the session loses what they have not
// written. It takes 1.5 s; what is missing then is of the last 0.2 s, or of threads that did
// something in that time and nothing since. Without the provider, or where the runtime does not
// have it, FlushAsync does nothing. ctx ends it early.
func (a *Process) FlushAsync(ctx context.Context, cfg eventpipe.SessionConfig) error {
	i := isAsync(cfg.Providers)
	if i < 0 || a.Info != nil && a.Major() < asyncProfiler {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, flushLimit)
	defer cancel()
	return a.Client.Nudge(ctx, cfg.Providers[i], flushIdle, flushBusy)
}
