package runner

import (
	"errors"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
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
	return &cases.Case{Name: "valid/event/two.v6", Version: "6", Lines: []byte(expected)}
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
	oneEvent = `{"type":"trace","format":"6.0","order":"file"}
{"type":"event","provider":"P","id":1,"name":"E","time":"10","threadIndex":"1","sequence":6,"stack":["0x1"],"fields":{"f":0.1,"s":"\ud800"},"fieldsError":"x"}
{"type":"end","events":1,"lost":"0","truncated":false}
`
	noEvent = `{"type":"end","events":0,"lost":"0","truncated":false}
`
	secondOnly = `{"type":"trace","format":"6.0","order":"file"}
{"type":"event","provider":"P","id":2,"name":"E","time":"20","threadIndex":"1","sequence":7}
{"type":"end","events":1,"lost":"0","truncated":false}
`
	late = `{"type":"event","provider":"P","id":3,"time":"30","threadIndex":"1","sequence":8}
`
)

// TestOutcomes: the allowed results of a reader for a case of each grade.
func TestOutcomes(t *testing.T) {
	end := strings.LastIndex(expected, `{"type":"end"`)
	more := expected[:end] + late + expected[end:]
	reject := cases.Fault{Rule: rule.CMP006}
	notReported := cases.Fault{Rule: rule.EVB008, Readable: true}
	version := cases.Fault{Rule: rule.HDR006}
	for _, c := range []struct {
		what  string
		name  string
		fault cases.Fault
		exit  adapter.Exit
		lines string
		fine  bool
	}{
		{"valid is read", "valid/a/b.v6", cases.Fault{}, adapter.Read, expected, true},
		{"valid is rejected", "valid/a/b.v6", cases.Fault{}, adapter.Rejected, expected, false},
		{"valid, and too much", "valid/a/b.v6", cases.Fault{}, adapter.Read, more, false},
		{"valid, and too little", "valid/a/b.v6", cases.Fault{}, adapter.Read, oneEvent, false},
		{"invalid is read", "invalid/a/b.v6", reject, adapter.Read, expected, false},
		{"invalid is rejected", "invalid/a/b.v6", reject, adapter.Rejected, expected, true},
		{"invalid is rejected early", "invalid/a/b.v6", reject, adapter.Rejected, oneEvent, true},
		{"invalid is rejected at once", "invalid/a/b.v6", reject, adapter.Rejected, noEvent, true},
		{"invalid, and too much", "invalid/a/b.v6", reject, adapter.Rejected, more, false},
		{"invalid, and no prefix", "invalid/a/b.v6", reject, adapter.Rejected, secondOnly, false},
		{"invalid, in order of time", "invalid/a/b.v6", reject, adapter.Rejected, strings.Replace(secondOnly, `"file"`, `"time","omits":["name"]`, 1), true},
		{"invalid, and no end line", "invalid/a/b.v6", reject, adapter.Rejected, "", false},
		{"overlooked", "invalid/a/b.v6", notReported, adapter.Read, expected, true},
		{"overlooked, read otherwise", "invalid/a/b.v6", notReported, adapter.Read, oneEvent, false},
		{"not overlooked", "invalid/a/b.v6", notReported, adapter.Rejected, oneEvent, true},
		{"either is read", "either/a/b.v6", reject, adapter.Read, expected, true},
		{"either is read otherwise", "either/a/b.v6", reject, adapter.Read, oneEvent, false},
		{"either is rejected", "either/a/b.v6", reject, adapter.Rejected, noEvent, true},
		{"other version", "invalid/a/b.v6", version, adapter.Unsupported, noEvent, true},
		{"crash", "invalid/a/b.v6", reject, adapter.Exit(139), noEvent, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			err := Check(&cases.Case{Name: c.name, Version: "6", Lines: []byte(expected), Fault: c.fault}, c.exit, []byte(c.lines))
			if (err == nil) != c.fine {
				t.Error(err)
			}
		})
	}
	if err := Check(validCase(), adapter.Unsupported, nil); !errors.Is(err, ErrUnsupported) {
		t.Errorf("not supported: %v", err)
	}
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
