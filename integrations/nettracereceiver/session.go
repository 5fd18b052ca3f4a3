package nettracereceiver

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.uber.org/zap"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/telemetry/logs"
	"github.com/nettrace-go/nettrace/telemetry/metrics"
	"github.com/nettrace-go/nettrace/telemetry/traces"
)

// patience bounds the end of a session of a process that does not answer.
const patience = 5 * time.Second

// session reads a session of a process until ctx or the session ends.
func (r *dotnet) session(ctx context.Context, p *eventpipe.Process, sums *metrics.Decoder, logger *zap.Logger) error {
	client := p.Client()
	client.Timeouts.Stop = patience
	info, err := client.ProcessInfo(ctx)
	if errors.As(err, new(*eventpipe.UnsupportedError)) {
		info, err = &eventpipe.ProcessInfo{}, nil
	}
	if err != nil {
		return err
	}
	environment, err := client.Environment(ctx)
	if err != nil && !errors.As(err, new(*eventpipe.UnsupportedError)) {
		logger.Warn("The environment of the process is unknown: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES are not read.", zap.Error(err))
	}
	providers, err := r.providers(info.Version, sums)
	if err != nil {
		return err
	}
	whole := eventpipe.SessionConfig{Providers: providers, NoRundown: true, BufferMB: r.cfg.BufferMB}
	stackless := whole
	stackless.NoStacks = true
	session, err := client.StartFirst(ctx, []eventpipe.SessionConfig{stackless, whole})
	if err != nil {
		return err
	}
	defer session.Close()
	r.own.sessions.Add(ctx, 1)
	defer r.own.sessions.Add(context.Background(), -1)
	logger.Info("A session has begun.", zap.String("process.runtime.version", info.Version))

	b := newBatch(r, resourceOf(p, info, environment), sums)
	ended := make(chan struct{})
	var read error
	go func() {
		defer close(ended)
		read = b.read(session)
		_, _ = io.Copy(io.Discard, session) // up to the end of the connection, for which Finish waits
	}()
	flush := time.NewTicker(r.cfg.FlushInterval)
	defer flush.Stop()
	for {
		select {
		case <-flush.C:
			b.flush(logger)
			continue
		case <-ended:
			err = read
			if err == nil {
				err = errEnded
			}
		case <-ctx.Done():
			bounded, cancel := context.WithTimeout(context.Background(), patience)
			err = session.Finish(bounded)
			cancel()
			session.Close()
			<-ended
		}
		b.end(time.Now())
		b.flush(logger)
		return err
	}
}

// providers returns the providers of the pipelines that there are.
func (r *dotnet) providers(version string, sums *metrics.Decoder) ([]eventpipe.Provider, error) {
	var list []eventpipe.Provider
	if r.metrics != nil {
		list = append(list, sums.Providers(version)...)
	}
	if r.logs != nil {
		o, err := r.cfg.Logs.options()
		if err != nil {
			return nil, err
		}
		list = append(list, logs.Providers(o, version)...)
	}
	if r.traces != nil {
		more, err := traces.Providers(r.cfg.Traces.options(), version)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// batch has what a session has written since the last flush.
type batch struct {
	receiver *dotnet
	resource resource

	mu         sync.Mutex // one goroutine reads, another one flushes
	sums       *metrics.Decoder
	logDecoder *logs.Decoder
	decoder    *traces.Decoder
	records    []*logs.Record
	spans      []*traces.Span
	points     pmetric.Metrics
	refused    string // why the process reports no Meters
	lost       int64
	rounds     int64 // that are not complete, and not reported
	incomplete int64 // up to the last flush
}

func newBatch(r *dotnet, of resource, sums *metrics.Decoder) *batch {
	b := &batch{receiver: r, resource: of, sums: sums, points: pmetric.NewMetrics()}
	b.incomplete = b.incompleteNow() // counted by the batch of the session before
	return b
}

// read reads the events of a session.
func (b *batch) read(src io.Reader) error {
	r := codec.NewReader(src, codec.Options{Order: codec.ByTime, OnLost: func(l codec.Lost) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.lost += int64(l.Count)
		b.sums.Lost(l)
	}})
	head, err := r.Trace()
	if err != nil {
		return err
	}
	logOptions, err := b.receiver.cfg.Logs.options()
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.logDecoder, b.decoder = logs.NewDecoder(logOptions), traces.NewDecoder(b.receiver.cfg.Traces.options(), head.SyncTime)
	b.mu.Unlock()
	for ev, err := range r.Events() {
		if err != nil {
			return err
		}
		b.event(ev)
	}
	return nil
}

// event adds what an event completes.
func (b *batch) event(ev *codec.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.receiver.metrics != nil {
		b.sums.Decode(ev, b.round)
	}
	if b.receiver.logs != nil {
		b.logDecoder.Decode(ev, b.record)
	}
	if b.receiver.traces != nil {
		b.decoder.Decode(ev, b.span)
	}
}

// round adds the values of an interval, which are valid now.
func (b *batch) round(r *metrics.Round) {
	b.resource.metrics(b.points, r)
	b.refused = r.Refused
	if !r.Complete() || r.Dropped > 0 {
		b.rounds++
	}
}

func (b *batch) record(r *logs.Record) { b.records = append(b.records, r) }
func (b *batch) span(s *traces.Span)   { b.spans = append(b.spans, s) }

// end adds what waits for events that do not come any more.
func (b *batch) end(at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.decoder == nil { // the stream has no header
		return
	}
	if b.receiver.metrics != nil {
		b.sums.Flush(b.round)
	}
	b.logDecoder.Flush(b.record)
	if b.receiver.cfg.Traces.Unfinished {
		b.decoder.Open(at, b.span)
	}
}

// incompleteNow is the number of records, spans and values so far that lack something.
func (b *batch) incompleteNow() int64 {
	m := b.sums.Stats()
	n := int64(m.Malformed + m.Callbacks)
	if b.decoder == nil {
		return n
	}
	l, t := b.logDecoder.Stats(), b.decoder.Stats()
	return n + l.Malformed + l.NoMessage + l.ScopesUnknown + t.Malformed + t.NoIDs + t.Forgotten
}

// flush passes on what there is.
func (b *batch) flush(logger *zap.Logger) {
	b.mu.Lock()
	records, spans, points, refused := b.records, b.spans, b.points, b.refused
	lost, rounds, incomplete := b.lost, b.rounds, b.incompleteNow()-b.incomplete
	b.records, b.spans, b.points, b.refused, b.lost, b.rounds = nil, nil, pmetric.NewMetrics(), "", 0, 0
	b.incomplete += incomplete
	b.mu.Unlock()
	ctx, r := context.Background(), b.receiver // what was received is passed on also when the receiver ends
	if lost > 0 {
		r.own.lost.Add(ctx, lost)
		logger.Warn("The process has dropped events: what they said is missing.", zap.Int64("events", lost))
	}
	if refused != "" {
		logger.Warn("The process reports no Meters.", zap.String("reason", refused))
	}
	if rounds > 0 {
		r.own.rounds.Add(ctx, rounds)
	}
	if incomplete > 0 {
		r.own.incomplete.Add(ctx, incomplete)
	}
	if n := points.DataPointCount(); n > 0 {
		op := r.report.StartMetricsOp(ctx)
		err := r.metrics.ConsumeMetrics(op, points)
		r.report.EndMetricsOp(op, "nettrace", n, err)
		if err != nil {
			logger.Error("A pipeline has refused metrics: these points are lost.", zap.Int("points", n), zap.Error(err))
		}
	}
	if len(records) > 0 {
		op := r.report.StartLogsOp(ctx)
		err := r.logs.ConsumeLogs(op, b.resource.logs(records))
		r.report.EndLogsOp(op, "nettrace", len(records), err)
		if err != nil {
			logger.Error("A pipeline has refused log records: they are lost.", zap.Int("records", len(records)), zap.Error(err))
		}
	}
	if len(spans) > 0 {
		op := r.report.StartTracesOp(ctx)
		err := r.traces.ConsumeTraces(op, b.resource.traces(spans))
		r.report.EndTracesOp(op, "nettrace", len(spans), err)
		if err != nil {
			logger.Error("A pipeline has refused spans: they are lost.", zap.Int("spans", len(spans)), zap.Error(err))
		}
	}
}
