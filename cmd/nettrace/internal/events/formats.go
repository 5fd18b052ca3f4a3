package events

import (
	"io"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// format is a form in which events are printed, a value of --format.
type format struct {
	name string
	rows bool // it has lines for rows that are not events, which --rows asks for
	sink func(io.Writer, *options) sink
}

// formats has all forms. The first is the default.
var formats = []format{
	{name: "text", sink: newText},
	{name: "ndjson", rows: true, sink: newNDJSON},
}

// sink prints events in a form. Its first write error is kept and returned by every
// later call.
type sink interface {
	Trace(*codec.Trace) error
	Rows(*codec.Block) error
	Event(*codec.Event) error
	Lost(codec.Lost) error
	Defect(*codec.Error) error
	End(truncated bool) error
	Flush() error
}

// newText prints a line for each event, for users.
func newText(w io.Writer, o *options) sink {
	return &eventText{dst: w, screen: o.display.Screen(w), stacks: o.stacks, payload: o.payload, fields: o.fields}
}

// newNDJSON prints a JSON object on each line.
func newNDJSON(w io.Writer, o *options) sink {
	return ndjson.NewWriter(w, ndjson.Options{Payload: o.payload, Fields: o.fields, Stacks: o.stacks, Rows: o.rows})
}

// hasRows reports whether a form has lines for rows that are not events.
func hasRows(f *format) bool { return f.rows }

// findFormat returns the form with a name, or nil.
func findFormat(name string) *format {
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &formats[i]
}

// formatNames returns the names of the forms for which is returns true; nil is for
// all.
func formatNames(is func(*format) bool) (names []string) {
	for i := range formats {
		if is == nil || is(&formats[i]) {
			names = append(names, formats[i].name)
		}
	}
	return names
}
