// Package schema_test compares conformance/schema/lines.json, the JSON Schema of the
// lines of conformance/PROTOCOL.md, with the printed lines and with the examples of that
// document.
package schema_test

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/conformance/runner"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// types are the types of lines.
var types = []string{"trace", "event", "lost", "defect", "end", "metadata", "thread", "removeThread", "sequencePoint", "flush"}

// lines returns the schema's text.
func lines(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("../../conformance/schema/lines.json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// compile returns the schema of all lines, and that of each type of line.
func compile(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	text, err := jsonschema.UnmarshalJSON(bytes.NewReader(lines(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	const name = "lines.json"
	if err := c.AddResource(name, text); err != nil {
		t.Fatal(err)
	}
	compiled := map[string]*jsonschema.Schema{}
	for _, kind := range types {
		compiled[kind] = c.MustCompile(name + "#/$defs/" + kind)
	}
	compiled[""] = c.MustCompile(name)
	return compiled
}

// checker checks lines and counts them by type.
type checker struct {
	schemas map[string]*jsonschema.Schema
	seen    map[string]int
}

func newChecker(t *testing.T) *checker {
	return &checker{schemas: compile(t), seen: map[string]int{}}
}

// line returns what is wrong with a line.
func (c *checker) line(text string) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	o, _ := v.(map[string]any)
	kind, _ := o["type"].(string)
	c.seen[kind]++
	if s := c.schemas[kind]; s != nil && kind != "" {
		return s.Validate(v) // the message of one alternative is shorter
	}
	return c.schemas[""].Validate(v)
}

// lines fails the test for the first wrong line of an output.
func (c *checker) lines(t *testing.T, text []byte) {
	t.Helper()
	for line := range strings.Lines(string(text)) {
		if err := c.line(line); err != nil {
			t.Errorf("%s%v", line, err)
			return
		}
	}
}

// TestCases compares the schema with the expected lines of all cases, the lines of
// package codec, and the input of writers.
func TestCases(t *testing.T) {
	c := newChecker(t)
	for n, test := range cases.All() {
		if !tier.Check && n%8 != 0 {
			continue
		}
		t.Run(test.Name, func(t *testing.T) {
			c.lines(t, test.Lines)
			var out bytes.Buffer
			adapter.Codec(test.Trace, &out)
			c.lines(t, out.Bytes())
			if runner.Writable(&test) {
				c.lines(t, runner.Input(&test))
			}
		})
	}
	for _, kind := range types {
		if c.seen[kind] == 0 && kind != "defect" { // adapter.Codec stops at the first defect
			t.Errorf("no line of type %s was compared", kind)
		}
	}
}

// TestPython compares the schema with the lines of the reader in Python.
func TestPython(t *testing.T) {
	shared.SkipRace(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3: the lines of the reader in Python are not compared")
	}
	var in bytes.Buffer
	for _, test := range cases.All() {
		if err := adapter.WriteBlob(&in, test.Trace); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, "../../conformance/adapters/python/adapter.py", adapter.StreamFlag)
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	c, answers := newChecker(t), bytes.NewReader(out)
	for _, test := range cases.All() {
		t.Run(test.Name, func(t *testing.T) {
			lines, err := adapter.ReadBlob(answers)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := answers.ReadByte(); err != nil {
				t.Fatal(err)
			}
			c.lines(t, lines)
		})
	}
}

// TestExamples compares the schema with the examples in PROTOCOL.md, which has one
// of each type.
func TestExamples(t *testing.T) {
	text, err := os.ReadFile("../../conformance/PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	c := newChecker(t)
	for line := range strings.Lines(string(text)) {
		if line, ok := strings.CutPrefix(line, `    {"type":`); ok {
			line = `{"type":` + line
			t.Run(line[:min(40, len(line))], func(t *testing.T) { c.lines(t, []byte(line)) })
		}
	}
	for _, kind := range types {
		if c.seen[kind] == 0 {
			t.Errorf("no example of a line of type %s", kind)
		}
	}
}

// TestWrong tries lines that the schema refuses.
func TestWrong(t *testing.T) {
	c := newChecker(t)
	for _, line := range []string{
		`{}`,
		`[]`,
		`{"type":"other"}`,
		`{"type":"end","events":1,"lost":"0"}`,
		`{"type":"end","events":1,"lost":0,"truncated":false}`,
		`{"type":"end","events":1,"lost":"0","truncated":false,"more":1}`,
		`{"type":"lost","count":"1"}`,
		`{"type":"lost","count":"01","captureThread":"1"}`,
		`{"type":"event","time":"1"}`,
		`{"type":"event","time":1,"metadataId":1}`,
		`{"type":"event","time":"1","metadataId":1,"provider":"P"}`,
		`{"type":"event","time":"1","metadataId":1,"activity":"0C53347C-5C9D-40DC-B11B-3B75CBB8F231"}`,
		`{"type":"event","time":"1","metadataId":1,"stack":["1"]}`,
		`{"type":"event","time":"1","metadataId":1,"payload":"abc"}`,
		`{"type":"event","time":"1","metadataId":1,"labels":[{"key":"k"}]}`,
		`{"type":"event","time":"1","metadataId":1,"labels":[{"level":1,"version":1}]}`,
		`{"type":"event","time":"1","metadataId":1,"fields":{"A":null}}`,
		`{"type":"trace","format":"6","pointerSize":8,"syncTicks":"0","tickFrequency":"1"}`,
		`{"type":"metadata","id":1,"provider":"P","eventId":1,"version":0,"level":4,"keywords":"0x0","fields":[{"type":"Int32"}]}`,
		`{"type":"metadata","id":1,"provider":"P","eventId":1,"version":0,"level":4,"keywords":"0x0","fields":[{"name":"A","type":"Array"}]}`,
		`{"type":"metadata","id":1,"provider":"P","eventId":1,"version":0,"level":4,"keywords":"0x0","fields":[{"name":"A","type":"Int32","count":1}]}`,
		`{"type":"sequencePoint","time":"1","flags":0,"threads":[["1","2"]]}`,
		`{"type":"defect","offset":-1}`,
	} {
		t.Run(line, func(t *testing.T) {
			if c.line(line) == nil {
				t.Error("the schema accepts the line")
			}
		})
	}
}

// TestTypes compares the list of types with the schema's.
func TestTypes(t *testing.T) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(lines(t)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, one := range v.(map[string]any)["oneOf"].([]any) {
		got = append(got, strings.TrimPrefix(one.(map[string]any)["$ref"].(string), "#/$defs/"))
	}
	if !slices.Equal(got, types) {
		t.Errorf("types %q, want %q", got, types)
	}
}
