// Package otlp sends profiles in the protocol of OpenTelemetry, to a Collector or to
// another server that receives POST /v1development/profiles.
//
// [Target] is a target of package agent/delivery, whose queue repeats requests. The
// program nettrace-otlp is nettrace agent with this type of target.
//
// The protocol for profiles is alpha: its messages change between versions.
// [CollectorVersion] is the version of the Collector whose messages this package
// writes.
package otlp

// CollectorVersion is the version of the OpenTelemetry Collector, and of its module
// pdata/pprofile, whose messages this package writes.
const CollectorVersion = "v0.160.0"
