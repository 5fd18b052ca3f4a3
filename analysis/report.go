package analysis

import (
	"fmt"
)

// Report is the answer of one part about one process.
type Report struct {
	// Part is the name of the part.
	Part string `json:"part"`
	// ProcessID is the id of the operating system; unknown if the trace does not
	// have it, or has no events of the part.
	ProcessID Number `json:"processId,omitzero"`
	// Rows is a slice of the part's type of rows, such as []gc.Row; nil if the
	// trace has no events of the part.
	Rows any `json:"rows,omitempty"`
	// Waits is a slice of single waits, such as []async.Wait, of parts that have them. It
	// can be long: the program prints it with --details.
	Waits any `json:"waits,omitempty"`
	// Totals is of the part's type of totals, such as *gc.Totals; nil if the
	// trace has no events of the part.
	Totals any `json:"totals,omitempty"`
	// Findings are what is worth a look, the most important one first.
	Findings []Finding `json:"findings"`
	// NotRecorded lists the events that the part needs and the trace does not
	// have: nothing of the kind happened, or it was not recorded.
	NotRecorded []NotRecorded `json:"notRecorded"`
	// None lists what was recorded and did not happen. A trace does not have the
	// settings of its session: only who knows them moves entries of NotRecorded
	// to it.
	None []NotRecorded `json:"none,omitempty"`
}

// NewReport returns an empty report of a part about a process, 0 for an unknown
// one.
func NewReport(part string, process uint64) Report {
	r := Report{Part: part, Findings: []Finding{}, NotRecorded: []NotRecorded{}}
	if process != 0 {
		r.ProcessID = Known(int64(process))
	}
	return r
}

// NotRecordedReport returns the report of a part without events: missing are what
// records them.
func NotRecordedReport(part string, missing ...NotRecorded) Report {
	r := NewReport(part, 0)
	r.NotRecorded = append(r.NotRecorded, missing...)
	return r
}

// Recorded reports whether the trace has events of the part.
func (r *Report) Recorded() bool { return r.Totals != nil }

// NotRecorded describes events that the trace does not have, and what records
// them.
type NotRecorded struct {
	// What describes what the events are about: "garbage collections".
	What     string `json:"what"`
	Provider string `json:"provider"` // name of the provider
	Keywords string `json:"keywords"` // hexadecimal: "0x1"
	Level    int    `json:"level"`    // 1 critical to 5 verbose
	// Arguments are those of the provider, "" for none.
	Arguments string `json:"arguments,omitempty"`
	// Profile is a profile of the command collect that has the provider with the
	// arguments that it needs, "" for none.
	Profile string `json:"profile,omitempty"`
	// Flags are those of the command collect that record the events where a
	// provider alone does not, "" for none.
	Flags   string `json:"flags,omitempty"`
	Command string `json:"command"` // records them
}

// Missing returns the NotRecorded of what a part needs.
func Missing(what, provider string, keywords uint64, level int) NotRecorded {
	n := NotRecorded{What: what, Provider: provider, Keywords: fmt.Sprintf("0x%x", keywords), Level: level}
	n.Command = "nettrace collect -p PID --provider " + n.Setting()
	return n
}

// Setting returns the provider in the form of the flag --provider of the program:
// "Microsoft-Windows-DotNETRuntime:0x1:4".
func (n NotRecorded) Setting() string {
	text := fmt.Sprintf("%s:%s:%d", n.Provider, n.Keywords, n.Level)
	if n.Arguments != "" {
		text += ":" + n.Arguments
	}
	return text
}

// MissingCounters returns the NotRecorded of what a part needs of the EventCounters
// of System.Runtime.
func MissingCounters(what string) NotRecorded {
	return Missing(what, RuntimeCounters, 0, 4).With("EventCounterIntervalSec=1")
}

// With adds arguments of the provider.
func (n NotRecorded) With(arguments string) NotRecorded {
	n.Arguments = arguments
	n.Command += ":" + arguments
	return n
}

// In names the profile that records the events.
func (n NotRecorded) In(profile string) NotRecorded {
	n.Profile, n.Command = profile, "nettrace collect -p PID --profile "+profile
	return n
}

// By names the flags of the command collect that record the events.
func (n NotRecorded) By(flags string) NotRecorded {
	n.Flags, n.Command = flags, "nettrace collect -p PID "+flags
	return n
}

// String returns a sentence for users.
func (n NotRecorded) String() string {
	by := n.Setting()
	switch {
	case n.Profile != "":
		by = "collect --profile " + n.Profile
	case n.Flags != "":
		by = "collect " + n.Flags
	}
	return "no events about " + n.What + ": none happened, or they were not recorded (" + by + " records them)"
}

// RuntimeCounters is the name of the runtime's EventSource of EventCounters, and of
// its Meter.
const RuntimeCounters = "System.Runtime"

// Milliseconds returns a time in nanoseconds as the texts of findings have it: "12.5 ms".
func Milliseconds(nanos int64) string { return fmt.Sprintf("%.1f ms", float64(nanos)/1e6) }

// Percent returns part of whole in percent, 0 if whole is 0.
func Percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
