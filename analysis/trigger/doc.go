// Package trigger has rules about the events of a running process: when a rule
// becomes true, a program writes the recording of that moment.
//
//	rule, err := trigger.Parse("gc-pause > 200ms")
//	config.Providers, _, err = trigger.Session([]*trigger.Rule{rule}, config.Providers)
//	m := trigger.NewMatcher([]*trigger.Rule{rule}, trigger.Options{
//		Cooldown: time.Minute,
//		OnFire:   func(f trigger.Firing) { log.Print(f) },
//	})
//	for ev, err := range r.Events() {
//		if err != nil {
//			return err
//		}
//		m.Event(ev)
//	}
//
// # Rules
//
// A rule is about a counter, an event, or a measure that events give:
//
//	System.Runtime/cpu-usage > 80 for 10s        a counter or an instrument of a Meter
//	My.Meter/queue.length:queue=in > 1000        its time series with a tag
//	My.Meter/query.duration:p95 > 0.5 for 1m     a quantile of a histogram
//	ExceptionThrown:ExceptionType=*Timeout*      an event of the runtime, with a condition
//	ExceptionThrown > 10/s                       more events than that in any second
//	My-Source/OrderFailed:Amount>=1000 > 5/1m    an event of an EventSource
//	gc-pause > 200ms                             a pause by the garbage collector
//	request > 2s                                 a request that Kestrel served
//	client-request > 2s                          a request that HttpClient sent
//	threadpool-queue > 100 for 5s                work items that wait for a thread
//	working-set > 2GB                            memory of the process
//
// The comparisons are <, <=, >, >=, = and !=. The conditions of an event are
// separated by commas; a * in a value matches any text; a value with spaces,
// commas or comparisons is in quotes. An event without provider is one of the
// runtime. "for" means that every value of that time is over (or under) the
// threshold.
//
// # Time
//
// Times are those of the events; a Matcher does not use the clock of the
// computer. Events may come in the order of the stream, in which those of
// different threads are not ordered by time. A rate counts in 64 parts of its
// time, so that it never counts events that are further apart.
//
// # Costs
//
// An event that no rule is about costs a lookup by its metadata id. A Matcher
// allocates memory only for values of counters, for open requests and when a
// rule becomes true.
package trigger
