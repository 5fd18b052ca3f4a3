package check

import (
	"bytes"
	"encoding/xml"
	"strconv"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/check"
)

// junitPrinter prints JUnit XML: a suite for each file, a case for each finding.
type junitPrinter struct {
	p         *run.Program
	threshold rule.Severity
	suites    []junitSuite
	count     junitCount
}

// junitSuite is the suite of a file.
type junitSuite struct {
	name  string
	count junitCount
	cases []junitCase
}

// junitCount counts cases.
type junitCount struct{ tests, failures, errors, skipped int }

type junitCase struct {
	name, class string
	failure     *junitMessage
	err         *junitMessage
	skipped     *junitMessage
	output      string
}

type junitMessage struct{ message, kind, text string }

func newJUnit(p *run.Program, o *options, _ int) printer {
	return &junitPrinter{p: p, threshold: o.threshold}
}

func (c *junitPrinter) file(r *checked) error {
	s := junitSuite{name: r.name}
	if r.err != nil {
		s.add(junitCase{name: "read", class: r.name, err: &junitMessage{message: r.err.Error()}})
	}
	if r.report != nil {
		for i := range r.report.Findings {
			s.add(c.finding(r.name, &r.report.Findings[i]))
		}
	}
	if len(s.cases) == 0 {
		s.add(junitCase{name: "conforms", class: r.name})
	}
	c.suites = append(c.suites, s)
	c.count.tests += s.count.tests
	c.count.failures += s.count.failures
	c.count.errors += s.count.errors
	c.count.skipped += s.count.skipped
	return nil
}

// finding returns the case of a finding. The case of a finding that does not fail the check
// passes and has the text as its output.
func (c *junitPrinter) finding(name string, f *check.Finding) junitCase {
	sentence := f.Rule.Rule().Sentence
	text := f.Severity.String() + ": " + sentence + "\nat " + place(f) + "\n"
	if d := difference(f); d != "" {
		text += d + "\n"
	}
	text += display.Counted(f.Count, "time") + "\nfix: " + f.Hint + "\n"
	test := junitCase{name: f.Rule.String() + " at " + display.Grouped(f.Offset), class: name}
	switch {
	case f.Suppressed != "":
		test.skipped = &junitMessage{message: f.Suppressed}
	case c.threshold > 0 && f.Severity >= c.threshold:
		test.failure = &junitMessage{sentence, f.Rule.String(), text}
	default:
		test.output = text
	}
	return test
}

// add adds a case and counts it.
func (s *junitSuite) add(test junitCase) {
	s.cases = append(s.cases, test)
	s.count.tests++
	switch {
	case test.failure != nil:
		s.count.failures++
	case test.err != nil:
		s.count.errors++
	case test.skipped != nil:
		s.count.skipped++
	}
}

// end prints the suites.
func (c *junitPrinter) end() error {
	x := &xmlText{}
	x.b.WriteString(xml.Header)
	x.begin("testsuites", c.count.attributes("nettrace check")...)
	for i := range c.suites {
		s := &c.suites[i]
		x.begin("testsuite", s.count.attributes(s.name)...)
		for j := range s.cases {
			x.testCase(&s.cases[j])
		}
		x.end("testsuite")
	}
	x.end("testsuites")
	_, err := c.p.Stdout.Write(x.b.Bytes())
	return err
}

// attributes returns the attributes of a suite, or of all.
func (n *junitCount) attributes(name string) []string {
	return []string{
		"name", name, "tests", strconv.Itoa(n.tests), "failures", strconv.Itoa(n.failures), "errors", strconv.Itoa(n.errors), "skipped", strconv.Itoa(n.skipped),
	}
}

// xmlText is XML in the making. Package encoding/xml escapes the texts, and does not encode them: its
// encoder would be 50 kB of the program.
type xmlText struct {
	b     bytes.Buffer
	depth int // of the open elements
}

// testCase adds a case.
func (x *xmlText) testCase(test *junitCase) {
	attributes := []string{"name", test.name, "classname", test.class}
	if *test == (junitCase{name: test.name, class: test.class}) {
		x.element("testcase", "", attributes...)
		return
	}
	x.begin("testcase", attributes...)
	for _, m := range []struct {
		name string
		of   *junitMessage
	}{{"failure", test.failure}, {"error", test.err}, {"skipped", test.skipped}} {
		if m.of != nil {
			x.element(m.name, m.of.text, "message", m.of.message, "type", m.of.kind)
		}
	}
	if test.output != "" {
		x.element("system-out", test.output)
	}
	x.end("testcase")
}

// begin begins an element with attributes, which are names and values.
func (x *xmlText) begin(name string, attributes ...string) {
	x.tag(name, attributes...)
	x.b.WriteByte('\n')
	x.depth++
}

// end ends an element.
func (x *xmlText) end(name string) {
	x.depth--
	x.indent()
	x.b.WriteString("</" + name + ">\n")
}

// element adds an element with a text.
func (x *xmlText) element(name, text string, attributes ...string) {
	x.tag(name, attributes...)
	x.escape(text)
	x.b.WriteString("</" + name + ">\n")
}

// tag adds the beginning of an element. Attributes without a value are left out.
func (x *xmlText) tag(name string, attributes ...string) {
	x.indent()
	x.b.WriteString("<" + name)
	for i := 0; i < len(attributes); i += 2 {
		if attributes[i+1] != "" {
			x.b.WriteString(" " + attributes[i] + `="`)
			x.escape(attributes[i+1])
			x.b.WriteByte('"')
		}
	}
	x.b.WriteByte('>')
}

func (x *xmlText) indent() {
	for range x.depth {
		x.b.WriteString("  ")
	}
}

func (x *xmlText) escape(text string) {
	_ = xml.EscapeText(&x.b, []byte(text)) // a Buffer accepts all bytes
}
