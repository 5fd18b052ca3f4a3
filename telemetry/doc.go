// Package telemetry has what the signals of a .NET process have in common, in the data model of
// OpenTelemetry: attributes and the ids of W3C traces. Each signal is a package of its own:
//
//	telemetry/metrics  metrics of EventCounters and Meters, by the semantic conventions
//	telemetry/logs     log records of Microsoft.Extensions.Logging
//	telemetry/traces   spans of activities
//
// A host enables the providers that a package names in one session, and passes each event of the
// session to the decoder of each signal. No package needs more than codec and eventpipe. Texts
// that can have data about persons are off unless the Options ask for them: messages, texts of
// exceptions, query strings, addresses of clients.
package telemetry
