//go:build linux

package nettracereceiver_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/integrations/nettracereceiver"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// pipelines are what a Collector connects to a receiver.
type pipelines struct {
	mu     sync.Mutex
	spans  []ptrace.Span
	logs   []plog.LogRecord
	values map[string][]float64 // by metric
	names  map[string]string    // units by metric
	points int
	scopes []string
	of     pcommon.Resource
	enough chan struct{} // closed when there are as many as wanted
	wanted int
}

func (p *pipelines) received() {
	if p.wanted > 0 && len(p.spans)+len(p.logs)+p.points >= p.wanted {
		p.wanted = 0
		close(p.enough)
	}
}

func (p *pipelines) metrics(_ context.Context, m pmetric.Metrics) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of = m.ResourceMetrics().At(0).Resource()
	for _, scope := range m.ResourceMetrics().At(0).ScopeMetrics().All() {
		for _, one := range scope.Metrics().All() {
			if one.Type() == pmetric.MetricTypeGauge || one.Type() == pmetric.MetricTypeSum && !one.Sum().IsMonotonic() {
				p.values[one.Name()] = append(p.values[one.Name()], last(one))
			}
			p.names[one.Name()] = one.Unit()
		}
	}
	p.points += m.DataPointCount()
	p.received()
	return nil
}

// last returns the value of the last point of a metric.
func last(m pmetric.Metric) float64 {
	var points pmetric.NumberDataPointSlice
	if m.Type() == pmetric.MetricTypeSum {
		points = m.Sum().DataPoints()
	} else {
		points = m.Gauge().DataPoints()
	}
	return points.At(points.Len() - 1).DoubleValue()
}

func (p *pipelines) traces(_ context.Context, t ptrace.Traces) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of = t.ResourceSpans().At(0).Resource()
	for _, scope := range t.ResourceSpans().At(0).ScopeSpans().All() {
		for _, s := range scope.Spans().All() {
			p.spans, p.scopes = append(p.spans, s), append(p.scopes, scope.Scope().Name())
		}
	}
	p.received()
	return nil
}

func (p *pipelines) records(_ context.Context, l plog.Logs) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of = l.ResourceLogs().At(0).Resource()
	for _, scope := range l.ResourceLogs().At(0).ScopeLogs().All() {
		for _, r := range scope.LogRecords().All() {
			p.logs, p.scopes = append(p.logs, r), append(p.scopes, scope.Scope().Name())
		}
	}
	p.received()
	return nil
}

// receive runs a receiver with a runtime that streams a recording, until it has passed on as much as is wanted.
func receive(t *testing.T, recording []byte, wanted int, change func(*nettracereceiver.Config)) (*pipelines, *eventpipetest.Runtime) {
	t.Helper()
	runtime := eventpipetest.Start(t, eventpipetest.Config{
		Dir: os.TempDir(), Release: 11, Trace: eventpipetest.Trace{Data: recording}, Info: eventpipe.ProcessInfo{EntryAssembly: "shop"},
		Environment: []string{"OTEL_SERVICE_NAME=Shop", "OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=a%20b,telemetry.sdk.name=x,service.name=y"},
	})
	executable, err := os.Executable()
	expect.NoError(t, err)
	factory := nettracereceiver.NewFactory()
	cfg := factory.CreateDefaultConfig().(*nettracereceiver.Config)
	cfg.Processes = []nettracereceiver.ProcessConfig{{Name: filepath.Base(executable)}}
	change(cfg)
	p := &pipelines{values: map[string][]float64{}, names: map[string]string{}, enough: make(chan struct{}), wanted: wanted}
	settings := receivertest.NewNopSettings(component.MustNewType("nettrace"))
	spans, err := consumer.NewTraces(p.traces)
	expect.NoError(t, err)
	records, err := consumer.NewLogs(p.records)
	expect.NoError(t, err)
	values, err := consumer.NewMetrics(p.metrics)
	expect.NoError(t, err)
	third, err := factory.CreateMetrics(t.Context(), settings, cfg, values)
	expect.NoError(t, err)
	one, err := factory.CreateTraces(t.Context(), settings, cfg, spans)
	expect.NoError(t, err)
	other, err := factory.CreateLogs(t.Context(), settings, cfg, records)
	expect.NoError(t, err)
	expect.Equal(t, "one receiver of a configuration", component.Component(one) == component.Component(other), true)
	for _, c := range []component.Component{one, other, third} {
		expect.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
	}
	<-p.enough
	for _, c := range []component.Component{one, other, third} {
		expect.NoError(t, c.Shutdown(t.Context()))
	}
	return p, runtime
}

// request is a request as the program wrote it down.
type request struct {
	Type, Method, Path, Route, TraceID, SpanID, ParentSpanID string
	Status                                                   int64
	Aborted                                                  bool
	Begin, End, RecordingBegun, RecordingEnded               uint64
}

// truthOf returns the requests within a recording by their spans.
func truthOf(t *testing.T, name string) map[string]request {
	t.Helper()
	truth := map[string]request{}
	var begun, ended uint64
	for line := range bytes.Lines(shared.File(t, name)) {
		var r request
		expect.NoError(t, json.Unmarshal(line, &r))
		switch {
		case r.Type == "about":
			begun, ended = r.RecordingBegun, r.RecordingEnded
		case r.Type == "request" && r.Begin > begun && r.End < ended:
			truth[r.SpanID] = r
		}
	}
	return truth
}

// TestTraces: the spans of a process that the receiver finds have the truth's ids, methods, routes and statuses, its
// resource says what the process is, and there is nothing private.
func TestTraces(t *testing.T) {
	truth := truthOf(t, "aspnet/aspnet11-spans.truth.ndjson.zst")
	p, runtime := receive(t, shared.File(t, "aspnet/aspnet11-spans.v4.nettrace.zst"), len(truth), func(*nettracereceiver.Config) {})
	expect.Equal(t, "resource", len(p.of.Attributes().AsRaw()), 6)
	for key, want := range map[string]any{
		"service.name": "Shop", "deployment.environment.name": "a b", "process.runtime.name": ".NET", "process.runtime.version": "11.0.0", "process.pid": int64(os.Getpid()),
	} {
		got, _ := p.of.Attributes().Get(key)
		expect.Equal(t, key, got.AsRaw(), want)
	}
	found := map[string]bool{}
	for i, s := range p.spans {
		want, ok := truth[s.SpanID().String()]
		for _, private := range []string{"url.query", "client.address", "client.port"} {
			if _, there := s.Attributes().Get(private); there {
				t.Errorf("%s has %s", s.Name(), private)
			}
		}
		if !ok || p.scopes[i] != "Microsoft.AspNetCore" {
			continue
		}
		found[want.SpanID] = true
		expect.Equal(t, "trace", s.TraceID().String(), want.TraceID)
		expect.Equal(t, "parent", strings.TrimLeft(s.ParentSpanID().String(), "0"), strings.TrimLeft(want.ParentSpanID, "0"))
		expect.Equal(t, "kind", s.Kind(), ptrace.SpanKindServer)
		route, _ := s.Attributes().Get("http.route")
		expect.Equal(t, "route", strings.TrimPrefix(route.Str(), "/"), strings.TrimPrefix(want.Route, "/"))
		if status, _ := s.Attributes().Get("http.response.status_code"); !want.Aborted {
			expect.Equal(t, "status of "+want.Path, status.Int(), want.Status)
		}
	}
	expect.Equal(t, "requests", len(found), len(truth))
	sessions := runtime.Sessions()
	expect.Len(t, "sessions", sessions, 1)
	names := map[string]bool{}
	for _, provider := range sessions[0].Config.Providers {
		names[provider.Name] = true
	}
	for _, name := range []string{"Microsoft-Extensions-Logging", "Microsoft-Diagnostics-DiagnosticSource", "System.Runtime"} {
		expect.Equal(t, "the session has "+name, names[name], true)
	}
}

// TestMetrics: the values of a recording of EventCounters, which other readers show too, come under the names of the
// conventions, in their units.
func TestMetrics(t *testing.T) {
	file, err := os.Open("../../codec/testdata/net10-counters.v4.gz")
	expect.NoError(t, err)
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	expect.NoError(t, err)
	recording, err := io.ReadAll(unpacked)
	expect.NoError(t, err)
	p, _ := receive(t, recording, 40, func(*nettracereceiver.Config) {})
	for _, value := range []float64{35971072, 43212800, 43786240, 45719552} { // between them come those of the Meter
		expect.Equal(t, "the working set has the value", slices.Contains(p.values["dotnet.process.memory.working_set"], value), true)
	}
	for name, unit := range map[string]string{
		"dotnet.process.memory.working_set": "By", "dotnet.gc.collections": "{collection}", "dotnet.exceptions": "{exception}", "dotnet.thread_pool.thread.count": "{thread}",
	} {
		expect.Equal(t, name, p.names[name], unit)
	}
}

// TestLogs: the records have the truth's ids and nothing of the messages.
func TestLogs(t *testing.T) {
	truth := truthOf(t, "aspnet/aspnet10-logging.truth.ndjson.zst")
	p, _ := receive(t, shared.File(t, "aspnet/aspnet10-logging.v4.nettrace.zst"), 2*len(truth), func(*nettracereceiver.Config) {})
	finished := map[string]int{}
	for i, r := range p.logs {
		expect.Equal(t, "body", r.Body().AsString(), "")
		want, ok := truth[r.SpanID().String()]
		if !ok {
			continue
		}
		expect.Equal(t, "trace", r.TraceID().String(), want.TraceID)
		expect.Equal(t, "severity", r.SeverityNumber(), plog.SeverityNumberInfo)
		if id, _ := r.Attributes().Get("dotnet.log.event.id"); p.scopes[i] == "Microsoft.AspNetCore.Hosting.Diagnostics" && id.Int() == 2 {
			finished[want.SpanID]++
		}
	}
	for id, want := range truth {
		expect.Equal(t, "records of the end of "+want.Path, finished[id], 1)
	}
}
