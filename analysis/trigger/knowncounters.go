package trigger

import (
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// knownSource has the counters of a provider of .NET: all EventCounters of the
// EventSource, and all instruments of the Meter with that name, up to .NET 10.
type knownSource struct{ eventCounters, instruments string }

// knownSources are the providers whose counters are known.
var knownSources = map[string]knownSource{
	"System.Runtime": {
		"cpu-usage working-set gc-heap-size gen-0-gc-count gen-1-gc-count gen-2-gc-count threadpool-thread-count " +
			"monitor-lock-contention-count threadpool-queue-length threadpool-completed-items-count alloc-rate active-timer-count " +
			"gc-fragmentation gc-committed exception-count time-in-gc gen-0-size gen-1-size gen-2-size gen-0-gc-budget loh-size poh-size " +
			"assembly-count il-bytes-jitted methods-jitted-count time-in-jit total-pause-time-by-gc",
		"dotnet.gc.collections dotnet.gc.heap.total_allocated dotnet.gc.last_collection.memory.committed_size " +
			"dotnet.gc.last_collection.heap.size dotnet.gc.last_collection.heap.fragmentation.size dotnet.gc.pause.time " +
			"dotnet.jit.compiled_il.size dotnet.jit.compiled_methods dotnet.jit.compilation.time dotnet.monitor.lock_contentions " +
			"dotnet.thread_pool.thread.count dotnet.thread_pool.work_item.count dotnet.thread_pool.queue.length dotnet.timer.count " +
			"dotnet.assembly.count dotnet.exceptions dotnet.process.cpu.count dotnet.process.cpu.time dotnet.process.memory.working_set",
	},
	clr.HostingProvider: {
		"requests-per-second total-requests current-requests failed-requests",
		"http.server.request.duration http.server.active_requests",
	},
	clr.KestrelProvider: {
		"connections-per-second total-connections tls-handshakes-per-second total-tls-handshakes current-tls-handshakes failed-tls-handshakes " +
			"current-connections connection-queue-length request-queue-length current-upgraded-requests",
		"",
	},
	"Microsoft.AspNetCore.Server.Kestrel": {
		"",
		"kestrel.active_connections kestrel.connection.duration kestrel.rejected_connections kestrel.queued_connections " +
			"kestrel.queued_requests kestrel.upgraded_connections kestrel.tls_handshake.duration kestrel.active_tls_handshakes",
	},
	clr.HTTPProvider: {
		"requests-started requests-started-rate requests-failed requests-failed-rate current-requests http11-connections-current-total " +
			"http20-connections-current-total http30-connections-current-total http11-requests-queue-duration " +
			"http20-requests-queue-duration http30-requests-queue-duration",
		"http.client.open_connections http.client.connection.duration http.client.active_requests http.client.request.time_in_queue " +
			"http.client.request.duration",
	},
	clr.NameResolutionProvider: {
		"dns-lookups-requested dns-lookups-duration current-dns-lookups",
		"dns.lookup.duration",
	},
	clr.SocketsProvider: {
		"outgoing-connections-established incoming-connections-established bytes-received bytes-sent datagrams-received datagrams-sent " +
			"current-outgoing-connect-attempts",
		"",
	},
}

// counter is the counter of a rule.
type counter struct {
	provider, name string
	tags           []condition
	quantile       float64 // of a histogram, 0 for none
}

// sources reports which kinds of counters can have the name: for a provider
// that is not known both. The error is an *ImpossibleError for an unknown
// counter of a known provider.
func (c *counter) sources() (eventCounters, meters bool, err error) {
	known, ok := knownSources[c.provider]
	if !ok {
		return true, true, nil
	}
	events, instruments := strings.Fields(known.eventCounters), strings.Fields(known.instruments)
	eventCounters, meters = slices.Contains(events, c.name), slices.Contains(instruments, c.name)
	switch {
	case !eventCounters && !meters:
		return false, false, &ImpossibleError{c.provider + " has no counter " + c.name, c.name, append(events, instruments...)}
	case eventCounters && c.quantile > 0:
		return false, false, impossible("%s/%s is no histogram: it has no quantiles", c.provider, c.name)
	case meters && c.quantile == 0 && isHistogram(c.name):
		return false, false, impossible("%s/%s is a histogram: choose a quantile (%s/%s:p95)", c.provider, c.name, c.provider, c.name)
	case meters && c.quantile > 0 && !isHistogram(c.name):
		return false, false, impossible("%s/%s is no histogram: it has no quantiles", c.provider, c.name)
	}
	return eventCounters, meters, nil
}

// isHistogram reports whether a known instrument is a histogram.
func isHistogram(name string) bool {
	return strings.HasSuffix(name, ".duration") || strings.HasSuffix(name, ".time_in_queue")
}

// choice returns the selection of the counter's Meter.
func (c *counter) choice() counters.Choice {
	return counters.Choice{Provider: c.provider, Counters: []string{c.name}}
}
