package counters

import (
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"

	convert "github.com/nettrace-go/nettrace/cmd/nettrace/internal/metrics"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// counterText prints the last values at the end in Prometheus' text format.
type counterText struct {
	w   *watcher
	dst io.Writer
}

func (c *counterText) value(*counters.Message) error { return nil }
func (c *counterText) pause() error                  { return nil }

func (c *counterText) lists() bool { return false }

func (c *counterText) end() error {
	families, err := registryOf(&metrics{w: c.w, ended: true}).Gather()
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(c.dst, family); err != nil {
			return err
		}
	}
	return err
}

func registryOf(m *metrics) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(m)
	return r
}

// serveMetrics serves the last values under /metrics until stop is called.
func serveMetrics(p *run.Program, w *watcher, address string) (stop func(), err error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registryOf(&metrics{w: w}), promhttp.HandlerOpts{}))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	p.Complain("serving http://%s/metrics", l.Addr())
	return func() {
		server.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			p.Complain("serving metrics: %v", err)
		}
	}, nil
}

// metrics collects the last values of a watcher for a registry.
type metrics struct {
	w     *watcher
	ended bool // those of instruments that have ended too
}

// Describe sends nothing: the metrics are not known in advance.
func (m *metrics) Describe(chan<- *prometheus.Desc) {}

// Collect sends the series.
func (m *metrics) Collect(out chan<- prometheus.Metric) {
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	convert.NewScrape(out).Add(m.w.latest.Series(), m.ended, convert.Labels{})
}
