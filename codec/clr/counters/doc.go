// Package counters decodes the values of .NET's counters and meters from the
// events of a trace file or of a running process.
//
// .NET has two kinds of counters. An EventSource writes its EventCounters as
// events named EventCounters, each with the values of one counter over an
// interval. Meters are collected inside the process by the provider
// System.Diagnostics.Metrics, which reports each time series once in each
// interval: an instrument together with its tags.
//
//	var d counters.Decoder
//	latest := counters.Latest{}
//	for e, err := range r.Events() {
//		if err != nil {
//			return err
//		}
//		m, err := d.Decode(e)
//		if err != nil {
//			log.Print(err) // a field of the event is malformed; decoding can continue
//		}
//		if m.Kind == counters.Measurement {
//			latest.Add(&m)
//		}
//	}
//
// # Numbers
//
// A [Value] has only the numbers that its event has: a [Number] that is not
// Valid was not measured. [Value.Rate] returns an increment in units per
// second, over the interval in force.
//
// # Intervals
//
// A process measures once in each interval, for all clients. For EventCounters
// the shortest requested interval is in force, for Meters that of the first
// client. A client can therefore get another interval than it requested;
// Value.Interval has it.
//
// # Sessions
//
// Only one session receives the Meters of a process. From .NET 8 on, clients
// with the same settings can share it ([SharedSession]). Earlier, and if a
// session that is not shared is running, other clients are refused:
// [SessionRefused], [SharedRefused]. A [MetersSession] distinguishes the client's
// messages from those for others, and makes the arguments of the request.
//
// # Untrusted streams
//
// Text that should be a number results in an *[Error] with the event's offset
// and the field; the other fields of the value are decoded. The numbers of
// instruments and time series in memory are bounded.
package counters
