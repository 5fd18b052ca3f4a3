package trigger_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/analysis/trigger"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// read gives the events of a trace to a part of a report.
func read(t *testing.T, trace []byte, part analysis.Part) []analysis.Report {
	t.Helper()
	r := codec.NewBytesReader(trace, codec.Options{Order: codec.ByTime, Schemas: clr.Schemas})
	head, err := analysis.Read(context.Background(), r, analysis.Options{Parts: []analysis.Part{part}})
	if err != nil {
		t.Fatal(err)
	}
	return part.Reports(head)
}

// TestSpansOfReports compares the number of pauses and requests that rules see
// with those of the reports, which read in the order of time. In the order of the
// file requests with the same activity id can seem to be open at once; no more
// than one in twenty may be missed for that.
func TestSpansOfReports(t *testing.T) {
	served := func(kind requests.Direction) func(*testing.T, []byte) int64 {
		return func(t *testing.T, trace []byte) (n int64) {
			for _, row := range read(t, trace, requests.New())[0].Rows.([]requests.Row) {
				if _, known := row.DurationNs.Get(); known && row.Direction == kind && row.State == requests.Completed {
					n++
				}
			}
			return n
		}
	}
	for _, c := range []struct {
		trace, rule string
		want        func(*testing.T, []byte) int64
	}{
		{"gc-truth", "gc-pause >= 0s", func(t *testing.T, trace []byte) int64 {
			return read(t, trace, gc.New())[0].Totals.(*gc.Totals).Pauses.Count
		}},
		{"gc-truth-server", "gc-pause >= 0s", func(t *testing.T, trace []byte) int64 {
			return read(t, trace, gc.New())[0].Totals.(*gc.Totals).Pauses.Count
		}},
		{"aspnet-requests", "request >= 0s", served(requests.Incoming)},
		{"http-client", "client-request >= 0s", served(requests.Outgoing)},
		{"http-client-plain", "client-request >= 0s", served(requests.Outgoing)},
	} {
		t.Run(c.trace, func(t *testing.T) {
			trace := shared.TruthFile(t, c.trace+".v4.nettrace.zst")
			rule, err := trigger.Parse(c.rule)
			expect.NoError(t, err)
			expect.Stop(t)
			want := c.want(t, trace)
			expect.AtLeast(t, "compared", want, 10)
			m := trigger.NewMatcher([]*trigger.Rule{rule}, trigger.Options{})
			for e, err := range codec.NewBytesReader(trace, codec.Options{Order: codec.ByTime, Schemas: clr.Schemas}).Events() {
				expect.NoError(t, err)
				expect.Stop(t)
				m.Event(e)
			}
			expect.Equal(t, "fired in the order of time", m.Status()[0].Fired, want)
			times, status := firings(t, trace, 0, rule)
			expect.AtLeast(t, "firings in the order of the file", int64(len(times))*20, want*19)
			expect.AtMost(t, "firings in the order of the file", int64(len(times)), want)
			expect.Equal(t, "seen", status.Seen, int64(len(times)))
		})
	}
}

// TestKnownCounters parses a rule about each counter of the recorded traces: the
// tables have all counters of known providers.
func TestKnownCounters(t *testing.T) {
	for _, name := range []string{"net10-counters.v4", "azmcp-net10-counters.v4"} {
		t.Run(name, func(t *testing.T) {
			var d counters.Decoder
			seen := map[string]bool{}
			for e, err := range codec.NewBytesReader(shared.Trace(t, name), codec.Options{Schemas: clr.Schemas}).Events() {
				expect.NoError(t, err)
				expect.Stop(t)
				m, _ := d.Decode(e)
				if m.Kind != counters.Measurement {
					continue
				}
				text := m.Value.Provider + "/" + m.Value.Name
				if m.Value.Type == counters.Histogram {
					text += ":p95"
				}
				if seen[text] || strings.ContainsAny(text, " <>=!,") {
					continue
				}
				seen[text] = true
				if _, err := trigger.Parse(text + " > 1"); err != nil {
					t.Error(err)
				}
			}
			expect.AtLeast(t, "counters", len(seen), 10)
		})
	}
}
