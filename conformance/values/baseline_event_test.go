package values_test

import (
	"encoding/json"
	"fmt"
	"html"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// element is an event of a baseline, written like XML, or one of the elements
// of its array.
type element struct {
	attributes []attribute
	children   []element
	cut        bool // the line is too long and ends in a later child
}

type attribute struct{ name, text string }

var (
	tags       = regexp.MustCompile(`<\w+((?:\s+\w*\s*=\s*"[^"]*")*)\s*/?>`)
	attributes = regexp.MustCompile(`(\w*)\s*=\s*"([^"]*)"`)
)

// header are the attributes that each event has; the other reader invents the
// names in them.
var header = map[string]bool{
	"MSec": true, "PID": true, "PName": true, "TID": true, "ActivityID": true,
	"EventName": true, "ProviderName": true, "FormattedMessage": true,
}

// parseElement parses an event and the elements after it.
func parseElement(t *testing.T, text string) element {
	t.Helper()
	var list []element
	for _, tag := range tags.FindAllStringSubmatch(text, -1) {
		var e element
		for _, a := range attributes.FindAllStringSubmatch(tag[1], -1) {
			e.attributes = append(e.attributes, attribute{a[1], html.UnescapeString(a[2])})
		}
		list = append(list, e)
	}
	cut := !strings.HasSuffix(text, ">")
	missing := strings.Count(text, "<") - strings.Count(text, "</") - len(list)
	expect.NotZero(t, "elements of "+text, len(list))
	if missing > 0 && !cut {
		t.Errorf("%d elements in %s", len(list), text)
	}
	expect.AtMost(t, "elements that miss their end in "+text, missing, 1)
	expect.Stop(t)
	list[0].children, list[0].cut = list[1:], cut
	return list[0]
}

func (e element) get(name string) string {
	for _, a := range e.attributes {
		if a.name == name {
			return strings.TrimSpace(a.text)
		}
	}
	return ""
}

// compare compares the first event of a type with the one in the baseline.
func (c *baselineCheck) compare(t *testing.T, where string, trace *codec.Trace, ours *typed, theirs element) {
	t.Helper()
	e := ours.first
	thread, _ := e.ThreadID()
	process, _ := e.ProcessID()
	got := fmt.Sprintf("%s ms, process %d, thread %d", milliseconds(trace, e.Timestamp), process, thread)
	want := fmt.Sprintf("%s ms, process %s, thread %s", theirs.get("MSec"), theirs.get("PID"), theirs.get("TID"))
	if got != want {
		t.Errorf("%s: %s; the baseline has %s", where, got, want)
	}
	if activity := theirs.get("ActivityID"); activity != "" && activity != strings.ReplaceAll(e.Activity().String(), "-", "") {
		t.Errorf("%s: activity %s, the baseline has %s", where, e.Activity(), activity)
	}
	for _, a := range theirs.attributes {
		if !header[a.name] {
			c.compareField(t, where, e, ours.fields, a, "")
		}
	}
	if len(theirs.children) == 0 {
		return
	}
	elements := ours.fields.list("Values")
	if n := len(theirs.children); len(elements) < n || len(elements) > n && !theirs.cut {
		t.Errorf("%s: %d elements, the baseline has %d", where, len(elements), len(theirs.children))
		return
	}
	for i, child := range theirs.children {
		for _, a := range child.attributes {
			c.compareField(t, where, e, elements[i].(object), a, "Values.")
		}
	}
}

// compareField compares one value; path leads to its object.
func (c *baselineCheck) compareField(t *testing.T, where string, e *codec.Event, fields object, theirs attribute, path string) {
	t.Helper()
	field := eventName(e) + "." + path + theirs.name
	name := theirs.name
	if other := otherNames[field]; other != "" {
		name = other
		delete(c.unmet, field)
	}
	ours, found := fields.get(name)
	if compute := computed[field]; compute != nil {
		ours, found = decimal(compute(fields)), true
		delete(c.unmet, field)
	}
	switch {
	case found && c.agrees(e, path+name, field, ours, theirs.text):
		c.same++
	case found:
		t.Errorf("%s: %s is %s, the baseline has %q", where, field, show(ours), theirs.text)
	case synthesized[field] != "" || madeUp[field] != "":
		delete(c.unmet, field)
	default:
		t.Errorf("%s: no %s, the baseline has %q", where, field, theirs.text)
	}
}

// agrees reports whether a value is equal to a text of the baseline: text, a
// number with thousands separators, the name of an enumeration's value, JSON.
func (c *baselineCheck) agrees(e *codec.Event, path, field string, ours any, text string) bool {
	if number, ok := spellings[field+" "+text]; ok {
		delete(c.unmet, field+" "+text)
		theirs := decimal(int64(number))
		return corresponds(ours, theirs) || strings.HasSuffix(path, "MethodFlags") && corresponds(recast["MethodFlags"](ours), theirs)
	}
	if corresponds(ours, text) {
		return true
	}
	switch ours.(type) {
	case object, []any:
		theirs, err := parseValue(newDecoder([]byte(text)))
		return err == nil && correspond(ours, theirs)
	}
	plain := strings.ReplaceAll(text, ",", "")
	if n, ok := ours.(json.Number); ok && sameDigits(n, plain) {
		return true
	}
	if x, ok := integer(ours); ok {
		if y, ok := integer(plain); ok && x == y {
			return true
		}
		known, ok := clr.Describe(e.Metadata(), e.Version())
		return ok && known.Map(path) != nil && sameNames(known.Map(path).Text(uint64(x)), text)
	}
	return false
}

// sameDigits compares floats: a baseline has 15 digits of them.
func sameDigits(ours json.Number, theirs string) bool {
	x, err := ours.Float64()
	y, errToo := strconv.ParseFloat(theirs, 64)
	return err == nil && errToo == nil && strconv.FormatFloat(x, 'g', 15, 64) == strconv.FormatFloat(y, 'g', 15, 64)
}

// correspond compares the values in objects and arrays.
func correspond(ours, theirs any) bool {
	switch o := ours.(type) {
	case object:
		t, _ := theirs.(object)
		return slices.EqualFunc(o, t, func(a, b member) bool { return a.name == b.name && correspond(a.value, b.value) })
	case []any:
		t, _ := theirs.([]any)
		return slices.EqualFunc(o, t, correspond)
	}
	return corresponds(ours, theirs)
}

// sameNames compares names of flags.
func sameNames(ours, theirs string) bool {
	return strings.ReplaceAll(ours, "|", ", ") == theirs
}

// milliseconds is the time since the sync time to four digits.
func milliseconds(trace *codec.Trace, ticks uint64) string {
	since := new(big.Int).Sub(new(big.Int).SetUint64(ticks), new(big.Int).SetUint64(trace.SyncTicks))
	since.Mul(since, big.NewInt(1000))
	return new(big.Rat).SetFrac(since, new(big.Int).SetUint64(trace.TickFrequency)).FloatString(4)
}
