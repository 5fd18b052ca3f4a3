package agent

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	core "github.com/nettrace-go/nettrace/agent"
)

// own are the metrics of the agent itself.
type own struct {
	h *handler

	mu       sync.Mutex
	reloaded time.Time // of the last configuration that is in use
	reloads  int64     // that failed
	valid    bool      // the last configuration was used
}

// loaded notes whether a configuration could be used.
func (o *own) loaded(valid bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.valid = valid
	if valid {
		o.reloaded = time.Now()
	} else {
		o.reloads++
	}
}

// Describe sends nothing: Collect sends all.
func (o *own) Describe(chan<- *prometheus.Desc) {}

// Collect sends the metrics.
func (o *own) Collect(out chan<- prometheus.Metric) {
	send := func(kind prometheus.ValueType, name, help string, value float64, labels ...string) {
		var names, values []string
		for i := 0; i < len(labels); i += 2 {
			names, values = append(names, labels[i]), append(values, labels[i+1])
		}
		out <- prometheus.MustNewConstMetric(prometheus.NewDesc("nettrace_agent_"+name, help, names, nil), kind, value, values...)
	}
	gauge, counter := prometheus.GaugeValue, prometheus.CounterValue
	send(gauge, "processes", "Number of processes with sessions of the agent.", float64(o.h.series.running()))
	unreachable := o.h.unreachable()
	for _, reason := range slices.Sorted(maps.Keys(unreachable)) {
		send(gauge, "unreachable_processes", "Number of selected processes that cannot be reached.", float64(unreachable[reason]), "reason", reason)
	}
	o.mu.Lock()
	valid := 0.0
	if o.valid {
		valid = 1
	}
	send(gauge, "config_last_reload_successful", "1 if the last configuration was used.", valid)
	send(gauge, "config_last_reload_success_timestamp_seconds", "Unix time of the configuration in use.", float64(o.reloaded.UnixNano())/1e9)
	send(counter, "config_reload_failures_total", "Configurations that could not be used.", float64(o.reloads))
	o.mu.Unlock()

	o.h.mu.Lock()
	windows, samples := maps.Clone(o.h.windows), maps.Clone(o.h.samples)
	fired, problems := maps.Clone(o.h.fired), o.h.problems
	o.h.mu.Unlock()
	send(counter, "problems_total", "Errors of processes.", float64(problems))
	for _, kind := range core.AllKinds() {
		send(counter, "profiles_total", "Profiles that were made.", float64(windows[kind]), "kind", kind.String())
		send(counter, "samples_total", "Samples in profiles.", float64(samples[kind]), "kind", kind.String())
	}
	for _, rule := range slices.Sorted(maps.Keys(fired)) {
		send(counter, "rule_firings_total", "Times that a rule became true.", float64(fired[rule]), "rule", rule)
	}
	dropped := o.h.dropped()
	for _, r := range o.h.current() {
		s, target := r.queue.Stats(), r.target.Name
		send(gauge, "queue_profiles", "Profiles that wait for a target.", float64(s.Waiting), "target", target)
		send(gauge, "queue_bytes", "Size of the profiles that wait for a target.", float64(s.Bytes), "target", target)
		send(counter, "sent_total", "Profiles that a target accepted.", float64(s.Sent), "target", target)
		send(counter, "warnings_total", "Profiles that a target accepted with a warning.", float64(s.Warnings), "target", target)
		send(counter, "send_failures_total", "Attempts that failed and are repeated.", float64(s.Failures), "target", target)
		dropped.add(target, s.Dropped)
	}
	for _, target := range slices.Sorted(maps.Keys(dropped)) {
		for _, reason := range slices.Sorted(maps.Keys(dropped[target])) {
			send(counter, "dropped_total", "Profiles that were dropped.", float64(dropped[target][reason]), "target", target, "reason", reason)
		}
	}
}
