package summary

// Version is the version of the schema that this package writes and the newest that it
// reads.
const Version = 1

// NoName is the function of all addresses without a name.
const NoName = "[no name]"

// Summary has the sums of a set of traces. All lists have one order, which follows from
// their contents.
type Summary struct {
	Version   int         `json:"version"`   // of the schema
	Files     int64       `json:"files"`     // that were read, those of Failures with Partial among them
	Failures  []Failure   `json:"failures"`  // files that were not read, or only in part; by File, then Error
	Traces    []string    `json:"traces"`    // SHA-256 of the stream of each of Files, ascending; fewer than Files in a Summary of an older version of this package
	Lost      int64       `json:"lost"`      // events that the writers of the traces dropped
	Events    []Event     `json:"events"`    // by Provider, ID and Name
	Functions []Function  `json:"functions"` // of the stacks, by Module, then Name
	Stacks    Stacks      `json:"stacks"`    // of all samples
	Samples   []Samples   `json:"samples"`   // by Type, then State
	Classes   []Class     `json:"classes"`   // by Type, then Class
	Durations []Durations `json:"durations"` // by Kind, then Key
}

// Failure is a file that was not read to its end.
type Failure struct {
	File    string `json:"file"`    // its name, as the caller gave it
	Error   string `json:"error"`   // the reason
	Partial bool   `json:"partial"` // the Summary has the part of the trace that could be read
}

// Event has the sums of one type of events.
type Event struct {
	Provider string `json:"provider"` // name
	ID       int64  `json:"id"`       // number of the event within its provider
	Name     string `json:"name"`     // "" if it is unknown
	Count    int64  `json:"count"`    // events
	Bytes    int64  `json:"bytes"`    // of their payloads
}

// Function is a method or native function.
type Function struct {
	Module string `json:"module"` // "" if it is unknown
	Name   string `json:"name"`   // as in profile.Function.Name
}

// Stacks is a prefix tree: a node is a call path from the root. Node 0 is the path without
// frames and is not in the lists; node n is at index n-1 of both. They are in preorder,
// the children of a node by function.
type Stacks struct {
	Depth    []int32 `json:"depth"`    // frames on the path, at least 1
	Function []int32 `json:"function"` // of the innermost frame: index in Summary.Functions
}

// Samples has the sums of the samples of one type and state by stack.
type Samples struct {
	Type  string  `json:"type"`            // as profile.Type.String: "wall", "alloc-size"
	State string  `json:"state,omitempty"` // as profile.State.String, for the types that have states
	Unit  string  `json:"unit"`            // of Value: "nanoseconds", "bytes" or "count"
	Node  []int32 `json:"node"`            // of Stacks, ascending
	Count []int64 `json:"count"`           // by index of Node: samples whose stack ends there
	Value []int64 `json:"value"`           // by index of Node: their sum
}

// Class has the sums of the samples of a type by what they are about, such as the class of
// an allocated object.
type Class struct {
	Type  string `json:"type"`  // as in Samples
	Class string `json:"class"` // its name
	Count int64  `json:"count"` // samples
	Value int64  `json:"value"` // their sum, in the unit of the type
}

// Durations is the distribution of one kind of durations.
type Durations struct {
	Kind       string `json:"kind"`       // GCPauses, Requests, Waits or Locks
	Key        string `json:"key"`        // generation and type of a collection, direction, method and route of a request
	Count      int64  `json:"count"`      // durations, without those of Unfinished and Unknown
	Unfinished int64  `json:"unfinished"` // durations whose end is not in the trace
	Unknown    int64  `json:"unknown"`    // requests whose duration is not known
	TotalNs    int64  `json:"totalNs"`    // their sum
	MinNs      int64  `json:"minNs"`      // the shortest one; 0 if there is none
	MaxNs      int64  `json:"maxNs"`      // the longest one; 0 if there is none
	// Zeros is the number of durations of 0. The others are in Bins: Bins[i] is the number
	// of durations in the bin First+i of a DDSketch with logarithmic mapping and a relative
	// accuracy of 1 %.
	Zeros int64   `json:"zeros"`
	First int     `json:"first"` // see Zeros
	Bins  []int64 `json:"bins"`  // see Zeros
}

// The kinds of durations.
const (
	GCPauses = "gc pause"
	Requests = "request"
	Waits    = "wait"
	Locks    = "lock"
)
