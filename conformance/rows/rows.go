// Package rows parses the input of a writer under test: canonical NDJSON with
// rows, as nettrace events --format ndjson --rows prints it, without the lines
// that only a reader can produce. Write writes it with package codec.
package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Line is one line: exactly one of its pointers is set, or Flush.
type Line struct {
	// Trace is the header of the trace, in the first line.
	Trace *codec.Trace
	// Metadata is the definition of an event.
	Metadata *codec.Metadata
	Thread   *codec.Thread         // definition of a thread (v6)
	Event    *codec.Record         // its ids are those of the other lines; in v4 and v5 the thread ids are the operating system's
	Removed  *codec.ThreadSequence // end of a thread (v6)
	// Point is a sequence point.
	Point *codec.SequencePoint
	Flush bool // all previous lines must be written now
}

// Parse parses lines. It ignores keys that a writer does not need, and lines of
// losses and of the end.
func Parse(text []byte) ([]Line, error) {
	var list []Line
	var format wire.Format
	d := json.NewDecoder(bytes.NewReader(text))
	for n := 1; d.More(); n++ {
		var o object
		if err := d.Decode(&o); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		line, err := o.line(format)
		if err != nil {
			return nil, fmt.Errorf("line %d, %s: %w", n, o.Type, err)
		}
		if line.Trace != nil {
			format = line.Trace.Format
		}
		if line != (Line{}) {
			list = append(list, line)
		}
	}
	return list, nil
}

// line returns the row or event of the object.
func (o *object) line(format wire.Format) (Line, error) {
	var l Line
	var err error
	switch o.Type {
	case "trace":
		l.Trace, err = o.trace()
	case "metadata":
		l.Metadata, err = o.metadata()
	case "thread":
		l.Thread = o.thread()
	case "event":
		l.Event, err = o.event(format)
	case "removeThread":
		l.Removed = &codec.ThreadSequence{Thread: uint64(o.Index), Sequence: o.Sequence}
	case "sequencePoint":
		l.Point, err = o.point()
	case "flush":
		l.Flush = true
	case "lost", "end":
	default:
		err = errors.New("unknown type of line")
	}
	return l, err
}
