package agent

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	core "github.com/nettrace-go/nettrace/agent"
	"github.com/nettrace-go/nettrace/agent/config"
	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/analysis/trigger"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// handler gives what the agent finds to the receivers and to Prometheus.
type handler struct {
	say    func(format string, args ...any)
	host   string
	series *series

	mu        sync.Mutex
	config    *config.Config
	receivers []*receiver
	windows   map[core.Kind]int64
	samples   map[core.Kind]int64
	problems  int64
	fired     map[string]int64 // by rule
}

// Attached begins to keep the counters of a process.
func (h *handler) Attached(p *eventpipe.Process, info *eventpipe.ProcessInfo) {
	h.mu.Lock()
	labels := h.labels(p, info)
	h.mu.Unlock()
	h.series.begin(p, labels)
	h.say("%s: attached, .NET %s", title(labels["name"], p), info.Version)
}

// title names a process in messages.
func title(name string, p *eventpipe.Process) string { return fmt.Sprintf("%s (PID %d)", name, p.PID) }

// Ended ends the series of a process.
func (h *handler) Ended(p *eventpipe.Process) {
	if name, known := h.series.end(p); known {
		h.say("%s: the agent has left", title(name, p))
	}
}

// Problem prints an error.
func (h *handler) Problem(_ *eventpipe.Process, err error) {
	h.say("%v", err)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.problems++
}

// Counter keeps a value.
func (h *handler) Counter(p *eventpipe.Process, m *counters.Message) { h.series.add(p, m) }

// Fired prints that a rule became true.
func (h *handler) Fired(p *eventpipe.Process, f trigger.Firing) {
	h.say("%s: rule %s: %s", title(h.series.name(p), p), f.Rule, f.Text)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fired[f.Rule.String()]++
}

// Window gives a profile to all receivers.
func (h *handler) Window(w *core.Window) {
	var body bytes.Buffer
	if err := w.Pprof.Write(&body); err != nil {
		h.Problem(&w.Process, err)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.windows[w.Kind]++
	h.samples[w.Kind] += w.Samples
	item := &delivery.Item{ID: w.ID(h.host), Kind: w.Kind.String(), Start: w.Start, End: w.End, Labels: h.labels(&w.Process, w.Info), Body: body.Bytes()}
	for _, r := range h.receivers {
		r.queue.Add(item)
	}
}

// labels describe a process. The caller holds mu.
func (h *handler) labels(p *eventpipe.Process, info *eventpipe.ProcessInfo) map[string]string {
	name := p.Name
	if info != nil && info.EntryAssembly != "" {
		name = info.EntryAssembly
	}
	labels := map[string]string{}
	maps.Copy(labels, h.config.ExternalLabels)
	pod, namespace := kubernetes(p)
	for key, value := range map[string]string{
		"service_name": serviceName(h.config.Processes, p, name), "pid": strconv.Itoa(p.PID), "name": name, "host": h.host,
		"container_id": p.Container, "pod_uid": p.Pod, "pod": pod, "namespace": namespace,
	} {
		if value != "" {
			labels[key] = value
		}
	}
	return labels
}

// kubernetes returns the name of the pod and its namespace, "" if they cannot be
// read.
func kubernetes(p *eventpipe.Process) (pod, namespace string) {
	if p.Pod == "" {
		return "", ""
	}
	environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID))
	for kv := range bytes.SplitSeq(environ, []byte{0}) {
		if name, ok := strings.CutPrefix(string(kv), "HOSTNAME="); ok {
			pod = name
		}
	}
	const file = "/proc/%d/root/var/run/secrets/kubernetes.io/serviceaccount/namespace"
	text, _ := os.ReadFile(fmt.Sprintf(file, p.PID))
	return pod, strings.TrimSpace(string(text))
}

// use makes the handler send to other receivers.
func (h *handler) use(c *config.Config, list []*receiver) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.config, h.receivers = c, list
}

// current returns the receivers in use.
func (h *handler) current() []*receiver {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.receivers)
}
