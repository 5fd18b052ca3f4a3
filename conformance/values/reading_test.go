package values_test

import (
	"errors"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// eachEvent reads a trace to its end. It reads a truncated trace up to its error.
func eachEvent(t *testing.T, name string, opt codec.Options, visit func(*codec.Event)) *codec.Reader {
	t.Helper()
	r := codec.NewBytesReader(shared.Trace(t, name), opt)
	for e, err := range r.Events() {
		if err != nil {
			if !errors.Is(err, codec.ErrTruncated) {
				t.Fatalf("%s: %v", name, err)
			}
			break
		}
		visit(e)
	}
	return r
}

// fieldsOf are the fields of an event as we print them, and the rule that its
// payload breaks.
func fieldsOf(t *testing.T, e *codec.Event) (fields object, broken string) {
	t.Helper()
	text := ndjson.AppendFields(nil, e)
	if len(text) == 0 {
		return object{}, ""
	}
	text[0] = '{' // the leading comma
	o := parse(t, append(text, '}')).(object)
	v, _ := o.get("fields")
	return v.(object), o.text("fieldsError")
}
