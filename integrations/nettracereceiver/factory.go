package nettracereceiver

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"
)

// NewFactory returns the factory of the receiver "nettrace" for a Collector. The pipelines that name one receiver share its sessions:
// a process has one for all signals.
func NewFactory() receiver.Factory {
	f := &factory{shared: map[*Config]*dotnet{}}
	return receiver.NewFactory(component.MustNewType("nettrace"), defaultConfig,
		receiver.WithMetrics(f.metrics, component.StabilityLevelDevelopment),
		receiver.WithLogs(f.logs, component.StabilityLevelDevelopment),
		receiver.WithTraces(f.traces, component.StabilityLevelDevelopment))
}

func defaultConfig() component.Config {
	return &Config{FlushInterval: time.Second, BufferMB: 16, CollectionInterval: 10 * time.Second, Metrics: MetricsConfig{MaxSeries: 10_000}, Logs: LogsConfig{Level: "Information"}}
}

// factory makes receivers: one for each configuration, which is that of several pipelines.
type factory struct {
	mu     sync.Mutex
	shared map[*Config]*dotnet
}

func (f *factory) metrics(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Metrics) (receiver.Metrics, error) {
	r, err := f.of(set, cfg.(*Config))
	if err != nil {
		return nil, err
	}
	r.metrics = next
	return r, nil
}

func (f *factory) logs(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Logs) (receiver.Logs, error) {
	r, err := f.of(set, cfg.(*Config))
	if err != nil {
		return nil, err
	}
	r.logs = next
	return r, nil
}

func (f *factory) traces(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Traces) (receiver.Traces, error) {
	r, err := f.of(set, cfg.(*Config))
	if err != nil {
		return nil, err
	}
	r.traces = next
	return r, nil
}

// of returns the receiver of a configuration.
func (f *factory) of(set receiver.Settings, cfg *Config) (*dotnet, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.shared[cfg]; r != nil {
		return r, nil
	}
	r, err := newReceiver(set, cfg)
	if err != nil {
		return nil, err
	}
	r.forget = func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.shared, cfg)
	}
	f.shared[cfg] = r
	return r, nil
}
