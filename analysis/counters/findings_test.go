package counters_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/counters"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// rising returns n numbers with equal steps.
func rising(n int, from, to float64) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = from + (to-from)*float64(i)/float64(n-1)
	}
	return list
}

// repeated returns n equal numbers.
func repeated(n int, x float64) []float64 { return rising(n, x, x) }

// TestAnomalies: peaks and growth, and what is neither.
func TestAnomalies(t *testing.T) {
	for _, c := range []struct {
		name    string
		counter string
		values  []float64
		want    []counters.Anomaly
	}{
		{"peak", "cpu-usage", append(repeated(11, 10), 50), []counters.Anomaly{{Kind: counters.Peak, StartNs: 12e9, Usual: 10, Value: 50}}},
		{"no peak", "cpu-usage", append(repeated(11, 10), 49), nil},
		{"too few values", "cpu-usage", append(repeated(8, 10), 50), nil},
		{"usually nothing", "cpu-usage", append(repeated(11, 0), 50), nil},
		{"growth", "working-set", rising(80, 100, 400), []counters.Anomaly{{Kind: counters.Growth, StartNs: 1e9, Usual: 101.89873417721519, Value: 329.746835443038}}},
		{"sum since the start", "methods-jitted-count", rising(80, 100, 400), nil},
		{"less than twice", "working-set", rising(80, 100, 190), nil},
		{"less than a minute", "working-set", rising(60, 100, 400), nil},
		{"growth at the start only", "working-set", append(rising(20, 100, 400), repeated(60, 400)...), nil},
		{"step", "working-set", append(repeated(40, 100), repeated(40, 400)...), nil},
		{"falls again", "working-set", append(rising(60, 100, 400), repeated(20, 100)...), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMaker(wire.V4)
			for i, x := range c.values {
				m.mean(uint64(i+1)*second, "System.Runtime", c.counter, x)
			}
			expect.Slices(t, "anomalies", m.row(t).Anomalies, c.want)
		})
	}
}

// TestFindings: each rule at its threshold, and below it.
func TestFindings(t *testing.T) {
	mean := func(provider, name string, values ...float64) func(*maker) {
		return func(m *maker) {
			for i, x := range values {
				m.mean(uint64(i+1)*second, provider, name, x)
			}
		}
	}
	sum := func(name string, values ...float64) func(*maker) {
		return func(m *maker) {
			for i, x := range values {
				m.sum(uint64(i+1)*second, "System.Runtime", name, x)
			}
		}
	}
	const kestrel, hosting = "Microsoft-AspNetCore-Server-Kestrel", "Microsoft.AspNetCore.Hosting"
	for _, c := range []struct {
		name string
		add  func(*maker)
		rule string // "" for none
		text string
	}{
		{"gc", sum("total-pause-time-by-gc", repeated(5, 100)...), "counters-gc-pause", "at least 10 % of the time for 4.0 s from 1.0 s on"},
		{"little gc", sum("total-pause-time-by-gc", repeated(5, 99)...), "", ""},
		{"gc for a short time", sum("total-pause-time-by-gc", append(repeated(4, 900), 0)...), "", ""},
		{"pool", mean("System.Runtime", "threadpool-queue-length", repeated(5, 100)...), "counters-thread-pool-queue", "at least 100 work items"},
		{"small pool queue", mean("System.Runtime", "threadpool-queue-length", repeated(5, 99)...), "", ""},
		{"queue of another provider", mean("Shop", "threadpool-queue-length", repeated(5, 1e6)...), "", ""},
		{"server", mean(kestrel, "request-queue-length", repeated(5, 10)...), "counters-server-queue", "(request-queue-length)"},
		{"small server queue", mean(kestrel, "request-queue-length", repeated(5, 9)...), "", ""},
		{"exceptions", sum("exception-count", repeated(5, 100)...), "counters-exceptions", "at least 100 exceptions a second"},
		{"few exceptions", sum("exception-count", repeated(5, 99)...), "", ""},
		{"locks", sum("monitor-lock-contention-count", repeated(5, 1000)...), "counters-lock-contention", "at least 1000 times a second"},
		{"few locks", sum("monitor-lock-contention-count", repeated(5, 999)...), "", ""},
		{"memory", mean("System.Runtime", "gc-heap-size", rising(80, 100, 400)...), "counters-memory-growth", "gc-heap-size grew from 102 to 330 MB in 79 s"},
		{"little memory", mean("System.Runtime", "gc-heap-size", rising(80, 10, 40)...), "", ""},
		{"timers", mean("System.Runtime", "active-timer-count", rising(80, 100, 400)...), "counters-growth", "active-timer-count grew from 102 to 330 in 79 s"},
		{"few timers", mean("System.Runtime", "active-timer-count", rising(80, 10, 40)...), "", ""},
		{"failed requests", func(m *maker) {
			mean(hosting, "failed-requests", 5, 5, 25)(m)
			mean(hosting, "total-requests", 100, 300, 500)(m)
		}, "counters-failed-requests", "20 of 400 requests failed"},
		{"few failed requests", func(m *maker) {
			mean(hosting, "failed-requests", 5, 5, 24)(m)
			mean(hosting, "total-requests", 100, 110, 120)(m)
		}, "", ""},
		{"callback", func(m *maker) {
			mean("Shop", "load", 1)(m)
			m.meter(2, 14, "s:sessionId s:errorMessage", "S", "System.Exception: it fails\r\n at Shop.Observe()")
		}, "counters-callback-error", "failed: System.Exception: it fails"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMaker(wire.V4)
			c.add(m)
			expectFinding(t, m, c.rule, c.text)
		})
	}
}

// expectFinding checks that a trace has one finding, or none if rule is "".
func expectFinding(t *testing.T, m *maker, rule, text string) {
	t.Helper()
	list := m.reports(t, analysis.Limits{})[0].Findings
	if rule == "" {
		expect.Len(t, "findings", list, 0)
		return
	}
	if len(list) != 1 {
		t.Fatalf("findings %v, want one", list)
	}
	expect.Equal(t, "rule", list[0].Rule, rule)
	expect.Contains(t, "text", list[0].Text, text)
}

// TestMeterFindings: the rules know the instruments of Meters too.
func TestMeterFindings(t *testing.T) {
	repeat := func(event uint32, meter, name, tags, rate, value string) func(*maker) {
		return func(m *maker) {
			for at := uint64(second); at <= 5*second; at += second {
				m.interval(at)
				m.rate(at+1, event, meter, name, tags, rate, value)
			}
		}
	}
	const runtime, kestrel = "System.Runtime", "Microsoft.AspNetCore.Server.Kestrel"
	for _, c := range []struct {
		name string
		add  func(*maker)
		rule string
		text string
	}{
		{"gc", repeat(4, runtime, "dotnet.gc.pause.time", "", "0.25", "9"), "counters-gc-pause", "at least 25 % of the time"},
		{"pool", repeat(4, runtime, "dotnet.thread_pool.queue.length", "", "0", "100"), "counters-thread-pool-queue", "at least 100 work items"},
		{"server", repeat(16, kestrel, "kestrel.queued_connections", "", "0", "12"), "counters-server-queue", "at least 12 connections"},
		{"exceptions", repeat(4, runtime, "dotnet.exceptions", "error.type=Bad", "100", "9"), "counters-exceptions", "dotnet.exceptions with error.type=Bad"},
		{"locks", repeat(4, runtime, "dotnet.monitor.lock_contentions", "", "1000", "9"), "counters-lock-contention", "at least 1000 times"},
		{"growth", func(m *maker) {
			for i, x := range rising(80, 100, 400) {
				m.interval(uint64(i) * second)
				m.meter(uint64(i)*second+1, 16, ofValue+"s:rate s:value", "S", "Shop", "", "open", "{connection}", "", "", numberText(x))
			}
		}, "counters-growth", "open grew from"},
		{"failed requests", func(m *maker) {
			for status, count := range map[string]int32{"200": 300, "404": 80, "503": 20} {
				m.meter(second, 6, ofValue+"s:quantiles i:count d:sum i:instrumentId", "S", "Microsoft.AspNetCore.Hosting", "", "http.server.request.duration",
					"s", "http.request.method=GET,http.response.status_code="+status, "", count, 1.0, int32(1))
			}
		}, "counters-failed-requests", "20 of 400 requests failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMaker(wire.V4)
			c.add(m)
			expectFinding(t, m, c.rule, c.text)
		})
	}
}
