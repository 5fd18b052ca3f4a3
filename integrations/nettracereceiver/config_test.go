package nettracereceiver

import (
	"testing"
	"time"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/telemetry/logs"
)

// configured returns the configuration that a map of YAML makes of the default one.
func configured(t *testing.T, values map[string]any) *Config {
	t.Helper()
	cfg := defaultConfig().(*Config)
	expect.NoError(t, confmap.NewFromStringMap(values).Unmarshal(cfg))
	return cfg
}

// TestConfig: the keys of the configuration set what they name, and the default is valid and private.
func TestConfig(t *testing.T) {
	expect.NoError(t, componenttest.CheckConfigStruct(defaultConfig()))
	expect.NoError(t, configured(t, nil).Validate())
	o, err := configured(t, nil).Logs.options()
	expect.NoError(t, err)
	expect.Equal(t, "texts of logs", o.Bodies || o.Exceptions || o.Scopes, false)
	p := configured(t, nil).Traces.options()
	expect.Equal(t, "texts of traces", p.Queries || p.Addresses || p.Exceptions, false)

	cfg := configured(t, map[string]any{
		"processes":      []any{map[string]any{"pid": 9, "name": "shop*", "environment": map[string]any{"A": "b"}, "container": "c1", "pod": "p1", "command_line": "shop.dll"}},
		"flush_interval": "5s", "buffer_mb": 64, "collection_interval": "2s",
		"metrics": map[string]any{"event_sources": []any{"Shop"}, "meters": []any{"M*"}, "others": true, "max_series": 7},
		"logs": map[string]any{
			"level": "Warning", "filters": []any{map[string]any{"category": "Shop", "level": "None"}},
			"use_app_filters": true, "bodies": true, "exception_texts": true, "scopes": true,
		},
		"traces": map[string]any{"sources": []any{"*"}, "sampling_ratio": 0.5, "queries": true, "client_addresses": true, "exception_texts": true, "unfinished": true},
	})
	expect.NoError(t, cfg.Validate())
	m := cfg.metricOptions(9)
	expect.Equal(t, "metrics", m.Interval == 2*time.Second && len(m.EventSources) == 1 && len(m.Meters) == 1 && m.Others && m.MaxSeries == 7 && m.PID == 9, true)
	selectors, err := cfg.selectors()
	expect.NoError(t, err)
	expect.Len(t, "selectors", selectors, 1)
	expect.Equal(t, "PID", selectors[0].PID, 9)
	expect.Equal(t, "matches", selectors[0].Matches(&eventpipe.Process{Name: "other"}), false)
	o, err = cfg.Logs.options()
	expect.NoError(t, err)
	expect.Slices(t, "filters", o.Filters, []logs.Filter{{Category: "Shop"}})
	expect.Equal(t, "logs", o.Level == logs.Warning && o.AppFilters && o.Bodies && o.Exceptions && o.Scopes, true)
	p = cfg.Traces.options()
	expect.Equal(t, "traces", len(p.Sources) == 1 && p.Ratio == 0.5 && p.Queries && p.Addresses && p.Exceptions && cfg.Traces.Unfinished, true)
	expect.Equal(t, "interval", cfg.FlushInterval, 5*time.Second)
}

// TestInvalid: each mistake is an error that names its key.
func TestInvalid(t *testing.T) {
	for key, values := range map[string]map[string]any{
		"processes::0::name":         {"processes": []any{map[string]any{"name": "[a"}}},
		"processes::0::pid":          {"processes": []any{map[string]any{"pid": -1}}},
		"processes::0::command_line": {"processes": []any{map[string]any{"command_line": "("}}},
		"collection_interval":        {"collection_interval": "10ms"},
		"metrics::max_series":        {"metrics": map[string]any{"max_series": 0}},
		"flush_interval":             {"flush_interval": "0s"},
		"buffer_mb":                  {"buffer_mb": 0},
		"logs::level":                {"logs": map[string]any{"level": "Info"}},
		"logs::filters::0::level":    {"logs": map[string]any{"filters": []any{map[string]any{"category": "A", "level": "Info"}}}},
		"ratio":                      {"traces": map[string]any{"sampling_ratio": 2}},
		"name of a source":           {"traces": map[string]any{"sources": []any{"a\"b"}}},
	} {
		err := configured(t, values).Validate()
		if err == nil {
			t.Errorf("%s: no error", key)
			continue
		}
		expect.Contains(t, key, err.Error(), key)
	}
}
