package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nettrace-go/nettrace/analysis/trigger"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/internal/guid"
)

// events is the session of counters and of the kinds that are made of events.
type events struct {
	stream *stream
	stats  func() record.Stats // of the session
	lost   uint64              // events that the runtime had dropped at the last cut
	ring   *record.Ring
	newest atomic.Uint64 // ticks of the newest event
	cutAt  uint64        // ticks up to which profiles were made
	kinds  []Kind
}

// startEvents starts the session. It returns nil if nothing needs it.
func startEvents(ctx context.Context, l *life) (*events, error) {
	e := &events{kinds: l.opt.eventKinds()}
	cfg := eventpipe.SessionConfig{NoRundown: true, BufferMB: 64}
	if p, ok := eventProvider(e.kinds, l.major()); ok {
		cfg.Providers = append(cfg.Providers, p)
	}
	e.addCounters(&cfg, l)
	var err error
	if cfg.Providers, _, err = trigger.Session(l.opt.Rules, cfg.Providers); err != nil {
		return nil, err
	}
	if len(cfg.Providers) == 0 {
		return nil, nil
	}
	session, err := l.client.StartFirst(ctx, []eventpipe.SessionConfig{e.filtered(cfg, l), cfg})
	if err != nil {
		return nil, err
	}
	// The ring has more than a window, for durations that began before it.
	e.ring = record.NewRing(record.RingOptions{Time: l.opt.Every + l.opt.Every/4 + 2*settle, Size: l.opt.EventBytes, Compressed: true})
	see := e.observer(l)
	recording := record.New(record.Options{Schemas: clr.Schemas, OnEvent: func(ev *codec.Event) {
		e.newest.Store(max(e.newest.Load(), ev.Timestamp))
		see(ev)
	}})
	e.stats = recording.Stats
	e.stream = read(session, func(src io.Reader) error {
		_, err := recording.Run(context.Background(), src, e.ring)
		return err
	})
	return e, nil
}

// filtered returns the configuration without the runtime's events of which no profile
// is made: the session has a sixth of the bytes in a process that throws exceptions.
// Rules can be about any event.
func (e *events) filtered(cfg eventpipe.SessionConfig, l *life) eventpipe.SessionConfig {
	if l.major() < filterSince || len(l.opt.Rules) > 0 {
		return cfg
	}
	cfg.Providers = slices.Clone(cfg.Providers)
	for i := range cfg.Providers {
		if p := &cfg.Providers[i]; p.Name == provider.Runtime {
			p.Filter = &eventpipe.EventFilter{IDs: profiledEvents}
		}
	}
	return cfg
}

// addCounters adds the counters and Meters to the session.
func (e *events) addCounters(cfg *eventpipe.SessionConfig, l *life) {
	arguments := counters.EventCountersArguments(l.opt.Every)
	for _, name := range l.opt.Counters.EventSources(l.major()) {
		cfg.Providers = append(cfg.Providers, eventpipe.Provider{Name: name, Level: counters.Level, Arguments: arguments})
	}
	meters := append(l.opt.Counters[:len(l.opt.Counters):len(l.opt.Counters)], trigger.Meters(l.opt.Rules)...)
	if !meters.Meters() {
		return
	}
	// Settings of its own would be refused if another client has others.
	session := counters.NewMetersSession(guid.New(), l.major())
	cfg.Providers = append(cfg.Providers, eventpipe.Provider{
		Name: counters.MetersProvider, Keywords: counters.MetersKeywords, Level: counters.Level,
		Arguments: session.Arguments(meters, counters.Settings{}),
	})
}

// cooldown is the time in which a rule fires once.
const cooldown = time.Minute

// observer returns a function that gives the values of counters and the rules
// that become true to the handler.
func (e *events) observer(l *life) func(*codec.Event) {
	var decoder counters.Decoder
	var rules *trigger.Matcher
	if len(l.opt.Rules) > 0 {
		rules = trigger.NewMatcher(l.opt.Rules, trigger.Options{Cooldown: cooldown, OnFire: func(f trigger.Firing) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.handler.Fired(&l.process, f)
		}})
	}
	return func(ev *codec.Event) {
		if rules != nil {
			rules.Event(ev)
		}
		if len(l.opt.Counters) == 0 {
			return
		}
		m, err := decoder.Decode(ev)
		if err != nil || m.Kind == counters.None || m.Kind == counters.Measurement && !l.opt.Counters.Contains(&m.Value) {
			return
		}
		kept := m // only messages are allocated, not one for each event
		l.mu.Lock()
		defer l.mu.Unlock()
		l.handler.Counter(&l.process, &kept)
	}
}

// settle is the time after the end of a window in which its last events arrive: a
// runtime sends the events of all threads about ten times a second, and readEvery passes
// before they are read.
const settle = 250*time.Millisecond + readEvery

// cut makes the profiles of the events since the last cut.
func (e *events) cut(l *life, to time.Time) error {
	if len(e.kinds) == 0 {
		return nil
	}
	newest := e.newest.Load()
	if newest <= e.cutAt {
		return nil
	}
	if !e.stream.hasEnded() {
		timer := time.NewTimer(settle)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-e.stream.ended:
		}
	}
	l.building.Lock()
	defer l.building.Unlock()
	snapshot, err := e.ring.Snapshot()
	if err != nil {
		return fmt.Errorf("the events of a window: %w", err)
	}
	e.incomplete(l, snapshot.LastDropped())
	write := func(w io.Writer) error {
		snapshot.Append(l.names.For(snapshot.Addresses()))
		file, err := record.NewStream(w, record.Uncompressed)
		if err != nil {
			return err
		}
		_, err = snapshot.WriteFile(file, nil)
		return errors.Join(err, file.Close())
	}
	of := part{kinds: e.kinds, from: l.from, to: to, ticks: codec.TimeRange{From: e.cutAt + 1, To: newest + 1, HasFrom: e.cutAt > 0, HasTo: true}}
	e.cutAt = newest
	if err := l.profiles(write, of); err != nil {
		return fmt.Errorf("the events of a window: %w", err)
	}
	return nil
}

// incomplete reports events of a window that are missing. dropped is the time of
// the newest event that the ring has dropped.
func (e *events) incomplete(l *life, dropped uint64) {
	if dropped > e.cutAt {
		l.problem(&l.process, fmt.Errorf("the first events of a window are missing: the events have more than %d bytes", l.opt.EventBytes))
	}
	if lost := e.stats().Lost; lost > e.lost {
		l.problem(&l.process, fmt.Errorf("the profiles of events of a window are incomplete: the runtime dropped %d events", lost-e.lost))
		e.lost = lost
	}
}
