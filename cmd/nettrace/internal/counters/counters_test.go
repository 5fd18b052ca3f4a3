package counters_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
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
	r := programtest.Run(t, nil, "counters", testfile.Archive(t, "net10-counters.v4"))
	if r.Code != exit.Done || !strings.Contains(r.Stderr, "observer fails") {
		t.Errorf("exit %d, %s", r.Code, r.Stderr)
	}
	path := filepath.Join("testdata", "counters.txt")
	if *testfile.Update {
		if err := os.WriteFile(path, []byte(r.Out), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if r.Out != string(want) {
		t.Errorf("the table has changed (-update):\n%s", r.Out)
	}
}

// TestCountersPrometheus: the numbers of a trace as Prometheus reads them.
func TestCountersPrometheus(t *testing.T) {
	r := programtest.Run(t, nil, "counters", "--format=prometheus", testfile.Archive(t, "net10-counters.v4"))
	families := parseMetrics(t, strings.NewReader(r.Out))
	if r.Code != exit.Done || len(families) < 50 {
		t.Fatalf("exit %d, %d families, %s", r.Code, len(families), r.Stderr)
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
	trace := testfile.Archive(t, "net10-counters.v4")
	const selection = "Corners.Meter[corners.latency,corners.temp],Corners-Counters[request-rate]"
	rows, err := csv.NewReader(strings.NewReader(programtest.Run(t, nil, "counters", "--format=csv", "--counters", selection, trace).Out)).ReadAll()
	if err != nil || len(rows) != 1+4*5+4+4 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if got := strings.Join(rows[1][1:], "|"); got != "Corners-Counters|Request Rate (Count / 1 sec)|Rate|194|increment|||1|EventCounters" {
		t.Error(got)
	}
	if got := strings.Join(rows[3][1:6], "|"); got != "Corners.Meter|corners.latency (s)[route=/é,Percentile=50]|Metric|5|p50" {
		t.Error(got)
	}
	lines := strings.Split(strings.TrimSpace(programtest.Run(t, nil, "counters", "--format=json", "--counters", selection, trace).Out), "\n")
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

// TestCountersUnmatched: a source or a counter without a value is named, if others have some.
func TestCountersUnmatched(t *testing.T) {
	trace := testfile.Archive(t, "net10-counters.v4")
	for _, c := range []struct{ selection, want string }{
		{"System.Runtime, Corners*", ""},
		{"Corners.Meter[corners.temp, nope],Nope,Nix[a]", `"Corners.Meter[nope]" "Nope" "Nix[a]"`},
	} {
		t.Run(c.selection, func(t *testing.T) {
			want := "nettrace: an instrument of the process failed: System.AggregateException: One or more errors occurred. (observer fails)\n"
			for _, text := range strings.Fields(c.want) {
				want += "nettrace: " + trace + ": warning: --counters: " + text + " matches no counter\n"
			}
			r := programtest.Run(t, nil, "counters", "--counters", c.selection, trace)
			r.Exits(t, exit.Done)
			expect.Equal(t, "stderr", r.Stderr, want)
		})
	}
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
		{"none recorded", "net10-empty.v4", nil, "no counters: the recording did not request any; collect --provider System.Runtime:0:4:EventCounterIntervalSec=1 records those of the runtime"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, append([]string{"counters", testfile.Archive(t, c.trace)}, c.flags...)...)
			if r.Code != exit.Broken {
				t.Errorf("exit %d, want %d", r.Code, exit.Broken)
			}
			if !strings.Contains(r.Stderr, c.want) {
				t.Errorf("stderr %q, want %q in it", r.Stderr, c.want)
			}
			if c.name != "csv" { // which has a heading
				expect.Equal(t, "standard output", r.Out, "")
			}
		})
	}
}

// TestCountersDefect: of a file that cannot be read to its end, only the defect is printed: it is
// unknown what the recording requested.
func TestCountersDefect(t *testing.T) {
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "nettrace: standard input: truncated stream: NT-HDR-002 at offset 0 (the input is empty)"},
		{"garbage", bytes.Repeat([]byte("garbage"), 20), "nettrace: standard input: not a NetTrace stream: NT-HDR-001 at offset 0 (in the stream's header)"},
		{"truncated", testfile.Plain(t, "net10-mix-gc.v4")[:5000], "nettrace: standard input: truncated stream: NT-EOS-006 at offset 5000 (Stack block at 3776, row 11)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, c.data, "counters", "-")
			r.Exits(t, exit.Broken)
			r.Complains(t, c.want)
		})
	}
}

// TestCountersUsage: what cannot be asked.
func TestCountersUsage(t *testing.T) {
	for _, args := range [][]string{
		{}, {"a", "b"}, {"a", "-p", "1"}, {"-p", "1", "-n", "x"}, {"a", "--listen", ":0"}, {"a", "--format", "xml"}, {"a", "--counters", "A["},
		{"a", "--duration", "soon"}, {"a", "--refresh-interval", "1ms"}, {"-p", "1", "--", "command"}, {"nosuchfile"}, {"-p", "999999999"}, {"-n", "no such program"},
	} {
		t.Run(testfile.CaseName(args...), func(t *testing.T) {
			if r := programtest.Run(t, nil, append([]string{"counters"}, args...)...); r.Code != exit.Usage || r.Stderr == "" {
				t.Errorf("exit %d, %s", r.Code, r.Stderr)
			}
		})
	}
}
