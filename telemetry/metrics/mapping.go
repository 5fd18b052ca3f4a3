package metrics

import "github.com/nettrace-go/nettrace/telemetry"

// Mapping says which metric of the conventions an EventCounter is.
type Mapping struct {
	Source, Counter string                // names of the EventSource and of its counter
	Metric, Unit    string                // names by the conventions
	Kind            Kind                  // of the metric
	Scale           float64               // units of the metric in one of the counter
	Attribute       telemetry.Attribute   // of the metric's point; no Key for none
	Absolute        bool                  // the counter reports a sum since the start of the process
	Minus           string                // the counter that has a part of its increments too; "" for none
	attributes      []telemetry.Attribute // Attribute, as that of points
}

const generation = "dotnet.gc.heap.generation"

// sources are the EventSources of the runtime and of ASP.NET Core whose counters have metrics in
// the conventions, and the Meters that have the same metrics.
var sources = []struct {
	name, meter string
	since       int // first major version with the Meter
	counters    []Mapping
}{
	{"System.Runtime", "System.Runtime", 9, []Mapping{
		{Counter: "working-set", Metric: "dotnet.process.memory.working_set", Unit: "By", Kind: UpDownSum, Scale: 1e6},
		{Counter: "gen-0-gc-count", Metric: collections, Unit: "{collection}", Kind: Sum, Attribute: gen("gen0"), Minus: "gen-1-gc-count"},
		{Counter: "gen-1-gc-count", Metric: collections, Unit: "{collection}", Kind: Sum, Attribute: gen("gen1"), Minus: "gen-2-gc-count"},
		{Counter: "gen-2-gc-count", Metric: collections, Unit: "{collection}", Kind: Sum, Attribute: gen("gen2")},
		{Counter: "alloc-rate", Metric: "dotnet.gc.heap.total_allocated", Unit: "By", Kind: Sum},
		{Counter: "gc-committed", Metric: "dotnet.gc.last_collection.memory.committed_size", Unit: "By", Kind: UpDownSum, Scale: 1e6},
		{Counter: "gen-0-size", Metric: heapSize, Unit: "By", Kind: UpDownSum, Attribute: gen("gen0")},
		{Counter: "gen-1-size", Metric: heapSize, Unit: "By", Kind: UpDownSum, Attribute: gen("gen1")},
		{Counter: "gen-2-size", Metric: heapSize, Unit: "By", Kind: UpDownSum, Attribute: gen("gen2")},
		{Counter: "loh-size", Metric: heapSize, Unit: "By", Kind: UpDownSum, Attribute: gen("loh")},
		{Counter: "poh-size", Metric: heapSize, Unit: "By", Kind: UpDownSum, Attribute: gen("poh")},
		{Counter: "total-pause-time-by-gc", Metric: "dotnet.gc.pause.time", Unit: "s", Kind: Sum, Scale: 1e-3},
		{Counter: "il-bytes-jitted", Metric: "dotnet.jit.compiled_il.size", Unit: "By", Kind: Sum, Absolute: true},
		{Counter: "methods-jitted-count", Metric: "dotnet.jit.compiled_methods", Unit: "{method}", Kind: Sum, Absolute: true},
		{Counter: "time-in-jit", Metric: "dotnet.jit.compilation.time", Unit: "s", Kind: Sum, Scale: 1e-3},
		{Counter: "monitor-lock-contention-count", Metric: "dotnet.monitor.lock_contentions", Unit: "{contention}", Kind: Sum},
		{Counter: "threadpool-thread-count", Metric: "dotnet.thread_pool.thread.count", Unit: "{thread}", Kind: UpDownSum},
		{Counter: "threadpool-completed-items-count", Metric: "dotnet.thread_pool.work_item.count", Unit: "{work_item}", Kind: Sum},
		{Counter: "threadpool-queue-length", Metric: "dotnet.thread_pool.queue.length", Unit: "{work_item}", Kind: UpDownSum},
		{Counter: "active-timer-count", Metric: "dotnet.timer.count", Unit: "{timer}", Kind: UpDownSum},
		{Counter: "assembly-count", Metric: "dotnet.assembly.count", Unit: "{assembly}", Kind: UpDownSum},
		{Counter: "exception-count", Metric: "dotnet.exceptions", Unit: "{exception}", Kind: Sum},
	}},
	{"Microsoft.AspNetCore.Hosting", "Microsoft.AspNetCore.Hosting", 8, []Mapping{
		{Counter: "current-requests", Metric: "http.server.active_requests", Unit: "{request}", Kind: UpDownSum},
	}},
	{"Microsoft-AspNetCore-Server-Kestrel", "Microsoft.AspNetCore.Server.Kestrel", 8, []Mapping{
		{Counter: "current-connections", Metric: "kestrel.active_connections", Unit: "{connection}", Kind: UpDownSum},
		{Counter: "connection-queue-length", Metric: "kestrel.queued_connections", Unit: "{connection}", Kind: UpDownSum},
		{Counter: "request-queue-length", Metric: "kestrel.queued_requests", Unit: "{request}", Kind: UpDownSum},
		{Counter: "current-upgraded-requests", Metric: "kestrel.upgraded_connections", Unit: "{connection}", Kind: UpDownSum},
		{Counter: "current-tls-handshakes", Metric: "kestrel.active_tls_handshakes", Unit: "{handshake}", Kind: UpDownSum},
	}},
	{"System.Net.Http", "System.Net.Http", 8, []Mapping{
		{Counter: "current-requests", Metric: "http.client.active_requests", Unit: "{request}", Kind: UpDownSum},
		{Counter: "http11-connections-current-total", Metric: openConnections, Unit: "{connection}", Kind: UpDownSum, Attribute: protocol("1.1")},
		{Counter: "http20-connections-current-total", Metric: openConnections, Unit: "{connection}", Kind: UpDownSum, Attribute: protocol("2")},
		{Counter: "http30-connections-current-total", Metric: openConnections, Unit: "{connection}", Kind: UpDownSum, Attribute: protocol("3")},
		{Counter: "http11-requests-queue-duration", Metric: timeInQueue, Unit: "s", Kind: Summary, Scale: 1e-3, Attribute: protocol("1.1")},
		{Counter: "http20-requests-queue-duration", Metric: timeInQueue, Unit: "s", Kind: Summary, Scale: 1e-3, Attribute: protocol("2")},
		{Counter: "http30-requests-queue-duration", Metric: timeInQueue, Unit: "s", Kind: Summary, Scale: 1e-3, Attribute: protocol("3")},
	}},
	{"System.Net.NameResolution", "System.Net.NameResolution", 8, []Mapping{
		{Counter: "dns-lookups-duration", Metric: "dns.lookup.duration", Unit: "s", Kind: Summary, Scale: 1e-3},
	}},
}

const (
	collections     = "dotnet.gc.collections"
	heapSize        = "dotnet.gc.last_collection.heap.size"
	openConnections = "http.client.open_connections"
	timeInQueue     = "http.client.request.time_in_queue"
)

func gen(name string) telemetry.Attribute { return telemetry.Attribute{Key: generation, Value: name} }
func protocol(version string) telemetry.Attribute {
	return telemetry.Attribute{Key: "network.protocol.version", Value: version}
}

// Mappings returns the EventCounters that are metrics of the conventions.
func Mappings() []Mapping {
	var all []Mapping
	for _, s := range sources {
		for _, m := range s.counters {
			m.Source = s.name
			if m.Scale == 0 {
				m.Scale = 1
			}
			if m.Attribute.Key != "" {
				m.attributes = []telemetry.Attribute{m.Attribute}
			}
			all = append(all, m)
		}
	}
	return all
}

// renamed are the attributes of Meters whose name is another one in the conventions.
var renamed = map[string]string{"gc.heap.generation": generation}

// integers are the attributes whose values the conventions want as numbers. A Meter reports texts.
var integers = map[string]bool{"http.response.status_code": true, "server.port": true}

// otherKinds are the metrics for which the runtime has another type of instrument than the
// conventions: it says Counter, and the number goes down too.
var otherKinds = map[string]Kind{
	"dotnet.thread_pool.thread.count": UpDownSum,
	"dotnet.thread_pool.queue.length": UpDownSum,
}
