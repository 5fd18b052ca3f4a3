package cases

import (
	"encoding/json"
	"fmt"

	"github.com/nettrace-go/nettrace/codec/rule"
)

// Grade is the result that a reader must have.
type Grade string

// The grades, which are the first part of a case's name.
const (
	Valid   Grade = "valid"   // the trace breaks no sentence of the specification
	Invalid Grade = "invalid" // the trace breaks a sentence
	Either  Grade = "either"  // the specification does not decide
)

// Basis is what the expected result of a case rests on.
type Basis string

// The bases of cases. Scores count Text and Runtime.
const (
	Text    Basis = "text"    // a sentence of the specification, or of a later revision of it
	Runtime Basis = "runtime" // all writers and readers in use agree, and the specification is silent or wrong
	Choice  Basis = "choice"  // neither: this suite chose
)

// Kind is what an invalid trace does to a reader.
type Kind string

// The kinds of invalid cases.
const (
	// Stops: the bytes after the fault cannot be decoded. A reader reports the fault:
	// it rejects the trace, or leaves out the block and prints a defect line. It
	// prints the first Case.Before events; it may print later events of the trace
	// without the fault, in their order, and no others.
	Stops Kind = "stops"
	// Tells: a row refers to something that is missing, or has impossible values. A
	// reader reports the fault as with Stops. It may print the row without the keys
	// in Case.Missing.
	Tells Kind = "tells"
	// Silent: the trace breaks a promise, and all of it can be read. A reader may
	// report the fault. If it does not, it prints the expected lines.
	Silent Kind = "silent"
)

// Case is a trace and the expected result of a reader. Its exported fields with a
// key are the contents of NAME.json.
type Case struct {
	// Name is GRADE/BLOCK/SITUATION.vVERSION.
	Name string `json:"-"`
	// Version is that of the format: "3", "4", "5" or "6"; 5 is 4 with tags in
	// metadata.
	Version string `json:"version"`
	// About is one sentence: what the case tests.
	About string `json:"about"`
	// Basis is what the expected result rests on.
	Basis Basis `json:"basis"`
	// Heading is the heading of the specification that covers the subject.
	Heading string `json:"heading"`
	// Kind is the kind of an invalid case, otherwise "".
	Kind Kind `json:"kind,omitempty"`
	// Fault is the fault of the trace, zero if it has none.
	Fault Fault `json:"fault,omitzero"`
	// Before is the number of events that a reader prints of a case of kind Stops or
	// Tells: those of the blocks before the one with the fault.
	Before int `json:"before,omitempty"`
	// Truncated means that a reader reports the missing end of the stream on the end
	// line.
	Truncated bool `json:"truncated,omitempty"`
	// Missing are keys of single lines that are not compared, for Stops and Tells.
	Missing []Missing `json:"missing,omitempty"`
	// Uncompared are keys of all lines that are not compared; "lost" means all
	// losses, "removeThread" all lines of this type.
	Uncompared []string `json:"uncompared,omitempty"`
	// Uncompressed are the numbers of the events, from 0, whose rows are not
	// compressed: "sorted" is not compared, because the specification does not say
	// which value of the high bit means sorted.
	Uncompressed []int `json:"uncompressed,omitempty"`
	// LossesOf is the capture thread (v6: its index) whose losses are not compared.
	LossesOf string `json:"lossesOf,omitempty"`
	// Unsupported means that exit code 3 is right too.
	Unsupported bool `json:"unsupported,omitempty"`
	// Accept are the accepted answers of an either case.
	Accept []Answer `json:"accept,omitempty"`
	// Trace is the stream.
	Trace []byte `json:"-"`
	// Lines is the expected canonical NDJSON.
	Lines []byte `json:"-"`
}

// Missing are the keys of a line that are not compared.
type Missing struct {
	// Line is the type of the line: "trace" or "event".
	Line string `json:"line"`
	// Number is the number of the event, from 0.
	Number int `json:"number"`
	// Keys are the keys that are not compared.
	Keys []string `json:"keys"`
}

// Answer is an accepted answer for an either case.
type Answer struct {
	// Reports means that the reader rejects the trace or prints a defect line.
	// Otherwise it reads the trace to its end.
	Reports bool `json:"reports"`
	// Basis is what the answer rests on.
	Basis Basis `json:"basis"`
	// About is one sentence: how the trace is understood.
	About string `json:"about"`
	// Uncompared are keys of all lines that are not compared.
	Uncompared []string `json:"uncompared,omitempty"`
	// Lines is the expected canonical NDJSON.
	Lines []byte `json:"-"`
}

// Fault is the rule that a case breaks, and the place.
type Fault struct {
	// Rule is the broken rule.
	Rule rule.ID
	// Offset is the file offset of the first byte of the field that breaks the rule,
	// or where a missing field should be.
	Offset int64
}

// faultText is the JSON form of a Fault: the rule by its name.
type faultText struct {
	Rule   string `json:"rule"`
	Offset int64  `json:"offset"`
}

// MarshalJSON returns the JSON form.
func (f Fault) MarshalJSON() ([]byte, error) {
	return json.Marshal(faultText{f.Rule.String(), f.Offset})
}

// UnmarshalJSON parses the JSON form.
func (f *Fault) UnmarshalJSON(text []byte) error {
	var t faultText
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	id, ok := rule.Parse(t.Rule)
	if !ok {
		return fmt.Errorf("no rule is called %q", t.Rule)
	}
	f.Rule, f.Offset = id, t.Offset
	return nil
}
