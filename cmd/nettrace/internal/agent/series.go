package agent

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/metrics"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// series has the counters of all processes for Prometheus. Those of a process that
// ended are in one further answer.
type series struct {
	mu   sync.Mutex
	list map[string]*counted // by the address of the process
}

// counted are the counters of one process.
type counted struct {
	name   string
	labels metrics.Labels
	latest counters.Latest
	ended  bool
	left   bool // it has no sessions, and perhaps will have some again
}

// maxSeries bounds the time series of a process.
const maxSeries = 10_000

// maxEnded bounds the processes that ended since the last answer.
const maxEnded = 100

// processLabels are the labels of series that describe their process.
var processLabels = []string{"container_id", "name", "pid", "pod_uid"}

// begin begins to keep the counters of a process.
func (s *series) begin(p *eventpipe.Process, labels map[string]string) {
	c := &counted{name: labels["name"], latest: counters.Latest{MaxSeries: maxSeries}}
	for _, name := range processLabels {
		c.labels.Names = append(c.labels.Names, name)
		c.labels.Values = append(c.labels.Values, strings.ToValidUTF8(labels[name], "\uFFFD"))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list[p.Address] = c
}

// name returns the name of a process, that of its program if it is not known.
func (s *series) name(p *eventpipe.Process) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.list[p.Address]; c != nil {
		return c.name
	}
	return p.Name
}

// end notes that a process has ended. It returns its name and whether it was known.
func (s *series) end(p *eventpipe.Process) (name string, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.list[p.Address]
	if c == nil || c.ended {
		return "", false
	}
	c.ended = true
	ended := 0
	for _, address := range slices.Collect(maps.Keys(s.list)) {
		if s.list[address].ended {
			if ended++; ended > maxEnded {
				delete(s.list, address)
			}
		}
	}
	return c.name, true
}

// detach notes that a process has no sessions. Its counters are in one further
// answer.
func (s *series) detach(p *eventpipe.Process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.list[p.Address]; c != nil {
		c.left = true
	}
}

// add adds a value of a process.
func (s *series) add(p *eventpipe.Process, m *counters.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.list[p.Address]; c != nil && !c.ended {
		c.latest.Add(m)
	}
}

// isUp reports whether a process has sessions.
func (s *series) isUp(p *eventpipe.Process) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.list[p.Address]
	return c != nil && c.isUp()
}

func (c *counted) isUp() bool { return !c.ended && !c.left }

// running returns the number of processes with sessions.
func (s *series) running() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.list {
		if c.isUp() {
			n++
		}
	}
	return n
}

// Describe sends nothing: the metrics are not known in advance.
func (s *series) Describe(chan<- *prometheus.Desc) {}

var upDesc = prometheus.NewDesc("nettrace_process_up", "1 for a process with sessions of the agent, 0 for one without, or that has ended.", processLabels, nil)

// Collect sends the series, and forgets those of processes that have ended.
func (s *series) Collect(out chan<- prometheus.Metric) {
	s.mu.Lock()
	defer s.mu.Unlock()
	scrape := metrics.NewScrape(out)
	for _, address := range slices.Sorted(maps.Keys(s.list)) {
		c := s.list[address]
		up := 0.0
		if c.isUp() {
			up = 1
		}
		if c.ended {
			delete(s.list, address)
		}
		if m, err := prometheus.NewConstMetric(upDesc, prometheus.GaugeValue, up, c.labels.Values...); err == nil {
			out <- m
		}
		scrape.Add(c.latest.Series(), false, c.labels)
		if c.left {
			c.latest = counters.Latest{MaxSeries: maxSeries}
		}
	}
}
