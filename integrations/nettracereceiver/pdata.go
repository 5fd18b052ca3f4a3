package nettracereceiver

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/nettrace-go/nettrace/telemetry"
	"github.com/nettrace-go/nettrace/telemetry/logs"
	"github.com/nettrace-go/nettrace/telemetry/metrics"
	"github.com/nettrace-go/nettrace/telemetry/traces"
)

// Attributes without a name in the semantic conventions.
const (
	eventIDAttribute    = "dotnet.log.event.id"
	templateAttribute   = "log.record.template"
	hresultAttribute    = "dotnet.exception.hresult"
	scopesAttribute     = "dotnet.log.scopes"
	unknownAttribute    = "dotnet.log.scopes_unknown"
	beganAttribute      = "nettrace.span.began_before_session"
	unfinishedAttribute = "nettrace.span.unfinished"
)

// put adds attributes.
func put(to pcommon.Map, list []telemetry.Attribute) {
	for _, a := range list {
		switch v := a.Value.(type) {
		case string:
			to.PutStr(valid(a.Key), valid(v))
		case int64:
			to.PutInt(valid(a.Key), v)
		}
	}
}

// putText adds an attribute that is not empty.
func putText(to pcommon.Map, key, value string) {
	if value != "" {
		to.PutStr(key, valid(value))
	}
}

func timestamp(t time.Time) pcommon.Timestamp { return pcommon.NewTimestampFromTime(t) }

// metrics adds the metrics of a round to a message.
func (r resource) metrics(out pmetric.Metrics, round *metrics.Round) {
	if out.ResourceMetrics().Len() == 0 {
		r.attributes.CopyTo(out.ResourceMetrics().AppendEmpty().Resource().Attributes())
	}
	scopes := map[string]pmetric.ScopeMetrics{}
	for i := range round.Metrics {
		m := &round.Metrics[i]
		scope, ok := scopes[m.Scope]
		if !ok {
			scope = out.ResourceMetrics().At(0).ScopeMetrics().AppendEmpty()
			scope.Scope().SetName(valid(m.Scope))
			scopes[m.Scope] = scope
		}
		setMetric(scope.Metrics().AppendEmpty(), m)
	}
}

func setMetric(to pmetric.Metric, m *metrics.Metric) {
	to.SetName(valid(m.Name))
	to.SetUnit(valid(m.Unit))
	var points pmetric.NumberDataPointSlice
	switch m.Kind {
	case metrics.Summary:
		setSummary(to.SetEmptySummary().DataPoints(), m.Points)
		return
	case metrics.Gauge:
		points = to.SetEmptyGauge().DataPoints()
	default:
		sum := to.SetEmptySum()
		sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		sum.SetIsMonotonic(m.Kind == metrics.Sum)
		points = sum.DataPoints()
	}
	for i := range m.Points {
		p, point := &m.Points[i], points.AppendEmpty()
		put(point.Attributes(), p.Attributes)
		point.SetTimestamp(timestamp(p.Time))
		if !p.Start.IsZero() {
			point.SetStartTimestamp(timestamp(p.Start))
		}
		point.SetDoubleValue(p.Value)
	}
}

func setSummary(to pmetric.SummaryDataPointSlice, list []metrics.Point) {
	for i := range list {
		p, point := &list[i], to.AppendEmpty()
		put(point.Attributes(), p.Attributes)
		point.SetTimestamp(timestamp(p.Time))
		if !p.Start.IsZero() {
			point.SetStartTimestamp(timestamp(p.Start))
		}
		if p.Count.Valid {
			point.SetCount(uint64(p.Count.Float64))
		}
		if p.Sum.Valid {
			point.SetSum(p.Sum.Float64)
		}
		for _, q := range p.Quantiles {
			quantile := point.QuantileValues().AppendEmpty()
			quantile.SetQuantile(q.Quantile)
			quantile.SetValue(q.Value)
		}
	}
}

// logs returns the message of records. Records of one category share a scope.
func (r resource) logs(records []*logs.Record) plog.Logs {
	out := plog.NewLogs()
	of := out.ResourceLogs().AppendEmpty()
	r.attributes.CopyTo(of.Resource().Attributes())
	scopes := map[string]plog.ScopeLogs{}
	observed := timestamp(time.Now())
	for _, one := range records {
		scope, ok := scopes[one.Category]
		if !ok {
			scope = of.ScopeLogs().AppendEmpty()
			scope.Scope().SetName(valid(one.Category))
			scopes[one.Category] = scope
		}
		setRecord(scope.LogRecords().AppendEmpty(), one, observed)
	}
	return out
}

func setRecord(to plog.LogRecord, r *logs.Record, observed pcommon.Timestamp) {
	to.SetTimestamp(timestamp(r.Time))
	to.SetObservedTimestamp(observed)
	to.SetSeverityNumber(plog.SeverityNumber(r.Severity))
	to.SetSeverityText(r.Level)
	to.SetEventName(valid(r.EventName))
	to.SetTraceID(pcommon.TraceID(r.TraceID))
	to.SetSpanID(pcommon.SpanID(r.SpanID))
	to.SetFlags(plog.DefaultLogRecordFlags.WithIsSampled(r.Sampled))
	if r.Body != "" {
		to.Body().SetStr(valid(r.Body))
	}
	m := to.Attributes()
	put(m, r.Attributes)
	putText(m, templateAttribute, r.Template)
	if r.EventID != 0 {
		m.PutInt(eventIDAttribute, r.EventID)
	}
	if r.Thread != 0 {
		m.PutInt("thread.id", int64(r.Thread))
	}
	if e := r.Exception; e != nil {
		putText(m, "exception.type", e.Type)
		putText(m, "exception.message", e.Message)
		putText(m, "exception.stacktrace", e.Text)
		m.PutInt(hresultAttribute, e.HResult)
	}
	if len(r.Scopes) > 0 {
		list := m.PutEmptySlice(scopesAttribute)
		for _, scope := range r.Scopes {
			put(list.AppendEmpty().SetEmptyMap(), scope)
		}
	}
	if r.ScopesUnknown {
		m.PutBool(unknownAttribute, true)
	}
}

// traces returns the message of spans. Spans of one source share a scope.
func (r resource) traces(spans []*traces.Span) ptrace.Traces {
	type source struct{ name, version string }
	out := ptrace.NewTraces()
	of := out.ResourceSpans().AppendEmpty()
	r.attributes.CopyTo(of.Resource().Attributes())
	scopes := map[source]ptrace.ScopeSpans{}
	for _, one := range spans {
		key := source{one.Source, one.Version}
		scope, ok := scopes[key]
		if !ok {
			scope = of.ScopeSpans().AppendEmpty()
			scope.Scope().SetName(valid(one.Source))
			scope.Scope().SetVersion(valid(one.Version))
			scopes[key] = scope
		}
		setSpan(scope.Spans().AppendEmpty(), one)
	}
	return out
}

func setSpan(to ptrace.Span, s *traces.Span) {
	to.SetTraceID(pcommon.TraceID(s.TraceID))
	to.SetSpanID(pcommon.SpanID(s.SpanID))
	to.SetParentSpanID(pcommon.SpanID(s.ParentID))
	to.TraceState().FromRaw(valid(s.TraceState))
	if s.Sampled {
		to.SetFlags(1)
	}
	to.SetName(valid(s.Name))
	to.SetKind(ptrace.SpanKind(s.Kind))
	to.SetStartTimestamp(timestamp(s.Start))
	to.SetEndTimestamp(timestamp(s.End))
	to.Status().SetCode(ptrace.StatusCode(s.Status))
	to.Status().SetMessage(valid(s.StatusText))
	put(to.Attributes(), s.Attributes)
	if s.BeganBefore {
		to.Attributes().PutBool(beganAttribute, true)
	}
	if s.Unfinished {
		to.Attributes().PutBool(unfinishedAttribute, true)
	}
	for _, e := range s.Events {
		event := to.Events().AppendEmpty()
		event.SetName(valid(e.Name))
		event.SetTimestamp(timestamp(e.Time))
		put(event.Attributes(), e.Attributes)
	}
	for _, l := range s.Links {
		link := to.Links().AppendEmpty()
		link.SetTraceID(pcommon.TraceID(l.TraceID))
		link.SetSpanID(pcommon.SpanID(l.SpanID))
		link.TraceState().FromRaw(valid(l.TraceState))
		put(link.Attributes(), l.Attributes)
	}
}
