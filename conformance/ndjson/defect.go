package ndjson

import (
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
)

// Defect writes a defect line: the offset, the rule and its sentence. A reader
// under test reports by it that the trace is at fault, and may read on.
//
// Options.OnDefect must not call Defect: while Event reads the fields of an event,
// the line of that event is incomplete.
func (w *Writer) Defect(e *codec.Error) error {
	b := append(w.buf, `{"type":"defect","offset":`...)
	b = strconv.AppendInt(b, e.Offset, 10)
	b = append(b, `,"rule":`...)
	b = AppendString(b, e.Rule.String())
	b = append(b, `,"message":`...)
	b = AppendString(b, defectMessage(e))
	w.buf = append(b, '}')
	return w.line()
}

// defectMessage is the sentence of the broken rule.
func defectMessage(e *codec.Error) string {
	if r := e.Rule.Rule(); r != nil {
		return r.Sentence
	}
	return e.Error()
}
