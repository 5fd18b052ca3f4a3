package traces

import (
	"time"

	"github.com/nettrace-go/nettrace/telemetry"
)

// Span is an activity.
type Span struct {
	TraceID    telemetry.TraceID // of the W3C trace
	SpanID     telemetry.SpanID  // its own id
	ParentID   telemetry.SpanID  // zero for none
	TraceState string            // of the W3C trace, "" for none
	Sampled    bool              // the flag of the trace

	Source  string // name of the ActivitySource, "" for activities without one
	Version string // of the source, "" for none
	// Name is what the program shows: "GET /orders/{id}". Operation is the name that the activity began with.
	Name, Operation string
	Kind            Kind // what the span is to its parent and its children

	Start time.Time // to 100 ns
	End   time.Time // of an Unfinished one: when the session ended

	Status     Status // Error too for an answer that the conventions call so
	StatusText string // empty without Options.Exceptions

	Attributes []telemetry.Attribute // the tags, in the program's order
	Events     []Event               // in order of time
	Links      []Link                // to spans of other traces

	BeganBefore bool // the session began while it ran
	Unfinished  bool // it had not ended when the session did, or its end was lost
}

// Event is something that happened in a span.
type Event struct {
	Time       time.Time             // to 100 ns
	Name       string                // "exception"
	Attributes []telemetry.Attribute // its tags
}

// Link is a span that is related to another one.
type Link struct {
	TraceID    telemetry.TraceID     // of the other span
	SpanID     telemetry.SpanID      // of the other span
	TraceState string                // "" for none
	Attributes []telemetry.Attribute // tags of the link
}

// Kind is the kind of a span, with the numbers of the data model.
type Kind uint8

// The kinds.
const (
	Unspecified Kind = iota
	Internal
	Server
	Client
	Producer
	Consumer
)

var kindNames = [...]string{"Unspecified", "Internal", "Server", "Client", "Producer", "Consumer"}

// String returns the name of .NET.
func (k Kind) String() string { return kindNames[min(int(k), len(kindNames)-1)] }

// Status is the status of a span, with the numbers of the data model.
type Status uint8

// The statuses.
const (
	Unset Status = iota
	Ok
	Error
)

var statusNames = [...]string{"Unset", "Ok", "Error"}

// String returns the name of .NET.
func (s Status) String() string { return statusNames[min(int(s), len(statusNames)-1)] }

// number returns the position of a name, 0 for others.
func number(names []string, name string) uint8 {
	for i, n := range names {
		if n == name {
			return uint8(i)
		}
	}
	return 0
}
