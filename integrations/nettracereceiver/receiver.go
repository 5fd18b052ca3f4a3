package nettracereceiver

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.uber.org/zap"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/telemetry/metrics"
)

// dotnet receives from all processes that a configuration chooses.
type dotnet struct {
	cfg     *Config
	logger  *zap.Logger
	report  *receiverhelper.ObsReport
	own     *selfTelemetry
	metrics consumer.Metrics // nil without such a pipeline
	logs    consumer.Logs    // the same
	traces  consumer.Traces  // the same
	forget  func()           // by the factory

	starting, stopping sync.Once
	cancel             context.CancelFunc
	running            sync.WaitGroup

	mu    sync.Mutex
	lives map[string]chan struct{} // by address: closed when the process has been left
}

func newReceiver(set receiver.Settings, cfg *Config) (*dotnet, error) {
	report, err := receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{ReceiverID: set.ID, Transport: "diagnostics", ReceiverCreateSettings: set})
	if err != nil {
		return nil, err
	}
	own, err := newSelfTelemetry(set)
	if err != nil {
		return nil, err
	}
	return &dotnet{cfg: cfg, logger: set.Logger, report: report, own: own, lives: map[string]chan struct{}{}}, nil
}

// Start implements component.Component. Each pipeline calls it.
func (r *dotnet) Start(_ context.Context, host component.Host) (err error) {
	r.starting.Do(func() {
		var selectors []eventpipe.Selector
		if selectors, err = r.cfg.selectors(); err != nil {
			return
		}
		ctx, cancel := context.WithCancel(context.Background()) // that of Start ends with it
		r.cancel = cancel
		for _, s := range selectors {
			r.running.Go(func() {
				if err := r.follow(ctx, s); err != nil {
					componentstatus.ReportStatus(host, componentstatus.NewFatalErrorEvent(fmt.Errorf("the processes cannot be listed: %w", err)))
				}
			})
		}
	})
	return err
}

// Shutdown implements component.Component: it ends the sessions and passes on what they have.
func (r *dotnet) Shutdown(context.Context) error {
	r.stopping.Do(func() {
		r.forget()
		if r.cancel != nil {
			r.cancel()
			r.running.Wait()
		}
	})
	return nil
}

// follow keeps a session in each process that a selector chooses.
func (r *dotnet) follow(ctx context.Context, s eventpipe.Selector) error {
	ends := map[string]context.CancelFunc{}
	for change, err := range eventpipe.Watch(ctx, s) {
		if err != nil {
			return err
		}
		p := change.Process
		if change.Gone {
			if end := ends[p.Address]; end != nil {
				end()
				delete(ends, p.Address)
			}
			continue
		}
		life, end := context.WithCancel(ctx)
		ends[p.Address] = end
		r.running.Go(func() {
			defer end()
			if left := r.claim(life, p.Address); left != nil {
				defer left()
				r.keep(life, &p)
			}
		})
	}
	return nil
}

// claim waits until no other selector has the process. It returns nil when ctx ends before.
func (r *dotnet) claim(ctx context.Context, address string) (leave func()) {
	for ctx.Err() == nil {
		r.mu.Lock()
		other := r.lives[address]
		if other == nil {
			mine := make(chan struct{})
			r.lives[address] = mine
			r.mu.Unlock()
			return func() {
				r.mu.Lock()
				defer r.mu.Unlock()
				delete(r.lives, address)
				close(mine)
			}
		}
		r.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
		}
	}
	return nil
}

// The pauses before another session in a process whose session ended. In the first one, Watch notices that the process has ended.
const minPause, maxPause = 2 * time.Second, time.Minute

// keep keeps a session in a process until ctx ends.
func (r *dotnet) keep(ctx context.Context, p *eventpipe.Process) {
	logger := r.logger.With(zap.Int("process.pid", p.PID), zap.String("process.executable.name", p.Name))
	sums := metrics.NewDecoder(r.cfg.metricOptions(p.PID)) // go on in the next session
	defer sums.Close()
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		begun := time.Now()
		err := r.session(ctx, p, sums, logger)
		sums.Restart()
		if time.Since(begun) > maxPause {
			pause = minPause
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		r.own.failures.Add(ctx, 1)
		logger.Warn("The session has ended; another one follows.", zap.Error(err))
	}
}

// errEnded is the error of a session that ended by itself while the process runs.
var errEnded = errors.New("the process has ended the session")
