// Package metrics makes metrics of OpenTelemetry from the counters of a .NET process, from
// outside: by the semantic conventions of .NET, cumulative with a start time. The values of an
// interval come together, as a [Round].
//
//	decoder := metrics.NewDecoder(metrics.Options{})
//	for round, err := range decoder.Rounds(ctx, process) {
//		if err != nil {
//			return err // of ctx, or eventpipe.ErrProcessEnded, or another one
//		}
//		for _, m := range round.Metrics {
//			send(m.Name, m.Unit, m.Points)
//		}
//	}
//
// A host that records more than metrics in one session enables [Providers] in it, and passes each
// event to [Decoder.Decode].
//
// # Sums
//
// A counter of .NET says how much a number grew in an interval, and the first interval can have
// begun before the session. Sums begin at the end of the first round, which has none, and a
// point's Start says when. A decoder that is used again for another session of the same process
// goes on with its sums; Round.Unmeasured is the time between the sessions, which they lack.
//
// The runtime counts a collection of a generation in all younger ones too. dotnet.gc.collections
// has each collection once, by its oldest generation, as the conventions want it.
//
// # Sources
//
// EventCounters are in all versions, and cost a process little. [Mappings] is the table of
// those that have a metric in the conventions. Meters have more attributes and histograms, and are used
// where Options.Meters names them: while a session records Meters, a process can hang at
// its end, a defect of the runtime. Their histograms are summaries: the runtime reports quantiles
// of an interval, no buckets.
//
// The processor time of a process is what the system reports of it (on Linux, if Options.PID or the
// process of Rounds is known).
package metrics
