package agent

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	core "github.com/nettrace-go/nettrace/agent"
	"github.com/nettrace-go/nettrace/agent/config"
	"github.com/nettrace-go/nettrace/analysis/trigger"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/memory"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// daemon is the running agent. Its methods are called by one goroutine.
type daemon struct {
	say     func(format string, args ...any)
	variant *Variant
	handler *handler
	own     *own
	ready   atomic.Bool

	config *config.Config
	lock   *queueLock
	public *endpoint // nil: none
	admin  *endpoint // nil: none
	end    context.CancelFunc
	ended  chan error // result of profiling

	patience time.Duration // of lockQueue
}

// The times for the end of the agent, between two looks at the receivers, and between two
// releases of code that is not in use.
const (
	drainTime  = 5 * time.Second
	reportTime = 10 * time.Second
	trimTime   = 2 * time.Second
)

func newDaemon(v *Variant, say func(format string, args ...any)) *daemon {
	say = printable(say)
	host, _ := os.Hostname()
	h := &handler{
		say: say, host: host, series: &series{list: map[string]*counted{}}, retired: drops{}, fired: map[string]int64{},
		windows: map[core.Kind]int64{}, samples: map[core.Kind]int64{},
		pods: map[string]pod{}, printed: map[string]printed{}, refused: map[string]eventpipe.Reason{}, hidden: map[int]hidden{},
	}
	return &daemon{say: say, variant: v, handler: h, own: &own{h: h}, lock: &queueLock{release: func() {}}, patience: queuePatience}
}

// printable returns a function that prints one line with say: names of processes and
// answers of servers cannot disturb a terminal or begin another line.
func printable(say func(format string, args ...any)) func(format string, args ...any) {
	return func(format string, args ...any) {
		args = slices.Clone(args)
		for i, arg := range args {
			if err, ok := arg.(error); ok {
				args[i] = exit.Text(err)
			}
		}
		say("%s", display.Printable(fmt.Sprintf(format, args...)))
	}
}

// usual is the memory in bytes, beside that of the program, above which the garbage
// collector runs more often: the names and the events of 8 processes and a full queue.
const usual = 20 << 20

// serve runs the agent until a signal ends it.
func (o *options) serve(p *run.Program, c *config.Config) error {
	reload := make(chan struct{}, 1)
	ctx, stop := p.UntilSignalOrReload(func() {
		select {
		case reload <- struct{}{}:
		default: // one is waiting
		}
	})
	defer stop()
	memory.Limit(usual)
	memory.TrimCode()
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1) // waking threads on another one costs a tenth of the agent's time
	}
	return o.loop(ctx, newDaemon(&o.variant, p.Complain), c, reload)
}

// loop runs the agent until ctx ends.
func (o *options) loop(ctx context.Context, d *daemon, c *config.Config, reload <-chan struct{}) error {
	if err := d.apply(c); err != nil {
		return exit.With(exit.Usage, err)
	}
	defer d.stop()
	d.ready.Store(true)
	tick, look, trim := time.NewTicker(reportTime), time.NewTicker(surveyTime), time.NewTicker(trimTime)
	defer tick.Stop()
	defer look.Stop()
	defer trim.Stop()
	d.survey()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-d.ended:
			return exit.With(exit.Usage, err)
		case <-tick.C:
			d.report()
		case <-trim.C:
			memory.TrimCode() // which the last profiles needed
		case <-look.C:
			d.survey()
		case <-reload:
			d.reload(o)
			d.survey()
		}
	}
}

// reload reads the configuration again and uses it. After an error the one in use
// stays.
func (d *daemon) reload(o *options) {
	if o.config == "" {
		d.say("SIGHUP: there is no configuration file to read again")
		return
	}
	c, err := o.read()
	if err == nil {
		err = d.apply(c)
	}
	if err != nil {
		d.own.loaded(false)
		for line := range strings.SplitSeq(exit.Text(err), o.variant.nextLine()) { // of read
			d.say("%s", line)
		}
		d.say("the configuration in use stays")
		return
	}
	d.say("%s: the configuration is in use", o.config)
}

// apply uses a configuration. After an error the one before is still in use.
func (d *daemon) apply(c *config.Config) error {
	opt, err := optionsOf(c)
	if err != nil {
		return err
	}
	if opt.Counters.Meters() || len(trigger.Meters(opt.Rules)) > 0 {
		d.say("note: %s", attach.MetersRisk)
	}
	lock, err := d.lockQueue(c.Queue.Path)
	if err != nil {
		return err
	}
	var fresh []*receiver
	var opened []*endpoint
	undo := func(err error) error {
		for _, e := range opened {
			e.close()
		}
		if lock != d.lock {
			lock.release()
		}
		return err
	}
	old := d.handler.current()
	list := make([]*receiver, len(c.Targets))
	for i, t := range c.Targets {
		if at := slices.IndexFunc(old, func(r *receiver) bool { return r.same(t, c.Queue) }); at >= 0 {
			list[i] = old[at]
			continue
		}
		if list[i], err = d.variant.newReceiver(t, c.Queue, slices.Concat(old, list[:i])); err != nil {
			return undo(err)
		}
		fresh = append(fresh, list[i])
	}
	secure, err := newServerTLS(config.TLSKey, c.TLS, d.say)
	if err != nil {
		return undo(err)
	}
	secureAdmin, err := newServerTLS(config.AdminTLSKey, c.AdminTLS, d.say)
	if err != nil {
		return undo(err)
	}
	public, err := d.endpoint(d.public, c.Listen, &opened)
	if err != nil {
		return undo(err)
	}
	admin, err := d.endpoint(d.admin, c.Admin, &opened)
	if err != nil {
		return undo(err)
	}
	left, err := d.replace(c, list, fresh)
	if err != nil {
		return undo(err)
	}
	d.swap(&d.public, public, secure, "/metrics", publicHandler(d.handler.series))
	d.swap(&d.admin, admin, secureAdmin, "/healthz", adminHandler(d.own, &d.ready))
	d.profile(c, opt)
	d.retire(left)
	if lock != d.lock {
		d.lock.release()
		d.lock = lock
	}
	d.own.loaded(true)
	return nil
}

// endpoint returns the endpoint in use if it has the address, or opens another one.
func (d *daemon) endpoint(now *endpoint, address string, opened *[]*endpoint) (*endpoint, error) {
	switch {
	case address == "":
		return nil, nil
	case now != nil && now.address == address:
		return now, nil
	}
	e, err := open(address)
	if err == nil {
		*opened = append(*opened, e)
	}
	return e, err
}

// swap serves an endpoint in place of another one, or the same one with another TLS.
func (d *daemon) swap(now **endpoint, next *endpoint, secure *serverTLS, path string, h http.Handler) {
	switch {
	case *now != next:
		if *now != nil {
			(*now).close()
		}
		*now = next
	case next == nil || next.secure.same(secure):
		return
	default:
		next.pause()
	}
	if next != nil {
		next.serve(h, secure)
		d.say("serving %s", next.url(path))
	}
}

// optionsOf returns the options of profiling.
func optionsOf(c *config.Config) (core.Options, error) {
	every := time.Duration(c.Every)
	opt := core.Options{
		Kinds: []core.Kind{}, Every: every, Sample: time.Duration(float64(every) * c.Sample.Parts()), MaxCPU: float64(c.MaxCPU),
	}
	for i := range c.Processes {
		opt.Selectors = append(opt.Selectors, c.Processes[i].Selector())
	}
	if len(c.Targets) > 0 {
		for _, name := range c.Profiles {
			kind, _ := core.ParseKind(name) // config has checked it
			opt.Kinds = append(opt.Kinds, kind)
		}
	}
	var err error
	if c.Counters != "" && c.Listen != "" {
		if opt.Counters, err = counters.ParseSelection(c.Counters); err != nil {
			return opt, err
		}
	}
	for _, text := range c.Rules {
		rule, err := trigger.Parse(text)
		if err != nil {
			return opt, err
		}
		opt.Rules = append(opt.Rules, rule)
	}
	return opt, nil
}

// profile profiles with other options, if they are others than those in use.
func (d *daemon) profile(c *config.Config, opt core.Options) {
	if d.config != nil && sameProfiling(d.config, c) {
		d.config = c
		return
	}
	if d.end != nil {
		d.end()
		<-d.ended
	}
	d.config = c
	var ctx context.Context
	ctx, d.end = context.WithCancel(context.Background())
	d.ended = make(chan error, 1)
	go func(ended chan<- error) {
		ended <- core.Run(ctx, opt, d.handler)
		close(ended)
	}(d.ended)
}

// sameProfiling reports whether two configurations profile the same.
func sameProfiling(a, b *config.Config) bool {
	part := func(c *config.Config) config.Config {
		p := *c
		p.ExternalLabels, p.Admin, p.Queue, p.Targets = nil, "", config.Queue{}, nil
		p.TLS, p.AdminTLS = config.ServerTLS{}, config.ServerTLS{}
		if c.Listen != "" {
			p.Listen = "some"
		}
		if len(c.Targets) > 0 {
			p.Targets = []config.Target{{}}
		}
		return p
	}
	return reflect.DeepEqual(part(a), part(b))
}

// survey looks for processes that are selected and cannot be reached.
func (d *daemon) survey() {
	list, err := eventpipe.Unreachable()
	if err != nil {
		d.say("%v", err)
		return
	}
	d.handler.survey(list)
}

// report prints what changed at the receivers.
func (d *daemon) report() {
	for _, r := range d.handler.current() {
		for _, line := range r.changes() {
			d.say("%s", line)
		}
	}
}

// stop ends profiling, and sends what is left.
func (d *daemon) stop() {
	d.ready.Store(false)
	d.end()
	<-d.ended
	stopAll(d.handler.current())
	d.lock.release()
	d.report()
	for _, e := range []*endpoint{d.public, d.admin} {
		if e != nil {
			e.close()
		}
	}
}
