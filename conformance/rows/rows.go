// Package rows reads the lines that a writer under test is given: canonical
// NDJSON with rows, as nettrace events --format ndjson --rows prints it, without
// the lines that only a reader can tell. Write writes them with package codec.
package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Line is one line: one of its pointers is set, or Flush.
type Line struct {
	Trace    *codec.Trace
	Metadata *codec.Metadata
	Thread   *codec.Thread         // v6
	Event    *codec.Record         // its ids are those of the lines; of v4 and v5 the threads' are the operating system's
	Removed  *codec.ThreadSequence // v6
	Point    *codec.SequencePoint
	Flush    bool // what came so far is to be written
}

// Parse reads lines. Keys that a writer has no use for are passed over, and so
// are lines of losses and of the end.
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

// line is what the object says.
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
