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
	// Totals is of the part's type of totals, such as *gc.Totals; nil if the
	// trace has no events of the part.
	Totals any `json:"totals,omitempty"`
	// Findings are what is worth a look, the most important one first.
	Findings []Finding `json:"findings"`
	// NotRecorded lists the events that the part needs and the trace does not
	// have.
	NotRecorded []NotRecorded `json:"notRecorded"`
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
	Command  string `json:"command"`  // records them
}

// Missing returns the NotRecorded of what a part needs.
func Missing(what, provider string, keywords uint64, level int) NotRecorded {
	setting := fmt.Sprintf("%s:0x%x:%d", provider, keywords, level)
	return NotRecorded{
		What: what, Provider: provider, Keywords: fmt.Sprintf("0x%x", keywords), Level: level,
		Command: "nettrace collect -p PID --provider " + setting,
	}
}

// String returns a sentence for users.
func (n NotRecorded) String() string {
	return fmt.Sprintf("the trace has no events about %s: record %s with keywords %s at level %d", n.What, n.Provider, n.Keywords, n.Level)
}

// RuntimeProvider is the provider of the .NET runtime's events.
const RuntimeProvider = "Microsoft-Windows-DotNETRuntime"

// Percent returns part of whole in percent, 0 if whole is 0.
func Percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
