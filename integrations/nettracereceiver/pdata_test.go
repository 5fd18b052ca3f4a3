package nettracereceiver

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/telemetry"
	"github.com/nettrace-go/nettrace/telemetry/logs"
	"github.com/nettrace-go/nettrace/telemetry/metrics"
	"github.com/nettrace-go/nettrace/telemetry/traces"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares a message of OTLP/JSON with a golden file.
func golden(t *testing.T, file string, message []byte) {
	t.Helper()
	var text bytes.Buffer
	expect.NoError(t, json.Indent(&text, message, "", "  "))
	text.WriteByte('\n')
	if *update {
		expect.NoError(t, os.WriteFile(file, text.Bytes(), 0o666))
	}
	want, err := os.ReadFile(file)
	expect.NoError(t, err)
	expect.Equal(t, file, text.String(), string(want))
}

// shop is the resource of a process.
func shop() resource {
	p := &eventpipe.Process{PID: 7, Name: "dotnet", Container: "c1", Pod: "p1"}
	return resourceOf(p, &eventpipe.ProcessInfo{EntryAssembly: "shop", Version: "10.0.12"}, nil)
}

var (
	at     = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	trace  = telemetry.ParseTraceID("4bf92f3577b34da6a3ce929d0e0e4736")
	span   = telemetry.ParseSpanID("00f067aa0ba902b7")
	amount = []telemetry.Attribute{{Key: "amount", Value: int64(5)}, {Key: "name\xff", Value: "Ada\xff"}}
)

// TestSpanMessage: each field of a span has its place in OTLP, and text that is no UTF-8 is replaced.
func TestSpanMessage(t *testing.T) {
	message, err := (&ptrace.JSONMarshaler{}).MarshalTraces(shop().traces([]*traces.Span{{
		TraceID: trace, SpanID: span, ParentID: telemetry.ParseSpanID("00f067aa0ba902b8"), TraceState: "k=v", Sampled: true, Source: "Shop", Version: "1.2",
		Name: "pay", Operation: "pay", Kind: traces.Client, Start: at, End: at.Add(time.Second), Status: traces.Error, StatusText: "no money", Attributes: amount,
		Events:      []traces.Event{{Time: at, Name: "exception", Attributes: amount}},
		Links:       []traces.Link{{TraceID: trace, SpanID: span, TraceState: "s=1", Attributes: amount}},
		BeganBefore: true, Unfinished: true,
	}, {TraceID: trace, SpanID: span, Source: "Other", Start: at, End: at}, {TraceID: trace, SpanID: span, Source: "Shop", Version: "1.2", Start: at, End: at}}))
	expect.NoError(t, err)
	golden(t, "testdata/spans.json", message)
}

// TestMetricMessage is the same for metrics.
func TestMetricMessage(t *testing.T) {
	point := []metrics.Point{{Attributes: amount, Start: at, Time: at.Add(time.Second), Value: 2.5}}
	number := counters.Number{Float64: 3, Valid: true}
	out := pmetric.NewMetrics()
	for range 2 {
		shop().metrics(out, &metrics.Round{Metrics: []metrics.Metric{
			{Scope: "System.Runtime", Name: "sum", Unit: "s", Kind: metrics.Sum, Points: point},
			{Scope: "System.Runtime", Name: "updown", Unit: "By", Kind: metrics.UpDownSum, Points: point},
			{Scope: "System.Runtime", Name: "gauge", Unit: "1", Kind: metrics.Gauge, Points: []metrics.Point{{Time: at, Value: 1}}},
			{Scope: "Shop", Name: "summary", Unit: "s", Kind: metrics.Summary, Points: []metrics.Point{{Start: at, Time: at, Count: number, Sum: number, Quantiles: []counters.Quantile{{Quantile: 0.5, Value: 1}}}}},
		}})
	}
	message, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(out)
	expect.NoError(t, err)
	golden(t, "testdata/metrics.json", message)
}

// TestLogMessage is the same for log records.
func TestLogMessage(t *testing.T) {
	out := shop().logs([]*logs.Record{{
		Time: at, Severity: logs.Error, Level: "Error", Category: "Shop", EventID: 5, EventName: "Paid", Thread: 9, TraceID: trace, SpanID: span, Sampled: true,
		Body: "Hello Ada", Template: "Hello {Name}", Attributes: amount, Exception: &logs.Exception{Type: "A", HResult: -1, Message: "m", Text: "A: m\n at B"},
		Scopes: [][]telemetry.Attribute{amount, {{Key: "inner", Value: "1"}}}, ScopesUnknown: true,
	}, {Time: at, Category: "Other"}})
	for _, scope := range out.ResourceLogs().At(0).ScopeLogs().All() {
		for _, r := range scope.LogRecords().All() {
			r.SetObservedTimestamp(0)
		}
	}
	message, err := (&plog.JSONMarshaler{}).MarshalLogs(out)
	expect.NoError(t, err)
	golden(t, "testdata/logs.json", message)
}
