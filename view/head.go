package view

import (
	"encoding/json"
	"time"

	"github.com/nettrace-go/nettrace/analysis"
)

// Schema is the version of the document.
const Schema = 1

// Flags of functions, in the column function.flags. Higher bits are
// Type.HelperFlag of the types of samples.
const (
	FlagFramework   = 1 << iota // profile.IsFramework
	FlagSynthesized             // profile.Profile.IsSynthesized

	firstHelperFlag // of profile.Wall
)

// Head is the first part of a document.
type Head struct {
	Schema  int    `json:"schema"`            // Schema
	Tool    string `json:"tool"`              // name and version of the program that wrote the document
	File    string `json:"file"`              // name of the trace
	Process string `json:"process"`           // name of the process
	PID     string `json:"pid,omitempty"`     // of the operating system, of a trace of one process
	Command string `json:"command,omitempty"` // command line

	Live string `json:"live,omitempty"` // the process that is being recorded, and what is kept; "" for a file

	Address string `json:"address,omitempty"` // page.Fragment of the page that a report opens, "" for the summary

	SyncTime  time.Time `json:"syncTime"`  // UTC, to which all times refer
	Frequency string    `json:"frequency"` // ticks per second
	SyncTicks string    `json:"syncTicks"` // timestamp of SyncTime
	Start     string    `json:"start"`     // timestamp of StartNs

	StartNs    int64 `json:"startNs"`    // beginning of the recording
	EndNs      int64 `json:"endNs"`      // end of the recording
	IntervalNs int64 `json:"intervalNs"` // of the sample profiler

	Part *Part `json:"part,omitempty"` // of the trace, if the samples are too many for a page

	Lost       []Lost `json:"lost"`            // events that the writer dropped, by time
	LostEvents string `json:"lostEvents"`      // their number
	Error      string `json:"error,omitempty"` // why the trace could not be read to its end

	Processes  []Process `json:"processes"`           // those with a name
	Threads    []Thread  `json:"threads"`             // in the order of their first event
	AllThreads int       `json:"allThreads,omitzero"` // their number with those without samples, 0 if it is not known

	Names      []string `json:"names"`      // of functions, each followed by the name as the runtime writes it
	Modules    []string `json:"modules"`    // names; the first is ""
	Namespaces []string `json:"namespaces"` // of --group namespace
	Assemblies []string `json:"assemblies"` // of --group assembly
	OtherTypes []string `json:"otherTypes"` // of --by type, if the function's name does not begin with them
	Classes    []string `json:"classes"`    // of --by class, each followed by the name as the runtime writes it; the first two are ""
	Hidden     string   `json:"hidden"`     // profile.HiddenFrames
	NoFrames   string   `json:"noFrames"`   // folded.NoFrames

	Nodes     int               `json:"nodes"`     // of the tree
	Functions int               `json:"functions"` // rows of the columns function.*
	Types     []Type            `json:"types"`     // that have samples
	Why       map[string]string `json:"why"`       // by the value of --type: why there are no samples
	Columns   []string          `json:"columns"`   // the other parts

	Lines     *Lines                       `json:"lines,omitempty"`  // what the threads did; nil in a document without reports
	Marks     []Mark                       `json:"marks"`            // collections and pauses
	Counters  []Counter                    `json:"counters"`         // values of counters
	Parts     map[string][]json.RawMessage `json:"parts"`            // the objects that "nettrace report PART --json" prints
	Tables    map[string]*analysis.Listing `json:"tables"`           // by the name of a part with events: what it declares of its rows
	PartNames []string                     `json:"partNames"`        // in the order of a report
	Findings  []Finding                    `json:"findings"`         // of all parts, the most important one first
	Heap      bool                         `json:"heap,omitempty"`   // the trace has a heap dump
	Joins     string                       `json:"joins,omitempty"`  // flag that says how stacks of async code are joined: async or physical
	Joined    string                       `json:"joined,omitempty"` // how many stacks are joined, and by what
	Diff      string                       `json:"diff,omitempty"`   // name of the older trace that the page compares with
	Warnings  []string                     `json:"warnings"`         // what makes the samples less than they seem, as sentences
	LeftOut   []string                     `json:"leftOut"`          // what the document does not have, such as "command line"
}

// Lost counts events of a thread that the writer dropped between two times.
type Lost struct {
	FromNs int64  `json:"fromNs"` // of the last event before them
	ToNs   int64  `json:"toNs"`   // of the first event after them
	Count  string `json:"count"`  // number of events
}

// Process is a process with a name.
type Process struct {
	ID     string `json:"id"`               // of the operating system
	Name   string `json:"name"`             // as in profile.Process
	Source string `json:"source,omitempty"` // calltree.Source, "" for Head.File
}

// Thread is a thread of the trace.
type Thread struct {
	ID      string `json:"id"`             // of the operating system
	Process string `json:"process"`        // id of its process; "0" if unknown
	Name    string `json:"name,omitempty"` // "" if unknown
}

// Type describes the samples of one type, and the names of its columns.
type Type struct {
	Name   string `json:"name"`            // as in profile.Type.String; the columns are NAME.at and so on
	Option string `json:"option"`          // value of --type
	Of     string `json:"of,omitempty"`    // the type whose samples in managed code these are; it has the columns
	Unit   string `json:"unit"`            // "nanoseconds", "bytes" or "count"
	Timed  bool   `json:"timed,omitempty"` // values are durations
	// HelperFlag is the bit in function.flags of the functions that are folded
	// into their callers in samples of this type.
	HelperFlag int   `json:"helperFlag"`
	Offsets    []int `json:"offsets,omitempty"` // of the first row of each thread, and the number of rows
}

// Mark is a time on the timeline.
type Mark struct {
	Kind   string            `json:"kind"`             // "pause" or "collection"
	Name   string            `json:"name"`             // as in profile.Mark
	Thread int               `json:"thread"`           // index in Head.Threads
	FromNs int64             `json:"fromNs"`           // beginning
	ToNs   int64             `json:"toNs"`             // end
	Labels map[string]string `json:"labels,omitempty"` // as profile.Mark has them
}
