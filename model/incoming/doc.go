// Package incoming finds the requests that ASP.NET Core served in a process, and for a moment of
// a thread the request whose work it was.
//
//	var log incoming.Log
//	for _, event := range events { // of one process, in file order
//		if record := incoming.HandlerOf(event.Metadata()); record != nil {
//			record(&log, event, incoming.Writer{Thread: event.ThreadIndex})
//		}
//	}
//	requests := log.Requests(incoming.Facts{Version: version})
//	owner := requests.Owner(incoming.Moment{Thread: thread, Ticks: ticks})
//
// # One request
//
// Hosting, DiagnosticSource (the bridge), an ActivitySource and Kestrel each write a start and a
// stop of a request; which of them a trace has depends on the session. They are joined without
// activity ids, because the runtime gives the eleventh and all later children of an activity the
// same id: Kestrel's start and stop have the id of the request; the other starts of a request
// come just before Kestrel's on its thread, the other stops just after Kestrel's on its thread.
// Ids that the bridge writes (TraceIdentifier, ActivityId, SpanId) come first. Only what Hosting or
// a bridge without ids wrote alone is paired by activity id, and only while one request is open
// under the id.
//
// # The owner of a moment
//
// The first [Rule] that the trace allows tells whose work a thread does. All of them begin at
// the start of a request on its thread, and follow it to where it goes on. A moment for which
// several requests are possible is Ambiguous; nothing is guessed.
//
// The facts about the events and the rules were measured on .NET 10 and 11.
package incoming
