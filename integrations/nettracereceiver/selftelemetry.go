package nettracereceiver

import (
	"errors"

	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/otel/metric"
)

// scopeName is the name of the instrumentation scope.
const scopeName = "github.com/nettrace-go/nettrace/integrations/nettracereceiver"

// selfTelemetry are the receiver's own metrics, in the Collector's meter. metadata.yaml describes them.
type selfTelemetry struct {
	sessions   metric.Int64UpDownCounter
	lost       metric.Int64Counter
	incomplete metric.Int64Counter
	failures   metric.Int64Counter
	rounds     metric.Int64Counter
}

func newSelfTelemetry(set receiver.Settings) (*selfTelemetry, error) {
	m := set.MeterProvider.Meter(scopeName)
	s := &selfTelemetry{}
	var errs [5]error
	s.sessions, errs[0] = m.Int64UpDownCounter("otelcol_nettrace_sessions", metric.WithUnit("{session}"), metric.WithDescription("Sessions that are open in processes"))
	s.lost, errs[1] = m.Int64Counter("otelcol_nettrace_lost_events", metric.WithUnit("{event}"), metric.WithDescription("Events that processes dropped because their buffer was full"))
	s.incomplete, errs[2] = m.Int64Counter("otelcol_nettrace_incomplete_records", metric.WithUnit("{record}"), metric.WithDescription("Records, spans and values that lack a part, and activities that are no spans"))
	s.failures, errs[3] = m.Int64Counter("otelcol_nettrace_session_failures", metric.WithUnit("{session}"), metric.WithDescription("Sessions that failed or ended early in a process that runs"))
	s.rounds, errs[4] = m.Int64Counter("otelcol_nettrace_incomplete_rounds", metric.WithUnit("{round}"), metric.WithDescription("Intervals of a process whose metrics lack a value or an increment"))
	return s, errors.Join(errs[:]...)
}
