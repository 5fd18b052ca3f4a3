// Package logs makes log records of OpenTelemetry from what a .NET process logs through
// Microsoft.Extensions.Logging, from outside: the program needs no exporter, only the log
// provider EventSource, which a host of .NET adds by default.
//
//	options := logs.Options{Bodies: true}
//	session, err := process.Client().StartSession(ctx, eventpipe.SessionConfig{Providers: logs.Providers(options, info.Version)})
//	decoder := logs.NewDecoder(options)
//	for event, err := range codec.NewReader(session, codec.Options{Order: codec.ByTime}).Events() {
//		if err != nil {
//			return err
//		}
//		decoder.Decode(event, func(r *logs.Record) { send(r) })
//	}
//	decoder.Flush(send)
//
// # What the events have
//
// The provider Microsoft-Extensions-Logging writes a message in several forms, one for each of its
// keywords. MessageJson (keyword 8) has all: the message, the arguments, the exception. Before
// version 5.0 of the library it lacks the message, which FormattedMessage (keyword 4) has, written
// just before by the same thread. The form Message (keyword 2) has nothing more and is not read.
// The ids of the trace and of the span are fields since version 9.0. All values of arguments
// are texts: the library calls ToString; one that is null is left out.
//
// # Scopes
//
// A scope flows with the program's asynchronous work. The events have it as an activity of the
// event source: with Options.Scopes the session tracks activities, and the scopes of a record are
// those on the way up from its activity. The runtime gives the eleventh and all later children
// of an activity one id: where several activities with one id are open, the scopes are unknown,
// and Record.ScopesUnknown says so. Scopes that began before the session are not known.
package logs
