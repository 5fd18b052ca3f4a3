package counters

import (
	"cmp"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"

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

// Collect sends the series. Of several series that are the same to Prometheus,
// and of those of one name but different types, it sends the first only.
func (m *metrics) Collect(out chan<- prometheus.Metric) {
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	families := map[string]*family{}
	for _, s := range m.w.latest.Series() {
		if s.Ended && !m.ended {
			continue
		}
		name := metricName(&s.Last)
		f := families[name]
		if f == nil {
			f = &family{kind: s.Last.Type, help: helpOf(&s.Last), seen: map[string]bool{}}
			families[name] = f
		}
		labels := labelsOf(&s.Last)
		if key := labels.key(); f.kind == s.Last.Type && !f.seen[key] {
			f.seen[key] = true
			out <- metricOf(s, prometheus.NewDesc(name, f.help, labels.names, nil), labels.values)
		}
	}
}

// family has the properties that the series of one name share.
type family struct {
	kind counters.Type
	help string
	seen map[string]bool // by labels
}

// metricOf returns the metric of a series: an increment becomes a sum, and a
// histogram a summary with the quantiles of the last interval.
func metricOf(s *counters.Series, desc *prometheus.Desc, labels []string) prometheus.Metric {
	switch s.Last.Type {
	case counters.Increment:
		return prometheus.MustNewConstMetric(desc, prometheus.CounterValue, s.Total, labels...)
	case counters.Counter:
		total := s.Total
		if s.Value.Valid {
			total = s.Value.Float64
		}
		return prometheus.MustNewConstMetric(desc, prometheus.CounterValue, total, labels...)
	case counters.Histogram:
		quantiles := map[float64]float64{}
		for _, q := range s.Last.Quantiles {
			quantiles[q.Quantile] = q.Value
		}
		return prometheus.MustNewConstSummary(desc, uint64(max(0, s.Count)), s.Sum, quantiles, labels...)
	}
	value := s.Value.Float64
	if !s.Value.Valid {
		value = s.Total // of an UpDownCounter before .NET 8
	}
	return prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
}

// metricUnits are the names of units in Prometheus. Other units remain, without
// annotations in braces.
var metricUnits = map[string]string{
	"B": "bytes", "By": "bytes", "KB": "kilobytes", "MB": "megabytes", "s": "seconds", "ms": "milliseconds", "us": "microseconds",
	"ns": "nanoseconds", "min": "minutes", "h": "hours", "d": "days", "%": "percent", "1": "ratio", "C": "celsius", "Cel": "celsius",
	"KiBy": "kibibytes", "MiBy": "mebibytes", "GiBy": "gibibytes", "kBy": "kilobytes", "MBy": "megabytes", "GBy": "gigabytes",
}

// metricName returns the instrument's name, its unit, and _total for a counter
// that only increases, by the rules of OpenTelemetry. It puts the source before
// the names of EventCounters, which are short.
func metricName(v *counters.Value) string {
	name := v.Name
	if v.Source == counters.EventCounters {
		name = v.Provider + "_" + name
	}
	name = strings.TrimSuffix(metricWord(name), "_total")
	unit := v.Unit
	if known, ok := metricUnits[unit]; ok {
		unit = known
	}
	if strings.HasPrefix(unit, "{") {
		unit = ""
	}
	if unit = strings.Trim(metricWord(unit), "_"); unit != "" && name != unit && !strings.HasSuffix(name, "_"+unit) {
		name += "_" + unit
	}
	if v.Type == counters.Counter || v.Type == counters.Increment {
		name += "_total"
	}
	return name
}

// metricWord makes a name of letters, digits and underscores.
func metricWord(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9' && i > 0:
			b.WriteRune(r)
		case r >= '0' && r <= '9':
			b.WriteString("_" + string(r))
		case !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	if b.Len() == 0 {
		return "_"
	}
	return b.String()
}

// helpOf returns the description of the counter by the program.
func helpOf(v *counters.Value) string {
	if i := v.Instrument; i != nil && i.Description != "" {
		return validText(i.Description)
	}
	return validText(displayName(v))
}

// labelSet is the labels of a series.
type labelSet struct{ names, values []string }

// labelsOf returns the source and the tags of the series, its instrument and
// its Meter, sorted by name. It joins the values of names that are the same to
// Prometheus by semicolons.
func labelsOf(v *counters.Value) labelSet {
	scope := "otel_scope_name"
	if v.Source == counters.EventCounters {
		scope = "event_source"
	}
	tags := append([]counters.Tag{{Key: scope, Value: v.Provider}}, counters.ParseTags(v.Tags, v.Source)...)
	if v.Version != "" {
		tags = append(tags, counters.Tag{Key: "otel_scope_version", Value: v.Version})
	}
	if i := v.Instrument; i != nil {
		tags = append(tags, counters.ParseTags(i.Tags, v.Source)...)
		tags = append(tags, counters.ParseTags(i.MeterTags, v.Source)...)
	}
	for i := range tags {
		tags[i].Key = labelName(tags[i].Key)
	}
	slices.SortStableFunc(tags, func(a, b counters.Tag) int { return cmp.Compare(a.Key, b.Key) })
	var set labelSet
	for _, tag := range tags {
		value := validText(tag.Value)
		if n := len(set.names); n > 0 && set.names[n-1] == tag.Key {
			set.values[n-1] += ";" + value
			continue
		}
		set.names, set.values = append(set.names, tag.Key), append(set.values, value)
	}
	return set
}

func (l *labelSet) key() string {
	return strings.Join(l.names, "\x00") + "\x01" + strings.Join(l.values, "\x00")
}

// labelName returns the label for a tag's name, not one of the labels that
// Prometheus reserves.
func labelName(key string) string {
	name := metricWord(key)
	if name == "quantile" || strings.HasPrefix(name, "__") {
		return "tag_" + strings.TrimLeft(name, "_")
	}
	return name
}

// validText returns text without bytes that are not UTF-8.
func validText(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
