// Package counters reads what the counters and meters of .NET programs
// measured out of the events of a trace, a file or the stream of a living
// process alike.
//
// .NET has two kinds of counters. An EventSource writes its EventCounters as
// events of that name, each with one number over an interval. Meters are
// collected inside the process by the provider System.Diagnostics.Metrics,
// which reports once an interval on each time series: an instrument together
// with its tags.
//
//	var d counters.Decoder
//	latest := counters.Latest{}
//	for e, err := range r.Events() {
//		if err != nil {
//			return err
//		}
//		m, err := d.Decode(e)
//		if err != nil {
//			log.Print(err) // the event does not say what it should; the next one may
//		}
//		if m.Kind == counters.Measurement {
//			latest.Add(&m)
//		}
//	}
//
// # Numbers
//
// A [Value] has the numbers that its event has and no others: a [Number] that
// is not Valid was not measured. What an increment is worth a second is told by
// [Value.Rate], over the interval in force.
//
// # Intervals
//
// A process measures once an interval for all who listen: the shortest interval
// that anyone asked for wins for EventCounters, and of Meters the first
// listener's. A client that asks for another must expect that one;
// [Value.Interval] tells it.
//
// # Sessions
//
// One session alone listens to the Meters of a process. From .NET 8 on it may be
// shared by clients that ask for the same ([SharedSession]); before, and when a
// session of its own runs, others are turned away: [SessionRefused],
// [SharedRefused]. [Session] knows which messages are one's own, and makes the
// arguments to ask with.
//
// # Hostile streams
//
// Text that should be a number gives an *[Error] with the event's offset and the
// field; the rest of the value stays. Instruments and time series that are
// kept are bounded.
package counters
