package logs

import (
	"time"

	"github.com/nettrace-go/nettrace/telemetry"
)

// Record is a log record.
type Record struct {
	Time     time.Time // of the event
	Severity Severity  // of the data model
	// Level is the name of .NET: "Trace", "Debug", "Information", "Warning", "Error", "Critical".
	Level     string
	Category  string // of the logger: a type of the program as a rule
	EventID   int64  // the program's number for the message, 0 for none
	EventName string // "" for none
	Thread    uint64 // id of the operating system, 0 if unknown

	TraceID telemetry.TraceID // of the activity in which it was logged
	SpanID  telemetry.SpanID  // of the same
	Sampled bool              // the flag of the trace

	// Body is the message with its arguments. Body, Template and Attributes are empty without
	// Options.Bodies.
	Body       string
	Template   string                // the message without its arguments: "Hello {Name}"
	Attributes []telemetry.Attribute // the arguments, in the program's order

	// Exception is what was logged with the message, nil for nothing.
	Exception *Exception

	// Scopes are the arguments of the scopes in which it was logged, the outermost first. They are empty without
	// Options.Scopes.
	Scopes [][]telemetry.Attribute
	// ScopesUnknown reports that the events do not tell the scopes.
	ScopesUnknown bool
}

// Exception is an exception that was logged.
type Exception struct {
	Type    string // with its namespace
	HResult int64  // its number
	// Message and Text are empty without Options.Exceptions. Text is what its ToString returns:
	// types, messages and stacks, of the exceptions within it too.
	Message, Text string
}

// Severity is the number of a severity in the data model of OpenTelemetry, 0 for none.
type Severity uint8

// The severities of the levels of .NET.
const (
	Trace       Severity = 1
	Debug       Severity = 5
	Information Severity = 9
	Warning     Severity = 13
	Error       Severity = 17
	Critical    Severity = 21
)

// levels are the levels in the order of their numbers in events.
var levels = [...]struct {
	name     string
	severity Severity
}{{"Trace", Trace}, {"Debug", Debug}, {"Information", Information}, {"Warning", Warning}, {"Error", Error}, {"Critical", Critical}}

// setLevel sets the level by its number.
func (r *Record) setLevel(n int64) {
	if n >= 0 && n < int64(len(levels)) {
		r.Level, r.Severity = levels[n].name, levels[n].severity
	}
}

// String returns the name of .NET, "" for other numbers.
func (s Severity) String() string {
	for _, l := range levels {
		if l.severity == s {
			return l.name
		}
	}
	return ""
}
