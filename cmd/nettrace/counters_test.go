package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// parseMetrics reads Prometheus' text format as Prometheus does.
func parseMetrics(t *testing.T, text io.Reader) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(text)
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// TestCountersTable compares the table of a real trace with what it was.
func TestCountersTable(t *testing.T) {
	r := nettrace(t, nil, "counters", archive(t, "net10-counters.v4"))
	if r.code != exitDone || !strings.Contains(r.stderr, "observer fails") {
		t.Errorf("exit %d, %s", r.code, r.stderr)
	}
	path := filepath.Join("testdata", "counters.txt")
	if *update {
		if err := os.WriteFile(path, []byte(r.out), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if r.out != string(want) {
		t.Errorf("the table has changed (-update):\n%s", r.out)
	}
}

// TestCountersPrometheus: the numbers of a trace as Prometheus reads them.
func TestCountersPrometheus(t *testing.T) {
	r := nettrace(t, nil, "counters", "--format=prometheus", archive(t, "net10-counters.v4"))
	families := parseMetrics(t, strings.NewReader(r.out))
	if r.code != exitDone || len(families) < 50 {
		t.Fatalf("exit %d, %d families, %s", r.code, len(families), r.stderr)
	}
	summary := families["corners_latency_seconds"].GetMetric()[0].GetSummary()
	if summary.GetSampleCount() != 98+95+98+98 || summary.GetQuantile()[1].GetValue() != 9.5 {
		t.Errorf("%v", summary)
	}
	for name, want := range map[string]float64{
		"Corners_Counters_bytes_total": 38900, "corners_obscounter_total": 40, "System_Runtime_gen_0_gc_count_total": 0, "dotnet_process_cpu_count": 2,
	} {
		t.Run(name, func(t *testing.T) {
			f := families[name]
			if f == nil || f.GetMetric()[0].GetCounter().GetValue()+f.GetMetric()[0].GetGauge().GetValue() != want {
				t.Error(f)
			}
		})
	}
	for _, label := range families["corners_requests_total"].GetMetric()[0].GetLabel() {
		if label.GetName() == "meterTag" && label.GetValue() == "mt" {
			return
		}
	}
	t.Errorf("no tags of the Meter: %v", families["corners_requests_total"])
}

// TestCountersLines: CSV and JSON have the same numbers, and only those chosen.
func TestCountersLines(t *testing.T) {
	trace := archive(t, "net10-counters.v4")
	const selection = "Corners.Meter[corners.latency,corners.temp],Corners-Counters[request-rate]"
	rows, err := csv.NewReader(strings.NewReader(nettrace(t, nil, "counters", "--format=csv", "--counters", selection, trace).out)).ReadAll()
	if err != nil || len(rows) != 1+4*5+4+4 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if got := strings.Join(rows[1][1:], "|"); got != "Corners-Counters|Request Rate (Count / 1 sec)|Rate|194|increment|||1|EventCounters" {
		t.Error(got)
	}
	if got := strings.Join(rows[3][1:6], "|"); got != "Corners.Meter|corners.latency (s)[route=/é,Percentile=50]|Metric|5|p50" {
		t.Error(got)
	}
	lines := strings.Split(strings.TrimSpace(nettrace(t, nil, "counters", "--format=json", "--counters", selection, trace).out), "\n")
	if len(lines) != 12 {
		t.Fatalf("%d lines", len(lines))
	}
	var line struct {
		Name, Kind, Unit string
		Tags             map[string]string
		Interval, Sum    float64
		Count            int
		Quantiles        map[string]float64
	}
	err = json.Unmarshal([]byte(lines[2]), &line)
	expect.NoError(t, err)
	expect.Equal(t, "line.Kind", line.Kind, "Histogram")
	expect.Equal(t, "line.Tags[\"route\"]", line.Tags["route"], "/é")
	expect.Equal(t, "line.Count", line.Count, 98)
	expect.Equal(t, "line.Quantiles[\"0.95\"]", line.Quantiles["0.95"], 9.390625)
	expect.Equal(t, "line.Sum", line.Sum, 485.1)
	expect.Equal(t, "line.Interval", line.Interval, 1)
}

// TestCountersNothing: counters that a trace does not have are an error that
// names those it has.
func TestCountersNothing(t *testing.T) {
	for _, c := range []struct {
		name, trace string
		flags       []string
		want        string
	}{
		{"other names", "net10-counters.v4", []string{"--counters", "Nobody"}, "no counter matches --counters; there are counters of Corners-Counters, Corners.Meter"},
		{"csv", "net10-counters.v4", []string{"--counters", "Nobody", "--format", "csv"}, "no counter matches"},
		{"none recorded", "net10-empty.v4", nil, "no counters: nobody asked for them"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := nettrace(t, nil, append([]string{"counters", archive(t, c.trace)}, c.flags...)...)
			if r.code != exitBroken {
				t.Errorf("exit %d, want %d", r.code, exitBroken)
			}
			if !strings.Contains(r.stderr, c.want) {
				t.Errorf("stderr %q, want %q in it", r.stderr, c.want)
			}
		})
	}
}

// TestCountersUsage: what cannot be asked.
func TestCountersUsage(t *testing.T) {
	for _, args := range [][]string{
		{}, {"a", "b"}, {"a", "-p", "1"}, {"-p", "1", "-n", "x"}, {"a", "--listen", ":0"}, {"a", "--format", "xml"}, {"a", "--counters", "A["},
		{"a", "--duration", "soon"}, {"a", "--refresh-interval", "1ms"}, {"-p", "1", "--", "command"}, {"nosuchfile"}, {"-p", "999999999"}, {"-n", "no such program"},
	} {
		t.Run(caseName(args...), func(t *testing.T) {
			if r := nettrace(t, nil, append([]string{"counters"}, args...)...); r.code != exitUsage || r.stderr == "" {
				t.Errorf("exit %d, %s", r.code, r.stderr)
			}
		})
	}
}

// TestMetricNames: names after the rules of OpenTelemetry.
func TestMetricNames(t *testing.T) {
	for want, v := range map[string]counters.Value{
		"http_server_duration_seconds":          {Source: counters.Meters, Type: counters.Histogram, Name: "http.server.duration", Unit: "s"},
		"requests_total":                        {Source: counters.Meters, Type: counters.Counter, Name: "requests", Unit: "{request}"},
		"bytes_total":                           {Source: counters.Meters, Type: counters.Counter, Name: "bytes_total", Unit: "By"},
		"_5xx":                                  {Source: counters.Meters, Type: counters.Gauge, Name: "5xx"},
		"System_Runtime_alloc_rate_bytes_total": {Type: counters.Increment, Provider: "System.Runtime", Name: "alloc-rate", Unit: "B"},
		"_":                                     {Source: counters.Meters, Type: counters.Gauge, Name: "ä"},
	} {
		t.Run(v.Name, func(t *testing.T) {
			if got := metricName(&v); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

func TestParseLimit(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, "30s": 30 * time.Second, "1m30s": 90 * time.Second, "00:00:00:05": 5 * time.Second, "01:02:03:04": 26*time.Hour + 3*time.Minute + 4*time.Second, "01:30": 90 * time.Second,
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if got, err := parseLimit(text); err != nil || got != want {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
	for _, text := range []string{"0s", "-1s", "5", "00:60", "24:00:00", "1:2:3:4:5", "a:b", "00:00"} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if got, err := parseLimit(text); err == nil {
				t.Error(got)
			}
		})
	}
}
