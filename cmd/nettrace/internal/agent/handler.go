package agent

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	pb "github.com/google/pprof/profile"

	core "github.com/nettrace-go/nettrace/agent"
	"github.com/nettrace-go/nettrace/agent/config"
	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/analysis/trigger"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// handler gives what the agent finds to the receivers and to Prometheus.
type handler struct {
	say    func(format string, args ...any)
	host   string
	series *series
	packer packer

	mu        sync.Mutex
	config    *config.Config
	receivers []*receiver
	retired   drops // of receivers that are not in use any more
	windows   map[core.Kind]int64
	samples   map[core.Kind]int64
	problems  int64
	fired     map[string]int64            // by rule
	printed   map[string]printed          // the problems, by the address of the process
	refused   map[string]eventpipe.Reason // why a process cannot be reached, by its address
	hidden    map[int]hidden              // processes without an address, by PID
	pods      map[string]pod              // by the address of the process
}

// Attached begins to keep the counters of a process.
func (h *handler) Attached(p *eventpipe.Process, info *eventpipe.ProcessInfo) {
	in := podOf(p)
	h.mu.Lock()
	h.pods[p.Address] = in
	delete(h.refused, p.Address)
	labels := h.labels(p, info)
	h.mu.Unlock()
	h.series.begin(p, labels)
	h.say("%s: attached, .NET %s", title(labels["name"], p), info.Version)
}

// Detached notes that a process has no sessions.
func (h *handler) Detached(p *eventpipe.Process) { h.series.detach(p) }

// title names a process in messages.
func title(name string, p *eventpipe.Process) string { return fmt.Sprintf("%s (PID %d)", name, p.PID) }

// Ended ends the series of a process.
func (h *handler) Ended(p *eventpipe.Process) {
	h.mu.Lock()
	delete(h.pods, p.Address)
	delete(h.printed, p.Address)
	delete(h.refused, p.Address)
	h.mu.Unlock()
	if name, known := h.series.end(p); known {
		h.say("%s: the agent has left", title(name, p))
	}
}

// printed has the times at which problems were printed, by their texts without digits: two
// windows with the same problem have other numbers.
type printed map[string]time.Time

// repeatTime is the time in which the same problem of a process is printed once.
const repeatTime = time.Hour

// maxPrinted bounds the problems of a process that are known.
const maxPrinted = 32

// Problem counts an error, and prints it if the process did not have it before: some come
// with each window or attempt.
func (h *handler) Problem(p *eventpipe.Process, err error) {
	h.mu.Lock()
	h.problems++
	text := problemText(err)
	before, key := h.printed[p.Address], withoutDigits(text)
	at, again := before[key]
	again = again && time.Since(at) < repeatTime
	if !again {
		if len(before) == 0 || len(before) >= maxPrinted {
			before = printed{}
			h.printed[p.Address] = before
		}
		before[key] = time.Now()
	}
	var u *eventpipe.UnreachableError
	if errors.As(err, &u) && !h.series.isUp(p) { // a process with sessions can refuse a further one
		h.refused[p.Address] = u.Reason
	}
	h.mu.Unlock()
	if !again {
		h.say("%s", text)
	}
}

func withoutDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, text)
}

// problemText returns the message of an error without the names of packages.
func problemText(err error) string {
	var of *core.ProcessError
	if errors.As(err, &of) {
		err = exit.Named(title(of.Process.Name, &of.Process), of.Err)
	}
	return exit.Text(err)
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
	body, err := h.packer.pack(w.Pprof)
	if err != nil {
		h.Problem(&w.Process, err)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.windows[w.Kind]++
	h.samples[w.Kind] += w.Samples
	item := &delivery.Item{ID: w.ID(h.host), Kind: w.Kind.String(), Start: w.Start, End: w.End, Labels: h.labels(&w.Process, w.Info), Body: body}
	for _, r := range h.receivers {
		r.queue.Add(item)
	}
}

// packer writes profiles with gzip. Its tables, of 1 MB, serve all profiles.
type packer struct {
	buf bytes.Buffer
	zip *gzip.Writer
}

// pack returns a profile with gzip.
func (k *packer) pack(p *pb.Profile) ([]byte, error) {
	k.buf.Reset()
	if k.zip == nil {
		k.zip = gzip.NewWriter(nil)
	}
	k.zip.Reset(&k.buf)
	err := errors.Join(p.WriteUncompressed(k.zip), k.zip.Close())
	return bytes.Clone(k.buf.Bytes()), err
}

// labels describe a process. The caller holds mu.
func (h *handler) labels(p *eventpipe.Process, info *eventpipe.ProcessInfo) map[string]string {
	name := p.Name
	if info != nil && info.EntryAssembly != "" {
		name = info.EntryAssembly
	}
	labels := map[string]string{}
	maps.Copy(labels, h.config.ExternalLabels)
	in := h.pods[p.Address]
	for key, value := range map[string]string{
		"service_name": serviceName(h.config.Processes, p, name), "pid": strconv.Itoa(p.PID), "name": name, "host": h.host,
		"container_id": p.Container, "pod_uid": p.Pod, "pod": in.name, "namespace": in.namespace,
	} {
		if value != "" {
			labels[key] = strings.ToValidUTF8(value, "\uFFFD") // receivers refuse other bytes
		}
	}
	return labels
}

// pod is what Kubernetes calls a process.
type pod struct{ name, namespace string }

// podOf returns the name of the pod and its namespace, "" if they cannot be read.
func podOf(p *eventpipe.Process) (out pod) {
	if p.Pod == "" {
		return pod{}
	}
	environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID))
	for kv := range bytes.SplitSeq(environ, []byte{0}) {
		if name, ok := strings.CutPrefix(string(kv), "HOSTNAME="); ok {
			out.name = name
		}
	}
	out.namespace = namespaceIn(fmt.Sprintf("/proc/%d/root", p.PID))
	return out
}

// namespaceIn returns the namespace that Kubernetes writes into a container, by the
// container's root folder; "" if it cannot be read. The container can contain anything:
// links to files outside are not followed, and only the start of a regular file is read.
func namespaceIn(folder string) string {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return ""
	}
	defer root.Close()
	for _, parent := range []string{"run", "var/run"} { // var/run is often an absolute link to run
		f, err := root.OpenFile(parent+"/secrets/kubernetes.io/serviceaccount/namespace", os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			continue
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			const longest = 256
			text, _ := io.ReadAll(io.LimitReader(f, longest))
			return strings.TrimSpace(string(text))
		}
	}
	return ""
}

// hand gives the profiles to other receivers. No profile comes while ready runs: after
// its error nothing changes.
func (h *handler) hand(c *config.Config, list []*receiver, ready func() error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := ready(); err != nil {
		return err
	}
	h.config, h.receivers = c, list
	return nil
}

// drops counts profiles that were dropped, by target and reason.
type drops map[string]map[string]int64

func (d drops) add(target string, dropped map[string]int64) {
	if d[target] == nil {
		d[target] = map[string]int64{}
	}
	for reason, n := range dropped {
		d[target][reason] += n
	}
}

// retire counts what a receiver dropped that has been stopped.
func (h *handler) retire(r *receiver) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.retired.add(r.target.Name, r.queue.Stats().Dropped)
}

// dropped returns what receivers dropped that are not in use any more.
func (h *handler) dropped() drops {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := drops{}
	for target, reasons := range h.retired {
		list.add(target, reasons)
	}
	return list
}

// current returns the receivers in use.
func (h *handler) current() []*receiver {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.receivers)
}
