package metrics

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

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
