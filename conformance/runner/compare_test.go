package runner

import (
	"errors"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// expected are the lines of a trace with two events, one of them nameless.
const expected = `{"type":"trace","format":"6.0","pointerSize":8,"syncTicks":"0","tickFrequency":"1000","properties":{"a":"b"}}
{"type":"metadata","id":1,"provider":"P","eventId":1,"name":"E","version":0,"level":4,"keywords":"0x1","fields":[{"name":"f","type":"Double"}]}
{"type":"metadata","id":2,"provider":"P","eventId":2,"version":0,"level":4,"keywords":"0x1"}
{"type":"lost","captureThread":"7","captureThreadIndex":"1","count":"3","before":"10"}
{"type":"lost","captureThread":"7","captureThreadIndex":"1","count":"2","before":"10"}
{"type":"event","provider":"P","id":1,"name":"E","time":"10","threadIndex":"1","sequence":6,"stack":["0x1"],"fields":{"f":0.1,"s":"\ud800"},"fieldsError":"NT-PAY-003","metadata":1,"sorted":true}
{"type":"event","provider":"P","id":2,"name":"Manifest","time":"20","fields":{"known":1},"threadIndex":"1","sequence":7,"metadata":2}
{"type":"end","events":2,"lost":"5","truncated":false}
`

func TestSame(t *testing.T) {
	for name, change := range map[string][]string{
		"the same":                        {},
		"other key order":                 {`"format":"6.0","pointerSize":8`, `"pointerSize":8,"format":"6.0"`},
		"number spelled otherwise":        {`"f":0.1`, `"f":1e-1`},
		"unknown key":                     {`"time":"10"`, `"time":"10","colour":"red"`},
		"empty key":                       {`"time":"20"`, `"time":"20","stack":[],"activity":"00000000-0000-0000-0000-000000000000","payload":""`},
		"other reason of a misfit":        {`NT-PAY-003`, `too long`},
		"losses in one line":              {`"count":"3","before":"10"}` + "\n" + `{"type":"lost","captureThread":"7","captureThreadIndex":"1","count":"2","before":"10"}`, `"count":"5"}`},
		"no name where metadata has none": {`"name":"Manifest",`, ``, `"fields":{"known":1},`, ``},
		"a name of its own":               {`"name":"Manifest"`, `"name":"Mine"`},
		"rows left out":                   {`{"type":"metadata","id":1,"provider":"P","eventId":1,"name":"E","version":0,"level":4,"keywords":"0x1","fields":[{"name":"f","type":"Double"}]}` + "\n", ``, `{"type":"metadata","id":2,"provider":"P","eventId":2,"version":0,"level":4,"keywords":"0x1"}` + "\n", ``, `,"metadata":1,"sorted":true`, ``, `,"metadata":2`, ``},
		"omitted key":                     {`"format"`, `"omits":["sequence","lost"],"format"`, `"sequence":7`, `"sequence":9`, `"lost":"5"`, `"lost":"0"`},
	} {
		t.Run(name, func(t *testing.T) {
			if err := Check(validCase(), adapter.Read, []byte(changed(t, change))); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDifferent(t *testing.T) {
	for name, change := range map[string][]string{
		"format":              {`"6.0"`, `"6.1"`},
		"property":            {`{"a":"b"}`, `{"a":"c"}`},
		"time":                {`"time":"20"`, `"time":"21"`},
		"number as text":      {`"id":2,"name"`, `"id":"2","name"`},
		"name":                {`"name":"E","time"`, `"name":"F","time"`},
		"no name":             {`"name":"E","time"`, `"time"`},
		"lowest bit of float": {`"f":0.1`, `"f":0.10000000000000002`},
		"other surrogate":     {`\ud800`, `\ud801`},
		"no misfit":           {`"fieldsError":"NT-PAY-003",`, ``},
		"stack":               {`["0x1"]`, `["0x1","0x2"]`},
		"loss":                {`"count":"2"`, `"count":"1"`},
		"loss of another":     {`"captureThreadIndex":"1","count":"3"`, `"captureThreadIndex":"2","count":"3"`},
		"total of losses":     {`"lost":"5"`, `"lost":"6"`},
		"truncated":           {`false`, `true`},
		"row":                 {`"level":4,"keywords":"0x1"}` + "\n" + `{"type":"lost"`, `"level":5,"keywords":"0x1"}` + "\n" + `{"type":"lost"`},
		"no trace line":       {`{"type":"trace","format":"6.0","pointerSize":8,"syncTicks":"0","tickFrequency":"1000","properties":{"a":"b"}}` + "\n", ``},
		"no end line":         {`{"type":"end","events":2,"lost":"5","truncated":false}` + "\n", ``},
		"after the end":       {`"truncated":false}`, `"truncated":false}` + "\n" + `{"type":"flush"}`},
		"unknown line":        {`"type":"lost"`, `"type":"loss"`},
		"no JSON":             {`"id":2,"name"`, `"id":02,"name"`},
		"two objects":         {`"truncated":false}`, `"truncated":false}{}`},
	} {
		t.Run(name, func(t *testing.T) {
			if err := Check(validCase(), adapter.Read, []byte(changed(t, change))); err == nil {
				t.Error("goes unnoticed")
			}
		})
	}
}

func validCase() *cases.Case {
	return &cases.Case{Name: "valid/event/two.v6", Version: "6", Lines: []byte(expected), Basis: cases.Text}
}

// changed replaces each first text by the second, once.
func changed(t *testing.T, pairs []string) string {
	t.Helper()
	text := expected
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%q is not there", pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

const (
	oneEvent = `{"type":"trace","format":"6.0","order":"file","pointerSize":8,"syncTicks":"0","tickFrequency":"1000","properties":{"a":"b"}}
{"type":"event","provider":"P","id":1,"name":"E","time":"10","threadIndex":"1","sequence":6,"stack":["0x1"],"fields":{"f":0.1,"s":"\ud800"},"fieldsError":"x"}
{"type":"end","events":1,"lost":"0","truncated":false}
`
	noEvent = `{"type":"end","events":0,"lost":"0","truncated":false}
`
	secondOnly = `{"type":"trace","format":"6.0","order":"file","pointerSize":8,"syncTicks":"0","tickFrequency":"1000","properties":{"a":"b"}}
{"type":"event","provider":"P","id":2,"name":"E","time":"20","threadIndex":"1","sequence":7}
{"type":"end","events":1,"lost":"0","truncated":false}
`
	late = `{"type":"event","provider":"P","id":3,"time":"30","threadIndex":"1","sequence":8}
`
)

// TestOutcomes: the allowed results of a reader for a case of each grade and kind.
func TestOutcomes(t *testing.T) {
	const defect = `{"type":"defect","offset":7,"rule":"NT-CMP-006"}` + "\n"
	withDefect := func(lines string) string {
		end := strings.LastIndex(lines, `{"type":"end"`)
		return lines[:end] + defect + lines[end:]
	}
	end := strings.LastIndex(expected, `{"type":"end"`)
	more := expected[:end] + late + expected[end:]
	noStack := strings.Replace(expected, `"stack":["0x1"],`, ``, 1)
	reject := cases.Fault{Rule: rule.CMP006}
	stops := cases.Case{Name: "invalid/a/b.v6", Kind: cases.Stops, Fault: reject, Before: 1}
	tells := cases.Case{Name: "invalid/a/b.v6", Kind: cases.Tells, Fault: reject,
		Missing: []cases.Missing{{Line: "event", Number: 0, Keys: []string{"stack"}}}}
	silent := cases.Case{Name: "invalid/a/b.v6", Kind: cases.Silent, Fault: reject}
	unknownRemoval := silent
	unknownRemoval.Uncompared = []string{"removeThread"}
	withRemoval := expected[:end] + `{"type":"removeThread","index":"77","sequence":1}` + "\n" + expected[end:]
	truncated := stops
	truncated.Truncated = true
	version := stops
	version.Unsupported = true
	valid := *validCase()
	either := cases.Case{Name: "either/a/b.v6", Accept: []cases.Answer{
		{Lines: []byte(expected), Uncompared: []string{"stack"}}, {Reports: true, Lines: []byte(expected)},
	}}
	readOnly := cases.Case{Name: "either/a/b.v6", Accept: []cases.Answer{{Lines: []byte(expected)}, {Lines: []byte(noStack)}}}
	for _, c := range []struct {
		what  string
		c     cases.Case
		exit  adapter.Exit
		lines string
		fine  bool
	}{
		{"valid is read", valid, adapter.Read, expected, true},
		{"valid is rejected", valid, adapter.Rejected, expected, false},
		{"valid, with a defect line", valid, adapter.Read, withDefect(expected), false},
		{"valid, and too much", valid, adapter.Read, more, false},
		{"valid, and too little", valid, adapter.Read, oneEvent, false},
		{"silent, with the removal of a thread", silent, adapter.Read, withRemoval, false},
		{"silent, with a removal that is not compared", unknownRemoval, adapter.Read, withRemoval, true},
		{"silent, without a removal that is not compared", unknownRemoval, adapter.Read, expected, true},
		{"stops: is read", stops, adapter.Read, expected, false},
		{"stops: is rejected", stops, adapter.Rejected, expected, true},
		{"stops: a defect line and exit 0", stops, adapter.Read, withDefect(expected), true},
		{"stops: a defect line and exit 1", stops, adapter.Rejected, withDefect(oneEvent), true},
		{"stops: rejected after the demanded event", stops, adapter.Rejected, oneEvent, true},
		{"stops: the demanded event is missing", stops, adapter.Rejected, noEvent, false},
		{"stops: an event after the fault without those before", stops, adapter.Rejected, secondOnly, false},
		{"stops: an event that is not in the trace", stops, adapter.Rejected, more, false},
		{"stops: events in another order", tells, adapter.Rejected, strings.Replace(swapped(), `"stack":["0x1"],`, ``, 1), false},
		{"stops: no end line", stops, adapter.Rejected, "", false},
		{"stops: the end is truncated", truncated, adapter.Rejected, strings.Replace(expected, "false}", "true}", 1), true},
		{"stops: the end is not reported as truncated", truncated, adapter.Rejected, expected, false},
		{"tells: is read", tells, adapter.Read, expected, false},
		{"tells: the row without the missing part", tells, adapter.Read, withDefect(noStack), true},
		{"tells: the row is left out", tells, adapter.Read, withDefect(secondOnly), true},
		{"tells: another part of the row differs", tells, adapter.Read, withDefect(strings.Replace(noStack, `"sequence":6`, `"sequence":9`, 1)), false},
		{"tells: another row differs", tells, adapter.Read, withDefect(strings.Replace(noStack, `"sequence":7`, `"sequence":9`, 1)), false},
		{"tells: is rejected at once", tells, adapter.Rejected, noEvent, true},
		{"tells: in order of time", tells, adapter.Rejected, strings.Replace(secondOnly, `"file"`, `"time","omits":["name"]`, 1), true},
		{"silent: is read", silent, adapter.Read, expected, true},
		{"silent: is read otherwise", silent, adapter.Read, oneEvent, false},
		{"silent: is rejected", silent, adapter.Rejected, noEvent, true},
		{"silent: is reported", silent, adapter.Read, withDefect(oneEvent), true},
		{"either: is read", either, adapter.Read, expected, true},
		{"either: is read without the key that is not compared", either, adapter.Read, noStack, true},
		{"either: is read otherwise", either, adapter.Read, oneEvent, false},
		{"either: is rejected", either, adapter.Rejected, noEvent, true},
		{"either: the first answer", readOnly, adapter.Read, expected, true},
		{"either: the second answer", readOnly, adapter.Read, noStack, true},
		{"either: no such answer", readOnly, adapter.Rejected, noEvent, false},
		{"another version", version, adapter.Unsupported, "", true},
		{"another version is rejected", version, adapter.Rejected, oneEvent, true},
		{"crash", stops, adapter.Exit(139), noEvent, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			c.c.Version, c.c.Lines = "6", []byte(expected)
			if err := Check(&c.c, c.exit, []byte(c.lines)); (err == nil) != c.fine {
				t.Errorf("got %v, want no difference: %v", err, c.fine)
			}
		})
	}
	if err := Check(&valid, adapter.Unsupported, nil); !errors.Is(err, ErrUnsupported) {
		t.Errorf("not supported: got %v, want ErrUnsupported", err)
	}
}

// swapped are the expected lines with the events in the other order.
func swapped() string {
	lines := strings.SplitAfter(expected, "\n")
	lines[5], lines[6] = lines[6], lines[5]
	return strings.Join(lines, "")
}

// TestLossesOf: the losses of one thread are not compared, those of others are.
func TestLossesOf(t *testing.T) {
	c := validCase()
	c.LossesOf = "1"
	for name, want := range map[string]struct {
		change []string
		fine   bool
	}{
		"of the thread":  {[]string{`"count":"2"`, `"count":"9"`, `"lost":"5"`, `"lost":"12"`}, true},
		"of another one": {[]string{`"captureThreadIndex":"1","count":"2"`, `"captureThreadIndex":"2","count":"2"`}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := Check(c, adapter.Read, []byte(changed(t, want.change))); (err == nil) != want.fine {
				t.Errorf("got %v, want no difference: %v", err, want.fine)
			}
		})
	}
}

// TestUncompressed: "sorted" of an uncompressed row is not compared.
func TestUncompressed(t *testing.T) {
	c := validCase()
	other := []byte(changed(t, []string{`,"sorted":true`, ``}))
	if Check(c, adapter.Read, other) == nil {
		t.Error("of a compressed row: not reported")
	}
	c.Uncompressed = []int{0}
	expect.NoError(t, Check(c, adapter.Read, other))
}

// TestOrderOfTime: a reader that returns events in time order may print them in
// another order than the file, but no others.
func TestOrderOfTime(t *testing.T) {
	lines := strings.SplitAfter(changed(t, []string{`"format"`, `"order":"time","omits":["rows","name"],"format"`}), "\n")
	lines[5], lines[6] = lines[6], lines[5]
	if err := Check(validCase(), adapter.Read, []byte(strings.Join(lines, ""))); err != nil {
		t.Error(err)
	}
	lines[6] = lines[5]
	if Check(validCase(), adapter.Read, []byte(strings.Join(lines, ""))) == nil {
		t.Error("one event twice, and another missing: not reported")
	}
}
