// Package traces makes spans of OpenTelemetry from the activities of a .NET process, from outside: incoming
// and outgoing HTTP requests, gRPC, and whatever the program and its libraries begin with an ActivitySource.
//
//	options := traces.Options{}
//	providers, err := traces.Providers(options, info.Version)
//	session, err := process.Client().StartSession(ctx, eventpipe.SessionConfig{Providers: providers})
//	r := codec.NewReader(session, codec.Options{Order: codec.ByTime})
//	head, err := r.Trace()
//	decoder := traces.NewDecoder(options, head.SyncTime)
//	for event, err := range r.Events() {
//		if err != nil {
//			break
//		}
//		decoder.Decode(event, send)
//	}
//	decoder.Open(time.Now(), send)
//
// # A span is one event
//
// The bridge Microsoft-Diagnostics-DiagnosticSource writes an activity when it stops, with its ids, its
// start and its duration. Nothing is paired to make a span: an event that is lost is a span that is lost, and no other one is wrong. The event of the start
// shows only what had not ended when the session did.
//
// Before .NET 11 ASP.NET Core gives the activity of a request neither status nor route. The listener of the same request writes them
// in events of its own, which have the id of the span: the status, the method, the path, and the route of an
// action of MVC. A route of another endpoint is in no event but a log message.
//
// # What the session changes
//
// Without a listener, .NET makes no activities: the session makes those of the sources that it asks for, and they
// have the flag that they are sampled. One session at a time can say which sources: the runtime obeys the last one that asked.
//
// # What is missing
//
// Events and links of an activity are recorded from .NET 10 on. An activity without W3C ids is no span and is counted.
package traces
