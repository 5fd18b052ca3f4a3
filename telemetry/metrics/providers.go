package metrics

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// Options select what is measured. The zero value has the EventCounters of [Mappings], every 10 s.
type Options struct {
	// Interval is the time between two rounds; default 10 s. A process measures once for all its
	// clients: rounds come more often if another client wants that.
	Interval time.Duration
	// EventSources are further EventSources with EventCounters, such as the program's own.
	EventSources []string
	// Meters are names of Meters, or their beginnings with a "*". While a session records
	// Meters, a process can hang at its end.
	Meters []string
	// Others adds the counters of the runtime and of ASP.NET Core that no metric of the
	// conventions has, under their own names.
	Others bool
	// PID is that of the process, in this program's namespace, for its processor time. 0: unknown.
	PID int
	// MaxSeries bounds the series of a process; default 10,000.
	MaxSeries int
}

const (
	defaultInterval  = 10 * time.Second
	defaultMaxSeries = 10_000
)

func (o *Options) interval() time.Duration {
	if o.Interval > 0 {
		return o.Interval
	}
	return defaultInterval
}

// hasMeter reports whether a Meter is chosen.
func (o *Options) hasMeter(name string) bool {
	return slices.ContainsFunc(o.Meters, func(chosen string) bool {
		start, all := strings.CutSuffix(chosen, "*")
		return chosen == name || all && strings.HasPrefix(name, start)
	})
}

// Providers returns what a session has to record. version is that of the runtime, as
// eventpipe.ProcessInfo has it; "" for one that is too old to say. Where the runtime has a
// Meter of Options.Meters with the same metrics, the EventSource is left out.
func (d *Decoder) Providers(version string) []eventpipe.Provider {
	text, _, _ := strings.Cut(version, ".")
	major, _ := strconv.Atoi(text)
	var list []eventpipe.Provider
	add := func(name string) {
		if !slices.ContainsFunc(list, func(p eventpipe.Provider) bool { return p.Name == name }) {
			list = append(list, eventpipe.Provider{Name: name, Level: counters.Level, Arguments: counters.EventCountersArguments(d.opt.interval())})
		}
	}
	for _, s := range sources {
		if major < s.since || !d.opt.hasMeter(s.meter) {
			add(s.name)
		}
	}
	for _, name := range d.opt.EventSources {
		add(name)
	}
	if len(d.opt.Meters) == 0 {
		return list
	}
	var chosen counters.Selection
	for _, name := range d.opt.Meters {
		chosen = append(chosen, counters.Choice{Provider: name})
	}
	d.client = counters.NewMetersSession(d.clientID(), major)
	return append(list, eventpipe.Provider{
		Name: counters.MetersProvider, Keywords: counters.MetersKeywords, Level: counters.Level,
		Arguments: d.client.Arguments(chosen, counters.Settings{Interval: d.opt.interval(), MaxTimeSeries: d.opt.maxSeries(), MaxHistograms: maxHistograms}),
	})
}

// maxHistograms bounds the histograms of Meters, which take memory in the process.
const maxHistograms = 100

func (o *Options) maxSeries() int {
	if o.MaxSeries > 0 {
		return o.MaxSeries
	}
	return defaultMaxSeries
}

// clientID returns a GUID of the decoder.
func (d *Decoder) clientID() string {
	if d.client.ClientID != "" {
		return d.client.ClientID
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // it does not fail
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
