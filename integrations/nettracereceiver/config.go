package nettracereceiver

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/telemetry/logs"
	"github.com/nettrace-go/nettrace/telemetry/metrics"
	"github.com/nettrace-go/nettrace/telemetry/traces"
)

// Config is the configuration of a receiver.
type Config struct {
	// Processes choose the processes: each that one of them matches. None chooses all.
	Processes []ProcessConfig `mapstructure:"processes"`
	// FlushInterval is the time after which records and spans are passed on.
	FlushInterval time.Duration `mapstructure:"flush_interval"`
	// BufferMB is the size of each process's buffer for events that were not sent.
	BufferMB int `mapstructure:"buffer_mb"`

	// CollectionInterval is the time between two values of a metric.
	CollectionInterval time.Duration `mapstructure:"collection_interval"`

	Metrics MetricsConfig `mapstructure:"metrics"` // of a pipeline of metrics
	Logs    LogsConfig    `mapstructure:"logs"`    // of a pipeline of logs
	Traces  TracesConfig  `mapstructure:"traces"`  // of a pipeline of traces

}

// ProcessConfig chooses processes: each that matches all that is set.
type ProcessConfig struct {
	PID         int               `mapstructure:"pid"`          // as the Collector sees it
	Name        string            `mapstructure:"name"`         // of the program or of its entry assembly, with * and ?
	CommandLine string            `mapstructure:"command_line"` // a regular expression for a part of it
	Environment map[string]string `mapstructure:"environment"`  // variables at the start of the process
	Container   string            `mapstructure:"container"`    // id, or its beginning
	Pod         string            `mapstructure:"pod"`          // uid
}

// MetricsConfig selects metrics beside those of the semantic conventions that the EventCounters of .NET have.
type MetricsConfig struct {
	EventSources []string `mapstructure:"event_sources"` // further EventSources with EventCounters
	Meters       []string `mapstructure:"meters"`        // names of Meters, or their beginnings with a *; a process can hang at its end while they are recorded
	Others       bool     `mapstructure:"others"`        // counters of the runtime and of ASP.NET Core without a name in the conventions, under their own names
	MaxSeries    int      `mapstructure:"max_series"`    // of a process
}

// LogsConfig selects log records.
type LogsConfig struct {
	Level      string         `mapstructure:"level"`           // the lowest: Trace, Debug, Information, Warning, Error, Critical
	Filters    []FilterConfig `mapstructure:"filters"`         // exceptions from Level
	AppFilters bool           `mapstructure:"use_app_filters"` // record only what the program's own configuration lets through
	Bodies     bool           `mapstructure:"bodies"`          // messages and their arguments
	Exceptions bool           `mapstructure:"exception_texts"` // messages and stacks of exceptions
	Scopes     bool           `mapstructure:"scopes"`          // arguments of scopes
}

// FilterConfig is the lowest level of some loggers.
type FilterConfig struct {
	Category string `mapstructure:"category"` // beginning of the name, or a pattern with one *
	Level    string `mapstructure:"level"`    // as LogsConfig.Level; None records nothing
}

// TracesConfig selects spans.
type TracesConfig struct {
	Sources    []string `mapstructure:"sources"`          // names of ActivitySources, "*" for all; none: those of HTTP, gRPC and databases
	Ratio      float64  `mapstructure:"sampling_ratio"`   // of the traces, from .NET 9 on; 1 or 0 is all
	Queries    bool     `mapstructure:"queries"`          // query strings and statements of databases
	Addresses  bool     `mapstructure:"client_addresses"` // of the other side of a request that a process serves
	Exceptions bool     `mapstructure:"exception_texts"`  // messages and stacks of exceptions
	Unfinished bool     `mapstructure:"unfinished"`       // pass on spans that have not ended with the session, with an attribute that says so
}

// Validate implements the interface of the Collector.
func (c *Config) Validate() error {
	var list []error
	if _, err := c.selectors(); err != nil {
		list = append(list, err)
	}
	if _, err := c.Logs.options(); err != nil {
		list = append(list, err)
	}
	if _, err := traces.Providers(c.Traces.options(), newest); err != nil {
		list = append(list, err)
	}
	if c.CollectionInterval < time.Second {
		list = append(list, errors.New("collection_interval: it must be at least 1s"))
	}
	if c.Metrics.MaxSeries < 1 {
		list = append(list, errors.New("metrics::max_series: it must be at least 1"))
	}
	if c.FlushInterval <= 0 {
		list = append(list, errors.New("flush_interval: it must be positive"))
	}
	if c.BufferMB < 1 {
		list = append(list, errors.New("buffer_mb: it must be at least 1"))
	}
	return errors.Join(list...)
}

// newest is a version of .NET that has all that can be configured.
const newest = "11.0"

// selectors returns what chooses the processes.
func (c *Config) selectors() ([]eventpipe.Selector, error) {
	if len(c.Processes) == 0 {
		return []eventpipe.Selector{{}}, nil
	}
	var list []eventpipe.Selector
	for i, p := range c.Processes {
		s := eventpipe.Selector{PID: p.PID, Name: p.Name, Environment: p.Environment, Container: p.Container, Pod: p.Pod}
		if p.PID < 0 {
			return nil, fmt.Errorf("processes::%d::pid: %d is no PID", i, p.PID)
		}
		if _, err := path.Match(p.Name, ""); err != nil {
			return nil, fmt.Errorf("processes::%d::name: %w", i, err)
		}
		if p.CommandLine != "" {
			var err error
			if s.CommandLine, err = regexp.Compile(p.CommandLine); err != nil {
				return nil, fmt.Errorf("processes::%d::command_line: %w", i, err)
			}
		}
		list = append(list, s)
	}
	return list, nil
}

// severities are the levels by their names.
var severities = map[string]logs.Severity{
	"Trace": logs.Trace, "Debug": logs.Debug, "Information": logs.Information, "Warning": logs.Warning, "Error": logs.Error, "Critical": logs.Critical,
}

// options returns the options of package logs.
func (c *LogsConfig) options() (logs.Options, error) {
	o := logs.Options{AppFilters: c.AppFilters, Bodies: c.Bodies, Exceptions: c.Exceptions, Scopes: c.Scopes}
	var known bool
	if o.Level, known = severities[c.Level]; !known {
		return o, fmt.Errorf("logs::level: %q is none of Trace, Debug, Information, Warning, Error, Critical", c.Level)
	}
	for i, f := range c.Filters {
		level, known := severities[f.Level]
		if !known && f.Level != "None" {
			return o, fmt.Errorf("logs::filters::%d::level: %q is none of Trace, Debug, Information, Warning, Error, Critical, None", i, f.Level)
		}
		o.Filters = append(o.Filters, logs.Filter{Category: f.Category, Level: level})
	}
	return o, nil
}

// metricOptions returns the options of package metrics for a process.
func (c *Config) metricOptions(pid int) metrics.Options {
	m := &c.Metrics
	return metrics.Options{Interval: c.CollectionInterval, EventSources: m.EventSources, Meters: m.Meters, Others: m.Others, MaxSeries: m.MaxSeries, PID: pid}
}

// options returns the options of package traces.
func (c *TracesConfig) options() traces.Options {
	return traces.Options{Sources: c.Sources, Ratio: c.Ratio, Queries: c.Queries, Addresses: c.Addresses, Exceptions: c.Exceptions}
}
