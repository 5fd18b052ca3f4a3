// Package nettracereceiver is a receiver of the OpenTelemetry Collector for .NET processes: it finds
// them, opens a session in each over its diagnostic port, and makes metrics, logs and traces of
// what they write. The processes need no change and no restart.
//
// README.md describes its configuration.
package nettracereceiver
