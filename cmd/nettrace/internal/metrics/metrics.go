// Package metrics converts counters of .NET to metrics of Prometheus.
package metrics

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// Scrape collects the series of one or more processes for one answer. Of several
// series that are the same to Prometheus, and of those of one name but different
// types, it sends the first only. It leaves out series that Prometheus cannot have.
type Scrape struct {
	out      chan<- prometheus.Metric
	families map[string]*family
}

// NewScrape returns a Scrape that sends metrics to out.
func NewScrape(out chan<- prometheus.Metric) *Scrape {
	return &Scrape{out: out, families: map[string]*family{}}
}

// Labels are names and values of labels.
type Labels struct {
	Names  []string // sorted
	Values []string // of Names
}

// Add sends series, with labels of their process. ended includes those of
// instruments that have ended.
func (c *Scrape) Add(list []*counters.Series, ended bool, process Labels) {
	for _, s := range list {
		if s.Ended && !ended {
			continue
		}
		name := metricName(&s.Last)
		f := c.families[name]
		if f == nil {
			f = &family{kind: s.Last.Type, help: helpOf(&s.Last), seen: map[string]bool{}}
			c.families[name] = f
		}
		labels := labelsOf(&s.Last).with(process)
		if key := labels.key(); f.kind == s.Last.Type && !f.seen[key] {
			f.seen[key] = true
			if m, err := metricOf(s, prometheus.NewDesc(name, f.help, labels.Names, nil), labels.Values); err == nil {
				c.out <- m
			}
		}
	}
}

// with returns the labels together with those of a process. A label with a name
// of those gets the prefix that Prometheus uses for such labels, repeatedly until no
// other label has the name.
func (l Labels) with(process Labels) Labels {
	for i, name := range l.Names {
		if !slices.Contains(process.Names, name) {
			continue
		}
		for slices.Contains(process.Names, name) || slices.Contains(l.Names, name) {
			name = "exported_" + name
		}
		l.Names[i] = name
	}
	return Labels{slices.Concat(process.Names, l.Names), slices.Concat(process.Values, l.Values)}
}

// family has the properties that the series of one name share.
type family struct {
	kind counters.Type
	help string
	seen map[string]bool // by labels
}

// metricOf returns the metric of a series: an increment becomes a sum, and a
// histogram a summary with the quantiles of the last interval.
func metricOf(s *counters.Series, desc *prometheus.Desc, labels []string) (prometheus.Metric, error) {
	switch s.Last.Type {
	case counters.Increment:
		return prometheus.NewConstMetric(desc, prometheus.CounterValue, s.Total, labels...)
	case counters.Counter:
		total := s.Total
		if s.Value.Valid {
			total = s.Value.Float64
		}
		return prometheus.NewConstMetric(desc, prometheus.CounterValue, total, labels...)
	case counters.Histogram:
		quantiles := map[float64]float64{}
		for _, q := range s.Last.Quantiles {
			quantiles[q.Quantile] = q.Value
		}
		return prometheus.NewConstSummary(desc, uint64(max(0, s.Count)), s.Sum, quantiles, labels...)
	}
	value := s.Value.Float64
	if !s.Value.Valid {
		value = s.Total // of an UpDownCounter before .NET 8
	}
	return prometheus.NewConstMetric(desc, prometheus.GaugeValue, value, labels...)
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
	return validText(cmp.Or(v.Display, v.Name))
}

// labelsOf returns the source and the tags of the series, its instrument and
// its Meter, sorted by name. It joins the values of names that are the same to
// Prometheus by semicolons.
func labelsOf(v *counters.Value) Labels {
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
	var set Labels
	for _, tag := range tags {
		value := validText(tag.Value)
		if n := len(set.Names); n > 0 && set.Names[n-1] == tag.Key {
			set.Values[n-1] += ";" + value
			continue
		}
		set.Names, set.Values = append(set.Names, tag.Key), append(set.Values, value)
	}
	return set
}

func (l *Labels) key() string {
	return strings.Join(l.Names, "\x00") + "\x01" + strings.Join(l.Values, "\x00")
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
