package values_test

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

const truthTrace = "net10-types"

// told is an event in the program's log.
type told struct {
	seq    uint64
	kind   string // provider and event name
	fields []any
	bytes  uint64 // of the payload, if the program logs it
	failed bool   // the call that should write it failed
}

// unrecorded is why an event of the program's notes is not found with its values: a
// line of testdata/unrecorded.tsv.
type unrecorded struct {
	seq     uint64
	kind    string
	outcome string // see TestTruth
	payload string // see payloadText
	reason  string
	met     bool
}

// readUnrecorded reads the list.
func readUnrecorded(t *testing.T) map[uint64]*unrecorded {
	t.Helper()
	list := map[uint64]*unrecorded{}
	for line := range strings.Lines(readFile(t, "testdata/unrecorded.tsv")) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 5 || slices.Contains(cells, "") {
			t.Fatalf("testdata/unrecorded.tsv: %q", line)
		}
		seq, err := strconv.ParseUint(cells[0], 10, 64)
		if err != nil || list[seq] != nil {
			t.Fatalf("testdata/unrecorded.tsv: %q: %v", line, err)
		}
		list[seq] = &unrecorded{seq: seq, kind: cells[1], outcome: cells[2], payload: cells[3], reason: cells[4]}
	}
	return list
}

// readTruth reads the program's log. Lines without a number are about sources and
// calls.
func readTruth(t *testing.T) []told {
	t.Helper()
	var list []told
	for _, line := range parseLines(t, shared.Truth(t, truthTrace)) {
		if seq := line.number("seq"); seq > 0 {
			list = append(list, told{
				seq: seq, kind: line.text("provider") + " " + line.text("event"), fields: line.list("fields"),
				bytes: line.number("payload_bytes"), failed: line.text("threw") != "",
			})
		}
	}
	return list
}

// written is an event of the trace.
type written struct {
	event  *codec.Event
	fields object
}

// extra are the events of the program's sources that it did not note, one of
// each kind: they are from sources made to fail.
var extra = []string{
	"Corners-BadArray EventSourceMessage", "Corners-BadDecimal EventSourceMessage",
	"Corners-BadDupId EventSourceMessage", "Corners-BadDupName EventSourceMessage",
	"Corners-BadKeyword EventSourceMessage", "Corners-BadMismatch EventSourceMessage",
	"Corners-BadCtor A", "Corners-BadThrow A", "Corners-BadThrow NullBytes",
}

// TestTruth finds every event of the program's log in the trace, in the same
// order for each kind and with exactly its values, or in the list with its bytes
// and one of these outcomes:
//
//	no schema: it is in the trace, whose metadata does not describe its payload
//	changed:   it is in the trace with other values
//	replaced:  the trace has a message of the runtime for it, whose bytes are given
//	too long:  its payload has more than 65,536 bytes and is not in the trace
//	refused:   the program's call failed
func TestTruth(t *testing.T) {
	list, found, outcomes := readUnrecorded(t), 0, map[string]int{}
	queues := queues{}
	eachEvent(t, truthTrace+".v4", codec.Options{Order: codec.ByTime}, func(e *codec.Event) {
		fields, _ := fieldsOf(t, e)
		kind := e.Provider() + " " + e.Name()
		queues[kind] = append(queues[kind], written{e.Clone(), fields})
	})
	truth := readTruth(t)
	for _, event := range truth {
		if why := list[event.seq]; why != nil {
			outcomes[why.outcome]++
			why.check(t, event, queues)
			continue
		}
		w := queues.next(event.kind)
		if w == nil {
			t.Errorf("%d\t%s\t?\tnone\tnot in the trace", event.seq, event.kind)
			continue
		}
		if wrong := w.differences(event); len(wrong) > 0 {
			t.Errorf("%d\t%s\t?\t%s\t%v", event.seq, event.kind, payloadText(w.event.Payload()), wrong)
			continue
		}
		found++
	}
	t.Logf("%d of %d events found with their values; listed: %v", found, len(truth), outcomes)
	checkLeft(t, queues, list)
}

// queues are the events of the trace by kind, in time order.
type queues map[string][]written

// next returns the next event of a kind, or nil.
func (q queues) next(kind string) *written {
	if len(q[kind]) == 0 {
		return nil
	}
	w := q[kind][0]
	q[kind] = q[kind][1:]
	return &w
}

// check checks the reason, and uses up the event of the trace that it is about.
func (u *unrecorded) check(t *testing.T, event told, trace queues) {
	t.Helper()
	u.met = true
	var w *written
	holds := false
	switch u.outcome {
	case "no schema":
		w = trace.next(event.kind)
		holds = w != nil && len(w.event.Metadata().Fields) == 0 && len(w.event.Payload()) > 0
	case "changed":
		w = trace.next(event.kind)
		holds = w != nil && len(w.differences(event)) > 0
	case "replaced":
		provider, _, _ := strings.Cut(event.kind, " ")
		w = trace.next(provider + " EventSourceMessage")
		holds = w != nil
	case "too long":
		holds = event.bytes > 65_536
	case "refused":
		holds = event.failed
	}
	payload := "none"
	if w != nil {
		payload = payloadText(w.event.Payload())
	}
	expect.Equal(t, "holds", holds, true)
	expect.Equal(t, "payload", payload, u.payload)
	expect.Equal(t, "kind", strings.ReplaceAll(event.kind, "\x00", `\0`), u.kind)
}

// checkLeft complains about events of the trace that nobody noted and about
// lines of the list that no event has.
func checkLeft(t *testing.T, trace queues, list map[uint64]*unrecorded) {
	t.Helper()
	for _, kind := range extra {
		if trace.next(kind) == nil {
			t.Errorf("%s is not in the trace", kind)
		}
	}
	for kind, left := range trace {
		if strings.HasPrefix(kind, "Corners-") && len(left) > 0 {
			t.Errorf("%d events %s were not noted", len(left), kind)
		}
	}
	for _, u := range list {
		if !u.met {
			t.Errorf("%d %s is in the list and not in the log", u.seq, u.kind)
		}
	}
}

// values are the fields of an event; those of a Write call are in an object
// without a name.
func (w written) values() object {
	if len(w.fields) == 1 && w.fields[0].name == "" && len(w.event.Metadata().Fields) == 1 {
		if inner, ok := w.fields[0].value.(object); ok {
			return inner
		}
	}
	return w.fields
}

// differences compares the values with those noted.
func (w written) differences(event told) []difference {
	return differences("", w.values(), expected(event.fields))
}

// expected is a list of fields in the form in which we print them.
func expected(fields []any) object {
	o := object{}
	for _, f := range fields {
		f := f.(object)
		v, _ := f.get("v")
		o = append(o, member{f.text("n"), expectedValue(f, f.text("t"), v, -1)})
	}
	return o
}

// expectedValue returns a value of a type; the program also logs the bits of
// floats, those of an array by position.
func expectedValue(f object, typ string, v any, at int) any {
	if element, ok := strings.CutSuffix(typ, "[]"); ok && typ != "byte[]" {
		return expectedArray(f, element, v)
	}
	switch strings.TrimPrefix(typ, "enum:") {
	case "int64", "uint64", "intptr", "uintptr", "timespan":
		return string(v.(json.Number))
	case "float32":
		n, _ := strconv.ParseUint(bitsOf(f, "bits", at), 0, 32)
		return floatText(float64(math.Float32frombits(uint32(n))), 32)
	case "float64":
		n, _ := strconv.ParseUint(bitsOf(f, "bits", at), 0, 64)
		return floatText(math.Float64frombits(n), 64)
	case "decimal":
		if at >= 0 {
			return v
		}
		n, _ := strconv.ParseUint(bitsOf(f, "asdouble_bits", at), 0, 64)
		return floatText(math.Float64frombits(n), 64)
	case "string":
		text, _ := v.(string) // null is written as ""
		return longText(text)
	case "char":
		code, _ := f.get("code")
		return code
	case "datetime":
		ticks, ok := f.get("filetime_utc")
		if !ok {
			return v // in an array
		}
		n, _ := ticks.(json.Number).Int64()
		moment, _ := wire.FileTime(uint64(n))
		return moment.Format("2006-01-02T15:04:05.0000000Z")
	case "object":
		return expected(v.([]any))
	}
	return v
}

// longText expands the program's short form of a text, its number of characters
// and the first of them: a repeated row of letters.
func longText(short string) string {
	const row = 26
	count, text, ok := strings.Cut(strings.TrimPrefix(short, "len"), ":")
	n, err := strconv.Atoi(count)
	if !ok || err != nil || !strings.HasPrefix(short, "len") {
		return short
	}
	return strings.Repeat(text[:row], n/row+1)[:n]
}

func expectedArray(f object, element string, v any) any {
	elements, _ := v.([]any)
	if element == "char" {
		var text strings.Builder
		for _, unit := range elements {
			text.WriteString(unit.(string))
		}
		return text.String()
	}
	list := []any{}
	for i, e := range elements {
		list = append(list, expectedValue(f, element, e, i))
	}
	return list
}

// bitsOf is the bits of a float.
func bitsOf(f object, name string, at int) string {
	if at < 0 {
		return f.text(name)
	}
	text, _ := f.list(name)[at].(string)
	return text
}

// floatText is a float as we print it: the shortest number, or its name.
func floatText(f float64, size int) any {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+") + "inity"
	}
	return json.Number(strconv.FormatFloat(f, 'g', -1, size))
}
